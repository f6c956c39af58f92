// What an operator does with runs: sees them, starts one by hand, repeats one, ends one. Each act stands in the audit trail before it
// is done: where the trail cannot be written, nothing is done.
import { AppError } from '../../domain/errors.ts';
import type { Run, RunEvent, RunStep, StepName, StepResults } from '../../domain/run/run.ts';
import type { Audit } from '../../ports/audit.ts';
import type { Inbox } from '../../ports/inbox.ts';
import type { RunQuery, Runs } from '../../ports/runs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite, Sites } from '../../ports/sites.ts';
import type { FindEncounters } from './find-encounters.ts';
import { findRun, runNotFound } from './find-run.ts';
import { requireActiveSite } from './require-active-site.ts';

export type RunView = {
  readonly run: Run;
  readonly events: readonly RunEvent[];
  /** All nine. */
  readonly steps: readonly RunStep[];
  /** What was said and made of it; absent where only the run itself was asked for. */
  readonly results?: Partial<StepResults>;
};

export type ViewOrder = {
  readonly id: string;
  /** Without anything of the patient's: then nobody has seen anything. */
  readonly isBrief: boolean;
  /** Of the audit trail: `operator`, `reviewer/<id>`. */
  readonly actor: string;
  /** Only a run of this site is shown; any, where it is absent. */
  readonly site?: string;
};

export type StartedRuns = {
  readonly count: number;
  /** False where there are more than were looked at. */
  readonly isComplete: boolean;
  /** Absent where they were only counted. */
  readonly ids?: readonly string[];
};

/** Throws what the stores throw (`overloaded`), and `notFound` for a run or a site that is not there. */
export type OperateRuns = {
  readonly list: Runs['list'];
  readonly view: (order: ViewOrder) => Promise<RunView>;
  /** Looks at the encounter now, whatever was seen of it before. `conflict` where the site is off. */
  readonly start: (order: { readonly site: string; readonly encounter: string }) => Promise<{ readonly id: string }>;
  /** All encounters of the site since then that its events would have been about. */
  readonly startSince: (order: SinceOrder, signal: AbortSignal) => Promise<StartedRuns>;
  /** A new run of the same session. `conflict` where that cannot be. */
  readonly replay: (order: {
    readonly id: string;
    readonly from?: StepName | undefined;
    readonly isDry: boolean;
  }) => Promise<{ readonly id: string }>;
  /** `conflict` where the run is at its end. */
  readonly cancel: (id: string) => Promise<'cancelled' | 'cancelling'>;
};

export type SinceOrder = { readonly site: string; readonly since: Date; readonly isCountOnly: boolean };

export type OperateRunsParts = {
  readonly runs: Pick<Runs, 'list' | 'find' | 'steps' | 'results' | 'events' | 'replay' | 'cancel'>;
  readonly inbox: Pick<Inbox, 'accept'>;
  readonly sites: Pick<Sites, 'current'>;
  readonly audit: Pick<Audit, 'append'>;
  readonly findEncounters: FindEncounters;
  /** Wakes the worker that runs here. */
  readonly onAccepted: () => void;
  readonly runtime: Pick<Runtime, 'now' | 'makeUuid'>;
};

/** Each is a transaction of its own. */
const STARTED_AT_ONCE = 100;
const OVER = new Set<string>(['written', 'skipped', 'retracted', 'cancelled']);

export function makeOperateRuns(parts: OperateRunsParts): OperateRuns {
  const { runs, sites, audit, findEncounters, onAccepted } = parts;
  return {
    list: (query: RunQuery) => runs.list(query),
    view: (order) => viewRun(parts, order),

    async start({ site: name, encounter }) {
      const site = requireActiveSite(sites.current(), name);
      const [id] = await accept(parts, site, [encounter]);
      if (id === undefined) throw new AppError('conflict', 'No run was made for this encounter; ask again');
      return { id };
    },

    async startSince({ site: name, since, isCountOnly }, signal) {
      const site = requireActiveSite(sites.current(), name);
      const { encounters, isComplete } = await findEncounters({ site, since }, signal);
      const found = { count: encounters.length, isComplete };
      if (isCountOnly) return found;
      const ids: string[] = [];
      for (let at = 0; at < encounters.length; at += STARTED_AT_ONCE) {
        ids.push(...(await accept(parts, site, encounters.slice(at, at + STARTED_AT_ONCE))));
      }
      return { ...found, ids };
    },

    async replay({ id, from = 'read-chart', isDry }) {
      const run = await findRun(runs, id);
      requireActiveSite(sites.current(), run.site);
      if (run.session === undefined) {
        throw new AppError('conflict', 'This run never got as far as a session: start a new one for its encounter');
      }
      const details = { from, dryRun: isDry };
      await audit.append({ action: 'run.replay', actor: 'operator', site: run.site, run: run.id, details });
      const again = await runs.replay({ id: run.id, from, isDry });
      onAccepted();
      return { id: again.id };
    },

    async cancel(id) {
      const run = await findRun(runs, id);
      if (OVER.has(run.status)) throw ended(run.status);
      await audit.append({ action: 'run.cancel', actor: 'operator', site: run.site, run: run.id });
      const outcome = await runs.cancel(run.id);
      if (outcome === 'ended') throw ended('at its end');
      return outcome;
    },
  };
}

async function viewRun(
  { runs, audit }: Pick<OperateRunsParts, 'runs' | 'audit'>,
  { id, isBrief, actor, site }: ViewOrder,
): Promise<RunView> {
  const run = await findRun(runs, id);
  if (site !== undefined && run.site !== site) throw runNotFound();
  const [events, steps] = [await runs.events(run.id), await runs.steps(run.id)];
  if (isBrief) return { run, events, steps };
  await audit.append({ action: 'run.view', actor, site: run.site, run: run.id });
  return { run, events, steps, results: await runs.results(run.id) };
}

/** Under a name of its own: what came before is no reason not to look again. */
async function accept(
  { inbox, audit, onAccepted, runtime }: OperateRunsParts,
  site: LoadedSite,
  encounters: readonly string[],
): Promise<readonly string[]> {
  const eventId = runtime.makeUuid();
  await audit.append({
    action: 'run.start',
    actor: 'operator',
    site: site.name,
    details: { encounters, event: eventId },
  });
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
