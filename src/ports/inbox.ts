// Stores incoming events, each once and together with the runs that it causes. A delivery is acknowledged only after that.
import type { DeliveryOutcome, ReportedEncounter } from '../domain/event/delivery.ts';
import type { SiteScope } from '../domain/people/role.ts';
import type { EventSource } from '../domain/run/run.ts';

export type AcceptOrder = {
  readonly site: string;
  /** The organization to whose usage the runs count. */
  readonly organization: string;
  readonly source: EventSource;
  /** Identifies a repeat, whichever feed it comes from. Only a keyed hash of it is stored. */
  readonly key: string;
  /** The content that distinguishes a repeat from an id that is used twice. Only a keyed hash of it is stored. */
  readonly content: string;
  readonly eventId?: string;
  readonly receivedAt: Date;
  readonly encounters: readonly ReportedEncounter[];
  /** How long to wait before the encounter is resolved: several events of one encounter often come together. */
  readonly settleMs: number;
  /** Stored encrypted, and only if the key turns out to be used for other content before. */
  readonly body?: Uint8Array;
  readonly contentType?: string;
};

export type Accepted =
  /** `runs`: the runs that will resolve the encounters: new ones, or ones that were waiting already. */
  | { readonly kind: 'accepted'; readonly runs: readonly string[] }
  /** The same event came before: nothing was done. */
  | { readonly kind: 'repeated'; readonly runs: readonly string[] }
  /** The same key with other content: the delivery is quarantined. */
  | { readonly kind: 'id-reused' };

export type QuarantineOrder = {
  readonly site: string;
  readonly source: EventSource;
  readonly outcome: Exclude<DeliveryOutcome, 'accepted'>;
  readonly key: string;
  readonly why: string;
  readonly receivedAt: Date;
  readonly contentType?: string;
  /** Stored encrypted; absent for a delivery that needs no attention (`nothing`). */
  readonly body?: Uint8Array;
};

export type UploadOrder = Omit<AcceptOrder, 'encounters' | 'settleMs' | 'body' | 'contentType'> & {
  readonly encounter: string;
  readonly session: string;
  /** `upload:<id>` */
  readonly recordings: readonly string[];
  readonly isUrgent: boolean;
};

export type QuarantinedDelivery = {
  readonly id: string;
  readonly site: string;
  readonly source: EventSource;
  readonly outcome: Exclude<DeliveryOutcome, 'accepted'>;
  readonly why: string;
  readonly receivedAt: Date;
  readonly repeats: number;
};

/** A quarantined delivery with what is stored of it: patient data. */
export type StoredDelivery = QuarantinedDelivery & {
  readonly contentType?: string;
  /** Absent: it was too large, or is deleted. */
  readonly body?: Uint8Array;
};

export type EventCount = {
  readonly source: EventSource;
  readonly outcome: DeliveryOutcome | 'repeated';
  readonly count: number;
};

/** Throws `overloaded` if the database cannot be reached: nothing was stored, and the delivery must not be acknowledged. */
export type Inbox = {
  /**
   * One transaction. Each encounter has at most one run without a session: a run that was skipped, or waits for the encounter or its
   * recording, resolves the encounter again; a run that is resolving it at this moment does so once more afterwards.
   */
  readonly accept: (order: AcceptOrder) => Promise<Accepted>;
  /** Creates a run that has its session and recording from the start. `repeated` returns the run that has this session. */
  readonly acceptUpload: (order: UploadOrder) => Promise<Accepted>;
  /** False if the same delivery was quarantined before. */
  readonly quarantine: (delivery: QuarantineOrder) => Promise<boolean>;
  /** The newest first, without deliveries with the outcome `nothing`. */
  readonly listQuarantined: (query: {
    readonly scope: SiteScope;
    readonly site?: string;
    readonly limit: number;
    readonly cursor?: string;
  }) => Promise<{ readonly deliveries: readonly QuarantinedDelivery[]; readonly next?: string }>;
  /** Undefined for an unknown id, for a delivery that is not in the list, and for one outside of the scope. */
  readonly findQuarantined: (id: string, scope: SiteScope) => Promise<StoredDelivery | undefined>;
  /** Takes a delivery off the list and deletes its bytes. */
  readonly settleQuarantined: (id: string) => Promise<void>;
  /** When the last delivery of the site arrived. */
  readonly lastEventAt: (site: string) => Promise<Date | undefined>;
};
