import { describe, expect, it } from '@jest/globals';
import { makeFindStoppedSites } from '../../../src/flows/operations/find-stopped-sites.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { aHospital, aLiveSite } from '../../support/chart-writing.ts';

/** The hospital `mercy` has written to its charts, `hope` has not. */
async function stoppedOf(...sites: readonly LoadedSite[]): Promise<readonly string[]> {
  const { ledger, write } = aHospital();
  await write();
  return [...(await makeFindStoppedSites({ ledger })(sites))];
}

function aSiteIn(mode: LoadedSite['settings']['mode'], isModeDefault: boolean, name = 'mercy'): LoadedSite {
  const site = aLiveSite({ name });
  return { ...site, ...(isModeDefault && { isModeDefault }), settings: { ...site.settings, mode } };
}

describe('the sites that stopped writing because of a default', () => {
  it('include a site that has written and whose files do not say that it is in shadow mode', async () => {
    expect(await stoppedOf(aSiteIn('shadow', true), aSiteIn('shadow', true, 'hope'))).toEqual(['mercy']);
  });

  it('do not include a site whose files say its mode', async () => {
    expect(await stoppedOf(aSiteIn('shadow', false))).toEqual([]);
  });

  it('do not include a site that is live', async () => {
    expect(await stoppedOf(aSiteIn('live', true))).toEqual([]);
  });
});
