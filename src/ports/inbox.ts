// What the product needs of whoever takes events in: stored once, together with the runs that come of it, before anybody is told
// that it was taken.
import type { DeliveryOutcome, SaidEncounter } from '../domain/event/delivery.ts';
import type { EventSource } from '../domain/run/run.ts';

export type AcceptOrder = {
  readonly site: string;
  /** Whose usage the runs count to. */
  readonly organization: string;
  readonly source: EventSource;
  /** What recognises a repeat, whatever way it comes. Kept as a keyed hash only. */
  readonly key: string;
  /** What it says, to tell a repeat from an id that is used a second time. Kept as a keyed hash only. */
  readonly content: string;
  readonly eventId?: string;
  readonly receivedAt: Date;
  readonly encounters: readonly SaidEncounter[];
  /** Several events of one encounter come together: how long until it is looked at. */
  readonly settleMs: number;
  /** Kept, encrypted, only where the name turns out to be used a second time. */
  readonly body?: Uint8Array;
  readonly contentType?: string;
};

export type Accepted =
  /** `runs`: those that will look at the encounters: new ones, or such as waited anyway. */
  | { readonly kind: 'accepted'; readonly runs: readonly string[] }
  /** It came before: nothing was done. */
  | { readonly kind: 'repeated'; readonly runs: readonly string[] }
  /** The same name with other content: kept aside, as something that was not understood. */
  | { readonly kind: 'id-reused' };

export type SetAside = {
  readonly site: string;
  readonly source: EventSource;
  readonly outcome: Exclude<DeliveryOutcome, 'accepted'>;
  readonly key: string;
  readonly why: string;
  readonly receivedAt: Date;
  readonly contentType?: string;
  /** Kept encrypted; absent for what is of no interest any more (`nothing`). */
  readonly body?: Uint8Array;
};

export type UploadOrder = Omit<AcceptOrder, 'encounters' | 'settleMs' | 'body' | 'contentType'> & {
  readonly encounter: string;
  readonly session: string;
  /** `upload:<id>` */
  readonly recordings: readonly string[];
  readonly isUrgent: boolean;
};

export type AsideDelivery = {
  readonly id: string;
  readonly site: string;
  readonly source: EventSource;
  readonly outcome: Exclude<DeliveryOutcome, 'accepted'>;
  readonly why: string;
  readonly receivedAt: Date;
  readonly repeats: number;
};

export type EventCount = {
  readonly source: EventSource;
  readonly outcome: DeliveryOutcome | 'repeated';
  readonly count: number;
};

/** Throws `overloaded` where the database cannot be reached: then nothing was taken, and the sender must not be told otherwise. */
export type Inbox = {
  /**
   * All in one transaction. For each encounter there is at most one run that does not know its session yet: one that was skipped, or waits
   * for the encounter or its recording, looks again; one that is looking at this moment looks once more afterwards.
   */
  readonly accept: (order: AcceptOrder) => Promise<Accepted>;
  /** A run that has its session and its recording already. `repeated` gives the run that has this session. */
  readonly acceptUpload: (order: UploadOrder) => Promise<Accepted>;
  /** False where the same was set aside before. */
  readonly setAside: (delivery: SetAside) => Promise<boolean>;
  /** What was set aside, the newest first. Those that were `nothing` are not among them. */
  readonly listAside: (query: {
    readonly site?: string;
    readonly limit: number;
    readonly cursor?: string;
  }) => Promise<{ readonly deliveries: readonly AsideDelivery[]; readonly next?: string }>;
  /** When the site last got anything, and the first time anything was known of it. */
  readonly lastEventAt: (site: string) => Promise<Date | undefined>;
};
