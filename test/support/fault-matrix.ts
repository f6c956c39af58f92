// Every fault of an EHR with every write strategy: a session is written there, as often as a worker would try, until an outcome; and if
// nothing was written, once more when the fault is gone.
import type { ResourceType } from '@medplum/fhirtypes';
import type { ChartFacts } from '../../src/domain/chart/chart.ts';
import type { WriteOutcome } from '../../src/domain/chart/chart-write.ts';
import type { EhrFact } from '../../src/domain/chart/ehr-capabilities.ts';
import type { WriteStrategy } from '../../src/domain/chart/write-strategies.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { Fault, FaultMode } from '../../src/sandbox/faults/faults.ts';
import { type Belonging, whatIsUntrue, whatIsWrong } from './real-chart-invariants.ts';
import {
  aResult,
  CANARY,
  ENCOUNTER,
  type Engine,
  type EngineParts,
  OTHER_ENCOUNTER,
  OTHER_PATIENT,
  PATIENT,
  type RealHospital,
  type RealHospitalParts,
  type RealTestbed,
} from './real-charts.ts';

/** The test file of a fault's rows: `chart-faults-<theme>.test.ts`. A fault without one does not compile. */
export const THEMES = {
  'entry-limit': 'transactions',
  disturbed: 'transactions',
  'transaction-as-batch': 'transactions',
  'stops-midway': 'transactions',
  'no-transactions': 'transactions',
  'wrong-batches': 'features',
  'no-conditional-create': 'transactions',
  'conditional-race': 'transactions',
  'lost-answer': 'answers',
  'search-lag': 'searches',
  'identifier-search': 'searches',
  'foreign-results': 'searches',
  'too-many-requests': 'access',
  unauthorized: 'access',
  'expiring-tokens': 'access',
  'ended-links': 'access',
  slow: 'access',
  down: 'access',
  'server-errors': 'access',
  'update-conflict': 'people',
  'if-match-ignored': 'people',
  'edited-in-between': 'people',
  'merged-patient': 'people',
  'moved-encounter': 'people',
  'cancelled-encounter': 'people',
  'deleted-patient': 'people',
  'update-as-create-refused': 'features',
  'types-refused': 'features',
  'drafts-refused': 'features',
  'no-versions': 'features',
  'epic-like': 'features',
  'oracle-like': 'features',
} as const satisfies Record<FaultMode, string>;
export type Theme = (typeof THEMES)[FaultMode];
export type ModesOf<T extends Theme> = { [M in FaultMode]: (typeof THEMES)[M] extends T ? M : never }[FaultMode];

const WRITTEN_TYPES = [
  'Device',
  'Composition',
  'Condition',
  'RiskAssessment',
  'Flag',
  'Provenance',
] as const satisfies readonly ResourceType[];
const UNSEARCHABLE: readonly Fault[] = ['identifier', '_tag', 'encounter', 'patient', 'subject', 'target'].map(
  (parameter) => ({
    mode: 'identifier-search',
    how: 'refused',
    parameter,
    isAnnounced: true,
    on: { type: [...WRITTEN_TYPES, 'DocumentReference'] },
  }),
);
const NO_TRANSACTIONS: Fault = { mode: 'no-transactions', isAnnounced: true };

/** An EHR that leads to this write strategy. */
export const STRATEGY_SETUPS: Readonly<
  Record<WriteStrategy, { readonly faults: readonly Fault[]; readonly knows: readonly EhrFact[] }>
> = {
  transaction: { faults: [], knows: [{ name: 'transaction', value: 'proven-atomic' }] },
  'conditional-transaction': { faults: UNSEARCHABLE, knows: [{ name: 'conditional', value: 'passed' }] },
  'single-creates': { faults: [NO_TRANSACTIONS], knows: [] },
  'document-only': {
    faults: [NO_TRANSACTIONS, { mode: 'types-refused', types: WRITTEN_TYPES, isAnnounced: true }],
    knows: [],
  },
  hold: {
    faults: [{ mode: 'types-refused', types: [...WRITTEN_TYPES, 'DocumentReference'], isAnnounced: true }],
    knows: [],
  },
};

/** The encounters of the session, and of another patient before it. */
export const BELONGINGS: readonly Belonging[] = [
  { patient: PATIENT.id ?? '', encounter: ENCOUNTER.id ?? '' },
  { patient: OTHER_PATIENT.id ?? '', encounter: OTHER_ENCOUNTER.id ?? '' },
];
const OTHER_SESSION = { run: 'run-0', patient: OTHER_PATIENT, encounter: OTHER_ENCOUNTER, session: 'canary-first' };

export type CellParts = {
  /** Further faults. */
  readonly also?: readonly Fault[];
  readonly hospital?: RealHospitalParts;
  readonly facts?: ChartFacts;
  readonly engine?: EngineParts;
  /** The patient of the session's documents, if that is not the first one. */
  readonly patient?: string;
  /** Without an earlier session of another patient: the Device must be written, too. */
  readonly isFirst?: boolean;
};
export type Cell = CellParts & { readonly strategy: WriteStrategy; readonly fault: Fault };

export type CellResult = {
  /** `written`; `parked refused, then written`: the outcome after the fault was gone. `not met: …`: the fault never took effect. */
  readonly outcome: string;
  /** A sentence for each broken rule. */
  readonly wrong: readonly string[];
};

