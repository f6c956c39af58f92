// Generates scenarios of charts for property tests.

import type { ResourceType } from '@medplum/fhirtypes';
import type { EhrFact } from '../../src/domain/chart/ehr-capabilities.ts';
import type { Misbehaviour, Misdeed } from '../fakes/ehr.ts';
import type { History, Step, Task } from './chart-histories.ts';
import { PROVEN } from './chart-writing.ts';
import type { Fate } from './crashes.ts';
import { fc } from './fast-check.ts';

/** More awaits than a write has. */
const MAX_MOMENT = 60;
/** An answer may come this late, and the write was stored only then. */
const MAX_OUTLET_MS = 29_000;

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const moment = fc.integer({ min: 1, max: MAX_MOMENT });
const task = {
  session: fc.constantFrom<0 | 1>(0, 0, 0, 1),
  result: fc.constantFrom<Task['result']>(undefined, undefined, 0, 1, 2, 3, 4, 'retract'),
};
const edit = { which: fc.nat(12), how: fc.constantFrom('change' as const, 'sign' as const) };

const anEnd: fc.Arbitrary<Fate> = fc.record({
  at: moment,
  how: fc.constantFrom('dies-before' as const, 'dies-after' as const, 'is-stopped' as const),
});
const aSleep: fc.Arbitrary<Fate> = fc.record({
  at: moment,
  how: fc.constantFrom('freezes-before' as const, 'freezes-after' as const),
});

const MISDEEDS = [
  ['transact', ['commit-unknown', 'drop-unknown', 'busy', 'conflict', 'refused', 'batch', 'mixed', 'bundle-refused']],
  ['create', ['commit-unknown', 'drop-unknown', 'busy', 'conflict', 'refused', 'type-refused']],
  ['update', ['commit-unknown', 'drop-unknown', 'busy', 'conflict', 'refused']],
  ['find', ['throw-unavailable']],
  ['read', ['throw-unavailable']],
  ['capabilities', ['throw-unavailable']],
] as const satisfies readonly (readonly [Misbehaviour['on'], readonly Misdeed[]])[];

const aFault: fc.Arbitrary<Misbehaviour> = fc.oneof(
  ...MISDEEDS.map(([on, misdeeds]) =>
    fc.record({
      on: fc.constant(on),
      nth: fc.integer({ min: 1, max: 4 }),
      does: fc.constantFrom<Misdeed>(...misdeeds),
      afterMs: fc.constantFrom(0, 0, 3_000, MAX_OUTLET_MS),
    }),
  ),
);

const aStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('work' as const),
      ...task,
      fate: maybe(anEnd),
      meanwhile: fc.option(fc.record({ ...edit, at: moment }), { nil: undefined, freq: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('zombie' as const),
      ...task,
      fate: aSleep,
      asleepMs: fc.constantFrom(0, 5_000, 31_000, 90_000),
      wakesAt: moment,
      secondFate: maybe(anEnd),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('together' as const),
      tasks: fc.tuple(fc.record(task), fc.record(task)),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('fault' as const), fault: aFault }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1_000, 31_000, 61_000) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('edit' as const), ...edit }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('encounter' as const),
      is: fc.constantFrom('here' as const, 'moved' as const, 'cancelled' as const),
    }),
  },
);

export const aHistory: fc.Arbitrary<History> = fc.record({
  hospital: fc.record({
    hasTransaction: fc.constantFrom(true, true, false),
    // If a type cannot be searched for, only a conditional transaction or single creates are left.
    cannotFind: fc.constantFrom<readonly ResourceType[]>([], [], ['Condition']),
    knows: fc.constantFrom<readonly EhrFact[]>([], [PROVEN], [PROVEN, { name: 'conditional', value: 'passed' }]),
    searchLagMs: fc.constantFrom(0, 0, 300, 20_000),
    seed: fc.nat(1_000),
  }),
  steps: fc.array(aStep, { minLength: 1, maxLength: 7 }),
});
