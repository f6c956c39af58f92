// Requests with an Idempotency-Key: the first is worked on, also after its client has left, and its answer is kept; another with the same key and body
// gets that answer. While the first is worked on, others wait without reading their bodies, so that each of them can still do the work itself.
import type { Request } from 'express';
import { IDEMPOTENCY_KEY_RULE, readIdempotencyKey } from '../../../domain/access/idempotency-key.ts';
import type { Operation } from '../../../domain/access/usage.ts';
import { AppError, asAppError } from '../../../domain/errors.ts';
import type { AnswerOnce, Turn } from '../../../flows/service/answer-once.ts';
import type { KeptAnswer } from '../../../ports/keyed-answers.ts';
import { startPrint } from '../body/body-print.ts';
import { printBody } from '../body/print-body.ts';
import type { ApiCall, Handle, OperationResult } from './api-call.ts';
import { EVENT_STREAM_LIMITS, EventStream } from './event-stream.ts';
import { readKept, writeKept, writeKeptFailure } from './kept-result.ts';

/** `refused`: the key was used with another request. */
export type KeyedOutcome = 'kept' | 'not-kept' | 'repeated' | 'refused';

type KeyedParts = {
  readonly answerOnce: AnswerOnce;
  readonly onEnded: (outcome: KeyedOutcome) => void;
};

export type KeyedRequests = {
  /** Answers a request that may have a key. Throws `invalidRequest` for a malformed one, `keyReused`, and what the handler throws. */
  readonly answer: (call: ApiCall, operation: Operation, handle: Handle) => Promise<OperationResult>;
  /** Ends the work of clients that have left; resolves when their keys are free again. */
  readonly stop: (reason: AppError) => Promise<void>;
};

type Mine = Extract<Turn, { readonly kind: 'mine' }>;

/** The header of an answer that was given before. */
const REPEATED_HEADER = 'idempotent-replayed';
const KEYED_OPERATIONS: readonly Operation[] = [
  'diagnose',
  'diagnose-stream',
  'prepare-stream',
  'transcribe',
  'transcribe-conversation',
];

export function makeKeyedRequests({ answerOnce, onEnded }: KeyedParts): KeyedRequests {
  const working = new Map<Promise<unknown>, AbortController>();

  async function work(call: ApiCall, handle: Handle, turn: Mine): Promise<OperationResult> {
    const print = startPrint(call.req);
    const end = async (answer: string | undefined): Promise<void> => {
      const bodyDigest = print.digest;
      const isKept = answer !== undefined && bodyDigest !== undefined && (await turn.keep({ answer, bodyDigest }));
      if (!isKept) await turn.release();
      onEnded(isKept ? 'kept' : 'not-kept');
    };
    try {
      const result = await handle(call);
      await end(writeKept(result));
      return result;
    } catch (thrown) {
      await end(writeKeptFailure(asAppError(thrown)));
      throw thrown;
    }
  }

  /** The work goes on when the client leaves: it comes again with the same key. */
  async function workToTheEnd(call: ApiCall, handle: Handle, turn: Mine): Promise<OperationResult> {
    const ending = new AbortController();
    const lasting: ApiCall = { ...call, signal: ending.signal, abort: (reason) => ending.abort(reason) };
    const done = work(lasting, handle, turn);
    const settled = done.then(
      () => undefined,
      () => undefined,
    );
    working.set(settled, ending);
    try {
      return await done;
    } finally {
      working.delete(settled);
    }
  }

  async function repeat(call: ApiCall, operation: Operation, kept: KeptAnswer): Promise<OperationResult> {
    if (operation !== kept.operation || (await printBody(call.req, call.signal)) !== kept.bodyDigest) {
      onEnded('refused');
      throw new AppError('keyReused', 'This Idempotency-Key was used with another request');
    }
    onEnded('repeated');
    call.res.setHeader(REPEATED_HEADER, 'true');
    const result = readKept(kept.answer);
    if (result.kind === 'json') return result;
    if (result.kind === 'stream') return repeatStream(call, result.status, result.final);
    const { code, message, details } = result;
    throw new AppError(code, message, details === undefined ? {} : { details });
  }

  return {
    async answer(call, operation, handle) {
      const clientKey = KEYED_OPERATIONS.includes(operation) ? keyOf(call.req) : undefined;
      if (clientKey === undefined) return handle(call);
      const place = { keyId: call.caller.keyId, clientKey };
      const turn = await answerOnce({ place, operation }, call.signal);
      return turn.kind === 'mine' ? workToTheEnd(call, handle, turn) : repeat(call, operation, turn.kept);
    },
    async stop(reason) {
      for (const ending of working.values()) ending.abort(reason);
      await Promise.all(working.keys());
    },
  };
}

function keyOf(req: Request): string | undefined {
  const given = req.headersDistinct['idempotency-key'];
  if (given === undefined) return undefined;
  const key = given.length === 1 ? readIdempotencyKey(given[0] ?? '') : undefined;
  if (key === undefined) throw new AppError('invalidRequest', IDEMPOTENCY_KEY_RULE);
  return key;
}

/** The first stream had partial events too; its last one is complete. */
function repeatStream({ res }: ApiCall, status: 200 | 201, final: object): OperationResult {
  const beforeHeaders = async (): Promise<void> => undefined;
  const events = new EventStream({ res, status, beforeHeaders, limits: EVENT_STREAM_LIMITS });
  return { kind: 'stream', status, outcome: 'success', final, finish: () => events.end('final', final) };
}
