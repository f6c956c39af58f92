// The actions of an operator on runs: list, view, start, replay and cancel. Each action is recorded in the audit trail first; if that fails, nothing is
// done.
import type { CodeCheck } from '../../domain/coding/official-codes.ts';
import { AppError } from '../../domain/errors.ts';
import type { Access } from '../../domain/people/caller.ts';
import { present } from '../../domain/present.ts';
import { type RemovedFromRun, removedFromRun } from '../../domain/run/removed-from-run.ts';
import type { Run, RunEvent, RunStep, StepName } from '../../domain/run/run.ts';
import type { StepResults } from '../../domain/run/step-results.ts';
import type { Audit } from '../../ports/audit.ts';
import type { Inbox } from '../../ports/inbox.ts';
import type { RunQuery, Runs } from '../../ports/runs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite, Sites } from '../../ports/sites.ts';
import { byCaller } from '../people/by-caller.ts';
import type { RequireOpenChart } from '../people/require-open-chart.ts';
import type { FindEncounters } from './find-encounters.ts';
import { findRun } from './find-run.ts';
import { requireActiveSite } from './require-active-site.ts';

export type RunView = {
  readonly run: Run;
  readonly events: readonly RunEvent[];
  /** All nine. */
  readonly steps: readonly RunStep[];
  /** How many codes of its diagnosis are official, also in a brief view. Absent before they were mapped. */
  readonly codes?: CodeCheck;
  /** What was taken out of the reasoner's answers, also in a brief view. Absent: nothing. */
  readonly removed?: RemovedFromRun;
  /** The results with patient data; absent in a brief view. */
  readonly results?: Partial<StepResults>;
};

export type ViewOrder = {
  readonly id: string;
  /** Without patient data, so that no view is recorded. */
  readonly isBrief: boolean;
  readonly access: Access;
};

export type StartedRun = {
  readonly id: string;
  /** The newest run of the encounter, as it was before the start. What it has documented is not documented again. */
  readonly earlier?: Pick<Run, 'id' | 'status' | 'reason' | 'replayedBy'>;
};

export type StartedRuns = {
  readonly count: number;
  /** False if there are more encounters than were searched. */
  readonly isComplete: boolean;
  /** Absent if they were only counted. */
  readonly ids?: readonly string[];
};

/**
 * Throws what the stores throw (`overloaded`), and `notFound` for an unknown run or site. The full view throws `forbidden` for a restricted chart
 * that is not open.
 */
export type OperateRuns = {
  readonly list: Runs['list'];
  readonly view: (order: ViewOrder) => Promise<RunView>;
  /** Starts a run that resolves the encounter now, whatever came before. Throws `conflict` if the site is off. */
  readonly start: (order: StartOrder) => Promise<StartedRun>;
  /** Starts runs for all encounters of the site that have changed since then. */
  readonly startSince: (order: SinceOrder, signal: AbortSignal) => Promise<StartedRuns>;
  /** Starts a new run of the same session. Throws `conflict` if that is not possible. */
  readonly replay: (order: {
    readonly id: string;
    readonly from?: StepName | undefined;
    readonly isDry: boolean;
    readonly access: Access;
  }) => Promise<{ readonly id: string }>;
  /** Throws `conflict` if the run has ended. */
  readonly cancel: (order: { readonly id: string; readonly access: Access }) => Promise<'cancelled' | 'cancelling'>;
};

export type StartOrder = { readonly site: string; readonly encounter: string; readonly access: Access };
export type SinceOrder = Omit<StartOrder, 'encounter'> & { readonly since: Date; readonly isCountOnly: boolean };

export type OperateRunsParts = {
  readonly runs: Pick<Runs, 'list' | 'find' | 'steps' | 'results' | 'events' | 'ofEncounter' | 'replay' | 'cancel'>;
  readonly inbox: Pick<Inbox, 'accept'>;
  readonly sites: Pick<Sites, 'current'>;
  readonly audit: Pick<Audit, 'append'>;
  readonly findEncounters: FindEncounters;
  readonly requireOpenChart: RequireOpenChart;
  /** Wakes the worker of this engine. */
  readonly onAccepted: () => void;
  readonly runtime: Pick<Runtime, 'now' | 'makeUuid'>;
};

/** The number of encounters in one transaction. */
const STARTED_AT_ONCE = 100;
const OVER = new Set<string>(['written', 'skipped', 'rejected', 'retracted', 'cancelled']);

