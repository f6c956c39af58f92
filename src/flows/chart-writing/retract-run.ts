// Retracts what the engine wrote of one session, and records it in the run that wrote it.
import type { WriteOutcome, WritePlace } from '../../domain/chart/chart-write.ts';
import { AppError } from '../../domain/errors.ts';
import type { Audit } from '../../ports/audit.ts';
import type { Pauses } from '../../ports/feeds.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { Runs } from '../../ports/runs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { RetractSession } from './retract-session.ts';
import { messageWithReferences } from './write-outcome.ts';

export type RetractRunOrder = {
  readonly site: LoadedSite;
  readonly place: WritePlace;
  /** Plain words: the Provenance has them. */
  readonly reason: string;
  /** The actor in the audit trail: `engine`, `operator`, `reviewer/<id>`. */
  readonly actor: string;
};

/**
 * Throws like `RetractSession` if a later call may succeed; also if writing is paused, unless a person asked for it: an operator who
 * recalls a model must not have to let it write again first.
 */
export type RetractRun = (order: RetractRunOrder, signal: AbortSignal) => Promise<WriteOutcome>;

type RetractRunParts = {
  readonly retractSession: RetractSession;
  readonly ledger: Pick<Ledger, 'read'>;
  readonly pauses: Pick<Pauses, 'current'>;
  readonly runs: Pick<Runs, 'markRetracted'>;
  readonly audit: Pick<Audit, 'append'>;
  readonly runtime: Pick<Runtime, 'now' | 'makeUuid'>;
};

export function makeRetractRun(parts: RetractRunParts): RetractRun {
  const { retractSession, runs, audit, runtime } = parts;
  return async ({ site, place, reason, actor }, signal) => {
    const { encounter, session } = place;
    const isWritten = (await parts.ledger.read(place)).length > 0;
    const mayWrite = !isWritten || actor !== 'engine' || (await mayWriteNow(parts, site));
    if (isWritten) {
      await audit.append({ action: 'run.retract', actor, site: site.name, details: { encounter, session } });
    }
    const ofRun = { site: site.name, encounter: `Encounter/${encounter}`, session };
    const run = { id: runtime.makeUuid(), time: runtime.now().toISOString() };
    const outcome = mayWrite ? await retractSession({ site, place, reason, run }, signal) : notLive(site);
    if (outcome.status === 'retracted') {
      const { resources, left } = outcome;
      await runs.markRetracted({ ...ofRun, resources, left });
    }
    if (outcome.status === 'parked') {
      const { advice, left = [] } = outcome;
      const message = messageWithReferences(outcome);
      await runs.markRetracted({ ...ofRun, resources: [], left, park: { message, advice } });
    }
    return outcome;
  };
}

const PAUSE_SECONDS = 60;

/** False if the site is not live. Throws if it is paused, because a pause ends. */
async function mayWriteNow({ pauses }: RetractRunParts, { name, settings }: LoadedSite): Promise<boolean> {
  if (settings.mode !== 'live') return false;
  const pause = (await pauses.current()).find(
    ({ site, what }) => site === name && (what === 'write' || what === 'all'),
  );
  if (pause === undefined) return true;
  const why = `${name} is paused (${pause.what}): nothing is retracted until it is resumed`;
  throw new AppError('overloaded', why, { retryAfterSeconds: PAUSE_SECONDS });
}

function notLive({ name }: LoadedSite): WriteOutcome {
  return {
    status: 'parked',
    reason: 'retract-by-hand',
    message: `${name} is not live, so nothing is changed in its charts: what was written before is still there`,
    advice: 'Set it entered-in-error in the EHR by hand; or set mode: live, and send the event again.',
    references: [],
  };
}
