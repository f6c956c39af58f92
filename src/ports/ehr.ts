// What the product needs of an EHR: reading charts, finding what it wrote, and writing. One Ehr is one site's server; all of it is
// FHIR R4 over HTTP, and nothing above knows that. Reads throw AppErrors; writes answer, because each answer means another next step.
import type { Resource, ResourceType } from '@medplum/fhirtypes';
import type { EhrCapabilities } from '../domain/chart/ehr-capabilities.ts';
import type { Identity } from '../domain/chart/identity.ts';
import type { RecordingSource } from '../domain/recording/recording-source.ts';
import type { LoadedSite } from './sites.ts';

/** A resource as the EHR has it now. */
export type StoredResource<T extends Resource = Resource> = {
  /** `Condition/12`: without an address in front and without a version behind. */
  readonly reference: string;
  /** `meta.versionId`; absent where the server has none. */
  readonly version?: string;
  readonly resource: T;
};

export type SearchOrder = {
  readonly type: ResourceType;
  /** Values as FHIR writes them; several of one name are several conditions. Encoded by the outlet. */
  readonly parameters: Readonly<Record<string, string | readonly string[]>>;
  /** Paging is followed up to here. */
  readonly maxResources: number;
};

export type SearchAnswer<T extends Resource = Resource> = {
  /** Of the type that was asked for: what a server includes besides is left out. */
  readonly resources: readonly T[];
  /** False where there would have been more. */
  readonly isComplete: boolean;
};

export type FindOrder = {
  readonly type: ResourceType;
  readonly identities: readonly Identity[];
  /** `Patient/1` and `Encounter/2`: where to look on servers that cannot search for an identifier. */
  readonly patient?: string | undefined;
  readonly encounter?: string | undefined;
  /** Of a Provenance: a resource that it is surely about. */
  readonly target?: string | undefined;
  /** Nothing of it was ever sent, as far as anybody knows: one look for all of them is enough. */
  readonly wasNeverSent?: boolean;
};

/**
 * `found`: by the identity's value, each with what really carries it (a search's answer is filtered again); a value without an entry
 * was not found. Resources that are entered-in-error count as found: they say so themselves.
 * `canFind` false: this EHR offers no way to look for such a resource; nothing may be concluded.
 */
export type FindAnswer =
  | { readonly canFind: true; readonly found: ReadonlyMap<string, readonly StoredResource[]> }
  | { readonly canFind: false; readonly why: string };

/** A question about one resource that FHIR calls an operation, and that changes nothing. */
export type AskOrder = {
  /** `Subscription/7` */
  readonly reference: string;
  /** How it is with a Subscription; what it has told since. */
  readonly operation: '$status' | '$events';
  readonly parameters: Readonly<Record<string, string>>;
};

/** What came of one write. Only `stored` says that it is there, only `refused` and `busy` that it is not. */
export type WriteAnswer =
  | { readonly kind: 'stored'; readonly reference: string; readonly version?: string; readonly isNew: boolean }
  /** A definite no (4xx). `isTypeRefused`: the server takes no such resources at all. */
  | {
      readonly kind: 'refused';
      readonly status: number;
      readonly isTypeRefused: boolean;
      /** Codes and element names of the OperationOutcome, never its texts: `invalid at Condition.code`. */
      readonly why: string;
    }
  /** 412: it is not the version that we know, or several match a condition. */
  | { readonly kind: 'conflict' }
  /** Nothing was stored, and the same may be sent again: 409, 423, 425, 429, `Assigned ID is already in use`; or it was never sent. */
  | { readonly kind: 'busy'; readonly retryAfterMs?: number }
  /** Nobody knows: timeout, reset, 5xx, an answer that was cut or cannot be read. */
  | { readonly kind: 'unknown'; readonly retryAfterMs?: number };

export type TransactionAnswer =
  /** All entries are 2xx, in the order of the Bundle. `wasBatch`: the server called it a batch-response. */
  | { readonly kind: 'stored'; readonly entries: readonly WrittenEntry[]; readonly wasBatch: boolean }
  /** A batch in which some were stored and some were not. Where nobody can tell which is which, it is `unknown`. */
  | { readonly kind: 'mixed'; readonly entries: readonly WriteAnswer[] }
  /** The server does not take this Bundle as such (400, 404, 405, 413, 422): nothing was stored. */
  | { readonly kind: 'refused'; readonly status: number; readonly isTooLarge: boolean; readonly why: string }
  | Extract<WriteAnswer, { readonly kind: 'conflict' | 'busy' | 'unknown' }>;

export type WrittenEntry = Extract<WriteAnswer, { readonly kind: 'stored' }>;

export type CreateOrder = {
  readonly type: ResourceType;
  /** JSON: sent byte for byte. */
  readonly body: string;
  /** A conditional create: only where nothing has it yet. */
  readonly ifNoneExist?: Identity;
};

export type UpdateOrder = {
  readonly reference: string;
  readonly body: string;
  /** The version that it builds on. Absent where the server has no versions. */
  readonly ifMatch?: string | undefined;
};

/**
 * All calls have a deadline of their own beside the signal, and are tried again only where that can harm nobody: reads.
 * A throw is an AppError: `ehrUnavailable`, `ehrAnswer`, `ehrRefused`, or what the signal was aborted with.
 */
export type Ehr = {
  /** From its CapabilityStatement, kept for a while. Where it has none that can be read, one that knows nothing. */
  readonly capabilities: (signal: AbortSignal) => Promise<EhrCapabilities>;
  /** Undefined: there is none, or no longer (404, 410). */
  readonly read: (reference: string, signal: AbortSignal) => Promise<StoredResource | undefined>;
  readonly search: (order: SearchOrder, signal: AbortSignal) => Promise<SearchAnswer>;
  readonly find: (order: FindOrder, signal: AbortSignal) => Promise<FindAnswer>;
  /** Undefined: this EHR does not offer it, or not for this resource (400, 404, 405, 501). */
  readonly ask: (order: AskOrder, signal: AbortSignal) => Promise<Resource | undefined>;
  /**
   * Waits until one write more may run at this EHR, and keeps the others waiting meanwhile. What must be true at the moment of
   * sending is made sure of within it: in front of it, it may have stopped being true. `create`, `update` and `transact` belong into it.
   */
  readonly withWriteSlot: <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;
  readonly create: (order: CreateOrder, signal: AbortSignal) => Promise<WriteAnswer>;
  readonly update: (order: UpdateOrder, signal: AbortSignal) => Promise<WriteAnswer>;
  /** For what `probe` made, and for the engine's own Subscriptions: true where it is gone. Nothing else is ever deleted. */
  readonly remove: (reference: string, signal: AbortSignal) => Promise<boolean>;
  /** A Bundle of type transaction as JSON, sent byte for byte. */
  readonly transact: (bundle: string, signal: AbortSignal) => Promise<TransactionAnswer>;
  /**
   * The bytes of a recording, as often as it is iterated, never whole in memory. The iteration throws `payloadTooLarge` at the first
   * byte too many, and `ehrRefused` for a link that leads elsewhere than the site allows: then nothing was asked of anybody.
   */
  readonly openRecording: (source: RecordingSource, signal: AbortSignal) => AsyncIterable<Uint8Array>;
};

export type Ehrs = {
  /** The same one for the same settings. Throws `notConfigured` for a site without an EHR. */
  readonly of: (site: LoadedSite) => Ehr;
  /** The engine's public keys at that site, as a JWK Set; undefined where it has none. */
  readonly jwks: (site: LoadedSite) => Promise<{ readonly keys: readonly object[] } | undefined>;
};
