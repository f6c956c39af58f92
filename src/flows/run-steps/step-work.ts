// The input and the outcome of a step.
import type { Encounter, Patient } from '@medplum/fhirtypes';
import type { Meter } from '../../domain/access/usage.ts';
import type { Recording } from '../../domain/recording/recording.ts';
import type { RecordingSource } from '../../domain/recording/recording-source.ts';
import type { DraftFacts } from '../../domain/run/draft-facts.ts';
import type { OutcomeKind } from '../../domain/run/outcome-event.ts';
import type { Run, RunVersions, StepName } from '../../domain/run/run.ts';
import type { RunEnd } from '../../domain/run/run-end.ts';
import type { StepResults } from '../../domain/run/step-results.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { MappedChart } from '../chart-writing/map-chart.ts';
import type { ReadConsents } from './read-consents.ts';

/** State in this process only. Another process that continues the run reads it again. */
export type StepMemory = {
  resolved?: {
    readonly encounter: Encounter;
    readonly patient: Patient;
    readonly sources: readonly RecordingSource[];
    readonly consents?: ReadConsents | undefined;
  };
  /** Opened recordings by reference. */
  readonly fetched: Map<string, Recording>;
  /** The documents of step map, for the next step. */
  mapped?: MappedChart;
};

export type StepWork = {
  readonly run: Run;
  readonly site: LoadedSite;
  /** The results of the earlier steps. */
  readonly results: Partial<StepResults>;
  readonly memory: StepMemory;
  readonly meter: Meter;
};

/** `end` ends the work on the run after this step; a result is stored all the same. Without a result the step had nothing to do. */
export type StepOutcome<Name extends StepName> = {
  readonly result?: StepResults[Name];
  readonly end?: RunEnd;
  readonly versions?: RunVersions;
  /** Only of step map. */
  readonly draft?: DraftFacts;
  /** An outcome event that is sent before the end of the run. */
  readonly outcome?: OutcomeKind;
};

/** Throws an AppError, or a MappingError. */
export type Step<Name extends StepName> = (work: StepWork, signal: AbortSignal) => Promise<StepOutcome<Name>>;

export type Steps = { readonly [Name in StepName]: Step<Name> };
