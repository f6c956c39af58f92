// What the tests use of the independent clients. They are loaded after they were installed, so that their own types cannot be imported.
import { createRequire } from 'node:module';

type Attributes = Readonly<Record<string, unknown>>;
export type ClientEvent = Readonly<Record<'id' | 'source' | 'type' | 'subject' | 'time', string>> & {
  readonly data: unknown;
  readonly traceparent?: string;
  /** Throws if the event breaks the schema of CloudEvents. */
  readonly validate: () => boolean;
};
type SentMessage = { readonly headers: Readonly<Record<string, string | undefined>>; readonly body: unknown };

export type CloudEventsSdk = {
  readonly CloudEvent: new (attributes: Attributes) => ClientEvent;
  readonly HTTP: {
    readonly binary: (event: ClientEvent) => SentMessage;
    readonly structured: (event: ClientEvent) => SentMessage;
    readonly toEvent: (message: SentMessage) => ClientEvent;
  };
  readonly Kafka: { readonly binary: (event: ClientEvent) => SentMessage };
};

type Hl7Values = { readonly get: (path: string) => { readonly toString: () => string } };
type Hl7Text = Hl7Values & { readonly set: (path: string, value: string) => unknown; readonly toString: () => string };
type Hl7Message = Hl7Text & { readonly addSegment: (name: string) => Pick<Hl7Text, 'set'> };
type Hl7Batch = Hl7Text & {
  readonly start: () => void;
  readonly add: (message: Hl7Message) => void;
  readonly end: () => void;
  readonly messages: () => readonly Hl7Values[];
};

export type Hl7Sdk = {
  readonly Message: new (from: { readonly messageHeader: Attributes } | { readonly text: string }) => Hl7Message;
  readonly Batch: new (from?: { readonly text: string }) => Hl7Batch;
};

/** From the folder of this file: the packages are not among those of the product. */
const load = createRequire(import.meta.url);
const [CLOUD_EVENTS, HL7] = ['cloudevents', 'node-hl7-client'];

export function loadCloudEvents(): CloudEventsSdk {
  return load(CLOUD_EVENTS) as CloudEventsSdk;
}

export function loadHl7(): Hl7Sdk {
  return load(HL7) as Hl7Sdk;
}
