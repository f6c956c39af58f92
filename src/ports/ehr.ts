// An EHR: reading charts, finding what the engine wrote, and writing. One Ehr is one site's server; the outlet speaks FHIR R4 over HTTP.
// Reads throw AppErrors; writes return answers, because each answer means another next step.
import type { Resource, ResourceType } from '@medplum/fhirtypes';
import type { EhrCapabilities } from '../domain/chart/ehr-capabilities.ts';
import type { Identity } from '../domain/chart/identity.ts';
import type { RecordingSource } from '../domain/recording/recording-source.ts';
import type { LoadedSite } from './sites.ts';

/** A resource as the EHR has it now. */
export type StoredResource<T extends Resource = Resource> = {
  /** `Condition/12`: without an address in front and without a version. */
  readonly reference: string;
  /** `meta.versionId`; absent if the server has none. */
  readonly version?: string;
  readonly resource: T;
};

export type SearchOrder = {
  readonly type: ResourceType;
  /** Values as FHIR writes them; several of one name are several conditions. Encoded by the outlet. */
  readonly parameters: Readonly<Record<string, string | readonly string[]>>;
  /** Paging is followed up to this number. */
  readonly maxResources: number;
};

export type SearchAnswer<T extends Resource = Resource> = {
  /** Resources of the requested type only: those that a server includes besides are left out. */
  readonly resources: readonly T[];
  /** False if there are more. */
  readonly isComplete: boolean;
};

export type FindOrder = {
  readonly type: ResourceType;
  readonly identities: readonly Identity[];
  /** `Patient/1` and `Encounter/2`: the chart to search on servers that cannot search for an identifier. */
  readonly patient?: string | undefined;
  readonly encounter?: string | undefined;
  /** For a Provenance: one of its targets that is certainly in the EHR. */
  readonly target?: string | undefined;
  /** By the ledger none of them was ever sent: one search for all of them is enough. */
  readonly wasNeverSent?: boolean;
};

/**
 * `found`: by the identity's value, the resources that carry it (the answer of a search is filtered again); a value without an entry
 * was not found. Resources that are entered-in-error count as found; their status shows it.
 * `canFind` false: this EHR offers no search for such a resource; nothing may be concluded.
 */
export type FindAnswer =
  | { readonly canFind: true; readonly found: ReadonlyMap<string, readonly StoredResource[]> }
  | { readonly canFind: false; readonly why: string };

/** A FHIR operation on one resource that changes nothing. */
export type AskOrder = {
  /** `Subscription/7` */
  readonly reference: string;
  /** The status of a Subscription; the events that it has sent. */
  readonly operation: '$status' | '$events';
  readonly parameters: Readonly<Record<string, string>>;
};

/** The result of one write. Only `stored` proves that it is in the EHR, only `refused`, `conflict` and `busy` that it is not. */
export type WriteAnswer =
  | { readonly kind: 'stored'; readonly reference: string; readonly version?: string; readonly isNew: boolean }
  /** A definite no (4xx). `isTypeRefused`: the server accepts no resources of this type at all. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly isTypeRefused: boolean;
      /** Codes and element names of the OperationOutcome, never its texts: `invalid at Condition.code`. */
      readonly why: string;
    }
  /** 412: the current version is another one, or several resources match a condition. */
  | { readonly kind: 'conflict' }
  /** Nothing was stored, and the same may be sent again: 409, 423, 425, 429, `Assigned ID is already in use`; or it was never sent. */
  /** `isLimit`: it limits requests (429). `why`: for a person, if the credentials or the settings may be wrong. */
  | { readonly kind: 'busy'; readonly retryAfterMs?: number; readonly isLimit?: true; readonly why?: string }
  /** It may be stored or not: timeout, reset, 5xx, an answer that was cut or cannot be read. */
  | { readonly kind: 'unknown'; readonly retryAfterMs?: number };