export async function runCell(testbed: RealTestbed, cell: Cell): Promise<CellResult> {
  const { strategy, fault, facts = aResult(), isFirst = false } = cell;
  const setup = STRATEGY_SETUPS[strategy];
  const hospital = await testbed.openHospital({ ...cell.hospital, ...setup });
  const tryToWrite = async (ofRun: ChartFacts, belongings: readonly Belonging[]) => {
    // A process caches capabilities for a while, so another one is started.
    const engine = hospital.startEngine(cell.engine);
    const ended = await runToEnd(hospital, (signal) => engine.write(ofRun, signal));
    const wrong = await findBrokenRules(hospital, { engine, facts: ofRun, ended, belongings });
    return { name: ended.name, wrong };
  };
  try {
    const belongings = belongingsOf(cell);
    if (!isFirst) await hospital.startEngine().write(aResult(OTHER_SESSION));
    hospital.faults.set([fault, ...(cell.also ?? []), ...setup.faults]);
    const seenBefore = hospital.faults.seen.length;
    const first = await tryToWrite(facts, belongings);
    const met = hospital.faults.seen.slice(seenBefore).some(({ faults }) => faults.includes(fault.mode))
      ? ''
      : 'not met: ';
    if (first.name === 'written') return { outcome: `${met}written`, wrong: first.wrong };
    hospital.faults.release();
    hospital.faults.set(setup.faults);
    await hospital.clock.pass(HOUR_MS);
    // A waiting run continues; one that has ended is replayed.
    const isWaiting = first.name.startsWith('waiting');
    const again = isWaiting ? facts : { ...facts, run: { ...facts.run, id: `${facts.run.id}-again` } };
    const second = await tryToWrite(again, belongings);
    const outcome =
      second.name === first.name ? `${met}${first.name}, still` : `${met}${first.name}, then ${second.name}`;
    return { outcome, wrong: [...first.wrong, ...second.wrong] };
  } finally {
    await hospital.close();
  }
}

const HOUR_MS = 3_600_000;

function belongingsOf({ patient }: Cell): readonly Belonging[] {
  const [own, ...others] = BELONGINGS;
  return own === undefined || patient === undefined ? BELONGINGS : [{ ...own, patient }, ...others];
}

export type RunEnd = {
  /** `parked refused`, `waiting ehrUnavailable` (all tries failed), `failed ehrRefused`. */
  readonly name: string;
  readonly outcome?: WriteOutcome;
  readonly thrown: readonly AppError[];
};

const MAX_TRIES = 20;
const RETRY_AFTER_SECONDS = 30;

/** Tries again like a worker, if a later try may succeed. */
export async function runToEnd(
  { clock }: Pick<RealHospital, 'clock'>,
  attempt: (signal: AbortSignal) => Promise<WriteOutcome>,
): Promise<RunEnd> {
  const thrown: AppError[] = [];
  for (;;) {
    try {
      const outcome = await attempt(new AbortController().signal);
      return { name: nameOf(outcome), outcome, thrown };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      thrown.push(error);
      if (error.retryability === 'permanent') return { name: `failed ${error.code}`, thrown };
      if (thrown.length >= MAX_TRIES) return { name: `waiting ${error.code}`, thrown };
      await clock.pass((error.retryAfterSeconds ?? RETRY_AFTER_SECONDS) * 1000);
    }
  }
}

function nameOf(outcome: WriteOutcome): string {
  return 'reason' in outcome ? `${outcome.status} ${outcome.reason}` : outcome.status;
}

type EndedSession = {
  readonly engine: Engine;
  readonly facts: ChartFacts;
  readonly ended: RunEnd;
  readonly belongings?: readonly Belonging[];
};

export async function findBrokenRules(
  hospital: RealHospital,
  { engine, facts, ended, belongings = BELONGINGS }: EndedSession,
): Promise<readonly string[]> {
  const { outcome } = ended;
  const untrue = outcome ? await whatIsUntrue(hospital, { facts, outcome, ehr: engine.ehr }) : [];
  return [...(await whatIsWrong(hospital, belongings)), ...untrue, ...leakedPatientData(hospital, ended)];
}

/** The status and the reason of an outcome, without its message. */
const REFERENCES: ReadonlySet<string> = new Set(['references', 'resources', 'left', 'patient']);

/** Patient data in messages: names, words, codes, and every id in the EHR. */
export function leakedPatientData({ store }: RealHospital, { outcome, thrown }: RunEnd): readonly string[] {
  const ids = new Set(store.writes().map(({ id }) => id));
  const said = outcome ? Object.entries(outcome).filter(([name]) => !REFERENCES.has(name)) : [];
  const messages = [...said.map(([, value]) => JSON.stringify(value)), ...thrown.flatMap(messagesOf)];
  return messages
    .filter((text) => CANARY.test(text) || /[JI]\d\d\.\d/.test(text) || [...ids].some((id) => text.includes(id)))
    .map((text) => `a message tells of the patient: ${text}`);
}

function messagesOf(error: unknown): readonly string[] {
  if (typeof error !== 'object' || error === null) return [];
  const { message, details, cause } = error as { message?: unknown; details?: unknown; cause?: unknown };
  return [String(message), JSON.stringify(details ?? []), ...messagesOf(cause)];
}
