// An operator lets runs that rest go on: one that waits or is parked is tried again, one that is held as sensitive is released. Each is
// recorded in the audit trail first; if that fails, nothing is done.
import { AppError } from '../../domain/errors.ts';
import type { Access } from '../../domain/people/caller.ts';
import { present } from '../../domain/present.ts';
import type { Run, RunStatus } from '../../domain/run/run.ts';
import type { Audit } from '../../ports/audit.ts';
import type { Releases } from '../../ports/releases.ts';
import type { Runs } from '../../ports/runs.ts';
import type { Sites } from '../../ports/sites.ts';
import { byCaller } from '../people/by-caller.ts';
import { findRun } from './find-run.ts';
import type { OperateRuns } from './operate-runs.ts';
import { requireActiveSite } from './require-active-site.ts';

type RetryOrder = { readonly id: string; readonly access: Access };

export type ReleaseOrder = RetryOrder & {
  /** Recorded in the audit trail: it must not hold what was said in the encounter. */
  readonly reason: string;
  /** From now on for each session of the encounter; otherwise for that of the run alone. */
  readonly isForEncounter: boolean;
};

/** Throws `notFound`, `conflict`, and what the stores throw. */
export type ResumeRuns = {
  /**
   * A waiting run is tried now. For a parked one a new run goes on at the step that failed, or resolves the encounter if it never came so far.
   * Returns the run that goes on.
   */
  readonly retry: (order: RetryOrder) => Promise<{ readonly id: string }>;
  /** For a run that is held as `sensitive`: it goes on from where it was held. */
  readonly release: (order: ReleaseOrder) => Promise<Run>;
};

type ResumeParts = {
  readonly runs: Pick<Runs, 'find' | 'ofEncounter' | 'replay' | 'putBack'>;
  readonly releases: Pick<Releases, 'add'>;
  readonly startRun: OperateRuns['start'];
  readonly sites: Pick<Sites, 'current'>;
  readonly audit: Pick<Audit, 'append'>;
  /** Wakes the worker of this engine. */
  readonly onResumed: () => void;
};

export function makeResumeRuns(parts: ResumeParts): ResumeRuns {
  const { runs, releases, sites, audit, onResumed } = parts;
  return {
    async retry({ id, access }) {
      const run = await findRun(runs, id, access.runs);
      requireActiveSite(sites.current(), run.site, access.scope);
      const why = whyNotRetried(run) ?? (await goesOnAlready(parts, run));
      if (why !== undefined) throw new AppError('conflict', why);
      await audit.append(byCaller(access, { action: 'run.retry', site: run.site, run: run.id }));
      const next = await tryAgain(parts, run, access);
      onResumed();
      return { id: next };
    },

    async release({ id, reason, isForEncounter, access }) {
      const run = await findRun(runs, id, access.runs);
      requireActiveSite(sites.current(), run.site, access.scope);
      const { site, encounter, patient, session } = run;
      if (run.status !== 'held' || run.reason !== 'sensitive' || patient === undefined) {
        const state = run.status === 'held' ? `held for ${run.reason ?? 'another reason'}` : run.status;
        throw new AppError('conflict', `Only a run that is held as sensitive can be released; this one is ${state}`);
      }
      const details = present({ encounter, session: isForEncounter ? undefined : session, reason });
      await audit.append(byCaller(access, { action: 'run.release', site, run: run.id, details }));
      await releases.add(present({ site, encounter, patient, session: isForEncounter ? undefined : session }));
      const released = await runs.putBack({ id: run.id, from: 'held' });
      onResumed();
      return released;
    },
  };
}

function whyNotRetried({ status, reason, replayedBy }: Run): string | undefined {
  if (status === 'waiting') return undefined;
  if (status !== 'parked') return `Only a run that waits or is parked can be tried again; this one is ${status}`;
  if (replayedBy !== undefined)
    return `A replay has written its session (${replayedBy}): there is nothing to try again`;
  if (reason === 'rejected') return 'A clinician rejected this draft: reject it again, so that it leaves the chart';
  return undefined;
}

const OPEN: ReadonlySet<RunStatus> = new Set<RunStatus>(['queued', 'running', 'waiting', 'held']);

/** A second replay beside the first one would ask the model twice for the same session. */
async function goesOnAlready({ runs }: ResumeParts, { id, site, encounter, status }: Run): Promise<string | undefined> {
  if (status !== 'parked') return undefined;
  const open = (await runs.ofEncounter(site, encounter)).find(
    (other) => other.replayOf === id && !other.isDry && OPEN.has(other.status),
  );
  return open && `Run ${open.id} goes on for it already: it is ${open.status}`;
}

async function tryAgain({ runs, startRun }: ResumeParts, run: Run, access: Access): Promise<string> {
  if (run.status === 'waiting') return (await runs.putBack({ id: run.id, from: 'waiting' })).id;
  if (run.session === undefined) return (await startRun({ site: run.site, encounter: run.encounter, access })).id;
  // A replay begins at the first step without a result, even if a later one is named.
  return (await runs.replay({ id: run.id, from: 'write-chart', isDry: run.isDry })).id;
}
