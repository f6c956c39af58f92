import { describe, expect, it } from '@jest/globals';
import { makeIsAllowedSource } from '../../../src/domain/diagnosis/allowed-source.ts';
import { cleanDiagnosis } from '../../../src/domain/diagnosis/clean-diagnosis.ts';
import { LANGUAGES } from '../../../src/domain/language.ts';
import { describeProblem } from '../../../src/domain/mapping/mapping.ts';
import { readFolders } from '../../../src/outbound/files/mapping-folders.ts';
import { readShippedSources } from '../../../src/outbound/files/shipped-sources.ts';
import { openSiteRegistry } from '../../../src/outbound/files/site-registry.ts';
import { readKnowledge } from '../../../src/rules/knowledge/read-knowledge.ts';
import { aMappingsDirectory, type Files, MERCY, SMALL_BASE } from './mappings-directory.ts';

const BASE_LIST = { 'base/codes/sources.yaml': 'hosts: [who.int, nice.org.uk]\n' };

async function read(...files: readonly Files[]) {
  await using made = await aMappingsDirectory(SMALL_BASE, { 'mercy/site.yaml': MERCY }, ...files);
  const { folders, problems } = await readFolders({ directory: made.directory, environment: {} });
  return { mercy: folders.find(({ name }) => name === 'mercy')?.site, problems: problems.map(describeProblem) };
}

describe('The list of sources of a site', () => {
  it("is the base's if the site has none, and no table of codes", async () => {
    const { mercy, problems } = await read(BASE_LIST);
    expect(problems).toEqual([]);
    expect(mercy?.sources).toEqual(['who.int', 'nice.org.uk']);
    expect(Object.keys(mercy?.codes ?? {})).not.toContain('sources');
  });

  it("is the site's own instead of the base's, also if it is empty", async () => {
    const own = await read(BASE_LIST, { 'mercy/codes/sources.yaml': 'hosts: [guide.example.org]\n' });
    expect(own.mercy?.sources).toEqual(['guide.example.org']);
    const none = await read(BASE_LIST, { 'mercy/codes/sources.yaml': 'hosts: []\n' });
    expect(none.mercy?.sources).toEqual([]);
    expect(none.mercy?.version).not.toBe(own.mercy?.version);
  });

  it('is absent if no folder has one', async () => {
    expect((await read()).mercy).not.toHaveProperty('sources');
  });

  it('with a mistake keeps the site from being loaded, with the place of the mistake', async () => {
    const { mercy, problems } = await read(BASE_LIST, { 'mercy/codes/sources.yaml': 'hosts:\n  - https://who.int\n' });
    expect(mercy).toBeUndefined();
    expect(problems).toEqual([
      'mappings/mercy/codes/sources.yaml:2:5: each item of hosts is a host alone, in small letters: nice.org.uk',
    ]);
  });

  it("is the base's for diagnoses that belong to no site", async () => {
    await using made = await aMappingsDirectory(SMALL_BASE, BASE_LIST, { 'mercy/site.yaml': MERCY });
    const registry = await openSiteRegistry({ directory: made.directory, environment: {}, onLoad: () => undefined });
    expect(registry.current().sources).toEqual(['who.int', 'nice.org.uk']);
    await registry.close();
  });
});

describe('Without a base', () => {
  it('diagnoses that belong to no site have no list of their own, and a base without a list has an empty one', async () => {
    const sourcesOf = async (files: Files) => {
      await using made = await aMappingsDirectory(files);
      const registry = await openSiteRegistry({ directory: made.directory, environment: {}, onLoad: () => undefined });
      await registry.close();
      return registry.current().sources;
    };
    expect(await sourcesOf({ 'mercy/site.yaml': 'mode: off\n' })).toBeUndefined();
    expect(await sourcesOf(SMALL_BASE)).toEqual([]);
  });

  it('the list that comes with the engine is read, and a missing file is no list', () => {
    expect(readShippedSources()).toContain('nice.org.uk');
    expect(readShippedSources('no/such/file.yaml')).toEqual([]);
  });
});

describe('The shipped list of sources', () => {
  it('has at least 80 publishers, and lets all links and dosages of the knowledge pass', async () => {
    const { folders } = await readFolders({ directory: 'mappings', environment: {} });
    const sources = folders.find(({ name }) => name === 'base')?.site?.sources ?? [];
    expect(sources.length).toBeGreaterThanOrEqual(80);
    const isAllowedSource = makeIsAllowedSource(sources);
    const knowledge = readKnowledge('knowledge');
    const diseases = knowledge.conditions.flatMap((condition) =>
      LANGUAGES.map((language) => ({
        name: condition.name[language],
        standard_care: condition.care.map(({ url, ...name }) => ({
          name: name[language],
          ...(url !== undefined && { url }),
        })),
        drugs: (condition.drugs ?? []).map((drug) => ({
          name: drug.name[language],
          class: drug.class[language],
          considerations: drug.considerations[language],
          dosage: knowledge.wording[language].dosage,
        })),
      })),
    );
    expect(
      diseases.flatMap((disease) => disease.standard_care).filter(({ url }) => url !== undefined).length,
    ).toBeGreaterThan(100);
    const triage = { triage_level: 'WHITE', triage_justification: '', triage_recommendation: '' } as const;
    const whole = { diagnosis: { diseases }, triage } as unknown as Parameters<typeof cleanDiagnosis>[0]['diagnosis'];
    expect(cleanDiagnosis({ diagnosis: whole, isAllowedSource })).toEqual({
      diagnosis: whole,
      removed: { links: 0, dosages: 0, markup: 0 },
    });
  });
});
