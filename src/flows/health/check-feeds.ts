// Whether the ways in which events come are as they should be, for /readyz. A feed with an alarm keeps nothing else from working.
import type { Feeds } from '../../ports/feeds.ts';
import type { HealthCheck } from '../../ports/health.ts';
import type { Sites } from '../../ports/sites.ts';

type FeedsHealthParts = { readonly feeds: Pick<Feeds, 'all'>; readonly sites: Pick<Sites, 'current'> };

/** Always answers. */
export function makeCheckFeeds({ feeds, sites }: FeedsHealthParts): HealthCheck {
  return async () => {
    const all = await feeds.all().catch(() => undefined);
    if (all === undefined) {
      return { name: 'events', status: 'degraded', detail: 'The feeds of events cannot be looked up now.' };
    }
    const known = sites.current().sites;
    const alarmed = all.filter(({ site, alarm }) => alarm !== undefined && known.has(site));
    if (alarmed.length === 0)
      return { name: 'events', status: 'ok', detail: 'Every feed of events is as it should be.' };
    const said = alarmed.map(({ site, alarm, alarmMessage = '' }) => `${site}: ${alarm} (${alarmMessage})`);
    return { name: 'events', status: 'degraded', detail: said.join(' ') };
  };
}