export type TransactionAnswer =
  /** All entries are 2xx, in the order of the Bundle. `wasBatch`: the server called it a batch-response. */
  | { readonly kind: 'stored'; readonly entries: readonly WrittenEntry[]; readonly wasBatch: boolean }
  /** A batch in which some were stored and some were not. If it does not show which, the answer is `unknown`. */
  | { readonly kind: 'mixed'; readonly entries: readonly WriteAnswer[] }
  /** The server refuses this Bundle as such (400, 404, 405, 413, 422): nothing was stored. */
  | { readonly kind: 'refused'; readonly status: number; readonly isTooLarge: boolean; readonly why: string }
  | Extract<WriteAnswer, { readonly kind: 'conflict' | 'busy' | 'unknown' }>;

export type WrittenEntry = Extract<WriteAnswer, { readonly kind: 'stored' }>;

export type CreateOrder = {
  readonly type: ResourceType;
  /** JSON: sent byte for byte. */
  readonly body: string;
  /** A conditional create: only if no resource has this identity yet. */
  readonly ifNoneExist?: Identity;
};

export type UpdateOrder = {
  readonly reference: string;
  readonly body: string;
  /** The version that it builds on. Absent if the server has no versions. */
  readonly ifMatch?: string | undefined;
};

/** The calls that only read. */
export type EhrReads = Pick<Ehr, 'capabilities' | 'read' | 'search' | 'find'>;

/**
 * All calls have a deadline of their own beside the signal. Only reads are tried again, because that cannot do harm.
 * A throw is an AppError: `ehrUnavailable`, `ehrAnswer`, `ehrRefused`, or what the signal was aborted with.
 */
export type Ehr = {
  /** From its CapabilityStatement, which is cached for a while. Without a readable one, `isKnown` is false. */
  readonly capabilities: (signal: AbortSignal) => Promise<EhrCapabilities>;
  /** Undefined: it does not exist, or not any more (404, 410). */
  readonly read: (reference: string, signal: AbortSignal) => Promise<StoredResource | undefined>;
  readonly search: (order: SearchOrder, signal: AbortSignal) => Promise<SearchAnswer>;
  readonly find: (order: FindOrder, signal: AbortSignal) => Promise<FindAnswer>;
  /**
   * Does several pieces of work at the same time, each with the reads that it is given. What they want to read at the same time goes out as
   * one request if the EHR is proven to answer batches rightly, else as single ones. Each call answers or throws as it would alone.
   * No work may wait for another one. It rejects with the first failure of the list, once all have ended.
   */
  readonly together: <T extends readonly unknown[]>(
    works: { readonly [K in keyof T]: (reads: EhrReads) => Promise<T[K]> },
    signal: AbortSignal,
  ) => Promise<T>;
  /** Undefined: this EHR does not offer it, or not for this resource (400, 404, 405, 501). */
  readonly ask: (order: AskOrder, signal: AbortSignal) => Promise<Resource | undefined>;
  /**
   * Runs `work` as soon as one more write may run at this EHR. What must be true at the moment of sending must be checked within `work`,
   * because the wait can be long. `create`, `update` and `transact` must be called within it.
   */
  readonly withWriteSlot: <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;
  readonly create: (order: CreateOrder, signal: AbortSignal) => Promise<WriteAnswer>;
  readonly update: (order: UpdateOrder, signal: AbortSignal) => Promise<WriteAnswer>;
  /** Deletes test resources of a probe and the engine's own Subscriptions, and nothing else. True: it is gone. */
  readonly remove: (reference: string, signal: AbortSignal) => Promise<boolean>;
  /** A Bundle of type transaction as JSON, sent byte for byte. */
  readonly transact: (bundle: string, signal: AbortSignal) => Promise<TransactionAnswer>;
  /**
   * The bytes of a recording, never whole in memory; it can be iterated again. The iteration throws `payloadTooLarge` at the first byte
   * too many, and `ehrRefused` for a link to an origin that the site does not allow, without a request to it.
   */
  readonly openRecording: (source: RecordingSource, signal: AbortSignal) => AsyncIterable<Uint8Array>;
};

export type Ehrs = {
  /** Returns the same Ehr for the same settings. Throws `notConfigured` for a site without an EHR. */
  readonly of: (site: LoadedSite) => Ehr;
  /** The engine's public keys at that site, as a JWK Set; undefined if it has none. */
  readonly jwks: (site: LoadedSite) => Promise<{ readonly keys: readonly object[] } | undefined>;
};
