// One run, from an encounter that an event has named to its chart. The result of each step is stored before anything is asked again of others, so
// that a run that was interrupted goes on after its last finished step, in this process or in another one.

import { Meter } from '../domain/access/usage.ts';
import { AppError, asAppError } from '../domain/errors.ts';
import { MappingError } from '../domain/mapping/mapping.ts';
import { mergeVersions } from '../domain/run/merge-versions.ts';
import { outcomeOf } from '../domain/run/outcome-event.ts';
import { RUN_STEPS, type RunVersions, type StepName } from '../domain/run/run.ts';
import type { RunEnd } from '../domain/run/run-end.ts';
import { endOfFailure, MAX_CRASHES } from '../domain/run/run-failure.ts';
import type { StepResults } from '../domain/run/step-results.ts';
import type { Pauses } from '../ports/feeds.ts';
import type { Claim, FinishedStep, Queue, StoredStep } from '../ports/queue.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { LoadedSite, Sites } from '../ports/sites.ts';
import type { Usage } from '../ports/usage.ts';
import type { Verifier } from '../ports/verifier.ts';
import { findPause } from './run-steps/find-pause.ts';
import type { ResolveEncounter } from './run-steps/resolve-encounter.ts';
import type { Services } from './run-steps/services.ts';
import type { Step, StepMemory, StepOutcome, Steps, StepWork } from './run-steps/step-work.ts';

export type RunReport = {
  readonly claim: Claim;
  readonly end: RunEnd;
  /** The error behind the end, for the log alone. */
  readonly thrown?: unknown;
};

/**
 * Works on a claimed run until it ends or has to wait, and stores how. Undefined: another process has the run by now, or it was not needed.
 * Throws only if the end could not be stored; then the lease of the run expires by itself.
 */
export type DocumentSession = (claim: Claim, signal: AbortSignal) => Promise<RunReport | undefined>;

type DocumentParts = {
  readonly queue: Queue;
  readonly sites: Pick<Sites, 'current'>;
  readonly pauses: Pick<Pauses, 'current'>;
  /** A pause of the model stops the second check, too; absent: there is none. */
  readonly verifier?: Pick<Verifier, 'engine'> | undefined;
  readonly resolveEncounter: ResolveEncounter;
  readonly steps: Steps;
  readonly services: Services;
  readonly usage: Pick<Usage, 'record'>;
  readonly runtime: Pick<Runtime, 'now' | 'monotonicMs' | 'pause' | 'chance'>;
  readonly engine: { readonly name: string; readonly version: string };
  readonly onStep: (step: {
    readonly name: StepName;
    readonly outcome: 'done' | 'failed';
    readonly durationMs: number;
  }) => void;
};

/** The state of the run in this process; it changes from step to step. */
type Progress = {
  claim: Claim;
  step: StepName | undefined;
  startedAt: Date;
  results: Partial<StepResults>;
  versions: RunVersions;
  /** Finished, and not stored yet. */
  unstored: StoredStep | undefined;
  readonly site: LoadedSite;
  readonly memory: StepMemory;
  readonly meter: Meter;
};

type Ending = {
  readonly end: RunEnd;
  readonly thrown?: unknown;
  /** The step that is stored together with the end. */
  readonly lastStep?: FinishedStep;
};

const STORE_AGAIN_MS = 1_000;

export function makeDocumentSession(parts: DocumentParts): DocumentSession {
  return async (claim, signal) => {
    const site = parts.sites.current().sites.get(claim.run.site);
    if (site === undefined) return storeEnd(parts, claim, { end: { status: 'queued' } }, signal);
    if (claim.run.crashes >= MAX_CRASHES) return storeEnd(parts, claim, { end: CRASHED }, signal);
    const startedAt = parts.runtime.now();
    const startedMs = parts.runtime.monotonicMs();
    const progress = beginProgress(claim, site, startedAt);
    // Recordings that were opened are closed at the end, whatever happens.
    const over = new AbortController();
    try {
      const ending = await document(parts, progress, AbortSignal.any([signal, over.signal])).catch((thrown: unknown) =>
        endingOfFailure(parts, progress, thrown),
      );
      if (ending === 'gone') return undefined;
      await storeUnstored(parts, progress);
      return await storeEnd(parts, progress.claim, ending, signal);
    } finally {
      over.abort();
      await countUsage(parts, progress, { startedAt, durationMs: parts.runtime.monotonicMs() - startedMs });
    }
  };
}

function beginProgress(claim: Claim, site: LoadedSite, startedAt: Date): Progress {
  const memory: StepMemory = { fetched: new Map() };
  const { step, versions } = claim.run;
  return { claim, step, startedAt, results: {}, versions, unstored: undefined, site, memory, meter: new Meter() };
}

