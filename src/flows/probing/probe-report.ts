// What a probe finds out of an EHR: what it offers, what of that a site can use, how it will be written to, and why.

import type { AssessedStrategy } from '../../domain/chart/write-strategies.ts';
import type { EhrAuth, SiteSettings } from '../../domain/site/site.ts';

export type ProbeStep = {
  readonly name: string;
  readonly result: 'passed' | 'failed' | 'not-tried';
  /** A sentence for whoever configures the site. */
  readonly why: string;
};

export type ProbedType = {
  readonly type: string;
  /** What of the site is of this type; empty where the site only reads it. */
  readonly documents: readonly string[];
  /** As the EHR says; absent where it says nothing at all. */
  readonly offers?: {
    readonly read: boolean;
    readonly search: boolean;
    readonly create: boolean;
    readonly update: boolean;
  };
  /** By what it can be found again: `identifier`, `_tag`, or only through the chart (`encounter`, `patient` …). Absent: not at all, or not known. */
  readonly findBy?: string;
  /** Whether it will be written, by what the EHR says and by what was learned. Absent where the site only reads it. */
  readonly isTaken?: boolean;
};

export type ProbedStrategy = AssessedStrategy & {
  /** The one that will be used. */
  readonly isNext: boolean;
};

export type LearnedLine = {
  readonly name: string;
  readonly value: string | number;
  readonly learnedAt: string;
};

export type WriteTest = {
  /** What everything that was made carries: `urn:chartwright:mercy|probe/…`. */
  readonly identifier: string;
  readonly steps: readonly ProbeStep[];
  /** References of test data that could not be removed: somebody must do it by hand. */
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
  /** It answers, takes the credentials, and there is a way to write to it. */
  readonly isUsable: boolean;
  readonly steps: readonly ProbeStep[];
  readonly types: readonly ProbedType[];
  readonly ladder: readonly ProbedStrategy[];
  readonly learned: readonly LearnedLine[];
  /** How many were forgotten at the beginning, where that was asked for. */
  readonly forgotten?: number;
  readonly warnings: readonly string[];
  readonly writeTest?: WriteTest;
};
