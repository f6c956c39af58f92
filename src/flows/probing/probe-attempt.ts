// One write test: the EHR, what is known of it, and the tools of its steps.
import type { EhrFact, EhrProfile } from '../../domain/chart/ehr-capabilities.ts';
import type { Ehr } from '../../ports/ehr.ts';
import type { CheckResources } from '../../ports/resource-check.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { ProbeBench } from './probe-bench.ts';
import type { ProbeSteps } from './probe-steps.ts';

export type WriteTestParts = EhrProfile & {
  readonly site: LoadedSite;
  readonly ehr: Ehr;
  readonly learn: (fact: EhrFact) => Promise<void>;
  /** What is known by now, also by the outlet's own findings. */
  readonly recall: () => Promise<readonly EhrFact[]>;
  readonly check?: CheckResources | undefined;
  readonly runtime: Pick<Runtime, 'now' | 'monotonicMs' | 'pause' | 'makeUuid'>;
  /** How long a stored resource may stay invisible to a search. */
  readonly searchLagMs: number;
};

/** What every step of a write test works with. */
export type ProbeAttempt = WriteTestParts & {
  readonly bench: ProbeBench;
  readonly steps: ProbeSteps;
  readonly signal: AbortSignal;
};
