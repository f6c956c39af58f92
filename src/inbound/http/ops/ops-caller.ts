// Identifies the caller of /ops and admits it to an endpoint by the table of permissions. An unknown caller gets 401 for every path below /ops, so
// that the answer does not reveal which paths exist.
import type { Request, RequestHandler, Response } from 'express';
import { AppError } from '../../../domain/errors.ts';
import { type Access, type Caller, decideAccess } from '../../../domain/people/caller.ts';
import type { Permission } from '../../../domain/people/permissions.ts';
import type { IdentifyCaller } from '../../../flows/people/identify-caller.ts';
import { isFromOwnPage } from '../people/own-pages-only.ts';
import { sessionCookieOf } from '../people/session-cookie.ts';
import { bearerOf } from '../server/bearer.ts';
import type { RefusedKeys } from './refused-keys.ts';

type CallerParts = {
  readonly identifyCaller: IdentifyCaller;
  readonly refusedKeys: RefusedKeys;
  /** The origin of PUBLIC_URL, from which pages of the engine send their requests. */
  readonly ownOrigin: string;
};

/** Throws `unauthorized`, `authThrottled`, `forbidden`. After it, `callerOf` returns the caller. */
export function makeIdentify({ identifyCaller, refusedKeys, ownOrigin }: CallerParts): RequestHandler {
  return async (req, res, next) => {
    res.setHeader('cache-control', 'no-store');
    const [bearer, address] = [bearerOf(req), req.ip ?? ''];
    const cookie = bearer === '' ? sessionCookieOf(req) : undefined;
    if (cookie !== undefined && !isFromOwnPage(req, ownOrigin)) {
      throw new AppError('forbidden', 'A request with a cookie must come from a page of this engine');
    }
    const proof = { bearer, cookie, address };
    const caller = await identifyCaller(proof);
    if (caller === undefined) {
      if (bearer !== '') await refusedKeys.note(address, '/ops');
      throw unknownCaller();
    }
    res.locals['caller'] = caller;
    res.locals['identifyAgain'] = () => identifyCaller({ ...proof, isWatching: true });
    next();
  };
}

/** Throws `forbidden`; for the key of a reviewer `unauthorized`, as it has always been. After it, `accessOf` returns what is allowed. */
export function admit(req: Request, res: Response, permission: Permission): void {
  const caller = callerOf(res);
  const decision = decideAccess(caller, permission, req.query['brief'] === 'true');
  if (decision.kind === 'wrong-role') throw wrongRole(caller, decision.roles);
  if (decision.kind === 'not-by-token') {
    throw new AppError('forbidden', 'A person answers for this, no token: sign in (npm run cli -- login)');
  }
  if (decision.kind === 'no-purpose') throw noPurpose(caller);
  res.locals['access'] = decision.access;
  res.locals['permission'] = permission;
}

/** Whether the caller may still see the same runs here: for an answer that goes on and on. Throws what the stores throw. */
export async function isStillAdmitted(res: Response): Promise<boolean> {
  const identifyAgain: () => Promise<Caller | undefined> = res.locals['identifyAgain'];
  const caller = await identifyAgain();
  const decision = caller && decideAccess(caller, res.locals['permission'], true);
  return decision?.kind === 'allowed' && isSameScope(decision.access, accessOf(res));
}

function isSameScope({ runs: one }: Access, { runs: other }: Access): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export function callerOf(res: Response): Caller {
  return res.locals['caller'];
}

export function accessOf(res: Response): Access {
  return res.locals['access'];
}

/** For a path that does not exist. */
export function nothingHere(_req: Request, res: Response): never {
  if (callerOf(res).kind === 'reviewer-key') throw unknownCaller();
  throw new AppError('notFound', 'There is nothing here');
}

function unknownCaller(): AppError {
  return new AppError(
    'unauthorized',
    'The operator key is missing or wrong: send Authorization: Bearer <operator key>, or sign in',
  );
}

function wrongRole({ kind }: Caller, roles: readonly string[]): AppError {
  if (kind === 'reviewer-key') return unknownCaller();
  if (kind === 'lone-key') {
    const why = 'There is an admin now, so the operator key only makes admins: sign in (npm run cli -- login)';
    return new AppError('forbidden', why);
  }
  const needed = roles.length === 1 ? `the role ${roles[0]}` : `one of the roles ${roles.join(', ')}`;
  return new AppError('forbidden', `This needs ${needed}: an admin of the site gives it`);
}

function noPurpose({ kind }: Caller): AppError {
  const how =
    kind === 'token'
      ? 'this token was made without one (npm run cli -- tokens create --purpose)'
      : 'say why you read it: PUT /ops/me/purpose, or npm run cli -- purpose treatment';
  return new AppError('forbidden', `Patient data needs a purpose: ${how}`);
}