/** Resolves the encounter, then does one step after another. */
async function document(parts: DocumentParts, progress: Progress, signal: AbortSignal): Promise<Ending | 'gone'> {
  if (progress.claim.run.isCancelling && mayCancel(progress.step)) return { end: CANCELLED };
  const unresolved = await resolve(parts, progress, signal);
  if (unresolved !== undefined) return unresolved;
  // A run without a step has no results yet.
  if (progress.step !== undefined) progress.results = await parts.queue.results(progress.claim);
  for (const name of RUN_STEPS.slice(firstStep(progress))) {
    signal.throwIfAborted();
    progress.step = name;
    const paused = await findPause(parts, progress.site, name);
    if (paused !== undefined) return { end: paused };
    // The site's files have changed, perhaps so that nothing may be written: the run is claimed again, with the new files.
    if (name === 'write-chart' && isOutdated(parts, progress)) return { end: { status: 'queued' } };
    const ending = await doStep(parts, progress, name, signal);
    if (ending !== undefined) return ending;
  }
  throw new Error('the last step did not end the run');
}

function isOutdated({ sites }: DocumentParts, { site }: Progress): boolean {
  return sites.current().sites.get(site.name)?.version !== site.version;
}

/**
 * A run maps again before it writes if the mappings changed while it waited, or if the mapped documents are those of another run: what was
 * shown must be what is written. A dry run ends when it is mapped.
 */
function firstStep({ step, results: { map }, site, claim: { run } }: Progress): number {
  if (step === undefined) return 0;
  const isOwn = map?.mapping === site.version && map.shown?.run.id === run.id;
  const mustMapAgain = step === 'write-chart' && !isOwn;
  const isDone = run.isDry && !mayCancel(step);
  return RUN_STEPS.indexOf(mustMapAgain || isDone ? 'map' : step);
}

/** Not once the write may have begun: a run that is cancelled in the middle would leave half of its documents in the chart. */
function mayCancel(step: StepName | undefined): boolean {
  return step !== 'write-chart' && step !== 'publish';
}

/** Undefined: the run goes on with its first step. */
async function resolve(
  parts: DocumentParts,
  progress: Progress,
  signal: AbortSignal,
): Promise<Ending | 'gone' | undefined> {
  const { claim, site } = progress;
  // An uploaded recording has a session from the start; its patient is still unknown.
  if (claim.run.session !== undefined && claim.run.patient !== undefined) return undefined;
  const order = { service: `ehr/${site.name}`, run: claim.run.id, site: site.name } as const;
  const resolution = await parts.services.call(order, () => parts.resolveEncounter({ claim, site }, signal), signal);
  if (resolution.kind === 'gone') return 'gone';
  if (resolution.kind === 'end') return { end: resolution.end };
  progress.claim = resolution.claim;
  progress.memory.resolved = resolution.resolved;
  return undefined;
}

/** Undefined: the next step follows. */
async function doStep(
  parts: DocumentParts,
  progress: Progress,
  name: StepName,
  signal: AbortSignal,
): Promise<Ending | undefined> {
  progress.startedAt = parts.runtime.now();
  const startedMs = parts.runtime.monotonicMs();
  const outcome = await runStep(parts, progress, name, signal);
  parts.onStep({ name, outcome: 'done', durationMs: parts.runtime.monotonicMs() - startedMs });
  const { end } = outcome;
  if (end !== undefined && outcome.result === undefined) return { end };
  const finished = finishedStep(parts, progress, name, outcome);
  progress.unstored = undefined;
  // The last step is stored in the transaction that ends the run and stores its outcome event.
  if (name === LAST_STEP && end !== undefined) return { end, lastStep: finished };
  if (STORED_WITH_NEXT.has(name) && end === undefined && outcome.outcome === undefined) {
    noteFinished(progress, finished);
    progress.unstored = finished;
    return undefined;
  }
  const stored = await storeStep(parts, progress, finished, end);
  if (stored.isCancelling && mayCancel(name)) return { end: CANCELLED };
  return end && { end };
}

const LAST_STEP = RUN_STEPS.at(-1);

/**
 * The step behind each of these works in this process alone, so that both are finished within milliseconds and are stored together. A process
 * that is killed in between does both again: `check` gives the same, and `write-chart` finds in the ledger that all is written.
 */
const STORED_WITH_NEXT: ReadonlySet<StepName> = new Set<StepName>(['check', 'write-chart']);

async function runStep(
  { steps, services }: DocumentParts,
  progress: Progress,
  name: StepName,
  signal: AbortSignal,
): Promise<StepOutcome<StepName>> {
  const { claim, site, results, memory, meter, versions } = progress;
  const run = { ...claim.run, versions };
  const work: StepWork = { run, site, results, memory, meter };
  // Each step returns the result of its own name.
  const step = steps[name] as Step<StepName>;
  if (!CALLS_EHR.has(name)) return step(work, signal);
  const order = { service: `ehr/${site.name}`, run: run.id, site: site.name } as const;
  return services.call(order, () => step(work, signal), signal);
}

/** Steps that are one call to the EHR as a whole; the other steps call their services themselves. */
const CALLS_EHR: ReadonlySet<StepName> = new Set<StepName>(['read-chart', 'fetch-recording', 'map']);

