// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how settings name secrets
import { mkdir, open, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { describeProblem } from '../../../src/domain/mapping/mapping.ts';
import {
  type LoadReport,
  openSiteRegistry,
  type SiteRegistry,
  type SiteRegistryParts,
} from '../../../src/outbound/files/site-registry.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { until } from '../../support/until.ts';
import {
  aMappingsDirectory,
  type Files,
  FLAG,
  type MappingsDirectory,
  MERCY,
  NOTE,
  SMALL_BASE,
} from './mappings-directory.ts';

const BY_EVENTS_ALONE = { pollMs: 3_600_000, debounceMs: 5 };
const TWO_SITES: Files = { ...SMALL_BASE, 'mercy/site.yaml': MERCY, 'hope/site.yaml': MERCY };

const NOTHING: LoadReport = { loaded: [], stale: [], unavailable: [], recovered: [], removed: [], problems: [] };
const live = (name: string) => ({ name, mode: 'live' as const });

type Opened = AsyncDisposable & {
  readonly made: MappingsDirectory;
  readonly registry: SiteRegistry;
  readonly reports: LoadReport[];
  readonly site: (name: string) => LoadedSite | undefined;
  readonly problems: () => readonly string[];
};

async function opened(files: Files, parts: Partial<SiteRegistryParts> = BY_EVENTS_ALONE): Promise<Opened> {
  const made = await aMappingsDirectory(files);
  const reports: LoadReport[] = [];
  const registry = await openSiteRegistry({
    directory: made.directory,
    environment: {},
    onLoad: (report) => void reports.push(report),
    ...parts,
  });
  return {
    made,
    registry,
    reports,
    site: (name) => registry.current().sites.get(name),
    problems: () => registry.current().problems.map(describeProblem),
    async [Symbol.asyncDispose]() {
      await registry.close();
      await made[Symbol.asyncDispose]();
    },
  };
}

describe('The sites in force', () => {
  it('remain in force if the directory is suddenly empty, as after an unmounted disk', async () => {
    await using testbed = await opened(TWO_SITES);
    await rename(testbed.made.directory, `${testbed.made.directory}-away`);
    await mkdir(testbed.made.directory);
    await until(() => testbed.problems().some((problem) => problem.includes('this folder is empty')));
    expect(testbed.site('mercy')?.name).toBe('mercy');
    expect([...testbed.registry.current().stale].toSorted()).toEqual(['hope', 'mercy']);
    await rm(testbed.made.directory, { recursive: true });
    await rename(`${testbed.made.directory}-away`, testbed.made.directory);
    await until(() => testbed.problems().length === 0);
  });

  it('change even if the listener fails', async () => {
    const onLoad = () => {
      throw new Error('a listener that fails');
    };
    await using testbed = await opened(TWO_SITES, { ...BY_EVENTS_ALONE, onLoad });
    await testbed.made.write({ 'mercy/site.yaml': `${MERCY}mode: shadow\n` });
    await until(() => testbed.site('mercy')?.settings.mode === 'shadow');
  });

  it('are loaded at the start, and reported', async () => {
    await using testbed = await opened({
      ...TWO_SITES,
      'region/site.yaml': 'timeZone: UTC',
      'profiles/x/site.yaml': 'mode: off',
    });
    expect([...testbed.registry.current().sites.keys()]).toEqual(['hope', 'mercy']);
    expect(testbed.reports).toEqual([{ ...NOTHING, loaded: [live('hope'), live('mercy')] }]);
  });

  it('are none without a directory, and appear with it', async () => {
    await using testbed = await opened({}, { pollMs: 5, debounceMs: 5 });
    await testbed.made.remove('.');
    await until(() => testbed.problems().length === 1);
    expect(testbed.reports.at(-1)?.problems).toHaveLength(1);
    await testbed.made.write(TWO_SITES);
    await until(() => testbed.registry.current().sites.size === 2);
    expect(testbed.problems()).toEqual([]);
  });

  it('change with their files, and only those whose files changed', async () => {
    await using testbed = await opened(TWO_SITES);
    const before = testbed.registry.current();
    await testbed.made.write({ 'mercy/site.yaml': `${MERCY}mode: shadow\n` });
    await until(() => testbed.site('mercy')?.settings.mode === 'shadow');
    expect(testbed.site('hope')).toBe(before.sites.get('hope'));
    expect(before.sites.get('mercy')?.settings.mode).toBe('live');
    expect(testbed.reports.at(-1)).toEqual({ ...NOTHING, loaded: [{ name: 'mercy', mode: 'shadow' }] });
  });

  it('change when an editor replaces a file', async () => {
    await using testbed = await opened(TWO_SITES);
    await testbed.made.replace('mercy/site.yaml', `${MERCY}mode: shadow\n`);
    await until(() => testbed.site('mercy')?.settings.mode === 'shadow');
    await testbed.made.replace('mercy/site.yaml', `${MERCY}mode: off\n`);
    await until(() => testbed.site('mercy')?.settings.mode === 'off');
  });

  it('change together if they share a changed file', async () => {
    await using testbed = await opened(TWO_SITES);
    await testbed.made.write({ 'base/flag.yaml': FLAG });
    await until(() => testbed.reports.length === 2);
    expect(testbed.reports[1]?.loaded).toEqual([live('hope'), live('mercy')]);
    expect(testbed.site('hope')?.mappings.get('flag')).toBe(testbed.site('mercy')?.mappings.get('flag'));
  });

  it('appear with a new folder, and disappear with it', async () => {
    await using testbed = await opened(TWO_SITES);
    await testbed.made.write({ 'st-mary/codes/more.yaml': 'codes: {}', 'st-mary/site.yaml': MERCY });
    await until(() => testbed.site('st-mary') !== undefined);
    await testbed.made.write({ 'st-mary/codes/more.yaml': 'codes: { A: none }' });
    await until(() => testbed.site('st-mary')?.codes['more']?.codes['A'] !== undefined);
    await testbed.made.remove('st-mary');
    await until(() => testbed.site('st-mary') === undefined);
    expect(testbed.reports.at(-1)).toEqual({ ...NOTHING, removed: ['st-mary'] });
    expect([...testbed.registry.current().stale]).toEqual([]);
  });

  it('do not change, and are not reported, if none of their files changed', async () => {
    await using testbed = await opened(TWO_SITES);
    const before = testbed.registry.current();
    await testbed.made.write({ 'mercy/README.md': 'x', 'mercy/tests/a/input.yaml': 'x: [', 'docs/notes.txt': 'x' });
    await utimes(join(testbed.made.directory, 'mercy/site.yaml'), 1, 1);
    await testbed.made.write({ 'hope/site.yaml': `${MERCY}mode: off\n` });
    await until(() => testbed.site('hope')?.settings.mode === 'off');
    expect(testbed.site('mercy')).toBe(before.sites.get('mercy'));
    expect(testbed.reports).toHaveLength(2);
  });

  it('change with a secret in a file elsewhere, if the registry polls', async () => {
    const settings = `${MERCY}events: { push: { secret: "\${file:../../push}" } }\n`;
    await using testbed = await opened(
      { ...TWO_SITES, 'mercy/site.yaml': settings, '../push': 'one' },
      { pollMs: 5, debounceMs: 5 },
    );
    expect(testbed.site('mercy')?.settings.events.push?.secret).toBe('one');
    const hope = testbed.site('hope');
    await testbed.made.write({ '../push': 'two' });
    await until(() => testbed.site('mercy')?.settings.events.push?.secret === 'two');
    expect(testbed.site('hope')).toBe(hope);
  });

  it('do not change after the registry is closed', async () => {
    await using testbed = await opened(TWO_SITES, { pollMs: 5, debounceMs: 5 });
    await testbed.registry.close();
    await using other = await openOther(testbed.made);
    await testbed.made.write({ 'mercy/site.yaml': `${MERCY}mode: off\n` });
    await until(() => other.registry.current().sites.get('mercy')?.settings.mode === 'off');
    expect(testbed.site('mercy')?.settings.mode).toBe('live');
    expect(testbed.reports).toHaveLength(1);
  });
});

async function openOther({ directory }: MappingsDirectory) {
  const registry = await openSiteRegistry({ directory, environment: {}, onLoad: () => undefined, ...BY_EVENTS_ALONE });
  return { registry, [Symbol.asyncDispose]: registry.close };
}

describe('A site whose files have problems', () => {
  it('remains in force as it was last good, and is reported, until the problems are solved', async () => {
    await using testbed = await opened(TWO_SITES);
    const good = testbed.site('mercy');
    await testbed.made.write({ 'mercy/document-reference.yaml': NOTE.replace('status', 'sttaus') });
    await until(() => testbed.registry.current().stale.has('mercy'));
    expect(testbed.site('mercy')).toBe(good);
    expect(testbed.reports.at(-1)).toMatchObject({ loaded: [], stale: ['mercy'], removed: [] });
    expect(testbed.problems().every((problem) => problem.startsWith('mappings/mercy/document-reference.yaml:'))).toBe(
      true,
    );
    expect([...testbed.registry.current().stale]).toEqual(['mercy']);

    await testbed.made.write({ 'mercy/document-reference.yaml': NOTE });
    await until(() => testbed.registry.current().stale.size === 0);
    expect(testbed.site('mercy')?.mappings.get('document-reference')?.file).toBe(
      'mappings/mercy/document-reference.yaml',
    );
    expect(testbed.problems()).toEqual([]);
    expect(testbed.reports.at(-1)).toEqual({ ...NOTHING, loaded: [live('mercy')], recovered: ['mercy'] });
  });

  it('does not prevent changes of other sites', async () => {
    await using testbed = await opened({ ...TWO_SITES, 'mercy/flag.yaml': 'resourceType: Flga' });
    expect([...testbed.registry.current().sites.keys()]).toEqual(['hope']);
    await testbed.made.write({ 'hope/site.yaml': `${MERCY}mode: shadow\n` });
    await until(() => testbed.site('hope')?.settings.mode === 'shadow');
    expect(testbed.site('mercy')).toBeUndefined();
  });

  it('is not in force if it was never good, and appears when it is', async () => {
    await using testbed = await opened({ ...TWO_SITES, 'mercy/site.yaml': `${MERCY}moed: live` });
    expect(testbed.site('mercy')).toBeUndefined();
    expect(testbed.reports).toEqual([
      {
        ...NOTHING,
        loaded: [live('hope')],
        unavailable: ['mercy'],
        problems: [expect.objectContaining({ message: 'moed is no setting; did you mean mode?' })],
      },
    ]);
    expect([...testbed.registry.current().stale]).toEqual([]);
    await testbed.made.write({ 'mercy/site.yaml': MERCY });
    await until(() => testbed.site('mercy') !== undefined);
  });

  it.each<[string, string, Files]>([
    ['its settings are not YAML', 'mercy', { 'mercy/site.yaml': 'extends: [' }],
    ['it has no settings at all', 'mercy', { 'mercy/document-reference.yaml': NOTE }],
    ['a mapping of its own is wrong', 'mercy', { 'mercy/site.yaml': MERCY, 'mercy/flag.yaml': 'resourceType: Flga' }],
    ['the folder that it extends does not exist', 'mercy', { 'mercy/site.yaml': 'extends: region' }],
    ['its name has invalid characters', 'St_Mary', { 'St_Mary/site.yaml': MERCY }],
  ])('is not in force, and is named once, if %s', async (_title, name, files) => {
    await using testbed = await opened({ ...SMALL_BASE, 'hope/site.yaml': MERCY, ...files });
    expect([...testbed.registry.current().unavailable]).toEqual([name]);
    expect(testbed.reports[0]).toMatchObject({ loaded: [live('hope')], unavailable: [name] });
    await testbed.made.write({ 'hope/site.yaml': `${MERCY}mode: off\n` });
    await until(() => testbed.site('hope')?.settings.mode === 'off');
    expect(testbed.reports.at(-1)?.unavailable).toEqual([]);
    await testbed.made.remove(name);
    await until(() => testbed.registry.current().unavailable.size === 0);
  });

  it('is reported as not in force even if its problem is already known', async () => {
    await using testbed = await opened({ ...TWO_SITES, 'base/flag.yaml': 'resourceType: Flga' });
    expect([...testbed.registry.current().unavailable]).toEqual(['hope', 'mercy']);
    await testbed.made.write({ 'st-mary/site.yaml': MERCY });
    await until(() => testbed.registry.current().unavailable.has('st-mary'));
    await until(() => testbed.reports.length === 2);
    expect(testbed.reports[1]?.unavailable).toEqual(['st-mary']);
    await testbed.made.remove('base/flag.yaml');
    await until(() => testbed.registry.current().sites.size === 3);
    expect(testbed.registry.current().unavailable.size).toBe(0);
  });

  it('is not counted as a site if it is only a folder to be extended', async () => {
    const files = { 'region/site.yaml': 'extends: base\nmoed: live', 'profiles/x/site.yaml': 'moed: live' };
    await using testbed = await opened({ ...TWO_SITES, ...files });
    expect(testbed.problems()).toHaveLength(2);
    expect([...testbed.registry.current().unavailable]).toEqual([]);
  });

  it('is reported as good again if its files are restored', async () => {
    await using testbed = await opened(TWO_SITES);
    await testbed.made.write({ 'mercy/site.yaml': 'extends: [' });
    await until(() => testbed.registry.current().stale.has('mercy'));
    await testbed.made.write({ 'mercy/site.yaml': MERCY });
    await until(() => testbed.registry.current().stale.size === 0);
    expect(testbed.reports.at(-1)).toEqual({ ...NOTHING, recovered: ['mercy'] });
  });

  it('keeps also what it inherits as it was last good', async () => {
    await using testbed = await opened({ ...TWO_SITES, 'own/site.yaml': MERCY, 'own/document-reference.yaml': NOTE });
    await testbed.made.write({ 'base/document-reference.yaml': 'resourceType: [' });
    await until(() => testbed.registry.current().stale.size > 0);
    expect([...testbed.registry.current().stale]).toEqual(['hope', 'mercy']);
    expect(testbed.site('mercy')?.mappings.has('document-reference')).toBe(true);
    expect(testbed.problems()).toHaveLength(1);
  });

  it('remains in force if the folder that it extends disappears', async () => {
    await using testbed = await opened(TWO_SITES);
    await testbed.made.remove('base');
    await until(() => testbed.registry.current().stale.size === 2);
    expect(testbed.problems()).toEqual([
      'mappings/hope/site.yaml:1:10: there is no folder base to extend',
      'mappings/mercy/site.yaml:1:10: there is no folder base to extend',
    ]);
  });

  it.each([
    ['its settings are empty for a moment', ''],
    ['only the first half of its settings is written', 'extends: base\n'],
    ['its settings end within a word', 'extends: base\nehr: { baseU'],
  ])('remains in force while %s', async (_title, half) => {
    await using testbed = await opened(TWO_SITES);
    const good = testbed.site('mercy');
    await testbed.made.write({ 'mercy/site.yaml': half });
    await until(() => testbed.registry.current().stale.has('mercy'));
    expect(testbed.site('mercy')).toBe(good);
    expect(testbed.problems()).toHaveLength(1);
    expect(testbed.problems()[0]).toMatch(/^mappings\/mercy\/site\.yaml:\d+:\d+: /);
    await testbed.made.write({ 'mercy/site.yaml': `${MERCY}mode: shadow\n` });
    await until(() => testbed.site('mercy')?.settings.mode === 'shadow');
    expect(testbed.problems()).toEqual([]);
    expect(testbed.reports.flatMap(({ removed }) => removed)).toEqual([]);
  });

  it('remains in force if the whole directory disappears, and is reloaded when it is back', async () => {
    await using testbed = await opened(TWO_SITES, { pollMs: 5, debounceMs: 5 });
    const { directory } = testbed.made;
    await rename(directory, `${directory}-away`);
    await until(() => testbed.registry.current().stale.size === 2);
    expect(testbed.site('mercy')).toBeDefined();
    expect(testbed.problems()).toHaveLength(1);
    await rename(`${directory}-away`, directory);
    await until(() => testbed.registry.current().stale.size === 0);
    expect(testbed.problems()).toEqual([]);
    await testbed.made.write({ 'mercy/site.yaml': `${MERCY}mode: shadow\n` });
    await until(() => testbed.site('mercy')?.settings.mode === 'shadow');
  });
});

describe('Files that change while they are read', () => {
  it('lead to their final state, however slowly they are written', async () => {
    await using testbed = await opened(TWO_SITES);
    await using handle = await open(join(testbed.made.directory, 'mercy/document-reference.yaml'), 'w');
    for (const line of NOTE.split(/(?<=\n)/)) {
      const count = testbed.reports.length;
      await handle.write(line);
      await testbed.made.write({ 'hope/site.yaml': `${MERCY}# ${count}\n` });
      await until(() => testbed.reports.length > count);
    }
    await until(() => testbed.registry.current().stale.size === 0);
    expect(testbed.site('mercy')?.mappings.get('document-reference')?.file).toBe(
      'mappings/mercy/document-reference.yaml',
    );
    expect(testbed.problems()).toEqual([]);
  });

  it('are never mixed: sites that share a file have the same version of it at every moment', async () => {
    await using testbed = await opened(TWO_SITES, { ...BY_EVENTS_ALONE, debounceMs: 1 });
    const seen = new Set<string>();
    const organizationNow = () => {
      const both = ['hope', 'mercy'].map((name) => testbed.site(name)?.settings.organization);
      expect(both[0]).toBe(both[1]);
      seen.add(String(both[0]));
      return both[0];
    };
    for (let turn = 1; turn <= 40; turn++) {
      const base = `${SMALL_BASE['base/site.yaml']}`.replace('mercy-general', `turn-${turn}`);
      await testbed.made.write({ 'base/site.yaml': base });
      organizationNow();
      if (turn % 8 === 0) await until(() => organizationNow() === `turn-${turn}`);
    }
    expect(seen.size).toBeGreaterThanOrEqual(5);
  });

  it('of many sites lead to their final state', async () => {
    await using testbed = await opened(TWO_SITES);
    const names = Array.from({ length: 12 }, (_, index) => `s${index}`);
    await Promise.all(
      names.map(async (name) => {
        await testbed.made.write({ [`${name}/site.yaml`]: 'extends: [' });
        await testbed.made.write({ [`${name}/site.yaml`]: `${MERCY}organization: first\n` });
        await testbed.made.write({ [`${name}/site.yaml`]: `${MERCY}organization: ${name}\n` });
      }),
    );
    await until(() => names.every((name) => testbed.site(name)?.settings.organization === name));
    await until(() => testbed.registry.current().stale.size === 0);
    expect(testbed.problems()).toEqual([]);
  });
});
