// The parts of a drill: its description, its scenario, and its faults with their duration.

import type { Fault } from '../faults/faults.ts';
import type { Drill } from '../sandbox-model.ts';
import type { EngineFault } from './drilled-engines.ts';

export type Trouble =
  | {
      readonly at: 'ehr';
      readonly faults: readonly Fault[];
      /** True: the EHR has other capabilities during the drill, so cached facts about it are deleted before and after. */
      readonly changesEhr?: boolean;
    }
  | { readonly at: 'engines'; readonly fault: EngineFault }
  | { readonly at: 'broker' };

export type DrillPlan = Omit<Drill, 'unavailable'> & {
  readonly scenario: string;
  readonly trouble: Trouble;
  /** The faults end so long after the first request that they affected. Absent: they stay until the visit's run has ended. */
  readonly overAfterSeconds?: number;
};

/** A short visit that is not urgent. */
export const SCENARIO = 'en-common-cold';

/** What is written for every visit with any reasoner. The numbers of Conditions and Flags depend on the reasoner. */
export const WRITTEN = {
  status: 'written',
  resources: { Composition: 1, DocumentReference: 1, RiskAssessment: 1, Provenance: 1 },
} as const;

export const WATCH = 'Follow it: npm run cli -- runs watch';
export const SHOW = `In the end: npm run cli -- sandbox show ${SCENARIO}`;
