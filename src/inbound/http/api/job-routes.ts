// GET and DELETE /jobs/{id}: the answers to requests with `Prefer: respond-async`. Only the key that made a job can see it.
import { type Request, type RequestHandler, Router } from 'express';
import { type Job, jobPath } from '../../../domain/access/job.ts';
import { AppError, asAppError } from '../../../domain/errors.ts';
import { present } from '../../../domain/present.ts';
import type { RemoveJob } from '../../../flows/service/work-on-job.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Callbacks } from '../../../ports/callbacks.ts';
import type { Jobs } from '../../../ports/jobs.ts';
import type { AuthenticateKey } from '../server/api-operation.ts';
import { sendError } from '../server/error-response.ts';
import { requestIdOf } from '../server/request-gate.ts';

type JobRouteParts = {
  readonly jobs: Pick<Jobs, 'find'>;
  readonly callbacks: Pick<Callbacks, 'repeat'>;
  readonly removeJob: RemoveJob;
  readonly authenticateKey: AuthenticateKey;
  readonly logger: Logger;
};

/** After how long a client should look again. */
const LOOK_AGAIN_SECONDS = '2';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function makeJobRouter({ jobs, callbacks, removeJob, authenticateKey, logger }: JobRouteParts): Router {
  const router = Router();

  function answering(handle: RequestHandler): RequestHandler {
    return async (req, res, next) => {
      res.setHeader('cache-control', 'no-store');
      try {
        await handle(req, res, next);
      } catch (thrown) {
        const error = asAppError(thrown);
        if (error.code === 'internal') logger.error('a request failed', { requestId: requestIdOf(res), thrown });
        sendError(req, res, 'jobs', error);
      }
    };
  }

  router.get(
    '/jobs/:id',
    answering(async (req, res) => {
      const caller = await authenticateKey(req);
      const job = await jobs.find(idOf(req), caller);
      if (job === undefined) throw noJob();
      const { body, headers } = shownJob(job);
      res.set(headers).json(body);
    }),
  );

  router.delete(
    '/jobs/:id',
    answering(async (req, res) => {
      const caller = await authenticateKey(req);
      if (!(await removeJob(idOf(req), caller))) throw noJob();
      res.status(204).end();
    }),
  );

  router.post(
    '/jobs/:id/callback',
    answering(async (req, res) => {
      const caller = await authenticateKey(req);
      const id = idOf(req);
      if ((await jobs.find(id, caller)) === undefined) throw noJob();
      if (!(await callbacks.repeat(id, caller))) {
        throw new AppError('conflict', 'This job has not ended, or no call-back was asked for');
      }
      res.status(202).end();
    }),
  );

  return router;
}

export function shownJob(job: Job): { readonly body: object; readonly headers: Readonly<Record<string, string>> } {
  const { id, status, operation, createdAt, startedAt, endedAt, expiresAt, callback, result } = job;
  const body = present({
    id,
    status,
    operation,
    url: jobPath(id),
    createdAt,
    startedAt,
    endedAt,
    expiresAt,
    callback,
    result,
  });
  return { body, headers: endedAt === undefined ? { 'retry-after': LOOK_AGAIN_SECONDS } : {} };
}

function idOf(req: Request): string {
  const id = String(req.params['id']).toLowerCase();
  if (!UUID.test(id)) throw noJob();
  return id;
}

function noJob(): AppError {
  return new AppError('notFound', 'There is no such job: it never existed, was deleted, or is of another API key');
}
