// Reports RED alarms that reached no one, for /readyz: someone relies on them, and the engine cannot know whom to tell instead.
import { OUTCOMES_EXCHANGE, routingKey } from '../../domain/run/outcome-event.ts';
import type { HealthCheck } from '../../ports/health.ts';
import type { Outbox, UnheardAlarms } from '../../ports/outbox.ts';
import type { Sites } from '../../ports/sites.ts';

type OutcomesHealthParts = {
  readonly outbox: Pick<Outbox, 'unheardAlarms'>;
  readonly sites: Pick<Sites, 'current'>;
};

/** Longer than any weekend. An older alarm is for the audit of a site, not for its operator. */
const WITHIN_MS = 7 * 86_400_000;

/** Never throws. */
export function makeCheckOutcomes({ outbox, sites }: OutcomesHealthParts): HealthCheck {
  const name = 'outcomes';
  return async () => {
    const all = await outbox.unheardAlarms({ withinMs: WITHIN_MS }).catch(() => undefined);
    if (all === undefined) return { name, status: 'degraded', detail: 'The outcome events cannot be looked up now.' };
    const current = sites.current().sites;
    // The patients of a trial are made up.
    const unheard = all.filter(({ site }) => current.has(site) && current.get(site)?.isTrial !== true);
    if (unheard.length === 0) return { name, status: 'ok', detail: 'No RED alarm of the last 7 days went unheard.' };
    return { name, status: 'degraded', detail: unheard.map((alarms) => `${describe(alarms)}.`).join(' ') };
  };
}

function describe({ site, count, end }: UnheardAlarms): string {
  const alarms = `${count} RED alarm${count === 1 ? '' : 's'} of ${site} reached no one`;
  if (end === 'no-broker') return `${alarms}: AMQP_URL is not set`;
  return `${alarms}: bind a queue to the exchange ${OUTCOMES_EXCHANGE} with ${routingKey(site, 'attention')}`;
}
