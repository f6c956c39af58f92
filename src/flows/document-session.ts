// The story of one run, from an encounter that somebody spoke of to its chart. Each step's result is kept before the next begins, so
// that whoever goes on, here or in another process, goes on after the last finished one.

import { Meter } from '../domain/access/usage.ts';
import { AppError, asAppError } from '../domain/errors.ts';
import { MappingError } from '../domain/mapping/mapping.ts';
import type { OutcomeKind } from '../domain/run/outcome-event.ts';
import { RUN_STEPS, type RunVersions, type StepName, type StepResults } from '../domain/run/run.ts';
import type { RunEnd } from '../domain/run/run-end.ts';
import { endOfFailure, MAX_CRASHES } from '../domain/run/run-failure.ts';
import type { Pauses } from '../ports/feeds.ts';
import type { Claim, Queue, StepDone } from '../ports/queue.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { LoadedSite, Sites } from '../ports/sites.ts';
import type { Usage } from '../ports/usage.ts';
import { pausedBefore } from './run-steps/paused-before.ts';
import type { ResolveEncounter } from './run-steps/resolve-encounter.ts';
import type { Services } from './run-steps/services.ts';
import type { Memory, Step, StepOutcome, Steps, StepWork } from './run-steps/step-work.ts';

export type RunReport = {
  readonly claim: Claim;
  readonly end: RunEnd;
  /** What was thrown, for the log alone. */
  readonly thrown?: unknown;
};

/**
 * Works on a run that was claimed, until it is at its end or has to wait, and leaves it. Undefined: it is somebody else's by now, or was not
 * needed. Throws only where it could not be left: then its lease ends by itself.
 */
export type DocumentSession = (claim: Claim, signal: AbortSignal) => Promise<RunReport | undefined>;

