// Who may see the state of the engine: every client, or only one with the operator key or the token for scrapers.
import type { RequestHandler } from 'express';
import { AppError } from '../../../domain/errors.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import type { RefusedKeys } from '../ops/refused-keys.ts';
import { bearerOf } from '../server/bearer.ts';

type GuardParts = {
  readonly isPublic: boolean;
  /** `runtime.digest` of each key that opens it. */
  readonly keyDigests: readonly Uint8Array[];
  readonly refusedKeys: RefusedKeys;
  readonly runtime: Pick<Runtime, 'digest' | 'isSameDigest'>;
};

/** Throws `unauthorized`, `authThrottled`. */
export function makeStatusGuard({ isPublic, keyDigests, refusedKeys, runtime }: GuardParts): RequestHandler {
  return async (req, res, next) => {
    if (isPublic) return next();
    res.setHeader('cache-control', 'no-store');
    const key = bearerOf(req);
    const digest = runtime.digest(key);
    if (keyDigests.some((known) => runtime.isSameDigest(digest, known))) return next();
    if (key !== '') await refusedKeys.note(req.ip ?? '', 'status');
    throw new AppError(
      'unauthorized',
      'The state of this engine is not public (PUBLIC_STATUS): send Authorization: Bearer <operator key or STATUS_TOKEN>',
    );
  };
}
