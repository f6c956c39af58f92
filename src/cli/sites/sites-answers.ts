// What /ops/sites answers, as far as the command line shows it.

export type ListedSite = {
  readonly name: string;
  readonly mode: string;
  readonly ehr: { readonly baseUrl: string; readonly auth: string };
  readonly mappings: string;
  readonly isStale: boolean;
  readonly warning?: string;
  readonly findings: Readonly<Record<string, number>>;
  readonly lastContact?: string;
  /** Absent in answers of engines that know of no pauses. */
  readonly paused?: readonly PauseAnswer[];
  readonly feeds?: readonly FeedAnswer[];
};

export type PauseAnswer = { readonly what: string; readonly reason: string; readonly since: string };

export type PausedSiteAnswer = { readonly site: string; readonly paused: readonly PauseAnswer[] };

type FeedAnswer = {
  readonly kind: string;
  readonly alarm?: { readonly kind: string; readonly since?: string; readonly message?: string };
};

export type SiteListAnswer = { readonly sites: readonly ListedSite[]; readonly unavailable: readonly string[] };

export type StepAnswer = { readonly name: string; readonly result: string; readonly why: string };

export type ProbedTypeAnswer = {
  readonly type: string;
  readonly documents: readonly string[];
  readonly offers?: {
    readonly read: boolean;
    readonly search: boolean;
    readonly create: boolean;
    readonly update: boolean;
  };
  readonly findBy?: string;
  readonly isTaken?: boolean;
};

export type ProbeAnswer = {
  readonly site: string;
  readonly mode: string;
  readonly ehr: { readonly baseUrl: string; readonly auth: string; readonly software?: string };
  readonly isUsable: boolean;
  readonly steps: readonly StepAnswer[];
  readonly types: readonly ProbedTypeAnswer[];
  readonly ladder: readonly {
    readonly rung: string;
    readonly isUsable: boolean;
    readonly isNext: boolean;
    readonly why: string;
  }[];
  readonly learned: readonly {
    readonly name: string;
    readonly value: string | number;
    readonly learnedAt: string;
  }[];
  readonly forgotten?: number;
  readonly warnings: readonly string[];
  readonly writeTest?: {
    readonly identifier: string;
    readonly steps: readonly StepAnswer[];
    readonly leftBehind: readonly string[];
  };
};

export type FindingAnswer = {
  readonly kind: string;
  readonly identity: string;
  readonly references: readonly string[];
};

export type ReconcileAnswer = {
  readonly site: string;
  readonly checked: number;
  readonly findings: readonly FindingAnswer[];
  readonly cancelled: readonly { readonly encounter: string; readonly session: string }[];
  readonly problems: readonly string[];
};
