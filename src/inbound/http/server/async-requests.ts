// Requests with `Prefer: respond-async`: the body is stored, the client gets 202 with a job, and any engine works on it with the same handler that
// answers a client that waits.
import type { Request } from 'express';
import { isAllowedCallback } from '../../../domain/access/callback.ts';
import { readIdempotencyKey } from '../../../domain/access/idempotency-key.ts';
import { type Job, type JobResult, jobPath, type LongOperation } from '../../../domain/access/job.ts';
import { Meter } from '../../../domain/access/usage.ts';
import { AppError, asAppError } from '../../../domain/errors.ts';
import { MAX_RECORDING_BYTES } from '../../../domain/recording/recording.ts';
import type { AdmitRequest } from '../../../flows/service/admit-request.ts';
import type { AnswerJob } from '../../../flows/service/work-on-job.ts';
import type { Callbacks } from '../../../ports/callbacks.ts';
import type { Jobs } from '../../../ports/jobs.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import { shownJob } from '../api/job-routes.ts';
import { preferenceOf } from '../api/prefer.ts';
import { sharePrint } from '../body/body-print.ts';
import { isMediaType } from '../body/content-type.ts';
import { IncomingBody } from '../body/incoming-body.ts';
import { JSON_BODY_LIMITS } from '../body/json-body.ts';
import { FORM_OVERHEAD_BYTES, FORM_PACE } from '../body/multipart.ts';
import { MAX_FORM_BYTES, printBody, readThrough } from '../body/print-body.ts';
import type { UploadSlots } from '../body/upload-slots.ts';
import type { ApiCall, Handle, JsonResult, LongHandle, UsageFacts } from './api-call.ts';
import { errorBody, statusFor } from './error-response.ts';
import { requestIdOf } from './request-gate.ts';
import { headersToStore, makeStoredRequest } from './stored-request.ts';

type AsyncParts = {
  readonly jobs: Jobs;
  readonly callbacks: Pick<Callbacks, 'find'>;
  readonly runtime: Pick<Runtime, 'makeUuid'>;
  readonly admission: Pick<AdmitRequest, 'callerOf'>;
  readonly slots: UploadSlots;
  readonly onQueued: () => void;
};

type Wanted = { readonly clientKey: string | undefined; readonly callbackUrl: string | undefined };

export type AsyncRequests = {
  /** The handler, for clients that wait and for those that do not. */
  readonly offer: (operation: LongOperation, handle: LongHandle) => Handle;
  /** Works on a stored request. Throws `shuttingDown`, and the signal's reason. */
  readonly answerJob: AnswerJob;
};

const RESPOND_ASYNC = 'respond-async';

