// A delivery at an inbound door, and its content: the encounters to resolve. Nothing else of an event is trusted; everything is read from the
// EHR.
import type { EventSource } from '../run/run.ts';

/** A delivery as it arrived, before it is parsed. */
export type RawDelivery = {
  readonly source: EventSource;
  /** `application/fhir+json`, without parameters and in lower case; empty if the sender stated none. */
  readonly contentType: string;
  /** Names are in lower case. Only headers that may matter: those of CloudEvents and of subscriptions. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The sender's id of the message (`message-id`): the best way to detect a repeat. */
  readonly messageId?: string;
  readonly receivedAt: Date;
};

export type ReportedEncounter = {
  /** `Encounter/123`; or `visit:V-77` if only the visit number is known. */
  readonly encounter: string;
  /** An emergency; its run comes before others. */
  readonly isUrgent: boolean;
};

/** What a notification reports about its subscription, beside the encounters. */
export type SubscriptionUpdate = {
  /** `Subscription/7`, if stated. */
  readonly subscription?: string;
  readonly kind: 'handshake' | 'heartbeat' | 'event-notification' | 'query-status' | 'query-event';
  /** The highest event number in the notification, or the number of events since the start. */
  readonly eventNumber?: number;
  /** The lowest event number in the notification. */
  readonly firstEventNumber?: number;
  /** As the EHR reports it: `active`, `error`, `off`. */
  readonly status?: string;
};

export type EventContent =
  | {
      readonly kind: 'encounters';
      /** Identifies a repeat: the sender's id, or the resource with its version, or a hash of the delivery. */
      readonly key: string;
      /** The sender's id of the event for display, if it has one. */
      readonly eventId?: string;
      readonly encounters: readonly ReportedEncounter[];
      readonly subscription?: SubscriptionUpdate;
      /** When the event happened, if the sender states it. */
      readonly occurredAt?: Date;
    }
  /** The delivery is valid and concerns no encounter: a heartbeat, a document of no encounter, an ADT message of another kind. */
  | {
      readonly kind: 'nothing';
      readonly why: string;
      readonly subscription?: SubscriptionUpdate;
      /** Something has changed, but the notification does not say what (payload `empty`): a search is needed. */
      readonly mustSearch?: boolean;
    }
  /** The delivery can never be parsed, however often it comes. `why` is in plain words, without any of its content. */
  | { readonly kind: 'not-understood'; readonly why: string };

/** How a stored delivery was handled. */
export type DeliveryOutcome = 'accepted' | 'nothing' | 'not-understood' | 'id-reused';
