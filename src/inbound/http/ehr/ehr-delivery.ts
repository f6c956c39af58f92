// Turns the HTTP request of a notification into a delivery for the flows, and refuses content types that no flow can read.
import type { Request } from 'express';
import { AppError } from '../../../domain/errors.ts';
import type { RawDelivery } from '../../../domain/event/delivery.ts';
import { isHl7 as startsAsHl7 } from '../../../flows/intake/formats/hl7-message.ts';
import { isUtf8, readParameterized } from '../body/content-type.ts';

/** An HL7 v2 message is answered with an HL7 v2 message. */
export type ReceivedDelivery = { readonly delivery: RawDelivery; readonly isHl7: boolean };

type DeliveryParts = {
  readonly bytes: Uint8Array;
  readonly source: RawDelivery['source'];
  readonly receivedAt: Date;
};

const FORWARDED_HEADERS = /^(?:content-type|ce-.+|x-medplum-.+|x-subscription.*)$/;
/** The first of these headers that is present gives the message id. */
const MESSAGE_ID_HEADERS = ['x-message-id', 'idempotency-key', 'ce-id'] as const;
const MESSAGE_ID = /^[\x20-\x7e]{1,255}$/;
const JSON_TYPE = /^(?:application|text)\/(?:json|json\+fhir|[a-z0-9.-]+\+json)$/;
const HL7_TYPE =
  /^(?:(?:application|x-application)\/(?:hl7-v2|x-hl7-v2|edi-hl7)(?:\+er7)?|text\/(?:hl7|hl7-v2|x-hl7))$/;

/** Throws `unsupportedMedia`, and `invalidRequest` for a malformed message id. */
export function readDelivery(req: Request, { bytes, source, receivedAt }: DeliveryParts): ReceivedDelivery {
  const messageId = readMessageId(req);
  const parts = { source, receivedAt, ...(messageId !== undefined && { messageId }) };
  const headers = forwardedHeaders(req);
  // HAPI reports a deletion by the method and the path, other EHRs by a header.
  if (req.method === 'DELETE') {
    const deleted = `${req.params['type']}/${req.params['id']}`;
    const deletion = { ...headers, 'x-medplum-interaction': 'delete', 'x-medplum-deleted-resource': deleted };
    return { delivery: { ...parts, contentType: '', headers: deletion, body: Buffer.from('{}') }, isHl7: false };
  }
  if (bytes.length === 0) return { delivery: { ...parts, contentType: '', headers, body: bytes }, isHl7: false };
  const contentType = readContentType(req, bytes);
  const isHl7 = HL7_TYPE.test(contentType) || (!JSON_TYPE.test(contentType) && startsAsHl7(bytes));
  return { delivery: { ...parts, contentType, headers, body: bytes }, isHl7 };
}

function readContentType(req: Request, bytes: Uint8Array): string {
  const given = req.headers['content-type'];
  if (given === undefined) return '';
  const type = readParameterized(given);
  const isText = type?.value === 'text/plain' && startsAsHl7(bytes);
  if (type === undefined || !(isText || HL7_TYPE.test(type.value) || JSON_TYPE.test(type.value))) {
    throw new AppError(
      'unsupportedMedia',
      'The Content-Type must be application/json, application/fhir+json, CloudEvents as JSON, or application/hl7-v2',
    );
  }
  // An HL7 v2 message names its character set in MSH-18.
  if (JSON_TYPE.test(type.value) && !isUtf8(type.parameters.get('charset'))) {
    throw new AppError('unsupportedMedia', 'The charset of JSON must be utf-8');
  }
  return type.value;
}

function forwardedHeaders({ headers }: Request): Readonly<Record<string, string>> {
  const forwarded = Object.entries(headers).filter(([name]) => FORWARDED_HEADERS.test(name));
  return Object.fromEntries(forwarded.map(([name, value]) => [name, String(value)]));
}

function readMessageId({ headersDistinct }: Request): string | undefined {
  const [values] = MESSAGE_ID_HEADERS.flatMap((name) => {
    const given = headersDistinct[name];
    return given === undefined ? [] : [given];
  });
  if (values === undefined) return undefined;
  const [id = ''] = values;
  if (values.length === 1 && MESSAGE_ID.test(id)) return id;
  throw new AppError('invalidRequest', 'The message id must be one text of 1 to 255 printable characters');
}
