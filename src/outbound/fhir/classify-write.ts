// Interprets the answer to one write by status, place and version. If in doubt it is `unknown`: only a clear statement of the server is
// `stored`, and only a clear refusal is `refused` or `busy`.
import type { WriteAnswer } from '../../ports/ehr.ts';
import type { EhrCallResult } from './ehr-call.ts';
import { type FhirAnswer, jsonOf } from './fhir-answer.ts';
import { textAt } from './json.ts';
import { type Outcome, readOutcome } from './outcome.ts';
import { fromEtag, fromLocation, fromResource, type Whereabouts } from './references.ts';
import { retryAfterMs } from './retry-after.ts';
import type { TransportFailure } from './transport.ts';

export type SentWrite = {
  readonly type: string;
  /** The reference of an update: the resource exists already. */
  readonly reference?: string;
  /** True: a 200 means that the resource existed before. */
  readonly isConditional: boolean;
};

/** The results that a single write and a Bundle share; undefined: the status means different things for the two. */
export type CommonAnswer = Extract<WriteAnswer, { readonly kind: 'conflict' | 'busy' | 'unknown' }>;

const BUSY_STATUSES: ReadonlySet<number> = new Set([409, 423, 425]);
/** The server redirects and did nothing. 302 and 303 are not among them: they may follow a completed write. */
const ELSEWHERE_STATUSES: ReadonlySet<number> = new Set([301, 307, 308]);

export function classifyWrite(result: EhrCallResult, sent: SentWrite, now: Date): WriteAnswer {
  if (result.kind === 'circuit-open') return { kind: 'busy', retryAfterMs: result.retryAfterMs };
  if (result.kind === 'failure') {
    return commonFailure(result.failure) ?? { ...refusedBeforeSending(result.failure), isTypeRefused: false };
  }
  const { answer } = result;
  const { status } = answer;
  const outcome = readOutcome(answer, [sent.type]);
  const common = commonAnswer(answer, outcome, now);
  if (common) return common;
  if (status >= 200 && status < 300) return storedOrUnknown(answer, sent);
  const why = outcome.words || `status ${status}`;
  return { kind: 'refused', status, isTypeRefused: isTypeRefused(status, outcome, sent), why };
}

export function commonAnswer(answer: FhirAnswer, outcome: Outcome, now: Date): CommonAnswer | undefined {
  const { status } = answer;
  if (status === 412) return { kind: 'conflict' };
  const waitMs = retryAfterMs(answer, now);
  const wait = waitMs === undefined ? {} : { retryAfterMs: waitMs };
  if (status === 429) return { kind: 'busy', isLimit: true, ...wait };
  if (BUSY_STATUSES.has(status) || (status === 400 && outcome.isKeyTaken)) return { kind: 'busy', ...wait };
  const isPlain =
    (status >= 200 && status < 300) ||
    (status >= 400 && status < 500) ||
    status === 501 ||
    ELSEWHERE_STATUSES.has(status);
  if (!isPlain || status === 408) return { kind: 'unknown', ...wait };
  return undefined;
}

/** Undefined: it was not sent, and will not be until a setting is changed. */
export function commonFailure(failure: TransportFailure): CommonAnswer | undefined {
  const wait = failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs };
  if (failure.wasSent) return { kind: 'unknown', ...wait };
  const isOfSettings = failure.kind === 'credentials' || failure.kind === 'no-fhir';
  if (failure.kind === 'address' || (isOfSettings && !failure.isPassing)) return undefined;
  return { kind: 'busy', ...wait, ...(isOfSettings && { why: failure.message }) };
}

export function refusedBeforeSending({ kind, message }: TransportFailure) {
  return { kind: 'refused', status: kind === 'credentials' ? 401 : 400, why: message } as const;
}

/** 202 is only a promise: the caller has to look. */
function storedOrUnknown(answer: FhirAnswer, sent: SentWrite): WriteAnswer {
  if (answer.status === 202) return { kind: 'unknown' };
  const where = whereabouts(answer, sent);
  if (where === undefined || isOfNobody(answer)) return { kind: 'unknown' };
  return { kind: 'stored', ...where, isNew: isNew(answer.status, sent) };
}

/** A page of a gateway, or a piece of something, with nothing that names a place or a version of FHIR's kind. */
function isOfNobody({ headers, body }: FhirAnswer): boolean {
  if (headers.has('location') || headers.has('content-location')) return false;
  if (body.kind === 'json') return textAt(body.json, 'resourceType') === undefined;
  return body.kind === 'unreadable' && (body.why === 'no JSON' || !headers.has('etag'));
}

export function isNew(status: number, { isConditional, reference }: SentWrite): boolean {
  return status === 201 || (reference === undefined && !isConditional);
}

function whereabouts(answer: FhirAnswer, { type, reference }: SentWrite): Whereabouts | undefined {
  const { headers } = answer;
  const body = fromResource(jsonOf(answer), type);
  const told =
    fromLocation(headers.get('location'), type) ?? fromLocation(headers.get('content-location'), type) ?? body;
  return combine({ reference, told, version: fromEtag(headers.get('etag')), body });
}

/** The places must not contradict each other: an update that landed somewhere else is nothing that was asked for. */
export function combine(parts: {
  readonly reference: string | undefined;
  readonly told: Whereabouts | undefined;
  /** By the ETag. */
  readonly version: string | undefined;
  readonly body: Whereabouts | undefined;
}): Whereabouts | undefined {
  const found = parts.told?.reference ?? parts.reference;
  if (found === undefined || (parts.reference !== undefined && found !== parts.reference)) return undefined;
  const fromBody = parts.body?.reference === found ? parts.body.version : undefined;
  const version = parts.version ?? parts.told?.version ?? fromBody;
  return { reference: found, ...(version !== undefined && { version }) };
}

function isTypeRefused(status: number, outcome: Outcome, { reference }: SentWrite): boolean {
  if (reference !== undefined) return false;
  // 404 may also be about something that the resource refers to, and is what is said where no EHR runs for a moment.
  if (status === 405 || status === 501 || (status === 404 && outcome.isFhir && !outcome.isAboutElement)) return true;
  return outcome.isUnsupportedAsSuch || outcome.isUnknownType;
}