export function makeOperateRuns(parts: OperateRunsParts): OperateRuns {
  const { runs, sites, audit, findEncounters, onAccepted } = parts;
  return {
    list: (query: RunQuery) => runs.list(query),
    view: (order) => viewRun(parts, order),

    async start({ site: name, encounter, access }) {
      const site = requireActiveSite(sites.current(), name, access.scope);
      const earlier = newestOf(await runs.ofEncounter(name, encounter));
      const [id] = await accept(parts, { site, access, encounters: [encounter] });
      if (id === undefined) throw new AppError('conflict', 'No run was created for this encounter; try again');
      return present({ id, earlier });
    },

    async startSince({ site: name, since, isCountOnly, access }, signal) {
      const site = requireActiveSite(sites.current(), name, access.scope);
      const { encounters, isComplete } = await findEncounters({ site, since }, signal);
      const found = { count: encounters.length, isComplete };
      if (isCountOnly) return found;
      const ids: string[] = [];
      for (let at = 0; at < encounters.length; at += STARTED_AT_ONCE) {
        const some = encounters.slice(at, at + STARTED_AT_ONCE);
        ids.push(...(await accept(parts, { site, access, encounters: some })));
      }
      return { ...found, ids };
    },

    async replay({ id, from = 'read-chart', isDry, access }) {
      const run = await findRun(runs, id, access.runs);
      requireActiveSite(sites.current(), run.site, access.scope);
      if (run.session === undefined) {
        throw new AppError('conflict', 'This run has no session: start a new run for its encounter');
      }
      const details = { from, dryRun: isDry };
      await audit.append(byCaller(access, { action: 'run.replay', site: run.site, run: run.id, details }));
      const again = await runs.replay({ id: run.id, from, isDry });
      onAccepted();
      return { id: again.id };
    },

    async cancel({ id, access }) {
      const run = await findRun(runs, id, access.runs);
      if (OVER.has(run.status)) throw ended(run.status);
      await audit.append(byCaller(access, { action: 'run.cancel', site: run.site, run: run.id }));
      const outcome = await runs.cancel(run.id);
      if (outcome === 'ended') throw ended('ended');
      return outcome;
    },
  };
}

/** A dry run tells nothing of the chart. A run without a session has documented nothing, and is reported only if it is all there was. */
function newestOf(all: readonly Run[]): StartedRun['earlier'] {
  const real = all.filter(({ isDry }) => !isDry);
  const isOver = ({ status }: Run) => status === 'parked' || OVER.has(status);
  const newest = real.findLast(({ session }) => session !== undefined) ?? real.findLast(isOver);
  if (newest === undefined) return undefined;
  const { id, status, reason, replayedBy } = newest;
  return present({ id, status, reason, replayedBy });
}

async function viewRun(
  { runs, audit, requireOpenChart }: Pick<OperateRunsParts, 'runs' | 'audit' | 'requireOpenChart'>,
  { id, isBrief, access }: ViewOrder,
): Promise<RunView> {
  const run = await findRun(runs, id, access.runs);
  const [events, steps] = [await runs.events(run.id), await runs.steps(run.id)];
  if (isBrief) return { run, events, steps, ...countsOf(await runs.results(run.id)) };
  const purpose = await requireOpenChart(run, access);
  await audit.append(byCaller(access, { action: 'run.view', site: run.site, run: run.id }, purpose));
  const results = await runs.results(run.id);
  return { run, events, steps, ...countsOf(results), results };
}

/** Numbers and versions only. */
function countsOf(results: Partial<StepResults>): Pick<RunView, 'codes' | 'removed'> {
  return present({ codes: results.map?.codes, removed: removedFromRun(results) });
}

type AcceptedStart = { readonly site: LoadedSite; readonly access: Access; readonly encounters: readonly string[] };

/** Uses a new event id, so that earlier events do not make it a repeat. */
async function accept(
  { inbox, audit, onAccepted, runtime }: OperateRunsParts,
  { site, access, encounters }: AcceptedStart,
): Promise<readonly string[]> {
  const eventId = runtime.makeUuid();
  const details = { encounters, event: eventId };
  await audit.append(byCaller(access, { action: 'run.start', site: site.name, details }));
  const accepted = await inbox.accept({
    site: site.name,
    organization: site.settings.organization ?? site.name,
    source: 'operator',
    key: `operator:${eventId}`,
    content: JSON.stringify(encounters),
    eventId,
    receivedAt: runtime.now(),
    encounters: encounters.map((encounter) => ({ encounter, isUrgent: false })),
    settleMs: 0,
  });
  onAccepted();
  return accepted.kind === 'id-reused' ? [] : accepted.runs;
}

function ended(how: string): AppError {
  return new AppError('conflict', `The run is ${how}: there is nothing left to cancel`);
}
