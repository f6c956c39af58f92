// Sends the AuditEvents about reads to the EHRs of their sites: each at least once, until the EHR has taken it, for a day at most, at ever longer
// intervals. One at a time for each site, because the writing of charts shares the EHR's write slots.
import { asAppError } from '../../domain/errors.ts';
import { retryWithinDay } from '../../domain/retry-within-day.ts';
import type { AuditEvents, WaitingAuditEvent } from '../../ports/audit-events.ts';
import type { Ehrs, WriteAnswer } from '../../ports/ehr.ts';
import type { Pauses } from '../../ports/feeds.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite, Sites } from '../../ports/sites.ts';
import { reportsReads } from './report-reads.ts';

type SendParts = {
  readonly auditEvents: Pick<AuditEvents, 'claim' | 'sent' | 'failed'>;
  readonly sites: Pick<Sites, 'current'>;
  readonly pauses: Pick<Pauses, 'current'>;
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly runtime: Pick<Runtime, 'now' | 'chance'>;
  /** For log and metrics: after each event, tried or postponed with the others. */
  readonly onEnded: (end: AuditEventEnd) => void;
};

export type AuditEventEnd = {
  readonly event: WaitingAuditEvent;
  readonly outcome: 'sent' | 'postponed' | 'given-up';
  /** Codes and element names, never texts of the EHR. */
  readonly why?: string;
};

/** Resolves with true if there may be more. Throws what the stores throw. */
export type SendAuditEvents = (signal: AbortSignal) => Promise<boolean>;

type Tried =
  | { readonly kind: 'sent' }
  /** The EHR takes none at the moment: the others of the site wait as well. */
  | { readonly kind: 'away'; readonly why: string; readonly retryAfterMs?: number }
  /** Another try would end in the same way. */
  | { readonly kind: 'refused'; readonly why: string };

const AT_ONCE = 10;
/** Longer than so many writes, one after another, may take. */
const LEASE_MS = 900_000;
/** The resource itself is not accepted. Other refusals, as of rights, can be mended in the EHR within the day. */
const FOR_GOOD: ReadonlySet<number> = new Set([400, 413, 422]);

export function makeSendAuditEvents(parts: SendParts): SendAuditEvents {
  const { auditEvents, sites, pauses, ehrs, runtime, onEnded } = parts;

  async function sendInTurn(name: string, events: readonly WaitingAuditEvent[], signal: AbortSignal): Promise<void> {
    let away: Tried | undefined = await pauseOf(name);
    for (const event of events) {
      const tried = away ?? (await tryToSend(sites.current().sites.get(name), event, signal));
      // The engine stops: another one takes the event when the lease has ended.
      if (tried === undefined) return;
      if (tried.kind === 'away') away = tried;
      await settle(event, tried);
    }
  }

  async function pauseOf(name: string): Promise<Tried | undefined> {
    const isPaused = (await pauses.current()).some(
      ({ site, what }) => site === name && ['write', 'all'].includes(what),
    );
    return isPaused ? { kind: 'away', why: 'writing to the site is paused' } : undefined;
  }

  async function tryToSend(
    site: LoadedSite | undefined,
    { body }: WaitingAuditEvent,
    signal: AbortSignal,
  ): Promise<Tried | undefined> {
    if (!reportsReads(site)) return { kind: 'refused', why: 'the site no longer wants AuditEvents, or is not live' };
    try {
      const ehr = ehrs.of(site);
      const create = () => ehr.create({ type: 'AuditEvent', body }, signal);
      return meaningOf(await ehr.withWriteSlot(create, signal));
    } catch (thrown) {
      return signal.aborted ? undefined : { kind: 'away', why: asAppError(thrown).code };
    }
  }

  async function settle(event: WaitingAuditEvent, tried: Tried): Promise<void> {
    if (tried.kind === 'sent') {
      await auditEvents.sent(event.id);
      return onEnded({ event, outcome: 'sent' });
    }
    const { why } = tried;
    const when = { waiting: event, now: runtime.now(), chance: runtime.chance() };
    const retryAt = tried.kind === 'refused' ? undefined : retryWithinDay({ ...when, leastMs: tried.retryAfterMs });
    await auditEvents.failed(event.id, retryAt);
    onEnded({ event, outcome: retryAt === undefined ? 'given-up' : 'postponed', why });
  }

  return async (signal) => {
    const due = await auditEvents.claim(AT_ONCE, LEASE_MS);
    const bySite = Map.groupBy(due, ({ site }) => site);
    await Promise.all([...bySite].map(([site, events]) => sendInTurn(site, events, signal)));
    return due.length === AT_ONCE;
  };
}

function meaningOf(answer: WriteAnswer): Tried {
  switch (answer.kind) {
    case 'stored':
      return { kind: 'sent' };
    case 'refused':
      // Where it takes no AuditEvents at all, its administrators can allow them.
      return { kind: FOR_GOOD.has(answer.status) && !answer.isTypeRefused ? 'refused' : 'away', why: answer.why };
    case 'conflict':
      return { kind: 'away', why: 'conflict' };
    default: {
      const { kind, retryAfterMs } = answer;
      return { kind: 'away', why: kind, ...(retryAfterMs !== undefined && { retryAfterMs }) };
    }
  }
}