function finishedStep(
  { runtime, engine }: DocumentParts,
  progress: Progress,
  name: StepName,
  { result, versions: made, draft, outcome }: StepOutcome<StepName>,
): FinishedStep {
  const own = `${engine.name} ${engine.version}`;
  const versions = progress.versions.engine === own ? made : { ...made, engine: own };
  return {
    name,
    startedAt: progress.startedAt,
    finishedAt: runtime.now(),
    ...(result !== undefined && { result }),
    ...(versions && { versions }),
    ...(draft && { draft }),
    ...(outcome && { outcome }),
    ...(progress.unstored && { before: [progress.unstored] }),
  };
}

function noteFinished(progress: Progress, { name, result, versions }: FinishedStep): void {
  progress.results = { ...progress.results, ...(result !== undefined && { [name]: result }) };
  progress.versions = mergeVersions(progress.versions, versions);
}

async function storeStep(
  { queue }: DocumentParts,
  progress: Progress,
  finished: FinishedStep,
  end: RunEnd | undefined,
): Promise<{ readonly isCancelling: boolean }> {
  const { name } = finished;
  // A step that ends the run stays the current one: after a crash it is done again and finds the same end.
  const next = end === undefined ? nextStep(name) : name;
  const stored = await queue.finishStep(progress.claim, finished, next);
  noteFinished(progress, finished);
  return stored;
}

function nextStep(name: StepName): StepName {
  return RUN_STEPS[RUN_STEPS.indexOf(name) + 1] ?? name;
}

/** The step behind it was not finished. If this fails, the step is done again. */
async function storeUnstored({ queue }: DocumentParts, { claim, unstored }: Progress): Promise<void> {
  if (unstored !== undefined) await queue.finishStep(claim, unstored, nextStep(unstored.name)).catch(() => undefined);
}

function endingOfFailure({ services, runtime, onStep }: DocumentParts, progress: Progress, thrown: unknown): Ending {
  const { claim, step, startedAt } = progress;
  const isMapping = thrown instanceof MappingError;
  const error = isMapping ? new AppError('invalidRequest', thrown.message) : asAppError(thrown);
  const fault = services.faultOf(error);
  const end = isMapping
    ? mappingFailed(thrown)
    : endOfFailure({
        error,
        run: claim.run,
        step,
        service: fault?.service,
        circuit: fault?.verdict,
        now: runtime.now(),
        chance: runtime.chance(),
      });
  if (end.status === 'queued' || step === undefined) return { end, thrown };
  // A step that finds nothing to document has done its work.
  const outcome = end.status === 'skipped' ? 'done' : 'failed';
  onStep({ name: step, outcome, durationMs: runtime.now().getTime() - startedAt.getTime() });
  if (outcome === 'done') return { end, thrown };
  const { code, message } = error;
  return { end: { ...end, failedStep: { name: step, startedAt, error: { code, message } } }, thrown };
}

function mappingFailed(error: MappingError): RunEnd {
  return {
    status: 'parked',
    reason: 'mapping',
    message: error.message,
    advice:
      'Change the mapping (npm run cli -- mappings check, npm run cli -- mappings preview), and replay the run from map.',
  };
}

/** Tries until the database answers: a run whose end is not stored would count as a crash. */
async function storeEnd(
  { queue, runtime }: DocumentParts,
  claim: Claim,
  { end, thrown: cause, lastStep }: Ending,
  signal: AbortSignal,
): Promise<RunReport | undefined> {
  for (;;) {
    try {
      await queue.leave(claim, end, outcomeOf(end), lastStep);
      return { claim, end, ...(cause !== undefined && { thrown: cause }) };
    } catch (thrown) {
      const { code } = asAppError(thrown);
      if (code === 'inUse') return undefined;
      if (code !== 'overloaded' || signal.aborted) throw thrown;
      await runtime.pause(STORE_AGAIN_MS, signal);
    }
  }
}

type Times = { readonly startedAt: Date; readonly durationMs: number };

async function countUsage({ usage }: DocumentParts, { claim, site, meter }: Progress, times: Times): Promise<void> {
  if (meter.audioSeconds === 0 && meter.aiMs === 0) return;
  const record = {
    requestId: `${claim.run.id}/${claim.fence}`,
    keyId: `site/${site.name}`,
    organization: claim.run.organization,
    operation: 'run',
    startedAt: times.startedAt,
    durationMs: Math.round(times.durationMs),
    aiMs: Math.round(meter.aiMs),
    audioSeconds: meter.audioSeconds,
    outcome: 'success',
    status: 0,
  } as const;
  // A usage record that cannot be stored must not cost the patient the note.
  await usage.record(record).catch(() => undefined);
}

const CRASHED: RunEnd = {
  status: 'parked',
  reason: 'crashes',
  message: `The engine crashed ${MAX_CRASHES} times while it worked on this run.`,
  advice: 'Look at the log of the engine. Replay the run when the cause is fixed; otherwise document by hand.',
};

const CANCELLED: RunEnd = { status: 'cancelled', message: 'An operator cancelled the run.' };
