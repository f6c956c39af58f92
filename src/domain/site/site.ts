// The settings of a site from `mappings/<site>/site.yaml`, with all defaults filled in.
import type { Language } from '../language.ts';
import type { CheckSettings } from '../note/check-policy.ts';
import type { CdsSettings } from './cds-settings.ts';
import type { LaunchSettings } from './launch-settings.ts';

/** A FHIRPath expression on `%encounter` or `%patient`, or a constant. */
export type SettingExpression = string;

export type SiteSettings = {
  readonly organization?: string;
  readonly mode: 'off' | 'shadow' | 'live';
  /** The country of the site: two capital letters of ISO 3166, `US`. */
  readonly region?: string;
  readonly timeZone: string;
  readonly pilot: {
    readonly practitioners: readonly string[];
    readonly locations: readonly string[];
    readonly services: readonly string[];
  };
  readonly identifiers: { readonly mrn?: string; readonly visit?: string };
  /** Absent: the folder is not a site, only a base for others. */
  readonly ehr?: EhrSettings;
  readonly events: EventSettings;
  readonly trigger: SettingExpression;
  readonly recording: {
    readonly from: readonly ('DocumentReference' | 'Media')[];
    /** `encounter`, `recording` or `gap:<duration>`. */
    readonly group: string;
    readonly settleMs: number;
    readonly waitMs: number;
    readonly late: 'new-session' | 'ignore';
    readonly minSeconds: number;
    readonly maxHours: number;
    /** Allowed origins of attachment links beside the EHR: `https://media.example.org`. Credentials are never sent there. */
    readonly origins: readonly string[];
  };
  readonly language: {
    /** A language, `detect`, or an expression. */
    readonly speech: string;
    readonly note: Language | SettingExpression;
    readonly unsupported: 'hold' | 'skip';
  };
  /** By `default`, encounter class, type or expression: a note type, a template, or the file name of a custom template. */
  readonly noteType: Readonly<Record<string, string>>;
  readonly consent: { readonly recording: string; readonly unknown: 'hold' | 'proceed' };
  readonly sensitive: readonly { readonly when: SettingExpression; readonly then: 'hold' | 'skip' | 'allow' }[];
  readonly engines: {
    readonly allow: readonly ('vendor' | 'builtin')[];
    readonly reasoner?: string;
    /** If no model can write a note for this time, the transcript alone becomes the note. Absent: the run waits. */
    readonly transcriptOnlyAfterMs?: number;
  };
  readonly check: CheckSettings;
  readonly write: WriteSettings;
  readonly upload: { readonly identityCheck: 'on' | 'off' };
  readonly review: {
    readonly by: 'task' | 'engine';
    /** A reminder is sent if a draft has had no decision for this time, and another one after `escalateAfterMs`. */
    readonly remindAfterMs?: number;
    readonly escalateAfterMs?: number;
  };
  /** A reminder is sent if a run needs a person and has not changed for this time. */
  readonly attention?: { readonly afterMs: number; readonly to: readonly 'amqp'[] };
  /** A mail address or the https address of a webhook: told when a restricted chart is opened by break-glass. */
  readonly privacy?: { readonly to: string };
  /** `toEhr`: reads of patient data in the engine are also written to the EHR, as AuditEvents. Absent: they are not. */
  readonly audit?: { readonly toEhr: boolean };
  /** Absent: the EHR shows no cards. */
  readonly cds?: CdsSettings;
  /** Absent: no one comes in from the EHR. */
  readonly launch?: LaunchSettings;
  /** By `region` if the site does not say it. */
  readonly codes: { readonly diagnosis: 'icd-10-cm' | 'icd-10' | 'icd-10-es' | 'none' };
};

export type WriteSettings = {
  /** Names of documents, which are files of the site's mappings. */
  readonly note: readonly string[];
  readonly diagnosis: readonly string[];
  /** What a Provenance says the sources of: true, of each document; or also of each section, or each statement, of the note. */
  readonly provenance: boolean | 'section' | 'statement';
  /**
   * Which candidates become Conditions: the likely ones, those within other limits, or all of them. `accepted`: the likely ones, once a
   * clinician has approved the draft.
   */
  readonly conditions: 'likely' | ConditionLimits | 'always' | 'accepted';
  readonly probability: 'number' | 'band' | 'none';
  readonly differential: 'resources' | 'engine' | 'separate-document' | 'section';
  readonly review: 'preliminary' | 'hold' | 'final';
  readonly signedWithoutReview?: {
    readonly acceptedBy: string;
    readonly role: string;
    readonly date: string;
    readonly until: string;
    readonly reason: string;
  };
};

/** `least`: the smallest probability, from 0 to 1. `most`: the number of Conditions of one session. */
export type ConditionLimits = { readonly least: number; readonly most: number };

export type EhrSettings = {
  readonly baseUrl: string;
  readonly auth: EhrAuth;
  /** `Organization/1` */
  readonly organization?: string;
  readonly maxConcurrentWrites: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly proxy?: string;
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
};

export type EhrAuth =
  | { readonly type: 'none' }
  | { readonly type: 'basic'; readonly username: string; readonly password: string }
  | { readonly type: 'bearer'; readonly token: string }
  | {
      readonly type: 'client-credentials';
      readonly clientId: string;
      readonly clientSecret: string;
      readonly tokenUrl?: string;
      readonly scope?: string;
    }
  | {
      readonly type: 'backend-services';
      readonly clientId: string;
      readonly privateKey: string;
      readonly kid?: string;
      readonly tokenUrl?: string;
      readonly scope?: string;
    };

export type EventSettings = {
  readonly amqp?: { readonly exchange: string; readonly bindings: readonly string[] };
  readonly subscription?: {
    readonly kind: 'rest-hook' | 'topic' | 'none';
    readonly criteria?: string;
    readonly topic?: string;
    readonly secret?: string;
  };
  readonly push?: { readonly secret: string };
  readonly poll?: { readonly query: string; readonly everyMs: number };
  readonly expect?: { readonly atLeastOneMs: number; readonly during?: string };
};
