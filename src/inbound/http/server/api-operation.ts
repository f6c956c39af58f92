// Wraps every endpoint that takes an API key: authentication, the limits of the plan, metering, the usage record, and one place
// that sends the answer or the failure.
import type { Request, RequestHandler, Response } from 'express';
import type { Caller } from '../../../domain/access/api-key.ts';
import { Meter, type Operation, type Outcome } from '../../../domain/access/usage.ts';
import { AppError, asAppError } from '../../../domain/errors.ts';
import type { Admission, AdmitRequest } from '../../../flows/service/admit-request.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import type { Usage } from '../../../ports/usage.ts';
import type { Handle, OperationResult, UsageFacts } from './api-call.ts';
import { watchClient } from './client-signal.ts';
import { type ErrorFamily, sendError, statusFor } from './error-response.ts';
import type { KeyedRequests } from './keyed-requests.ts';
import { requestIdOf } from './request-gate.ts';
import type { WrongKeyThrottle } from './wrong-keys.ts';

type ApiOperationParts = {
  readonly keyedRequests: Pick<KeyedRequests, 'answer'>;
  readonly admission: AdmitRequest;
  readonly usage: Usage;
  readonly runtime: Runtime;
  readonly wrongKeys: WrongKeyThrottle;
  readonly isStopping: () => boolean;
  readonly logger: Logger;
};

/** `authenticate`: for a path that takes more than the key of the header. */
export type ApiOperation = (operation: Operation, handle: Handle, authenticate?: AuthenticateKey) => RequestHandler;

/** Throws `unauthorized`, `authThrottled`. */
export type AuthenticateKey = (req: Request) => Promise<Caller>;

/** Several keys count as none: a proxy in front of the engine must not decide which one is used. */
export function makeAuthenticateKey({
  admission,
  wrongKeys,
}: Pick<ApiOperationParts, 'admission' | 'wrongKeys'>): AuthenticateKey {
  return async (req) => {
    const given = req.headersDistinct['x-api-key'] ?? [];
    try {
      return await admission.authenticate(given.length === 1 ? given[0] : undefined);
    } catch (thrown) {
      const error = asAppError(thrown);
      if (error.code === 'unauthorized' && given.length > 0) await wrongKeys.failed(req.ip ?? '');
      throw error;
    }
  };
}

function familyOf(operation: Operation): ErrorFamily {
  if (operation === 'upload-recording') return 'ehr';
  return isTranscription(operation) ? 'transcription' : 'diagnosis';
}

function isTranscription(operation: Operation): boolean {
  return operation === 'transcribe' || operation === 'transcribe-conversation';
}

export function makeApiOperation(parts: ApiOperationParts): ApiOperation {
  const { admission, usage, runtime, logger, keyedRequests } = parts;
  const authenticateKey = makeAuthenticateKey(parts);

  async function admit(
    req: Request,
    res: Response,
    operation: Operation,
    authenticate: AuthenticateKey,
  ): Promise<Caller> {
    if (parts.isStopping()) {
      throw new AppError('shuttingDown', 'The service is restarting; try again in a moment', { retryAfterSeconds: 5 });
    }
    const caller = await authenticate(req);
    const needsAudio = operation === 'upload-recording' || isTranscription(operation);
    const admitted = await admission.admit({ caller, needsAudio });
    setRateLimitHeaders(res, admitted);
    if (admitted.refusal) throw admitted.refusal;
    return caller;
  }

  return (operation, handle, authenticate = authenticateKey) => {
    const family = familyOf(operation);

    return async (req, res) => {
      // All that follows is about a patient.
      res.setHeader('cache-control', 'no-store');
      const startedAt = runtime.now();
      const startedMs = runtime.monotonicMs();
      const meter = new Meter();
      const client = watchClient(req, res);
      let caller: Caller | undefined;
      let facts: UsageFacts = {};

      const recordUsage = async (outcome: Outcome, status: number): Promise<void> => {
        if (caller === undefined) return;
        const { keyId, organization } = caller;
        try {
          await usage.record({
            requestId: requestIdOf(res),
            keyId,
            organization,
            operation,
            startedAt,
            durationMs: Math.round(runtime.monotonicMs() - startedMs),
            aiMs: Math.round(meter.aiMs),
            audioSeconds: meter.audioSeconds,
            outcome,
            status,
            ...facts,
          });
        } catch (thrown) {
          // A failure to record usage must not prevent the answer.
          logger.error('a usage record could not be stored', { requestId: requestIdOf(res), keyId, thrown });
        }
      };

      try {
        caller = await admit(req, res, operation, authenticate);
        const { signal, abort } = client;
        const describe = (more: UsageFacts): void => {
          facts = { ...facts, ...more };
        };
        const call = { req, res, caller, meter, signal, abort, describe };
        const answer = await keyedRequests.answer(call, operation, handle);
        if (answer.kind === 'stream') {
          await recordUsage(answer.outcome, answer.status);
          await answer.finish();
        } else {
          if (answer.isUsageLater !== true) await recordUsage('success', answer.status);
          sendJson(res, answer);
        }
      } catch (thrown) {
        const error = asAppError(thrown);
        if (error.code === 'internal') logger.error('a request failed', { requestId: requestIdOf(res), thrown });
        await recordUsage(error.code === 'cancelled' ? 'cancelled' : 'failure', statusFor(family, error.code));
        sendError(req, res, family, error);
      } finally {
        client.stop();
      }
    };
  };
}

function sendJson(res: Response, { status, headers = {}, body }: Extract<OperationResult, { kind: 'json' }>): void {
  // The client of a request with an Idempotency-Key may have left.
  if (res.destroyed) return;
  res.status(status).set(headers).json(body);
}

/** The headers follow the draft of the IETF httpapi working group: the policy, and the remaining requests. */
function setRateLimitHeaders(res: Response, { minute }: Admission): void {
  if (minute === undefined) return;
  res.setHeader('RateLimit-Policy', `"minute";q=${minute.limit};w=60`);
  res.setHeader('RateLimit', `"minute";r=${minute.remaining};t=${minute.resetSeconds}`);
}
