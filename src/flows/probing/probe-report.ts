// The report of a probe: what an EHR offers, which of it a site can use, how it will be written to, and why.

import type { AssessedStrategy } from '../../domain/chart/write-strategies.ts';
import type { EhrAuth, SiteSettings } from '../../domain/site/site.ts';

export type ProbeStep = {
  readonly name: string;
  readonly result: 'passed' | 'failed' | 'not-tried';
  /** A sentence for the person who configures the site. */
  readonly why: string;
};

export type NeededRight = 'read' | 'search' | 'create' | 'update' | 'delete';

export type ProbedType = {
  readonly type: string;
  /** The site's documents of this type; empty if the site only reads it. */
  readonly documents: readonly string[];
  /** The rights that the engine's client needs, whatever the EHR states: a statement says what the server can do, not what a client may. */
  readonly needs: readonly NeededRight[];
  /** The EHR's own statement; absent if it makes none. */
  readonly offers?: {
    readonly read: boolean;
    readonly search: boolean;
    readonly create: boolean;
    readonly update: boolean;
  };
  /** The search that finds it again: `identifier`, `_tag`, or only through the chart (`encounter`, `patient` …). Absent: none, or unknown. */
  readonly findBy?: string;
  /** Whether it will be written, by the EHR's statement and by what was learned. Absent if the site only reads it. */
  readonly isTaken?: boolean;
};

export type ProbedStrategy = AssessedStrategy & {
  /** This strategy will be used. */
  readonly isNext: boolean;
};

export type LearnedLine = {
  readonly name: string;
  readonly value: string | number;
  readonly learnedAt: string;
};

export type WriteTest = {
  /** The identifier of all test resources: `urn:chartwright:mercy|probe/…`. */
  readonly identifier: string;
  readonly steps: readonly ProbeStep[];
  /** References of test data that could not be removed: a person must do it by hand. */
  readonly leftBehind: readonly string[];
};

export type ProbeReport = {
  readonly site: string;
  readonly mode: SiteSettings['mode'];
  readonly ehr: {
    readonly baseUrl: string;
    readonly auth: EhrAuth['type'];
    readonly software?: string;
    readonly fhirVersion?: string;
  };
  /** It answers, accepts the credentials, and there is a way to write to it. */
  readonly isUsable: boolean;
  readonly steps: readonly ProbeStep[];
  readonly types: readonly ProbedType[];
  readonly ladder: readonly ProbedStrategy[];
  readonly learned: readonly LearnedLine[];
  /** How many facts were forgotten at the beginning, if that was requested. */
  readonly forgotten?: number;
  readonly warnings: readonly string[];
  readonly writeTest?: WriteTest;
};
