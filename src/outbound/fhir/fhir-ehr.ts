// One site's EHR: reads are repeated after a failure, writes are sent once and their answers are interpreted exactly. Foreign failures
// become errors of the engine here.
import { makeSemaphore } from '../../domain/semaphore.ts';
import type {
  CreateOrder,
  Ehr,
  EhrReads,
  SearchAnswer,
  StoredResource,
  UpdateOrder,
  WriteAnswer,
} from '../../ports/ehr.ts';
import type { EhrKnowledge } from '../../ports/ehr-knowledge.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { makeReadCapabilities } from './capabilities.ts';
import { classifyTransaction, readEntries } from './classify-transaction.ts';
import { classifyWrite } from './classify-write.ts';
import { type EhrCallResult, makeEhrCall } from './ehr-call.ts';
import { fromRefusal, unreadable } from './ehr-errors.ts';
import { makeEhrReader } from './ehr-reader.ts';
import { makeEhrSearch } from './ehr-search.ts';
import { type FhirAnswer, jsonOf } from './fhir-answer.ts';
import { type FhirClient, makeFhirClient, type SendRequest } from './fhir-client.ts';
import { findWritten } from './find.ts';
import { makeAsk } from './instance-operation.ts';
import { textAt } from './json.ts';
import { asStored, splitReference } from './references.ts';
import { makeSearchFacts } from './search-facts.ts';
import { makeTogether } from './together.ts';
import type { EhrTransport } from './transport.ts';

export type EhrRuntime = Pick<Runtime, 'now' | 'monotonicMs' | 'pause' | 'chance'>;

/** Limits of one call, including retries and the body. */
export type EhrLimits = {
  readonly readMs: number;
  readonly writeMs: number;
  readonly transactionMs: number;
  readonly maxAnswerBytes: number;
};

export type FhirEhrParts = {
  readonly site: string;
  readonly baseUrl: string;
  readonly maxConcurrentWrites: number;
  readonly transport: EhrTransport;
  readonly knowledge: EhrKnowledge;
  readonly runtime: EhrRuntime;
  readonly openRecording: Ehr['openRecording'];
  readonly limits: EhrLimits;
};

type Tools = {
  readonly site: string;
  /** Repeats a request after a passing failure. */
  readonly reads: FhirClient<FhirAnswer>;
  /** Sends once. */
  readonly writes: FhirClient<EhrCallResult>;
  readonly now: () => Date;
};

export function makeFhirEhr(parts: FhirEhrParts): Ehr {
  const { site, runtime, limits } = parts;
  const { monotonicMs, now } = runtime;
  const { maxAnswerBytes, readMs, writeMs, transactionMs } = limits;
  const call = makeEhrCall({ transport: parts.transport, now, monotonicMs, maxAnswerBytes });
  const once = (deadlineMs: number) =>
    makeFhirClient(parts.baseUrl, (request, _what, signal) => call(request, { deadlineMs }, signal));
  const send = makeEhrReader({ site, call, runtime, deadlineMs: readMs });
  const reads = makeFhirClient(parts.baseUrl, send);
  const [writes, transactions] = [once(writeMs), once(transactionMs)];
  const tools: Tools = { site, reads, writes, now };
  const capabilities = makeReadCapabilities({ reads, monotonicMs });
  const recallFacts = makeSearchFacts({ site, knowledge: parts.knowledge, monotonicMs });
  const readsOver = (sendRead: SendRequest<FhirAnswer>): EhrReads => {
    const client = makeFhirClient(parts.baseUrl, sendRead);
    const search = makeEhrSearch({ site, reads: client, monotonicMs });
    return {
      capabilities,
      read: (reference, signal) => readOne({ site, reads: client }, reference, signal),
      async search({ type, parameters, maxResources }, signal): Promise<SearchAnswer> {
        const result = await search({ type, parameters, maxResources }, signal);
        if (result.kind === 'refused') throw fromRefusal({ site, what: type }, result.answer);
        return { resources: result.resources, isComplete: result.isComplete };
      },
      find: (order, signal) => findWritten({ site, capabilities, search, recallFacts }, order, signal),
    };
  };
  return {
    ...readsOver(send),
    together: makeTogether({ call, send, readsOver, capabilities, recallFacts, monotonicMs, deadlineMs: readMs }),
    ask: makeAsk({ site, reads }),
    withWriteSlot: makeInTurn(parts.maxConcurrentWrites),
    create: (order, signal) => create(tools, order, signal),
    update: (order, signal) => update(tools, order, signal),
    async remove(reference, signal) {
      const answer = await reads.remove(reference, signal);
      // 202 is only a promise.
      return answer.status === 200 || answer.status === 204 || isGone(answer);
    },
    async transact(bundle, signal) {
      const result = await transactions.transact(bundle, signal);
      return classifyTransaction(result, readEntries(bundle), now());
    },
    openRecording: parts.openRecording,
  };
}

async function readOne(
  { site, reads }: Pick<Tools, 'site' | 'reads'>,
  reference: string,
  signal: AbortSignal,
): Promise<StoredResource | undefined> {
  const type = typeOf(reference);
  const about = { site, what: type };
  const answer = await reads.read(reference, signal);
  if (isGone(answer)) return undefined;
  if (answer.status === 404 && !isOfFhir(answer)) throw unreadable(about, 'a 404 that is not of FHIR');
  if (answer.status >= 300) throw fromRefusal(about, answer);
  const stored = asStored(jsonOf(answer), type);
  if (stored === undefined || stored.reference !== reference) throw unreadable(about, whyUnusable(answer));
  return stored;
}

function isGone(answer: FhirAnswer): boolean {
  return answer.status === 410 || (answer.status === 404 && isOfFhir(answer));
}

/** True also for an empty answer. A gateway whose EHR is down answers 404 too: that does not mean that a resource is gone. */
function isOfFhir(answer: FhirAnswer): boolean {
  return answer.body.kind === 'empty' || textAt(jsonOf(answer), 'resourceType') !== undefined;
}

async function create(tools: Tools, order: CreateOrder, signal: AbortSignal): Promise<WriteAnswer> {
  const result = await tools.writes.create(order, signal);
  const isConditional = order.ifNoneExist !== undefined;
  return classifyWrite(result, { type: order.type, isConditional }, tools.now());
}

async function update(tools: Tools, order: UpdateOrder, signal: AbortSignal): Promise<WriteAnswer> {
  const { reference, ifMatch } = order;
  const result = await tools.writes.update(order, signal);
  const answer = classifyWrite(result, { type: typeOf(reference), reference, isConditional: false }, tools.now());
  if (ifMatch === undefined || result.kind !== 'answer' || result.answer.status !== 409) return answer;
  // Some servers answer 409 instead of 412 to a version conflict: sent again, it would be 409 for ever.
  const stored = await readOne(tools, reference, signal).catch(() => undefined);
  signal.throwIfAborted();
  return stored?.version !== undefined && stored.version !== ifMatch ? { kind: 'conflict' } : answer;
}

function makeInTurn(maxConcurrentWrites: number): Ehr['withWriteSlot'] {
  const turns = makeSemaphore(maxConcurrentWrites);
  return async (work, signal) => {
    const endTurn = await turns.take(signal);
    try {
      return await work();
    } finally {
      endTurn();
    }
  };
}

function whyUnusable({ body }: FhirAnswer): string {
  if (body.kind === 'unreadable') return body.why;
  return body.kind === 'empty' ? 'it is empty' : 'it is another resource';
}

function typeOf(reference: string): string {
  return splitReference(reference)?.type ?? '';
}
