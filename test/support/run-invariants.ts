// Invariants of a hospital with engines after any failures: no event is lost; no document is in a chart twice, missing, or on another patient; no
// worker continues a run that it has lost; the runs of a patient are processed in order; each end sends one outcome event. A violation is
// reported as a sentence.
import type { Resource } from '@medplum/fhirtypes';
import { devicePlace } from '../../src/domain/chart/existing-documents.ts';
import type { OutcomeKind } from '../../src/domain/run/outcome-event.ts';
import { BLOCKING_STATUSES, RUN_STEPS, type Run, type StepName } from '../../src/domain/run/run.ts';
import { factsOfResults } from '../../src/flows/run-steps/facts-of-results.ts';
import type { Inbox } from '../../src/ports/inbox.ts';
import type { Claim, Queue } from '../../src/ports/queue.ts';
import type { Runs } from '../../src/ports/runs.ts';
import type { FakeStore } from '../fakes/ehr-store.ts';
import { isRetired, whatIsDeleted, whatIsMissing, whatIsNotFrozen, whatIsTwice } from './chart-invariants.ts';
import { ENGINE, type RunTestbed, sizeOfRecording, type TestbedPorts } from './run-testbed.ts';

/** Watches the ports that engines share for violations that are visible only while they happen. */
export type RunWatch = {
  readonly between: (ports: TestbedPorts) => TestbedPorts;
  readonly problems: readonly string[];
  /** The ids of acknowledged events. */
  readonly accepted: ReadonlySet<string>;
  /** The ends of each run in order; each of them needs an outcome event. */
  readonly ends: ReadonlyMap<string, readonly OutcomeKind[]>;
};

const MANY = 1_000;
const AT_WORK: readonly string[] = BLOCKING_STATUSES;
const TOLD = {
  written: 'documented',
  parked: 'parked',
  skipped: 'skipped',
  held: 'held',
  retracted: 'retracted',
} as const satisfies Partial<Record<Run['status'], OutcomeKind>>;

type Seen = {
  readonly problems: string[];
  readonly accepted: Set<string>;
  readonly ends: Map<string, OutcomeKind[]>;
  /** The fence of the last claim of each run. */
  readonly fences: Map<string, number>;
  readonly crashes: Map<string, number>;
  /** The next step of each run, as it was stored. */
  readonly nexts: Map<string, StepName | undefined>;
};

export function watchRuns(): RunWatch {
  const seen: Seen = {
    problems: [],
    accepted: new Set(),
    ends: new Map(),
    fences: new Map(),
    nexts: new Map(),
    crashes: new Map(),
  };
  return {
    ...seen,
    between: ({ inbox, queue, runs, ledger }) => ({
      inbox: watchInbox(seen, inbox),
      queue: watchQueue(seen, queue, runs),
      runs: watchDecisions(seen, runs),
      ledger,
    }),
  };
}

function watchInbox({ accepted }: Seen, inbox: Inbox): Inbox {
  return {
    ...inbox,
    accept: async (order) => {
      const answer = await inbox.accept(order);
      if (answer.kind !== 'id-reused') accepted.add(order.eventId ?? order.key);
      return answer;
    },
  };
}

/** The memory behind it makes each call at once, so a list that is read right after a call shows exactly its effect. */
function watchQueue(seen: Seen, queue: Queue, runs: Runs): Queue {
  const { problems, fences } = seen;
  const asOwner = async <T>(claim: Claim, what: string, call: () => Promise<T>): Promise<T> => {
    const isLost = (fences.get(claim.run.id) ?? claim.fence) > claim.fence;
    const answer = await call();
    if (isLost) problems.push(`${nameOf(claim.run)}: ${what} by a process that had lost the run`);
    return answer;
  };
  const listed = async () => (await runs.list({ scope: 'all', limit: MANY, withLooks: true })).runs;
  return {
    ...queue,
    claim: async (order) => {
      const claiming = queue.claim(order);
      const all = listed();
      const claims = await claiming;
      for (const { run, fence } of claims) {
        fences.set(run.id, fence);
        // A run whose process died had started already: runs that returned to the queue since then come after it.
        const isResumed = run.crashes > (seen.crashes.get(run.id) ?? 0);
        seen.crashes.set(run.id, run.crashes);
        problems.push(...whoIsPassed(run, isResumed ? (await all).filter(isRunning) : await all));
      }
      return claims;
    },
    identify: (claim, who) =>
      asOwner(claim, 'an encounter was looked at', async () => {
        const identifying = queue.identify(claim, who);
        const all = listed();
        const turn = await identifying;
        const run = { ...claim.run, ...who };
        if (turn === 'mine') problems.push(...whoIsPassed(run, await all));
        return turn;
      }),
    assignSessions: (claim, sessions) =>
      asOwner(claim, 'a session was determined', () => queue.assignSessions(claim, sessions)),
    fold: (claim) => asOwner(claim, 'a run was folded', () => queue.fold(claim)),
    goBack: (claim, to) => asOwner(claim, 'a step was gone back', () => queue.goBack(claim, to)),
    finishStep: (claim, done, next) =>
      asOwner(claim, `${done.name} was kept`, async () => {
        const answer = await queue.finishStep(claim, done, next);
        for (const { name } of [...(done.before ?? []), done]) {
          if (isDoneAgain(seen, claim.run, name)) problems.push(`${nameOf(claim.run)}: ${name} was done again`);
        }
        seen.nexts.set(claim.run.id, next);
        return answer;
      }),
    leave: (claim, ...end) =>
      asOwner(claim, 'a run was left', async () => {
        const settling = queue.leave(claim, ...end);
        const after = runs.find(claim.run.id, 'all');
        await settling;
        noteEnd(seen, await after);
      }),
  };
}

