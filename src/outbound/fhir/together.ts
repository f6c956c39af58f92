// Reads of several pieces of work in one request: as a batch Bundle if this EHR is proven to answer one rightly, else a few at a time.
// Each call in it answers as it would alone, because whatever a batch does not answer clearly is asked for alone.
import { makeSemaphore } from '../../domain/semaphore.ts';
import { settleAll } from '../../domain/settle-all.ts';
import type { Ehr, EhrReads } from '../../ports/ehr.ts';
import { type BatchTrust, type Exchange, isPage, makeBatchTrust } from './batch-trust.ts';
import type { ReadCapabilities } from './capabilities.ts';
import type { EhrCall, EhrCallResult } from './ehr-call.ts';
import type { FhirAnswer } from './fhir-answer.ts';
import type { SendRequest } from './fhir-client.ts';
import { type GatheredRequest, gather } from './gather.ts';
import { type BatchAnswers, batchOf, readBatch } from './read-batch.ts';
import type { RecallSearchFacts, SearchFacts } from './search-facts.ts';

type TogetherParts = {
  readonly call: EhrCall;
  /** Sends one read, again after a passing failure. */
  readonly send: SendRequest<FhirAnswer>;
  readonly readsOver: (send: SendRequest<FhirAnswer>) => EhrReads;
  readonly capabilities: ReadCapabilities;
  readonly recallFacts: RecallSearchFacts;
  readonly monotonicMs: () => number;
  readonly deadlineMs: number;
};

type Together = TogetherParts & { readonly trust: BatchTrust };

/** Beyond it servers refuse: Oracle takes 25. */
const MAX_ENTRIES = 20;
/** Single requests at a time, few to spare the EHR. */
const AT_A_TIME = 3;
/** The EHR was busy, or not reached: this says little about batches. */
const SHORT_MS = 60_000;
const LONG_MS = 600_000;
const BUSY_STATUSES: ReadonlySet<number> = new Set([401, 408, 423, 425, 429, 500, 502, 503, 504]);
const HEADERS = { accept: 'application/fhir+json', 'content-type': 'application/fhir+json' };

export function makeTogether(parts: TogetherParts): Ehr['together'] {
  const send = async (urls: readonly string[], signal: AbortSignal) => {
    const result = await sendBatch(parts, urls, signal);
    return result.kind === 'answer' ? result.answer : undefined;
  };
  const together: Together = { ...parts, trust: makeBatchTrust({ send, monotonicMs: parts.monotonicMs }) };
  return async (works, signal) => {
    const facts = await factsOf(parts, signal);
    const trust = together.trust.of(facts);
    // The types of the works, and so of their results, are those of the port.
    if (trust === 'proven') return (await inBatches(together, works, signal)) as never;
    const exchanges: Exchange[] = [];
    const { readsOver } = parts;
    const reads = readsOver(noted(fewAtATime(parts.send), exchanges));
    const results = await settleAll(works.map((work) => work(reads)));
    if (trust === 'unproven' && facts !== undefined) await together.trust.test(exchanges, facts, signal);
    return results as never;
  };
}

/** Undefined: nothing can be learned of this EHR now. */
async function factsOf(
  { capabilities, recallFacts }: TogetherParts,
  signal: AbortSignal,
): Promise<SearchFacts | undefined> {
  try {
    return await recallFacts((await capabilities(signal)).software);
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

async function inBatches<T>(
  together: Together,
  works: readonly ((reads: EhrReads) => Promise<T>)[],
  signal: AbortSignal,
): Promise<readonly T[]> {
  const alone = fewAtATime(together.send);
  const gathering = gather<FhirAnswer>(works.length, (requests) => void answerAll(requests));
  const answerAll = async (requests: readonly GatheredRequest<FhirAnswer>[]) => {
    for (let at = 0; at < requests.length; at += MAX_ENTRIES) {
      const some = requests.slice(at, at + MAX_ENTRIES);
      const answers = await askBatch(together, some, signal).catch(() => undefined);
      for (const [index, { request, what, resolve }] of some.entries()) {
        resolve(answers?.[index] ?? alone(request, what, signal));
      }
    }
  };
  const { readsOver } = together;
  const running = works.map((work, index) => {
    const reads = readsOver((request, what, during) => {
      const isAlone = isPage(request.url);
      return isAlone ? together.send(request, what, during) : gathering.sendOf(index)(request, what, during);
    });
    return work(reads).finally(() => gathering.leave(index));
  });
  return settleAll(running);
}

/** Undefined: each must be asked for alone. */
async function askBatch(
  together: Together,
  requests: readonly GatheredRequest<FhirAnswer>[],
  signal: AbortSignal,
): Promise<BatchAnswers | undefined> {
  // The batch before this one may have gone wrong.
  if (requests.length === 1 || together.trust.isSuspended()) return undefined;
  const urls = requests.map(({ request }) => request.url);
  const result = await sendBatch(together, urls, signal);
  const answers = result.kind === 'answer' ? readBatch(result.answer, urls) : undefined;
  if (answers === undefined) suspendAfter(together, result);
  return answers;
}

function suspendAfter({ trust }: Together, result: EhrCallResult): void {
  const isBusy = result.kind !== 'answer' || BUSY_STATUSES.has(result.answer.status);
  // A large chart is nothing that the server does wrong.
  if (result.kind === 'answer' && isTooLong(result.answer)) return;
  trust.suspend(isBusy ? SHORT_MS : LONG_MS);
}

function isTooLong({ body }: FhirAnswer): boolean {
  return body.kind === 'unreadable' && body.why === 'too long';
}

function sendBatch({ call, deadlineMs }: TogetherParts, urls: readonly string[], signal: AbortSignal) {
  return call({ method: 'POST', url: '', headers: HEADERS, body: batchOf(urls) }, { deadlineMs }, signal);
}

function fewAtATime(send: SendRequest<FhirAnswer>): SendRequest<FhirAnswer> {
  const turns = makeSemaphore(AT_A_TIME);
  return async (request, what, signal) => {
    const endTurn = await turns.take(signal);
    try {
      return await send(request, what, signal);
    } finally {
      endTurn();
    }
  };
}

function noted(send: SendRequest<FhirAnswer>, exchanges: Exchange[]): SendRequest<FhirAnswer> {
  return async (request, what, signal) => {
    const answer = await send(request, what, signal);
    exchanges.push({ url: request.url, answer });
    return answer;
  };
}
