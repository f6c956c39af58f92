// What every step of a run is handed, and what it gives back.
import type { Encounter, Patient } from '@medplum/fhirtypes';
import type { Meter } from '../../domain/access/usage.ts';
import type { Recording } from '../../domain/recording/recording.ts';
import type { RecordingSource } from '../../domain/recording/recording-source.ts';
import type { OutcomeKind } from '../../domain/run/outcome-event.ts';
import type { Run, RunVersions, StepName, StepResults } from '../../domain/run/run.ts';
import type { RunEnd } from '../../domain/run/run-end.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { MappedChart } from '../chart-writing/map-chart.ts';

/** What is known for the moment, and never kept: who goes on elsewhere finds it out again. */
export type StepMemory = {
  resolved?: { readonly encounter: Encounter; readonly patient: Patient; readonly sources: readonly RecordingSource[] };
  /** By reference: begun to be read, to see what they are. */
  readonly fetched: Map<string, Recording>;
  /** What step map made, for the step after it. */
  mapped?: MappedChart;
};

export type StepWork = {
  readonly run: Run;
  readonly site: LoadedSite;
  /** Of the steps before this one. */
  readonly results: Partial<StepResults>;
  readonly memory: StepMemory;
  readonly meter: Meter;
};

/** `end` leaves the run after this step; its result is kept all the same. Without a result the step had nothing to do. */
export type StepOutcome<Name extends StepName> = {
  readonly result?: StepResults[Name];
  readonly end?: RunEnd;
  readonly versions?: RunVersions;
  /** An event that does not wait for the run's end. */
  readonly outcome?: OutcomeKind;
};

/** Throws an AppError, or a MappingError. */
export type Step<Name extends StepName> = (work: StepWork, signal: AbortSignal) => Promise<StepOutcome<Name>>;

export type Steps = { readonly [Name in StepName]: Step<Name> };