/** A stored result is not computed again. New mappings and a clinician's decision are reasons to map it again and for nothing more. */
function isDoneAgain({ nexts }: Seen, { id }: Run, name: StepName): boolean {
  if (!nexts.has(id) || name === 'map' || name === 'write-chart') return false;
  const next = nexts.get(id);
  return RUN_STEPS.indexOf(name) < (next === undefined ? RUN_STEPS.length : RUN_STEPS.indexOf(next));
}

function noteEnd({ ends }: Seen, run: Run | undefined): void {
  if (run === undefined || !isTold(run.status)) return;
  ends.set(run.id, [...(ends.get(run.id) ?? []), TOLD[run.status]]);
}

function isTold(status: Run['status']): status is keyof typeof TOLD {
  return status in TOLD;
}

/** Other runs of the same patient that are running, or that are earlier and have not ended. */
function whoIsPassed(run: Pick<Run, 'id' | 'site' | 'patient' | 'serial' | 'encounter'>, all: readonly Run[]) {
  if (run.patient === undefined) return [];
  return all
    .filter((other) => other.id !== run.id && other.site === run.site && other.patient === run.patient)
    .filter((other) => other.status === 'running' || (other.serial < run.serial && keepsWaiting(other)))
    .map((other) => `${nameOf(run)} was begun while ${nameOf(other)} of the same patient was ${other.status}`);
}

function isRunning({ status }: Run): boolean {
  return status === 'running';
}

/** A run that waits for a recording does not block the other runs of the patient. */
function keepsWaiting({ status, reason }: Run): boolean {
  return AT_WORK.includes(status) && !(status === 'waiting' && (reason === 'recording' || reason === 'encounter'));
}

function watchDecisions(seen: Seen, runs: Runs): Runs {
  return {
    ...runs,
    markRetracted: async (order) => {
      const before = runs.ofEncounter(order.site, order.encounter);
      const marking = runs.markRetracted(order);
      const after = runs.ofEncounter(order.site, order.encounter);
      await marking;
      const earlier = new Map((await before).map((run) => [run.id, run]));
      const changed = (await after).filter((run) => {
        const was = earlier.get(run.id);
        return was?.status !== run.status || was.reason !== run.reason;
      });
      noteEnd(seen, changed.at(-1));
    },
  };
}

/** Call it when nothing is left to do. `forgotten`: events that were deleted after their storage period. */
export async function whatIsWrong(
  testbed: RunTestbed,
  watch: RunWatch,
  forgotten: ReadonlySet<string> = new Set(),
): Promise<readonly string[]> {
  const runs = await testbed.allRuns();
  return [
    ...watch.problems,
    ...(await whatIsLost(testbed, watch, { runs, forgotten })),
    ...whatIsStuck(runs),
    ...(await whatIsOdd(testbed, runs)),
    ...whatIsElsewhere(testbed, runs),
    ...(await whatIsNotAudited(testbed)),
    ...(await whatIsDocumentedTwice(testbed)),
    ...whatIsNotTold(testbed, watch, runs),
  ];
}

type RunHistory = { readonly runs: readonly Run[]; readonly forgotten: ReadonlySet<string> };

async function whatIsLost(testbed: RunTestbed, { accepted }: RunWatch, { runs, forgotten }: RunHistory) {
  const kept = new Set<string | undefined>();
  for (const { id } of runs) for (const { eventId } of await testbed.runs.events(id)) kept.add(eventId);
  return [...accepted]
    .filter((event) => !kept.has(event) && !forgotten.has(event))
    .map((event) => `the event ${event} was accepted, and has no run`);
}

function whatIsStuck(runs: readonly Run[]): readonly string[] {
  return runs
    .filter(({ status }) => AT_WORK.includes(status))
    .map((run) => `${nameOf(run)} is stuck: ${run.status} ${run.reason ?? ''}`);
}