type DocumentParts = {
  readonly queue: Queue;
  readonly sites: Pick<Sites, 'current'>;
  readonly pauses: Pick<Pauses, 'current'>;
  readonly lookAtEncounter: ResolveEncounter;
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

/** Changes from step to step. */
type Story = {
  claim: Claim;
  step: StepName | undefined;
  startedAt: Date;
  results: Partial<StepResults>;
  versions: RunVersions;
  readonly site: LoadedSite;
  readonly memory: Memory;
  readonly meter: Meter;
};

type Ended = {
  readonly end: RunEnd;
  /** What was thrown, for the log alone. */
  readonly thrown?: unknown;
  /** Kept together with the end. */
  readonly lastStep?: StepDone;
};

type Told = Ended | 'gone';

const SETTLE_PAUSE_MS = 1_000;

export function makeDocumentSession(parts: DocumentParts): DocumentSession {
  return async (claim, signal) => {
    const site = parts.sites.current().sites.get(claim.run.site);
    if (site === undefined) return leave(parts, claim, { end: { status: 'queued' } }, signal);
    if (claim.run.crashes >= MAX_CRASHES) return leave(parts, claim, { end: CRASHED }, signal);
    const startedAt = parts.runtime.now();
    const startedMs = parts.runtime.monotonicMs();
    const story = beginStory(claim, site, startedAt);
    // Recordings that were begun to be read are let go at the end, whatever happens.
    const over = new AbortController();
    try {
      const told = await tell(parts, story, AbortSignal.any([signal, over.signal])).catch((thrown: unknown) =>
        failureOf(parts, story, thrown),
      );
      return told === 'gone' ? undefined : await leave(parts, story.claim, told, signal);
    } finally {
      over.abort();
      await countUsage(parts, story, { startedAt, durationMs: parts.runtime.monotonicMs() - startedMs });
    }
  };
}

function beginStory(claim: Claim, site: LoadedSite, startedAt: Date): Story {
  const memory: Memory = { fetched: new Map() };
  const { step } = claim.run;
  return { claim, step, startedAt, results: {}, versions: claim.run.versions, site, memory, meter: new Meter() };
}

/** Look, and then one step after another. */
async function tell(parts: DocumentParts, story: Story, signal: AbortSignal): Promise<Told> {
  if (story.claim.run.isCancelling && !mayBeWritten(story.step)) return { end: CANCELLED };
  const looked = await look(parts, story, signal);
  if (looked !== undefined) return looked;
  // Where no step was finished, there is nothing yet.
  if (story.step !== undefined) story.results = await parts.queue.results(story.claim);
  const first = firstStep(story);
  for (const [index, name] of RUN_STEPS.entries()) {
    if (index < first) continue;
    signal.throwIfAborted();
    story.step = name;
    const paused = await pausedBefore(parts, story.site, name);
    if (paused !== undefined) return { end: paused };
    // Its files changed meanwhile, perhaps so that nothing is written any more: whoever takes it again maps by those.
    if (name === 'write-chart' && isOutdated(parts, story)) return { end: { status: 'queued' } };
    const told = await doStep(parts, story, name, signal);
    if (told !== undefined) return told;
  }
  return { end: written(story) };
}

function written({ results }: Story): RunEnd {
  const { resources = [], left = [], ...whose } = results['write-chart'] ?? {};
  return { status: 'written', resources, left, ...whose };
}

function isOutdated({ sites }: DocumentParts, { site }: Story): boolean {
  return sites.current().sites.get(site.name)?.version !== site.version;
}

/**
 * Mappings that changed while it waited to be written, or what another run made of them: what is shown must be what is written. A dry run
 * ends where it is mapped.
 */
function firstStep({ step, results: { map }, site, claim: { run } }: Story): number {
  if (step === undefined) return 0;
  const isOwn = map?.mapping === site.version && map.shown?.run.id === run.id;
  const isMappedAnew = step === 'write-chart' && !isOwn;
  const isDone = run.isDry && mayBeWritten(step);
  return RUN_STEPS.indexOf(isMappedAnew || isDone ? 'map' : step);
}

/** From here on it is too late to cancel: half of it in the chart, or all of it in nobody's name, would be worse. */
function mayBeWritten(step: StepName | undefined): boolean {
  return step === 'write-chart' || step === 'publish';
}

async function look(parts: DocumentParts, story: Story, signal: AbortSignal): Promise<Told | undefined> {
  const { claim, site } = story;
  // One that was handed over has its session from the start, and nobody has looked whose it is.
  if (claim.run.session !== undefined && claim.run.patient !== undefined) return undefined;
  const order = { service: `ehr/${site.name}`, run: claim.run.id, site: site.name } as const;
  const looked = await parts.services.ask(order, () => parts.lookAtEncounter({ claim, site }, signal), signal);
  if (looked.kind === 'gone') return 'gone';
  if (looked.kind === 'end') return { end: looked.end };
  story.claim = looked.claim;
  story.memory.seen = looked.seen;
  return undefined;
}

async function doStep(
  parts: DocumentParts,
  story: Story,
  name: StepName,
  signal: AbortSignal,
): Promise<Told | undefined> {
  story.startedAt = parts.runtime.now();
  const startedMs = parts.runtime.monotonicMs();
  const outcome = await runStep(parts, story, name, signal);
  parts.onStep({ name, outcome: 'done', durationMs: parts.runtime.monotonicMs() - startedMs });
  if (outcome.end !== undefined && outcome.result === undefined) return { end: outcome.end };
  const done = doneOf(parts, story, name, outcome);
  // Nothing comes after it that could fail: one statement keeps both.
  if (name === LAST_STEP && outcome.end === undefined) return { end: written(story), lastStep: done };
  const kept = await keep(parts, story, done, outcome.end);
  if (kept.isCancelling && !mayBeWritten(name)) return { end: CANCELLED };
  return outcome.end && { end: outcome.end };
}

const LAST_STEP = RUN_STEPS.at(-1);

async function runStep(
  { steps, services }: DocumentParts,
  story: Story,
  name: StepName,
  signal: AbortSignal,
): Promise<StepOutcome<StepName>> {
  const { claim, site, results, memory, meter, versions } = story;
  const run = { ...claim.run, versions };
  const work: StepWork = { run, site, results, memory, meter };
  // Each gives the result of its own name.
  const step = steps[name] as Step<StepName>;
  if (!ASKS_EHR.has(name)) return step(work, signal);
  const order = { service: `ehr/${site.name}`, run: run.id, site: site.name } as const;
  return services.ask(order, () => step(work, signal), signal);
}

/** As a whole; the other steps ask their services themselves. */
const ASKS_EHR: ReadonlySet<StepName> = new Set<StepName>(['read-chart', 'fetch-recording', 'map']);

function doneOf(
  { runtime, engine }: DocumentParts,
  story: Story,
  name: StepName,
  { result, versions: made, outcome }: StepOutcome<StepName>,
): StepDone {
  const own = `${engine.name} ${engine.version}`;
  const versions = story.versions.engine === own ? made : { ...made, engine: own };
  return {
    name,
    startedAt: story.startedAt,
    finishedAt: runtime.now(),
    ...(result !== undefined && { result }),
    ...(versions && { versions }),
    ...(outcome && { outcome }),
  };
}

async function keep(
  { queue }: DocumentParts,
  story: Story,
  done: StepDone,
  end: RunEnd | undefined,
): Promise<{ readonly isCancelling: boolean }> {
  const { name, result, versions } = done;
  // What ends the run is not kept with the step: whoever comes after a crash has to find it again, and must not go past it.
  const next = end === undefined ? (RUN_STEPS[RUN_STEPS.indexOf(name) + 1] ?? name) : name;
  const kept = await queue.finishStep(story.claim, done, next);
  story.results = { ...story.results, ...(result !== undefined && { [name]: result }) };
  story.versions = { ...story.versions, ...versions };
  return kept;
}

type Failure = { readonly end: RunEnd; readonly thrown: unknown };

function failureOf({ services, runtime, onStep }: DocumentParts, story: Story, thrown: unknown): Failure {
  const { claim, step, startedAt } = story;
  const isMapping = thrown instanceof MappingError;
  const error = isMapping ? new AppError('invalidRequest', thrown.message) : asAppError(thrown);
  const blame = services.blameOf(error);
  const end = isMapping
    ? mappingFailed(thrown)
    : endOfFailure({
        error,
        run: claim.run,
        step,
        service: blame?.service,
        circuit: blame?.verdict,
        now: runtime.now(),
        chance: runtime.chance(),
      });
  if (end.status === 'queued' || step === undefined) return { end, thrown };
  // That there is nothing to document is what the step has found.
  const outcome = end.status === 'skipped' ? 'done' : 'failed';
  onStep({ name: step, outcome, durationMs: runtime.now().getTime() - startedAt.getTime() });
  if (outcome === 'done') return { end, thrown };
  return { end: { ...end, failedStep: { name: step, startedAt, error: wordsOf(error) } }, thrown };
}

function wordsOf({ code, message }: AppError): { readonly code: string; readonly message: string } {
  return { code, message };
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

/** A database that is away for a moment must not cost the run its place: it would be taken for a crash. */
async function leave(
  { queue, runtime }: DocumentParts,
  claim: Claim,
  { end, thrown: cause, lastStep }: Ended,
  signal: AbortSignal,
): Promise<RunReport | undefined> {
  for (;;) {
    try {
      await queue.settle(claim, end, outcomeOf(end), lastStep);
      return { claim, end, ...(cause !== undefined && { thrown: cause }) };
    } catch (thrown) {
      const { code } = asAppError(thrown);
      if (code === 'inUse') return undefined;
      if (code !== 'overloaded' || signal.aborted) throw thrown;
      await runtime.pause(SETTLE_PAUSE_MS, signal);
    }
  }
}

function outcomeOf({ status }: RunEnd): OutcomeKind | undefined {
  switch (status) {
    case 'written':
      return 'documented';
    case 'parked':
    case 'skipped':
    case 'held':
    case 'retracted':
      return status;
    case 'waiting':
    case 'cancelled':
    case 'queued':
      return undefined;
  }
}

type Times = { readonly startedAt: Date; readonly durationMs: number };

async function countUsage({ usage }: DocumentParts, { claim, site, meter }: Story, times: Times): Promise<void> {
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
  // A lost line in the books must not cost a patient the note.
  await usage.record(record).catch(() => undefined);
}

const CRASHED: RunEnd = {
  status: 'parked',
  reason: 'crashes',
  message: `The engine ended ${MAX_CRASHES} times while it worked on this run.`,
  advice: 'Look at the log of the engine. Replay the run when the cause is gone; else document by hand.',
};

const CANCELLED: RunEnd = { status: 'cancelled', message: 'Somebody cancelled it.' };
