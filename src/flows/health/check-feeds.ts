// Reports the health of the event feeds for /readyz. An alarm degrades the engine and stops nothing.
import { displayTime } from '../../domain/display-time.ts';
import { whyNoAmqpEvents } from '../../domain/site/amqp-without-broker.ts';
import type { Feed, Feeds } from '../../ports/feeds.ts';
import type { HealthCheck } from '../../ports/health.ts';
import type { Sites } from '../../ports/sites.ts';

type FeedsHealthParts = {
  readonly feeds: Pick<Feeds, 'all'>;
  readonly sites: Pick<Sites, 'current'>;
  /** Whether AMQP_URL is set. */
  readonly hasBroker: boolean;
};

const LOOK = 'npm run cli -- sites list.';

/** Never throws. */
export function makeCheckFeeds({ feeds, sites, hasBroker }: FeedsHealthParts): HealthCheck {
  return async () => {
    const all = await feeds.all().catch(() => undefined);
    if (all === undefined) {
      return { name: 'events', status: 'degraded', detail: 'The feeds of events cannot be looked up now.' };
    }
    const current = sites.current().sites;
    const alarmed = all.filter(({ site, alarm }) => alarm !== undefined && current.has(site));
    const deaf = [...current.values()].flatMap((site) => whyNoAmqpEvents(site, hasBroker) ?? []);
    if (alarmed.length === 0 && deaf.length === 0)
      return { name: 'events', status: 'ok', detail: describe(all.filter(({ site }) => current.has(site))) };
    const alarms = alarmed.map(({ site, kind, alarm }) => `${site}: ${alarm} (${kind})`);
    const summary = [
      ...deaf.map((why) => `${why}.`),
      ...(alarms.length > 0 ? [`${alarms.join('; ')}: ${LOOK}`] : []),
    ].join(' ');
    const details = alarmed.map(({ site, alarm, alarmMessage = '' }) => `${site}: ${alarm} (${alarmMessage})`);
    return {
      name: 'events',
      status: 'degraded',
      detail: [...deaf.map((why) => `${why}.`), ...details].join(' '),
      summary,
    };
  };
}

/** When the last event came, which a person compares with the day of the hospital. */
function describe(feeds: readonly Feed[]): string {
  const times = feeds.flatMap(({ lastEventAt }) => lastEventAt ?? []);
  const last = times.toSorted((one, other) => other.getTime() - one.getTime())[0];
  if (last === undefined) return 'Every feed of events is as it should be; no event came yet.';
  return `Every feed of events is as it should be; the last event came at ${displayTime(last)}.`;
}
