import { describe, expect, it } from '@jest/globals';
import { readFolders } from '../../../src/outbound/files/mapping-folders.ts';
import { makeSitesHealth } from '../../../src/outbound/files/sites-health.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { aMappingsDirectory, MERCY, SMALL_BASE } from './mappings-directory.ts';

async function aSite(): Promise<LoadedSite> {
  await using made = await aMappingsDirectory(SMALL_BASE, { 'mercy/site.yaml': MERCY });
  const { folders } = await readFolders({ directory: made.directory, environment: {} });
  const site = folders.find(({ name }) => name === 'mercy')?.site;
  if (site === undefined) throw new Error('there is no site');
  return site;
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `site-${index}`);
const PROBLEM = { place: { file: 'mappings/secret-name/site.yaml', line: 1, column: 1 }, message: 'x' };

describe('The health of the sites', () => {
  it.each([
    [[2, 0, 0, 0], 'ok', '2 sites in force.'],
    [[1, 0, 0, 0], 'ok', '1 site in force.'],
    [[0, 0, 0, 0], 'ok', '0 sites in force.'],
    [
      [4, 4, 1, 2],
      'degraded',
      '4 sites in force, 4 of them as last good; 1 site not in force. 2 problems: run npm run cli -- mappings check.',
    ],
    [
      [2, 1, 0, 1],
      'degraded',
      '2 sites in force, 1 of them as last good. 1 problem: run npm run cli -- mappings check.',
    ],
    [[1, 1, 0, 1], 'degraded', '1 site in force, as last good. 1 problem: run npm run cli -- mappings check.'],
    [
      [0, 0, 2, 3],
      'degraded',
      '0 sites in force; 2 sites not in force. 3 problems: run npm run cli -- mappings check.',
    ],
    [[2, 0, 0, 1], 'degraded', '2 sites in force. 1 problem: run npm run cli -- mappings check.'],
  ] as const)(
    'reports the numbers %j as %s, without names: %s',
    async ([inForce, stale, unavailable, problems], status, detail) => {
      const site = await aSite();
      const snapshot = {
        sites: new Map(names(inForce).map((name) => [name, site])),
        stale: new Set(names(stale)),
        unavailable: new Set(names(unavailable)),
        problems: names(problems).map(() => PROBLEM),
      };
      const check = makeSitesHealth({ sites: { current: () => snapshot } });
      expect(await check()).toEqual({ name: 'mappings', status, detail });
    },
  );
});
