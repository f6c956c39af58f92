// What /ops answers about runs, as far as the command line shows it.
import type { RunStatus, StepName, StepStatus } from '../../domain/run/run.ts';

export type RunChange = {
  readonly id: string;
  readonly site: string;
  readonly encounter: string;
  readonly status: RunStatus;
  readonly reason?: string;
  readonly step?: StepName;
  readonly changedAt: string;
};

export type RunAnswer = RunChange & {
  readonly organization: string;
  readonly patient?: string;
  readonly session?: string;
  readonly recordings: readonly string[];
  readonly message?: string;
  readonly advice?: string;
  readonly waitsUntil?: string;
  readonly tries: number;
  readonly crashes: number;
  readonly isUrgent: boolean;
  readonly isCancelling: boolean;
  readonly isDry: boolean;
  readonly revision: number;
  readonly review?: {
    readonly decision: string;
    readonly reviewer: string;
    readonly name?: string;
    readonly time: string;
    readonly revision: number;
  };
  readonly versions: Readonly<Record<string, string>>;
  readonly replayOf?: string;
  readonly resources: readonly { readonly document: string; readonly reference: string; readonly status: string }[];
  readonly left: readonly { readonly document: string; readonly reference: string; readonly why: string }[];
  readonly createdAt: string;
  readonly endedAt?: string;
};

export type RunListAnswer = { readonly runs: readonly RunAnswer[]; readonly next?: string };

export type RunStepAnswer = {
  readonly name: StepName;
  readonly status: StepStatus;
  readonly attempts: number;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly error?: { readonly code: string; readonly message: string };
};

export type DifferenceAnswer = {
  readonly document: string;
  readonly reference?: string;
  readonly change: string;
  readonly elements: readonly string[];
};

export type RunViewAnswer = RunAnswer & {
  readonly steps: readonly RunStepAnswer[];
  readonly events: readonly {
    readonly source: string;
    readonly eventId?: string;
    readonly receivedAt: string;
    readonly repeats: number;
  }[];
  readonly transcript?: {
    readonly language: string;
    readonly durationSeconds: number;
    readonly utterances: readonly { readonly speaker: number; readonly text: string; readonly startSeconds: number }[];
  };
  readonly note?: {
    readonly title: string;
    readonly sections: readonly { readonly key: string; readonly title: string; readonly text: string }[];
    readonly dynamicFields?: Readonly<Record<string, string>>;
  };
  readonly diagnosis?: {
    readonly diagnosis: {
      readonly diseases: readonly {
        readonly name: string;
        readonly icd10_code: string;
        readonly probability: number;
        readonly why: string;
      }[];
    };
    readonly triage: {
      readonly triage_level: string;
      readonly triage_justification: string;
      readonly triage_recommendation: string;
    };
  };
  readonly check?: {
    readonly unsupported: Readonly<Record<string, number>>;
    readonly overSilence: readonly number[];
    readonly coverage?: number;
  };
  readonly differences?: readonly DifferenceAnswer[];
};

export type StartedAnswer = { readonly id: string };
export type StartedRunsAnswer = {
  readonly count: number;
  readonly isComplete: boolean;
  readonly ids?: readonly string[];
};

export type PlaceAnswer = { readonly site: string; readonly encounter: string; readonly session: string };
export type DraftAnswer = PlaceAnswer & { readonly id: string; readonly status: string };
export type RecallFoundAnswer = {
  readonly count: number;
  readonly places: readonly PlaceAnswer[];
  readonly drafts: readonly DraftAnswer[];
};
export type RecallAnswer = {
  readonly withdrawn: readonly DraftAnswer[];
  readonly recalled: readonly (PlaceAnswer & { readonly status: string; readonly message?: string })[];
};

export type ExplainAnswer = {
  readonly sentence: string;
  readonly next: string;
  readonly details?: {
    readonly encounter?: string;
    readonly patient?: string;
    readonly encounterStatus?: string;
    readonly otherEncounters?: number;
    readonly runs: readonly {
      readonly id: string;
      readonly status: string;
      readonly reason?: string;
      readonly session?: string;
    }[];
    readonly lastEventAt?: string;
  };
};

export type AsideAnswer = {
  readonly deliveries: readonly {
    readonly id: string;
    readonly site: string;
    readonly source: string;
    readonly outcome: string;
    readonly why: string;
    readonly receivedAt: string;
    readonly repeats: number;
  }[];
  readonly next?: string;
};
