// The decision whether the sandbox is on, and the site of that name.
import { describe, expect, it, jest } from '@jest/globals';
import type { Problem } from '../../src/domain/mapping/mapping.ts';
import type { LaunchSettings } from '../../src/domain/site/launch-settings.ts';
import type { Folder, LoadedFolders } from '../../src/outbound/files/mapping-folders.ts';
import { makeSandboxSite } from '../../src/sandbox/sandbox-site.ts';
import { aSite } from '../support/chart-facts.ts';

const FILED = 'http://127.0.0.1:3001/fhir/R4';
const REAL = 'http://127.0.0.1:45678/fhir/R4';

function aFolder(name: string, problems: readonly Problem[] = []): Folder {
  const site = aSite();
  const ehr = { baseUrl: FILED, auth: { type: 'none' }, maxConcurrentWrites: 2, headers: {} } as const;
  const loaded = { ...site, name, settings: { ...site.settings, ehr } };
  const isGood = problems.length === 0;
  return {
    name,
    kind: 'site',
    isUnclear: false,
    ...(isGood && { site: loaded }),
    problems,
    warnings: [],
    ownDocuments: [],
    inheritedFrom: [],
  };
}

function loadedOf(...folders: readonly Folder[]): LoadedFolders {
  return {
    folders,
    problems: folders.flatMap(({ problems }) => problems),
    isThere: true,
    isSettled: true,
    fingerprint: '',
    changedAtMs: 0,
    watchable: [],
    secretPrints: new Map(),
  };
}

function aSandboxSite(wanted: 'auto' | 'on' | 'off') {
  const open = jest.fn(async () => REAL);
  return { open, ...makeSandboxSite({ wanted, open }) };
}

const names = ({ folders }: LoadedFolders) => folders.map(({ name }) => name);
const addressOf = ({ folders }: LoadedFolders) =>
  folders.find(({ name }) => name === 'sandbox')?.site?.settings.ehr?.baseUrl;

describe('the site of the sandbox', () => {
  it('is on with auto if no other site has an EHR, with the actual address of its server', async () => {
    const { adaptSites: adapt, ready: settled, open } = aSandboxSite('auto');
    const plain = { ...aFolder('base'), kind: 'base' } as const;
    const adapted = await adapt(loadedOf(plain, aFolder('sandbox')));
    await settled();
    expect(addressOf(adapted)).toBe(REAL);
    expect(open).toHaveBeenCalledTimes(1);
  });

  it.each(['auto', 'off'] as const)('%s: is left out silently beside a site that has an EHR', async (wanted) => {
    const { adaptSites: adapt, ready: settled, open } = aSandboxSite(wanted);
    const problem = { place: { file: 'mappings/sandbox/site.yaml', line: 1, column: 1 }, message: 'wrong' };
    const others = { place: { file: 'mappings/mercy/site.yaml', line: 1, column: 1 }, message: 'wrong' };
    const adapted = await adapt(loadedOf(aFolder('mercy', [others]), aFolder('sandbox', [problem])));
    await settled();
    expect(names(adapted)).toEqual(['mercy']);
    expect(adapted.problems).toEqual([others]);
    expect(open).not.toHaveBeenCalled();
  });

  it('on: is on beside other sites', async () => {
    const { adaptSites: adapt } = aSandboxSite('on');
    const adapted = await adapt(loadedOf(aFolder('mercy'), aFolder('sandbox')));
    expect(names(adapted)).toEqual(['mercy', 'sandbox']);
    expect(adapted.folders[0]?.site?.settings.ehr?.baseUrl).toBe(FILED);
    expect(addressOf(adapted)).toBe(REAL);
  });

  it('moves with its server also for launches and for cards', async () => {
    const { adaptSites: adapt } = aSandboxSite('on');
    const folder = aFolder('sandbox');
    const cds = { issuer: FILED, jwksUri: `${FILED}/cds/jwks`, audience: 'http://127.0.0.1:3000/cds-services' };
    const launch = { issuers: [FILED, 'https://other.example.org'] } as unknown as LaunchSettings;
    const site = folder.site && { ...folder.site, settings: { ...folder.site.settings, cds, launch } };
    const adapted = await adapt(loadedOf({ ...folder, ...(site && { site }) }));
    expect(adapted.folders[0]?.site?.settings).toMatchObject({
      cds: { issuer: REAL, jwksUri: `${REAL}/cds/jwks`, audience: cds.audience },
      launch: { issuers: [REAL, 'https://other.example.org'] },
    });
  });

  it('is decided once, and an unchanged site is the same object again', async () => {
    const { adaptSites: adapt, open } = aSandboxSite('auto');
    const folders = loadedOf(aFolder('sandbox'));
    const [first, second] = [await adapt(folders), await adapt(folders)];
    expect(second.folders[0]?.site).toBe(first.folders[0]?.site);
    const later = await adapt(loadedOf(aFolder('mercy'), ...folders.folders));
    expect(names(later)).toEqual(['mercy', 'sandbox']);
    expect(open).toHaveBeenCalledTimes(1);
  });

  it('on: a problem is reported with what to do', async () => {
    const without = aSandboxSite('on');
    await expect(without.adaptSites(loadedOf(aFolder('mercy')))).rejects.toThrow(/no folder sandbox/);
    await expect(without.ready()).rejects.toThrow(/no folder sandbox/);
    const problem = { place: { file: 'mappings/sandbox/site.yaml', line: 1, column: 1 }, message: 'wrong' };
    const broken = aSandboxSite('on');
    await expect(broken.adaptSites(loadedOf(aFolder('sandbox', [problem])))).rejects.toThrow(/mappings check sandbox/);
  });
});
