// What came in at a door and what it says: look at these encounters. Nothing else of an event is trusted; what is to be known is
// read from the EHR.
import type { EventSource } from '../run/run.ts';

/** As it came, before anybody has understood it. */
export type RawDelivery = {
  readonly source: EventSource;
  /** `application/fhir+json`, without parameters and in small letters; empty where the sender gave none. */
  readonly contentType: string;
  /** Names in small letters. Only those that may matter: CloudEvents', the subscription's. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The sender's own name for the message (`message-id`): the best sign of a repeat. */
  readonly messageId?: string;
  readonly receivedAt: Date;
};

export type SaidEncounter = {
  /** `Encounter/123`; or `visit:V-77`, where only the visit number is known. */
  readonly encounter: string;
  /** An emergency: comes before the others. */
  readonly isUrgent: boolean;
};

/** What a notification says of its subscription, beside the encounters. */
export type SubscriptionNews = {
  /** `Subscription/7`; absent where it does not say. */
  readonly subscription?: string;
  readonly kind: 'handshake' | 'heartbeat' | 'event-notification' | 'query-status' | 'query-event';
  /** The highest number of an event in it, or since the start. */
  readonly eventNumber?: number;
  /** The lowest number of an event in it. */
  readonly firstEventNumber?: number;
  /** As the EHR says it is: `active`, `error`, `off`. */
  readonly status?: string;
};

export type Understood =
  | {
      readonly kind: 'encounters';
      /** What recognises a repeat: the sender's id, else resource and version, else a hash of all of it. */
      readonly key: string;
      /** The sender's id for it, to be shown; absent where it has none. */
      readonly eventId?: string;
      readonly encounters: readonly SaidEncounter[];
      readonly subscription?: SubscriptionNews;
      /** When it happened, where the sender says so. */
      readonly occurredAt?: Date;
    }
  /** Understood, and nothing to look at: a heartbeat, a document of no encounter, an ADT message that does not matter. */
  | {
      readonly kind: 'nothing';
      readonly why: string;
      readonly subscription?: SubscriptionNews;
      /** Something happened, and it does not say what (`empty` notifications): search for what changed. */
      readonly mustSearch?: boolean;
    }
  /** Can never be understood, however often it comes. In plain words, without anything of its content. */
  | { readonly kind: 'not-understood'; readonly why: string };

/** What became of a delivery that was stored. */
export type DeliveryOutcome = 'accepted' | 'nothing' | 'not-understood' | 'id-reused';
