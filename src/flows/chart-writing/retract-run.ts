// Retracts what the engine wrote of one session, and records it in the run that wrote it.
import type { WriteOutcome, WritePlace } from '../../domain/chart/chart-write.ts';
import { AppError } from '../../domain/errors.ts';
import type { Audit } from '../../ports/audit.ts';
import type { Pauses } from '../../ports/feeds.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { RunMessage, Runs } from '../../ports/runs.ts';
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
  /** The encounter was moved from one patient to another. */
  readonly moved?: MovedSession;
};

export type MovedSession = {
  readonly from: string;
  readonly to: string;
  /** The newest run and the newest revision of documents when that was decided: what came later is not retracted. */
  readonly run: string;
  readonly upTo: number;
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
  return async ({ site, place, reason, actor, moved }, signal) => {
    const { encounter, session } = place;
    const isWritten = (await parts.ledger.read(place)).length > 0;
    const mayWrite = !isWritten || actor !== 'engine' || (await mayWriteNow(parts, site));
    if (isWritten) {
      await audit.append({ action: 'run.retract', actor, site: site.name, details: { encounter, session } });
    }
    const upToRun = moved && { upTo: moved.run };
    const ofRun = { site: site.name, encounter: `Encounter/${encounter}`, session, ...upToRun };
    const run = { id: runtime.makeUuid(), time: runtime.now().toISOString() };
    const outcome = mayWrite
      ? await retractSession({ site, place, reason, run, ...(moved && { upTo: moved.upTo }) }, signal)
      : notLive(site);
    if (outcome.status === 'retracted') {
      const { resources, left } = outcome;
      await runs.markRetracted({ ...ofRun, resources, left });
    }
    if (outcome.status === 'parked') {
      const { advice, left = [] } = outcome;
      const message = messageWithReferences(outcome);
      const park = moved === undefined ? { message, advice } : leftBehind(message, { ...ofRun, ...moved });
      await runs.markRetracted({ ...ofRun, resources: [], left, park });
    }
    return outcome;
  };
}

type LeftBehind = Pick<MovedSession, 'from' | 'to'> & { readonly site: string; readonly encounter: string };

/** Both patients are named, because only a person can tell whose the documents are. */
function leftBehind(message: string, { site, encounter, from, to }: LeftBehind): RunMessage {
  return {
    message: `${encounter} belongs to ${to} now, and its documents were written to ${from}. ${message}`,
    advice:
      `Find out whose the conversation is. If it is ${to}: retract the documents by hand; then npm run cli -- runs start ${site} ` +
      `${encounter} documents it for ${to}. If it is ${from}: correct the encounter in the EHR.`,
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
