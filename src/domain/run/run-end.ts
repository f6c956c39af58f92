// How a worker ends its work on a run: for good, or until later.
import type { LeftDocument, WrittenDocument } from '../chart/chart-write.ts';
import type { HeldReason, ParkedReason, RunVersions, ServiceName, SkipReason, StepName, WaitReason } from './run.ts';

/** In plain words, without patient data. */
type EndMessage = { readonly message: string; readonly advice?: string };

export type FailedStep = {
  readonly name: StepName;
  readonly startedAt: Date;
  readonly error: { readonly code: string; readonly message: string };
};

type Documents = {
  readonly resources: readonly WrittenDocument[];
  readonly left: readonly LeftDocument[];
};

export type RunEnd = (
  | ({
      readonly status: 'waiting';
      readonly reason: WaitReason;
      readonly until: Date;
      readonly waitsFor?: ServiceName;
      /** Counts as one of the attempts after which the run is parked. */
      readonly countsAsTry: boolean;
    } & EndMessage)
  | ({ readonly status: 'held'; readonly reason: HeldReason } & EndMessage & Partial<Documents>)
  | ({ readonly status: 'parked'; readonly reason: ParkedReason } & EndMessage & Partial<Documents>)
  | ({ readonly status: 'skipped'; readonly reason: SkipReason } & EndMessage)
  | ({ readonly status: 'written' } & Documents & Partial<EndMessage>)
  | ({ readonly status: 'retracted' } & Documents & Partial<EndMessage>)
  | ({ readonly status: 'cancelled' } & Partial<EndMessage>)
  /** Released unchanged: the engine stops, or another run of the patient comes first. */
  | { readonly status: 'queued' }
) & {
  readonly failedStep?: FailedStep;
  readonly versions?: RunVersions;
  /** The patient into whom the run's patient was merged, if the write has noticed a merge; the run belongs to that patient from now on. */
  readonly patient?: string;
};
