// Reports the health of the event feeds for /readyz. An alarm degrades the engine and stops nothing.
import type { Feeds } from '../../ports/feeds.ts';
import type { HealthCheck } from '../../ports/health.ts';
import type { Sites } from '../../ports/sites.ts';

type FeedsHealthParts = { readonly feeds: Pick<Feeds, 'all'>; readonly sites: Pick<Sites, 'current'> };

/** Never throws. */
export function makeCheckFeeds({ feeds, sites }: FeedsHealthParts): HealthCheck {
  return async () => {
    const all = await feeds.all().catch(() => undefined);
    if (all === undefined) {
      return { name: 'events', status: 'degraded', detail: 'The feeds of events cannot be looked up now.' };
    }
    const current = sites.current().sites;
    const alarmed = all.filter(({ site, alarm }) => alarm !== undefined && current.has(site));
    if (alarmed.length === 0)
      return { name: 'events', status: 'ok', detail: 'Every feed of events is as it should be.' };
    const details = alarmed.map(({ site, alarm, alarmMessage = '' }) => `${site}: ${alarm} (${alarmMessage})`);
    return { name: 'events', status: 'degraded', detail: details.join(' ') };
  };
}
