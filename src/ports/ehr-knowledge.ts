// Facts that were learned by using EHRs, stored so that a limit is met once and not at every write.
import type { EhrFact, LearnedFact } from '../domain/chart/ehr-capabilities.ts';

export type EhrKnowledge = {
  /** Returns only facts about this software: after an upgrade of the EHR nothing is known again. */
  readonly recall: (site: string, software: string) => Promise<readonly LearnedFact[]>;
  readonly learn: (site: string, software: string, fact: EhrFact) => Promise<void>;
  /** Returns how many facts were forgotten. */
  readonly forget: (site: string) => Promise<number>;
};
