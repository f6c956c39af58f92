// Builders for runs in a store. They use the same calls as an engine.
import { checkNote } from '../../src/domain/note/check-note.ts';
import { RUN_STEPS, type Run, type StepName } from '../../src/domain/run/run.ts';
import type { RunEnd } from '../../src/domain/run/run-end.ts';
import type { StepResults } from '../../src/domain/run/step-results.ts';
import type { Inbox } from '../../src/ports/inbox.ts';
import type { Claim, Queue } from '../../src/ports/queue.ts';
import type { Runs } from '../../src/ports/runs.ts';

export type RunStores = { readonly inbox: Inbox; readonly queue: Queue; readonly runs: Runs };

type KeptRunParts = {
  readonly site?: string;
  readonly encounter?: string;
  readonly patient?: string;
  /** Absent: the run has only its encounter, as after an event. */
  readonly session?: string;
  readonly eventId?: string;
  /** The results of the steps, in their order. */
  readonly results?: Partial<StepResults>;
  readonly model?: string;
  /** Absent: the run is running. */
  readonly end?: RunEnd;
};

export const NOTE = {
  note: {
    title: 'Cough and fever',
    sections: [
      { key: 'SUBJECTIVE', title: 'Subjective', text: 'Cough for three days.' },
      { key: 'PLAN', title: 'Plan', text: 'Chest X-ray today.' },
    ],
  },
} as const;

const REPORT = { statements: [], unsupported: {}, exceeded: [], overSilence: [] } as const;
const TRANSCRIPT = {
  language: 'en',
  durationSeconds: 4,
  utterances: [{ speaker: 0, text: 'I cough.', startSeconds: 0, endSeconds: 4, confidence: 0.9 }],
} as const;

/** The results of all steps up to the documents. */
export const RESULTS = {
  transcribe: { transcript: TRANSCRIPT, recordings: [], speech: 'example-speech', madeAt: '2026-03-02T09:59:30Z' },
  'write-note': { note: NOTE, language: 'en', model: 'example-model', madeAt: '2026-03-02T10:00:00Z' },
  diagnose: {
    diagnosis: {
      diagnosis: { diseases: [] },
      triage: { triage_level: 'WHITE', triage_justification: 'No sign of danger.', triage_recommendation: 'Rest.' },
    },
    model: 'example-model',
    madeAt: '2026-03-02T10:00:00Z',
  },
  check: { report: REPORT, note: NOTE },
  map: {
    documents: [{ document: 'composition', fullUrl: 'urn:uuid:1', resource: { resourceType: 'Composition' } }],
    leftOut: [],
    mapping: '1',
    madeAt: '2026-03-02T10:00:00Z',
  },
} satisfies Partial<StepResults>;

/** The same results with a note whose check has something to say about each statement. */
export const CHECKED_RESULTS = {
  ...RESULTS,
  check: {
    ...RESULTS.check,
    report: checkNote({ note: NOTE, transcript: TRANSCRIPT, language: 'en', maxUnsupported: {} }),
  },
} satisfies Partial<StepResults>;

export const WRITTEN: RunEnd = {
  status: 'written',
  resources: [
    { document: 'composition', reference: 'Composition/12', status: 'created' },
    { document: 'condition', reference: 'Condition/13', status: 'created' },
  ],
  left: [],
};

export const PARKED: RunEnd = { status: 'parked', reason: 'mapping', message: 'Refused.', advice: 'Mend the file.' };

export const HELD: RunEnd = { status: 'held', reason: 'review', message: 'It waits for a review.' };

let events = 0;

/** Makes a run of an event whose encounter is not resolved yet. */
export async function aQueuedRun(stores: RunStores, parts: KeptRunParts = {}): Promise<string> {
  const { site = 'mercy', encounter = 'Encounter/e-1', eventId } = parts;
  events += 1;
  const accepted = await stores.inbox.accept({
    site,
    organization: 'mercy-general',
    source: 'amqp',
    key: `event-${events}`,
    content: encounter,
    ...(eventId !== undefined && { eventId }),
    receivedAt: new Date('2026-03-02T09:59:00Z'),
    encounters: [{ encounter, isUrgent: false }],
    settleMs: 0,
  });
  const [id] = accepted.kind === 'id-reused' ? [] : accepted.runs;
  if (id === undefined) throw new Error('the test made no run');
  return id;
}

export async function aKeptRun(stores: RunStores, parts: KeptRunParts = {}): Promise<Run> {
  const id = await aQueuedRun(stores, parts);
  const claim = await claimRun(stores, id, parts);
  // Another run of the patient is before it.
  if (claim === undefined) return knownRun(stores, id);
  const { results = {}, model } = parts;
  const names = RUN_STEPS.filter((name) => results[name] !== undefined);
  for (const name of names) await finish(stores, claim, { name, results, model });
  if (parts.end !== undefined) await stores.queue.leave(claim, parts.end);
  return knownRun(stores, id);
}

/** Replays a run from `map` and ends the replay. Returns the replay. */
export async function aReplay(stores: RunStores, run: Run, end: RunEnd): Promise<Run> {
  const { id } = await stores.runs.replay({ id: run.id, from: 'map', isDry: false });
  const { site } = run;
  const order = { holder: 'testbed/test', limit: 1, leaseMs: 60_000, sites: [site], intakeSites: [site] };
  const [claim] = await stores.queue.claim(order);
  if (claim?.run.id !== id) throw new Error('the replay is not to be had');
  await stores.queue.leave(claim, end);
  return knownRun(stores, id);
}

export async function knownRun({ runs }: Pick<RunStores, 'runs'>, id: string): Promise<Run> {
  const run = await runs.find(id, 'all');
  if (run === undefined) throw new Error('the run is gone');
  return run;
}

async function claimRun({ queue }: RunStores, id: string, parts: KeptRunParts): Promise<Claim | undefined> {
  const { site = 'mercy', encounter = 'Encounter/e-1', patient = 'Patient/p-1', session } = parts;
  const order = { holder: 'testbed/test', limit: 100, leaseMs: 60_000, sites: [site], intakeSites: [site] };
  const claims = await queue.claim(order);
  for (const other of claims) if (other.run.id !== id) await queue.leave(other, { status: 'queued' });
  const claim = claims.find(({ run }) => run.id === id);
  if (claim === undefined) throw new Error('the run is not to be had');
  if (session === undefined) return claim;
  const turn = await queue.identify(claim, { encounter, patient, isUrgent: false });
  if (turn !== 'mine') return undefined;
  const determined = await queue.assignSessions(claim, [{ session, recordings: ['DocumentReference/9'] }]);
  if (determined === 'none') throw new Error('the session has its run already');
  return determined;
}

type Finishing = {
  readonly name: StepName;
  readonly results: Partial<StepResults>;
  readonly model: string | undefined;
};

async function finish({ queue }: RunStores, claim: Claim, { name, results, model }: Finishing): Promise<void> {
  const result = results[name];
  const at = new Date('2026-03-02T10:00:00Z');
  await queue.finishStep(
    claim,
    {
      name,
      startedAt: at,
      finishedAt: at,
      ...(result !== undefined && { result }),
      ...(model !== undefined && { versions: { model } }),
    },
    RUN_STEPS[RUN_STEPS.indexOf(name) + 1],
  );
}
