// Authenticates the sender of a notification: an EHR by the secret of its subscription, an interface engine by its push secret.
// The body of an unknown sender is never parsed.
import type { Request } from 'express';
import { AppError } from '../../../domain/errors.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import type { LoadedSite } from '../../../ports/sites.ts';
import type { WrongKeyThrottle } from '../server/wrong-keys.ts';
import { type Credentials, isSignedBy, isTimely, readCredentials } from './ehr-signature.ts';

/** A way in which a site accepts notifications. Without a secret, they are accepted from this machine only. */
export type Entrance = { readonly source: 'subscription' | 'push'; readonly secret?: string };

/** Verifies a signature over the body, if the sender sent one. Throws like `AuthenticateSender`. */
export type IdentifySource = (bodies: readonly Uint8Array[]) => Promise<Entrance['source']>;

/** Runs before the body is read, and refuses a sender without valid credentials. Throws `unauthorized`, `authThrottled`. */
export type AuthenticateSender = (
  req: Request,
  site: LoadedSite,
  entrances: readonly Entrance[],
) => Promise<IdentifySource>;

type CheckSenderParts = {
  readonly runtime: Pick<Runtime, 'now' | 'digest' | 'isSameDigest'>;
  readonly wrongKeys: WrongKeyThrottle;
  readonly logger: Pick<Logger, 'warn'>;
};

/** The list is empty if the site accepts no notifications. */
export function entrancesOf({ settings }: LoadedSite): readonly Entrance[] {
  const { subscription, push } = settings.events;
  const entrance = (source: Entrance['source'], secret: string | undefined): Entrance =>
    secret === undefined || secret === '' ? { source } : { source, secret };
  return [
    ...(subscription === undefined || subscription.kind === 'none'
      ? []
      : [entrance('subscription', subscription.secret)]),
    ...(push === undefined ? [] : [entrance('push', push.secret)]),
  ];
}

export function makeAuthenticateSender({ runtime, wrongKeys, logger }: CheckSenderParts): AuthenticateSender {
  const isSame = (secret: string, given: string) => runtime.isSameDigest(runtime.digest(secret), runtime.digest(given));

  async function rejectCredentials(req: Request): Promise<never> {
    await wrongKeys.failed(req.ip ?? '');
    throw new AppError('unauthorized', 'The notification has no valid signature and no valid secret');
  }

  /** Serves an EHR on this machine, and tests of a site that is being set up. */
  function admitWithoutSecret(req: Request, site: LoadedSite, entrance: Entrance): IdentifySource {
    if (isFromThisMachine(req)) return async () => entrance.source;
    logger.warn(`a notification for ${site.name} was refused: events.${entrance.source}.secret is not set`);
    throw new AppError('unauthorized', 'The notification has no signature and no secret');
  }

  return async (req, site, entrances) => {
    const credentials = readCredentials(req);
    if (credentials === undefined) return rejectCredentials(req);
    const open = entrances.find(({ secret }) => secret === undefined);
    const isSilent = credentials.signatures.length === 0 && credentials.bearer === undefined;
    const hasSecrets = entrances.some(({ secret }) => secret !== undefined);
    if (open !== undefined && (isSilent || !hasSecrets)) return admitWithoutSecret(req, site, open);
    if (isSilent) throw new AppError('unauthorized', 'The notification has no signature and no secret');
    if (!isTimely(credentials, runtime.now())) {
      throw new AppError('unauthorized', 'The time of the notification is more than five minutes from now');
    }
    if (credentials.signatures.length > 0) {
      return async (bodies) => signer(entrances, credentials, bodies)?.source ?? rejectCredentials(req);
    }
    const { bearer = '' } = credentials;
    // All secrets are compared, so that the duration does not reveal which one is similar.
    const [match] = entrances.filter(({ secret }) => secret !== undefined && isSame(secret, bearer));
    return match === undefined ? rejectCredentials(req) : async () => match.source;
  };
}

function signer(entrances: readonly Entrance[], credentials: Credentials, bodies: readonly Uint8Array[]) {
  return entrances.find(({ secret }) => secret !== undefined && isSignedBy(secret, credentials, bodies));
}

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/;
/** Names of this machine for itself. A proxy that adds no headers often keeps the host name of the original request. */
const LOCAL_NAME = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
/** Headers of proxies, and of browsers, in which any page can send a request here. */
const FROM_ELSEWHERE = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via', 'origin', 'sec-fetch-site'] as const;

function isFromThisMachine({ socket, headers }: Request): boolean {
  const isNear = LOOPBACK.test(socket.remoteAddress ?? '') && LOCAL_NAME.test(headers.host ?? '');
  return isNear && FROM_ELSEWHERE.every((name) => headers[name] === undefined);
}
