// How a worker leaves a run: at its end, or until later.
import type { LeftDocument, WrittenDocument } from '../chart/chart-write.ts';
import type { HeldReason, ParkedReason, RunVersions, ServiceName, SkipReason, StepName, WaitReason } from './run.ts';

/** In plain words, without anything of the patient's. */
type Said = { readonly message: string; readonly advice?: string };

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
      /** Five of them, and it is parked by whoever decides this. */
      readonly countsAsTry: boolean;
    } & Said)
  | ({ readonly status: 'held'; readonly reason: HeldReason } & Said & Partial<Documents>)
  | ({ readonly status: 'parked'; readonly reason: ParkedReason } & Said & Partial<Documents>)
  | ({ readonly status: 'skipped'; readonly reason: SkipReason } & Said)
  | ({ readonly status: 'written' } & Documents & Partial<Said>)
  | ({ readonly status: 'retracted' } & Documents & Partial<Said>)
  | ({ readonly status: 'cancelled' } & Partial<Said>)
  /** Given back as it is: the engine stops, or another run of the patient comes first. Costs nothing. */
  | { readonly status: 'queued' }
) & {
  readonly failedStep?: FailedStep;
  readonly versions?: RunVersions;
  /** Into whom the run's patient was merged, as the write has noticed: from now on it is a run of theirs. */
  readonly patient?: string;
};
