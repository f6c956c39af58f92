import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LANGUAGES } from '../../src/domain/language.ts';
import { PARTS, readCases } from './sets.ts';

const CASE = `
- id: en-cough
  kind: usual
  text: Cough for three days.
  expect: { among3: [J20], triage: WHITE }
  why: made up
`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'eval-sets-'));
  const names = LANGUAGES.flatMap((language) =>
    ['seen', 'more', 'unseen', 'late', 'talks'].map((name) => `${language}-${name}.yaml`),
  );
  await Promise.all(names.map((name) => write(name, '[]')));
});
afterEach(() => rm(folder, { recursive: true }));

const write = (name: string, text: string) => writeFile(join(folder, name), text);
const read = () => readCases(undefined, folder);

describe('The sets', () => {
  it('hold cases of every part and language, and talks of every language', async () => {
    const { vignettes, talks } = await readCases();
    for (const language of LANGUAGES) {
      for (const part of PARTS)
        expect(vignettes.filter((one) => one.part === part && one.language === language).length).toBeGreaterThan(10);
      expect(talks.filter((one) => one.language === language).length).toBeGreaterThan(5);
    }
  });

  it('count what came later to what was looked at', async () => {
    await write('pt-more.yaml', CASE);
    expect((await read()).vignettes).toMatchObject([{ id: 'en-cough', language: 'pt', part: 'seen' }]);
  });

  it('give only those that are asked for', async () => {
    await write('en-seen.yaml', CASE);
    expect(await readCases(['unseen', 'notes'], folder)).toEqual({ vignettes: [], talks: [] });
    expect((await readCases(['seen'], folder)).vignettes).toHaveLength(1);
  });
});

describe('A mistake in a set', () => {
  it('is reported with its file and case, without its text', async () => {
    await write('es-more.yaml', CASE.replace('WHITE', 'GREEN'));
    await expect(read()).rejects.toThrow(/^es-more\.yaml, en-cough:\n.*"RED"\|"WHITE"\n.*expect\.triage$/);
  });

  it('is reported with the place of a case without an id', async () => {
    await write('es-more.yaml', `${CASE}- text: Cough for three days.\n`);
    await expect(read()).rejects.toThrow(/^es-more\.yaml, case 2:/);
  });

  it('is reported with its line if it is not YAML', async () => {
    await write('es-more.yaml', `${CASE}  why: twice\n`);
    await expect(read()).rejects.toThrow('es-more.yaml, line 7: DUPLICATE_KEY');
  });

  it('is an id that is there already, in any file', async () => {
    await write('en-seen.yaml', CASE);
    await write('pt-unseen.yaml', CASE);
    await expect(read()).rejects.toThrow('pt-unseen.yaml, en-cough: is there already, in en-seen.yaml');
  });

  it('is a file that is not there, and one that is no list', async () => {
    await write('en-more.yaml', 'id: en-cough');
    await expect(read()).rejects.toThrow('en-more.yaml: is no list of cases');
    await rm(join(folder, 'en-more.yaml'));
    await expect(read()).rejects.toThrow('en-more.yaml');
  });
});
