// What stands in a chart, and is changed or taken back at an EHR that does something wrong all the time. Nothing twice, nothing lost,
// nothing on anybody else.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { WriteStrategy } from '../../src/domain/chart/write-strategies.ts';
import type { Fault } from '../../src/sandbox/faults/faults.ts';
import { runThroughout } from '../support/fault-revisions.ts';
import { openRealHouse, type RealHouse } from '../support/real-charts.ts';

let house: RealHouse;
beforeAll(async () => {
  house = await openRealHouse();
});
afterAll(() => house.close());

type Outcomes = {
  readonly revision: string;
  readonly retraction: string;
  /** Where it is another one by some rung: `revision document-only`. */
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
/** Nothing can be searched for there: as long as no answer comes, nobody knows. */
const UNGUARDED = {
  'revision conditional-transaction': LATER.revision,
  'retraction conditional-transaction': LATER.retraction,
} as const;
/** Whoever it is of: what is ours there can be taken back. */
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
const RUNGS = [
  'transaction',
  'conditional-transaction',
  'single-creates',
  'document-only',
] as const satisfies readonly WriteStrategy[];
const ALL_TYPES = ['Composition', 'DocumentReference', 'Condition', 'RiskAssessment', 'Flag'];
const TASKS = { revision: 'a changed result', retraction: 'a session that is taken back' } as const;

describe.each(ROWS)('at an EHR with %j all the time', (fault, { but = {}, patients = [], ...outcomes }) => {
  const cells = (['revision', 'retraction'] as const).flatMap((task) =>
    RUNGS.map((rung) => ({ task, rung, what: TASKS[task], expected: but[`${task} ${rung}`] ?? outcomes[task] })),
  );
  test.each(cells)('$what, by $rung: $expected', async ({ task, rung, expected }) => {
    expect(await runThroughout(house, { task, rung, fault, patients })).toEqual({ outcomes: expected, wrong: [] });
  });
});

describe.each<readonly [Fault]>([
  [{ mode: 'if-match-ignored' }],
  [{ mode: 'no-versions' }],
  [{ mode: 'no-versions', isAnnounced: true }],
  [{ mode: 'foreign-results' }],
])('what a person changed before stays as they left it, at an EHR with %j', (fault) => {
  test.each([
    ['a note', ['DocumentReference'], 'parked touched, still', 'parked retract-by-hand, still'],
    ['a statement', ['RiskAssessment'], 'written but for 1, still', 'parked retract-by-hand, still'],
    ['all of it', ALL_TYPES, 'parked touched, still', 'parked retract-by-hand, still'],
  ] as const)('%s', async (_, edited, revision, retraction) => {
    const rung = 'transaction';
    const outcomes = [
      await runThroughout(house, { task: 'revision', rung, fault, edited }),
      await runThroughout(house, { task: 'retraction', rung, fault, edited }),
    ];
    expect(outcomes).toEqual([
      { outcomes: revision, wrong: [] },
      { outcomes: retraction, wrong: [] },
    ]);
  });
});
