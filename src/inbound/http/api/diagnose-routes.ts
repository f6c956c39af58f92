// The four diagnosis endpoints: POST /diagnose, POST /diagnose/stream, POST /diagnose/stream/files and
// GET /diagnose/stream/{sessionId}. See docs/service-interface.md.
import { type Request, Router } from 'express';
import {
  type Attachment,
  type AttachmentLimits,
  DIAGNOSE_LIMITS,
  STREAM_FILES_LIMITS,
} from '../../../domain/diagnosis/attachment.ts';
import { AppError } from '../../../domain/errors.ts';
import { present } from '../../../domain/present.ts';
import type { Diagnose } from '../../../flows/service/diagnose.ts';
import type { PrepareStream } from '../../../flows/service/prepare-stream.ts';
import type { DiagnosisRequest } from '../../../ports/reasoner.ts';
import { isMediaType } from '../body/content-type.ts';
import type { ReceiveAttachments } from '../body/form-files.ts';
import { JSON_BODY_LIMITS, readJsonBody } from '../body/json-body.ts';
import { validate } from '../body/validate.ts';
import type { ApiCall, LongCall, OperationResult } from '../server/api-call.ts';
import type { ApiOperation, AuthenticateKey } from '../server/api-operation.ts';
import type { AsyncRequests } from '../server/async-requests.ts';
import { diagnoseFields, streamBody } from './schemas.ts';
import type { StreamAnswer } from './stream-answer.ts';
import { sessionIdOf } from './stream-ticket.ts';

type DiagnoseRouteParts = {
  readonly apiOperation: ApiOperation;
  readonly asyncRequests: Pick<AsyncRequests, 'offer'>;
  /** By the key, or by the ticket of a prepared stream. */
  readonly authenticateStream: AuthenticateKey;
  readonly diagnose: Diagnose;
  readonly prepareStream: PrepareStream;
  readonly streamAnswer: StreamAnswer;
  readonly receiveAttachments: ReceiveAttachments;
};

/** `dispose` deletes the files of the request. */
type ReceivedRequest = { readonly request: DiagnosisRequest; readonly dispose: () => Promise<void> };

export function makeDiagnoseRouter(parts: DiagnoseRouteParts): Router {
  const { apiOperation, asyncRequests, diagnose, prepareStream, streamAnswer } = parts;
  const router = Router();

  async function receiveForm(call: LongCall, limits: AttachmentLimits): Promise<ReceivedRequest> {
    const { req, signal, caller } = call;
    const order = { organization: caller.organization, limits, signal };
    const { fields, attachments, dispose } = await parts.receiveAttachments(req, order);
    try {
      return { request: toRequest(call, Object.fromEntries(fields), attachments), dispose };
    } catch (thrown) {
      await dispose();
      throw thrown;
    }
  }

  async function receiveJson(call: LongCall): Promise<ReceivedRequest> {
    const body = await readJsonBody(call.req, { ...JSON_BODY_LIMITS, signal: call.signal });
    return { request: toRequest(call, body, []), dispose: async () => undefined };
  }

  router.post(
    '/diagnose',
    apiOperation(
      'diagnose',
      asyncRequests.offer('diagnose', async (call) => {
        const received = isJson(call.req) ? await receiveJson(call) : await receiveForm(call, DIAGNOSE_LIMITS);
        try {
          const { diagnosis, triage } = await diagnose({ request: received.request, meter: call.meter }, call.signal);
          return { kind: 'json', status: 200, body: { diagnosis, triage } };
        } finally {
          await received.dispose();
        }
      }),
    ),
  );

  router.post(
    '/diagnose/stream',
    apiOperation('diagnose-stream', async (call) => {
      requireEventStream(call.req);
      const body = validate(streamBody, await readJsonBody(call.req, { ...JSON_BODY_LIMITS, signal: call.signal }));
      call.describe({ language: body.language });
      const request = {
        clinicalHistory: body.clinical_history,
        language: body.language,
        attachments: [],
        organization: call.caller.organization,
      };
      return streamAnswer(call, { status: 201, request, beforeHeaders: async () => undefined });
    }),
  );

  router.post(
    '/diagnose/stream/files',
    apiOperation('prepare-stream', async (call) => {
      const { request, dispose } = await receiveForm(call, STREAM_FILES_LIMITS);
      try {
        return { kind: 'json', status: 201, body: await prepareStream.prepare({ caller: call.caller, request }) };
      } finally {
        await dispose();
      }
    }),
  );

  const connect = apiOperation('connect-stream', connectStream, parts.authenticateStream);
  async function connectStream(call: ApiCall): Promise<OperationResult> {
    requireEventStream(call.req);
    const stream = await prepareStream.claim({ caller: call.caller, sessionId: sessionIdOf(call.req) });
    try {
      const { clinicalHistory, language, attachments } = stream;
      call.describe({ language });
      const { organization } = call.caller;
      const request = present({ clinicalHistory, language, attachments, organization });
      return await streamAnswer(call, { status: 200, request, beforeHeaders: stream.markUsed });
    } finally {
      await stream.release();
    }
  }
  // Express would answer HEAD with the GET route, which would use up the session without an answer.
  router.get('/diagnose/stream/:sessionId', (req, res, next) =>
    req.method === 'HEAD' ? next() : connect(req, res, next),
  );

  return router;
}

function toRequest(call: LongCall, body: unknown, attachments: readonly Attachment[]): DiagnosisRequest {
  const fields = validate(diagnoseFields, body);
  call.describe({ language: fields.language });
  if (fields.clinical_history === undefined && attachments.length === 0) {
    throw new AppError('invalidRequest', 'clinical_history or at least one file in files is required');
  }
  const { clinical_history: clinicalHistory, language } = fields;
  return present({ clinicalHistory, language, attachments, organization: call.caller.organization });
}

function isJson(req: Request): boolean {
  if (isMediaType(req, 'application/json')) return true;
  if (isMediaType(req, 'multipart/form-data')) return false;
  throw new AppError('unsupportedMedia', 'Content-Type must be multipart/form-data or application/json');
}

/** An absent Accept header and a wildcard are accepted, because many clients send no Accept header of their own. */
function requireEventStream(req: Request): void {
  if (req.accepts('text/event-stream') === false) {
    throw new AppError('invalidRequest', 'Accept must allow text/event-stream: this endpoint answers with a stream');
  }
}
