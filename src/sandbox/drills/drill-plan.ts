// What a drill is made of: what is told of it, whose visit it plays, and what goes wrong for how long.

import type { Fault } from '../faults/faults.ts';
import type { Drill } from '../sandbox-model.ts';
import type { EngineFault } from './drilled-engines.ts';

export type Trouble =
  | {
      readonly at: 'ehr';
      readonly faults: readonly Fault[];
      /** What this EHR can do is another while it lasts: what was learned of it before does not count, nor afterwards. */
      readonly changesEhr?: boolean;
    }
  | { readonly at: 'engines'; readonly fault: EngineFault }
  | { readonly at: 'broker' };

export type DrillPlan = Omit<Drill, 'unavailable'> & {
  readonly scenario: string;
  readonly trouble: Trouble;
  /** It is over so long after somebody ran into it. Absent: it stays until the visit's run has ended. */
  readonly overAfterSeconds?: number;
};

/** A short visit that is not urgent. */
export const SCENARIO = 'en-common-cold';

/** What is written of every visit, whoever reasons: how many Conditions and Flags there are is for them to say. */
export const WRITTEN = {
  status: 'written',
  resources: { Composition: 1, DocumentReference: 1, RiskAssessment: 1, Provenance: 1 },
} as const;

export const WATCH = 'Follow it: npm run cli -- runs watch';
export const SHOW = `In the end: npm run cli -- sandbox show ${SCENARIO}`;
