// Interprets the answer to a transaction. An answer without the place of every entry proves nothing. Some servers run a transaction
// entry by entry without saying so: an entry that failed among others that did not makes it a mixed batch, whatever it is called.
import type { TransactionAnswer, WriteAnswer, WrittenEntry } from '../../ports/ehr.ts';
import {
  classifyWrite,
  combine,
  commonAnswer,
  commonFailure,
  isNew,
  refusedBeforeSending,
  type SentWrite,
} from './classify-write.ts';
import type { EhrCallResult } from './ehr-call.ts';
import { jsonOf } from './fhir-answer.ts';
import { type JsonObject, objectAt, objectsAt, parseJsonObject, textAt } from './json.ts';
import { readOutcome } from './outcome.ts';
import { fromEtag, fromLocation, fromResource, splitReference } from './references.ts';

export type SentEntry = SentWrite;

/** The requests of a frozen Bundle, in order. Never throws: an unreadable entry has no type, and no answer fits it. */
export function readEntries(bundle: string): readonly SentEntry[] {
  return objectsAt(parseJsonObject(bundle), 'entry').map((entry) => {
    const request = objectAt(entry, 'request');
    const reference = textAt(request, 'method') === 'PUT' ? (textAt(request, 'url') ?? '') : undefined;
    const isPlainUpdate = reference !== undefined && splitReference(reference) !== undefined;
    return {
      type: textAt(objectAt(entry, 'resource'), 'resourceType') ?? '',
      isConditional: textAt(request, 'ifNoneExist') !== undefined || (reference !== undefined && !isPlainUpdate),
      ...(isPlainUpdate && { reference }),
    };
  });
}

export function classifyTransaction(result: EhrCallResult, sent: readonly SentEntry[], now: Date): TransactionAnswer {
  if (result.kind === 'circuit-open') return { kind: 'busy', retryAfterMs: result.retryAfterMs };
  if (result.kind === 'failure') {
    return commonFailure(result.failure) ?? { ...refusedBeforeSending(result.failure), isTooLarge: false };
  }
  const { answer } = result;
  const { status } = answer;
  const outcome = readOutcome(answer, [...new Set(sent.map(({ type }) => type))]);
  const common = commonAnswer(answer, outcome, now);
  if (common) return common;
  if (status >= 200 && status < 300)
    return status === 202 ? { kind: 'unknown' } : readResponse(jsonOf(answer), sent, now);
  const isTooLarge = status === 413 || outcome.isTooLarge;
  return { kind: 'refused', status, isTooLarge, why: outcome.words || `status ${status}` };
}

function readResponse(bundle: JsonObject | undefined, sent: readonly SentEntry[], now: Date): TransactionAnswer {
  const type = textAt(bundle, 'type');
  const answered = bundle?.['entry'];
  const isBatch = type === 'batch-response';
  if (textAt(bundle, 'resourceType') !== 'Bundle' || (!isBatch && type !== 'transaction-response')) {
    return { kind: 'unknown' };
  }
  if (!Array.isArray(answered) || answered.length !== sent.length) return { kind: 'unknown' };
  const entries = objectsAt(bundle, 'entry').map((entry, index) => classifyEntry(entry, sent[index], now));
  if (entries.length !== sent.length) return { kind: 'unknown' };
  const stored = entries.filter((entry): entry is WrittenEntry => entry.kind === 'stored');
  if (stored.length === entries.length) return { kind: 'stored', entries: stored, wasBatch: isBatch };
  const hasRefused = entries.some(({ kind }) => kind !== 'stored' && kind !== 'unknown');
  // Success without a place is no half-done batch, only an incomplete answer.
  return hasRefused ? { kind: 'mixed', entries } : { kind: 'unknown' };
}

function classifyEntry(entry: JsonObject, sent: SentEntry | undefined, now: Date): WriteAnswer {
  const response = objectAt(entry, 'response');
  // `201`, and `201 Created`.
  const status = Number(/^\s*(\d{3})(?!\d)/.exec(textAt(response, 'status') ?? '')?.[1] ?? 0);
  if (sent === undefined || status === 0 || status === 202) return { kind: 'unknown' };
  if (status >= 200 && status < 300) {
    const body = fromResource(objectAt(entry, 'resource'), sent.type);
    const told = fromLocation(textAt(response, 'location'), sent.type) ?? body;
    const where = combine({ reference: sent.reference, told, version: fromEtag(textAt(response, 'etag')), body });
    return where ? { kind: 'stored', ...where, isNew: isNew(status, sent) } : { kind: 'unknown' };
  }
  const outcome = objectAt(response, 'outcome');
  const body = outcome ? ({ kind: 'json', json: outcome } as const) : ({ kind: 'empty' } as const);
  return classifyWrite({ kind: 'answer', answer: { status, headers: new Headers(), body } }, sent, now);
}