/** Checks the chart by its own rules, and by the outcome of each run. */
async function whatIsOdd(testbed: RunTestbed, runs: readonly Run[]): Promise<readonly string[]> {
  const { ehr, site, ledger } = testbed;
  const chart = { store: ehr.store, site };
  const inForce = { store: withoutRetired(ehr.store), site };
  const sessions = new Map(runs.flatMap((run) => (run.session ? [[placeOf(run), run] as const] : [])));
  const places = [...sessions.values()].map(({ encounter, session = '' }) => ({
    site: site.name,
    encounter: encounter.replace('Encounter/', ''),
    session,
  }));
  const revisions = await Promise.all([devicePlace(site.name), ...places].map((place) => ledger.read(place)));
  const missing = await Promise.all([...sessions.keys()].map((place) => whatIsNotThere(testbed, runs, place)));
  return [
    ...whatIsTwice(chart).filter((sentence) => sentence.includes(': identity')),
    // A document that was retracted and written again is in the chart once.
    ...whatIsTwice(inForce).filter((sentence) => sentence.includes(': content')),
    ...whatIsDeleted(chart),
    ...whatIsNotFrozen(chart, revisions.flat()),
    ...missing.flat(),
  ];
}

function withoutRetired(store: FakeStore): FakeStore {
  const isInForce = (reference: string) => {
    const resource = store.get(reference)?.resource;
    return resource !== undefined && !isRetired(resource);
  };
  return { ...store, references: () => store.references().filter(isInForce) };
}

/** The documents of the session's last run are in the chart. */
async function whatIsNotThere(testbed: RunTestbed, runs: readonly Run[], place: string): Promise<readonly string[]> {
  const ended = runs.filter((run) => placeOf(run) === place && !run.isDry && run.endedAt !== undefined);
  const last = ended.toSorted((a, b) => timeOf(a) - timeOf(b) || a.serial - b.serial).at(-1);
  if (last?.status !== 'written') return [];
  const { site, ehr } = testbed;
  const gone = last.resources
    .filter(({ reference }) => ehr.store.history(reference)[0]?.by !== 'engine')
    .map(({ reference }) => `${nameOf(last)} says that it wrote ${reference}, which the engine did not`);
  const results = await testbed.runs.results(last.id);
  if (results['write-note'] === undefined) return gone;
  const now = testbed.runtime.now().toISOString();
  const facts = factsOfResults({
    run: last,
    site,
    results,
    engine: ENGINE,
    officialCodes: results.map?.officialCodes,
    now,
  });
  const outcome = { status: 'written', resources: last.resources, left: last.left } as const;
  const missing = whatIsMissing({ store: ehr.store, site }, { facts, outcome, refused: new Set() });
  // A document that a clinician has signed stays, and a later draft is beside it.
  const isSigned = runs.some((run) => placeOf(run) === place && run.review !== undefined);
  const meant = missing.filter((sentence) => !(isSigned && / stands there [2-9] times$/.test(sentence)));
  return [...gone, ...meant.map((sentence) => `${nameOf(last)} is written, and ${sentence}`)];
}

function timeOf({ endedAt }: Run): number {
  return endedAt?.getTime() ?? 0;
}

/** Each document is about its own encounter's patient, and is made of its own session's recordings. */
function whatIsElsewhere({ ehr }: RunTestbed, runs: readonly Run[]): readonly string[] {
  return madeBy(ehr.store).flatMap(({ resource, reference, name }) => {
    const { subject, encounterOf } = whoseIs(resource);
    const encounter = ehr.store.get(encounterOf ?? '')?.resource;
    const isTheirs = encounter?.resourceType === 'Encounter' && encounter.subject?.reference === subject;
    // What was retracted stays with the patient for whom it was written, and what a person must retract is named to that person.
    const isNamedToPerson = runs.some(({ status, message }) => status === 'parked' && message?.includes(reference));
    const isFine = subject === undefined || isTheirs || isRetired(resource) || isNamedToPerson;
    const problems = isFine ? [] : [`${reference} is on another patient`];
    const isNamed = encounterOf === undefined || name.startsWith(`${encounterOf.replace('Encounter/', '')}/`);
    if (!isNamed) problems.push(`${reference} bears the name of another encounter`);
    const run = runs.find((one) => one.session !== undefined && name.startsWith(`${placeOf(one)}/`));
    if (resource.resourceType !== 'DocumentReference' || run === undefined) return problems;
    const heard = [...new Set(resource.description?.match(/\d+ bytes/g))].toSorted();
    const meant = [...new Set(run.recordings.map(soundOf))].toSorted();
    if (JSON.stringify(heard) !== JSON.stringify(meant)) problems.push(`${reference} is of other recordings`);
    return problems;
  });
}

