// Documents in a chart that are changed or retracted at an EHR with a lasting fault. Nothing twice, nothing lost, nothing on another
// patient.
import { describe, expect, it } from '@jest/globals';
import type { WriteStrategy } from '../../src/domain/chart/write-strategies.ts';
import type { Fault } from '../../src/sandbox/faults/faults.ts';
import { runThroughout } from '../support/fault-revisions.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { openRealTestbed } from '../support/real-charts.ts';

const testbed = openedForFile(openRealTestbed);

type Outcomes = {
  readonly revision: string;
  readonly retraction: string;
  /** The strategies with another outcome: `revision document-only`. */
  readonly but?: Readonly<Record<string, string>>;
  readonly patients?: readonly string[];
};

const PATIENT = 'canary-patient';
const ENCOUNTER = 'canary-encounter';
const SURVIVOR = 'canary-other';
const DONE: Outcomes = { revision: 'written', retraction: 'retracted' };
const LATER: Outcomes = {
  revision: 'waiting ehrUncertain, then written',
  retraction: 'waiting ehrUncertain, then retracted',
};
/** Nothing can be searched for there: without an answer the result stays uncertain. */
const UNGUARDED = {
  'revision conditional-transaction': LATER.revision,
  'retraction conditional-transaction': LATER.retraction,
} as const;
/** The engine's documents can be retracted, for any patient of the encounter. */
const IDENTITY: Outcomes = { revision: 'parked identity, still', retraction: 'retracted' };
const REFUSED: Outcomes = {
  revision: 'parked refused, then written',
  retraction: 'parked retract-by-hand, then retracted',
};

const ROWS: readonly (readonly [Fault, Outcomes])[] = [
  [{ mode: 'if-match-ignored' }, DONE],
  [{ mode: 'no-versions' }, DONE],
  [{ mode: 'update-as-create-refused' }, DONE],
  [{ mode: 'search-lag', ms: 45_000 }, DONE],
  [{ mode: 'foreign-results' }, DONE],
  [{ mode: 'identifier-search', how: 'ignored' }, DONE],
  [{ mode: 'identifier-search', how: 'nothing' }, DONE],
  [
    { mode: 'lost-answer', how: 'reset', isStored: true },
    { ...DONE, but: UNGUARDED },
  ],
  [{ mode: 'lost-answer', how: 'reset', isStored: false }, LATER],
  [{ mode: 'update-conflict' }, REFUSED],
  [{ mode: 'edited-in-between' }, { revision: 'parked touched, still', retraction: 'parked retract-by-hand, still' }],
  [{ mode: 'drafts-refused' }, REFUSED],
  [{ mode: 'transaction-as-batch' }, DONE],
  [
    { mode: 'merged-patient', patient: PATIENT, into: SURVIVOR, encounter: ENCOUNTER },
    { ...DONE, patients: [SURVIVOR] },
  ],
  [{ mode: 'merged-patient', patient: PATIENT, into: SURVIVOR }, IDENTITY],
  [{ mode: 'moved-encounter', encounter: ENCOUNTER, to: SURVIVOR }, IDENTITY],
  [{ mode: 'deleted-patient', patient: PATIENT }, IDENTITY],
  [
    { mode: 'cancelled-encounter', encounter: ENCOUNTER },
    { revision: 'retracted, still', retraction: 'retracted' },
  ],
];
const STRATEGIES = [
  'transaction',
  'conditional-transaction',
  'single-creates',
  'document-only',
] as const satisfies readonly WriteStrategy[];
const ALL_TYPES = ['Composition', 'DocumentReference', 'Condition', 'RiskAssessment', 'Flag'];
const TASKS = { revision: 'a changed result', retraction: 'a retracted session' } as const;

describe.each(ROWS)('at an EHR with %j all the time', (fault, { but = {}, patients = [], ...outcomes }) => {
  const cells = (['revision', 'retraction'] as const).flatMap((task) =>
    STRATEGIES.map((strategy) => ({
      task,
      strategy,
      what: TASKS[task],
      expected: but[`${task} ${strategy}`] ?? outcomes[task],
    })),
  );
  it.each(cells)(
    '$what by $strategy at an EHR with a lasting fault ends as $expected',
    async ({ task, strategy, expected }) => {
      expect(await runThroughout(testbed, { task, strategy, fault, patients })).toEqual({
        outcomes: expected,
        wrong: [],
      });
    },
  );
});

describe.each<readonly [Fault]>([
  [{ mode: 'if-match-ignored' }],
  [{ mode: 'no-versions' }],
  [{ mode: 'no-versions', isAnnounced: true }],
  [{ mode: 'foreign-results' }],
])('documents that a person has changed, at an EHR with %j', (fault) => {
  it.each([
    ['a note', ['DocumentReference'], 'parked touched, still', 'parked retract-by-hand, still'],
    ['a statement', ['RiskAssessment'], 'written but for 1, still', 'parked retract-by-hand, still'],
    ['all of it', ALL_TYPES, 'parked touched, still', 'parked retract-by-hand, still'],
  ] as const)(
    'a revision and a retraction leave %s unchanged that a person has changed',
    async (_, edited, revision, retraction) => {
      const strategy = 'transaction';
      const outcomes = [
        await runThroughout(testbed, { task: 'revision', strategy, fault, edited }),
        await runThroughout(testbed, { task: 'retraction', strategy, fault, edited }),
      ];
      expect(outcomes).toEqual([
        { outcomes: revision, wrong: [] },
        { outcomes: retraction, wrong: [] },
      ]);
    },
  );
});
