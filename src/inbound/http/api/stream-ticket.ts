// Authenticates who opens a prepared stream: by the key, or by the ticket in the address that was made for one stream. A ticket is used
// instead of a key only if there is no key, and it is never logged: logs have the template of a path.
import type { Request } from 'express';
import type { Caller } from '../../../domain/access/api-key.ts';
import { AppError, asAppError } from '../../../domain/errors.ts';
import type { AdmitRequest } from '../../../flows/service/admit-request.ts';
import type { PrepareStream } from '../../../flows/service/prepare-stream.ts';
import type { AuthenticateKey } from '../server/api-operation.ts';
import type { WrongKeyThrottle } from '../server/wrong-keys.ts';

type Parts = {
  readonly authenticateKey: AuthenticateKey;
  readonly admission: Pick<AdmitRequest, 'callerOf'>;
  readonly prepareStream: Pick<PrepareStream, 'redeem'>;
  readonly wrongKeys: WrongKeyThrottle;
};

const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Throws `notFound` for what cannot be the id of a session. */
export function sessionIdOf(req: Request): string {
  const sessionId = String(req.params['sessionId']);
  if (!SESSION_ID.test(sessionId)) throw new AppError('notFound', 'There is no such stream session');
  return sessionId;
}

export function makeAuthenticateStream({ authenticateKey, admission, prepareStream, wrongKeys }: Parts) {
  return async (req: Request): Promise<Caller> => {
    const { ticket } = req.query;
    if (typeof ticket !== 'string' || req.headers['x-api-key'] !== undefined) return authenticateKey(req);
    try {
      return await admission.callerOf(await prepareStream.redeem({ sessionId: sessionIdOf(req), ticket }));
    } catch (thrown) {
      const error = asAppError(thrown);
      if (error.code === 'unauthorized') await wrongKeys.failed(req.ip ?? '');
      throw error;
    }
  };
}