/** The speech of a recording, if the hospital's fake hears sizes. */
function soundOf(recording: string): string {
  return `${sizeOfRecording(Number(recording.split('rec-')[1]))} bytes`;
}

type Made = {
  readonly resource: Resource;
  readonly reference: string;
  /** For example `e-1/s-…/composition`. */
  readonly name: string;
  readonly versionTimes: readonly number[];
};

/** Returns the engine's resources without the Devices, which belong to no patient. */
export function madeBy(store: FakeStore): readonly Made[] {
  return store.references().flatMap((reference) => {
    const versions = store.history(reference);
    const resource = versions.at(-1)?.resource;
    if (resource === undefined || versions[0]?.by !== 'engine' || resource.resourceType === 'Device') return [];
    const ours = versions.filter(({ by }) => by === 'engine');
    const versionTimes = ours.map((version) => Date.parse(version.resource.meta?.lastUpdated ?? ''));
    return [{ resource, reference, name: ownName(resource), versionTimes }];
  });
}

function ownName(resource: Resource): string {
  const identifiers = 'identifier' in resource ? [resource.identifier ?? []].flat() : [];
  const named = identifiers.map((one) => (typeof one === 'object' && 'value' in one ? one.value : undefined));
  const tags = (resource.meta?.tag ?? []).map(({ code }) => code);
  return [...named, ...tags].find((name) => name?.includes('/s-')) ?? '';
}

function whoseIs(resource: Resource): { readonly subject?: string; readonly encounterOf?: string } {
  const { subject, encounter, context } = resource as {
    readonly subject?: { readonly reference?: string };
    readonly encounter?: { readonly reference?: string };
    readonly context?: { readonly encounter?: readonly { readonly reference?: string }[] };
  };
  const encounterOf = encounter?.reference ?? context?.encounter?.[0]?.reference;
  return {
    ...(subject?.reference !== undefined && { subject: subject.reference }),
    ...(encounterOf !== undefined && { encounterOf }),
  };
}

/** Each version that the engine made was in the audit trail before. */
async function whatIsNotAudited({ ehr, audit }: RunTestbed): Promise<readonly string[]> {
  const verdict = await audit.verify();
  const noted = audit.entries.flatMap(({ action, at, details }) =>
    action === 'run.write' || action === 'run.retract'
      ? [{ place: `${details?.['encounter']}/${details?.['session']}`.replace('Encounter/', ''), atMs: at.getTime() }]
      : [],
  );
  const unnoted = madeBy(ehr.store).flatMap(({ reference, name, versionTimes }) =>
    versionTimes
      .filter((time) => !noted.some(({ place, atMs }) => name.startsWith(`${place}/`) && atMs <= time))
      .map(() => `${reference} was written without a note in the audit trail`),
  );
  return [...(verdict.isWhole ? [] : [`the audit trail is broken: ${verdict.why}`]), ...unnoted];
}

/** A session has one run, and only a replay documents it again. */
async function whatIsDocumentedTwice({ audit, runs }: RunTestbed): Promise<readonly string[]> {
  const writers = new Map<string, Set<string>>();
  for (const { action, run = '', details } of audit.entries) {
    if (action !== 'run.write' || (await runs.find(run, 'all'))?.replayOf !== undefined) continue;
    const session = `${details?.['encounter']} ${details?.['session']}`;
    writers.set(session, (writers.get(session) ?? new Set()).add(run));
  }
  return [...writers]
    .filter(([, all]) => all.size > 1)
    .map(([session, all]) => `${session} was documented by ${all.size} runs`);
}

/** Each end has one outcome event and no other; immediate events are counted separately. */
function whatIsNotTold({ outbox }: RunTestbed, { ends }: RunWatch, runs: readonly Run[]): readonly string[] {
  return runs.flatMap((run) => {
    const told = outbox.filter(({ event, kind }) => event.runId === run.id && kind !== 'attention');
    const kinds = told.map(({ kind }) => kind).join(' ');
    const due = (ends.get(run.id) ?? []).join(' ');
    const problems = kinds === due ? [] : [`${nameOf(run)} came to "${due}", and was told as "${kinds}"`];
    const written = (ends.get(run.id) ?? []).filter((end) => end === 'documented').length;
    if (written > (run.review === undefined ? 1 : 2)) problems.push(`${nameOf(run)} was written ${written} times`);
    return problems;
  });
}

function nameOf({ serial, encounter }: Pick<Run, 'serial' | 'encounter'>): string {
  return `run ${serial} of ${encounter}`;
}

/** Returns the beginning of the names of its documents. */
function placeOf({ encounter, session }: Pick<Run, 'encounter' | 'session'>): string {
  return `${encounter.replace('Encounter/', '')}/${session}`;
}
