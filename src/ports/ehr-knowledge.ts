// What was learned of EHRs by using them, kept so that a limit is met once and not at every write.
import type { EhrFact, LearnedFact } from '../domain/chart/ehr-capabilities.ts';

export type EhrKnowledge = {
  /** Only what was learned of this software: after an upgrade of the EHR all is open again. */
  readonly recall: (site: string, software: string) => Promise<readonly LearnedFact[]>;
  readonly learn: (site: string, software: string, fact: EhrFact) => Promise<void>;
  /** How many were forgotten. */
  readonly forget: (site: string) => Promise<number>;
};