export function makeAsyncRequests(parts: AsyncParts): AsyncRequests {
  const { jobs, callbacks, runtime, admission, slots, onQueued } = parts;
  const handles = new Map<LongOperation, LongHandle>();

  /** The same key and body made a job before, and the engine ended before its answer was kept. */
  async function jobOfKey(call: ApiCall, clientKey: string): Promise<Job | undefined> {
    const known = await jobs.findByKey(call.caller, clientKey);
    if (known === undefined) return undefined;
    if ((await printBody(call.req, call.signal)) === known.bodyDigest) return known.job;
    throw new AppError('keyReused', 'This Idempotency-Key was used with another request');
  }

  async function callbackOf({ req, caller }: ApiCall): Promise<string | undefined> {
    const given = req.headersDistinct['callback-url'];
    if (given === undefined) return undefined;
    const origins = (await callbacks.find(caller.keyId))?.origins ?? [];
    const [url = ''] = given;
    if (given.length === 1 && isAllowedCallback(url, origins)) return url;
    throw new AppError(
      'invalidRequest',
      'Callback-Url must be one address at an origin that the operator has allowed for this key',
    );
  }

  async function queue(call: ApiCall, operation: LongOperation): Promise<JsonResult> {
    requireType(call.req, operation);
    const callbackUrl = await callbackOf(call);
    const clientKey = readIdempotencyKey(call.req.headers['idempotency-key']?.toString() ?? '');
    const known = clientKey === undefined ? undefined : await jobOfKey(call, clientKey);
    if (known !== undefined) return accepted(known);
    await jobs.ensureRoom(call.caller);
    const leave = await slots.enter(call.caller.organization, call.signal);
    try {
      return accepted(await store(call, operation, { clientKey, callbackUrl }));
    } finally {
      leave();
    }
  }

  async function store(call: ApiCall, operation: LongOperation, { clientKey, callbackUrl }: Wanted): Promise<Job> {
    const { req, res, caller, signal } = call;
    const id = runtime.makeUuid();
    const headers = headersToStore(req);
    const body = bytesOf(req, operation, signal);
    const open = await jobs.receive({ id, caller, operation, requestId: requestIdOf(res), clientKey }, body);
    try {
      // A body that no handler can read is refused now.
      const stored = makeStoredRequest(headers, open);
      const print = sharePrint(req, stored);
      await readThrough(stored, signal);
      if (!(await jobs.queue(id, { headers, bodyDigest: print?.digest, callbackUrl }))) throw sameKeyAtOnce();
    } catch (thrown) {
      await jobs.discard(id).catch(() => undefined);
      throw thrown;
    }
    onQueued();
    const job = await jobs.find(id, caller);
    if (job === undefined) throw new AppError('internal', 'A job vanished after it was stored');
    return job;
  }

  return {
    offer(operation, handle) {
      handles.set(operation, handle);
      return (call) => {
        const isAsked = preferenceOf(call.req.get('prefer'), RESPOND_ASYNC) !== undefined;
        return isAsked ? queue(call, operation) : handle(call);
      };
    },

    async answerJob({ operation, keyId, request, open }, signal) {
      const meter = new Meter();
      const ending = new AbortController();
      let facts: UsageFacts = {};
      const answered = (result: JobResult) => ({ result, usage: { ...facts, ...meter } });
      try {
        const handle = handles.get(operation);
        if (handle === undefined) throw new AppError('internal', 'No handler has the operation of a job');
        const { status, headers, body } = await handle({
          req: makeStoredRequest(request.headers, open),
          caller: await admission.callerOf(keyId),
          meter,
          signal: AbortSignal.any([signal, ending.signal]),
          abort: (reason) => ending.abort(reason),
          describe: (more) => {
            facts = { ...facts, ...more };
          },
        });
        return answered({ status, headers, body });
      } catch (thrown) {
        signal.throwIfAborted();
        const error = asAppError(thrown);
        if (error.code === 'cancelled' || error.code === 'shuttingDown') throw error;
        const status = statusFor(operation === 'diagnose' ? 'diagnosis' : 'transcription', error.code);
        return { ...answered({ status, body: errorBody(status, error) }), failure: error };
      }
    },
  };
}

/** The same refusal as of a client that waits, before the body is read. */
function requireType(req: Request, operation: LongOperation): void {
  if (isMediaType(req, 'multipart/form-data')) return;
  if (operation === 'diagnose' && isMediaType(req, 'application/json')) return;
  const orJson = operation === 'diagnose' ? ' or application/json' : '';
  throw new AppError('unsupportedMedia', `The Content-Type must be multipart/form-data${orJson}`);
}

async function* bytesOf(req: Request, operation: LongOperation, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const form = operation === 'diagnose' ? MAX_FORM_BYTES : MAX_RECORDING_BYTES + FORM_OVERHEAD_BYTES;
  const maxBytes = isMediaType(req, 'application/json') ? JSON_BODY_LIMITS.limitBytes : form;
  const body = new IncomingBody(req, { ...FORM_PACE, maxBytes }, signal);
  try {
    for (let bytes = await body.next(); bytes !== undefined; bytes = await body.next()) yield bytes;
  } finally {
    body.release();
  }
}

function accepted(job: Job): JsonResult {
  const { body, headers } = shownJob(job);
  return {
    kind: 'json',
    status: 202,
    headers: { ...headers, location: jobPath(job.id), 'preference-applied': RESPOND_ASYNC },
    body,
    isUsageLater: true,
  };
}

function sameKeyAtOnce(): AppError {
  return new AppError('overloaded', 'Another request with this Idempotency-Key came at the same time', {
    retryAfterSeconds: 1,
  });
}
