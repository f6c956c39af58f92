import { describe, expect, it } from '@jest/globals';
import { makeListSites } from '../../../src/flows/operations/list-sites.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { makeFakeFeeds } from '../../fakes/feeds.ts';
import { makeFakePauses } from '../../fakes/pauses.ts';
import { aHospital } from '../../support/chart-writing.ts';

/** The list of a hospital that has written to its charts, with its mode as its files say it now. */
async function listed(changes: Pick<LoadedSite, 'isModeDefault'>, mode: LoadedSite['settings']['mode']) {
  const { ledger, write, site, runtime } = aHospital();
  await write();
  const now = { ...site, ...changes, settings: { ...site.settings, mode } };
  const snapshot = { sites: new Map([[now.name, now]]), problems: [], stale: new Set(''), unavailable: new Set('') };
  const list = makeListSites({
    sites: { current: () => snapshot },
    reasoner: { engine: 'openai:made-up' },
    ledger,
    lastContact: () => undefined,
    pauses: makeFakePauses(runtime),
    feeds: makeFakeFeeds(runtime),
  });
  return (await list('all')).sites;
}

describe('the list of sites', () => {
  it('warns of a site that has written and is in shadow mode only by default', async () => {
    const [site] = await listed({ isModeDefault: true }, 'shadow');
    expect(site).toMatchObject({ mode: 'shadow', warning: expect.stringMatching(/^it has written to its charts and/) });
  });

  it('has no warning of a site whose file says that it is in shadow mode', async () => {
    const [site] = await listed({}, 'shadow');
    expect(site).toMatchObject({ mode: 'shadow' });
    expect(site).not.toHaveProperty('warning');
  });
});
