// Who sends a notification: an EHR by its subscription's secret, an interface engine by its own. Whoever names no good secret is nobody,
// and what they send is read by nobody.
import type { Request } from 'express';
import { AppError } from '../../../domain/errors.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import type { LoadedSite } from '../../../ports/sites.ts';
import type { WrongKeyThrottle } from '../server/wrong-keys.ts';
import { type Credentials, isSignedBy, isTimely, readCredentials } from './ehr-signature.ts';

/** A way in which a site takes notifications. Without a secret: only from this machine. */
export type Entrance = { readonly source: 'subscription' | 'push'; readonly secret?: string };

/** By the bytes, where only they can tell. Throws like `CheckSender`. */
export type IdentifySource = (bodies: readonly Uint8Array[]) => Promise<Entrance['source']>;

/** Before the body is read: whoever cannot be anybody is refused here. Throws `unauthorized`, `authThrottled`. */
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

/** None: the site takes no notifications. */
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
  const knows = (secret: string, given: string) => runtime.isSameDigest(runtime.digest(secret), runtime.digest(given));

  async function refuseWrong(req: Request): Promise<never> {
    await wrongKeys.failed(req.ip ?? '');
    throw new AppError('unauthorized', 'The notification has no good signature and no good secret');
  }

  /** For a sandbox and for tests of a site that is being set up. */
  function letInUnknown(req: Request, site: LoadedSite, entrance: Entrance): IdentifySource {
    if (isFromThisMachine(req)) return async () => entrance.source;
    logger.warn(`a notification for ${site.name} was refused: events.${entrance.source}.secret is not set`);
    throw new AppError('unauthorized', 'The notification has no signature and no secret');
  }

  return async (req, site, entrances) => {
    const credentials = readCredentials(req);
    if (credentials === undefined) return refuseWrong(req);
    const open = entrances.find(({ secret }) => secret === undefined);
    const isSilent = credentials.signatures.length === 0 && credentials.bearer === undefined;
    const hasSecrets = entrances.some(({ secret }) => secret !== undefined);
    if (open !== undefined && (isSilent || !hasSecrets)) return letInUnknown(req, site, open);
    if (isSilent) throw new AppError('unauthorized', 'The notification has no signature and no secret');
    if (!isTimely(credentials, runtime.now())) {
      throw new AppError('unauthorized', 'The time that the notification gives is more than five minutes from now');
    }
    if (credentials.signatures.length > 0) {
      return async (bodies) => signer(entrances, credentials, bodies)?.source ?? refuseWrong(req);
    }
    const { bearer = '' } = credentials;
    // All are compared, so that the time does not tell which of them came near.
    const [known] = entrances.filter(({ secret }) => secret !== undefined && knows(secret, bearer));
    return known === undefined ? refuseWrong(req) : async () => known.source;
  };
}

function signer(entrances: readonly Entrance[], credentials: Credentials, bodies: readonly Uint8Array[]) {
  return entrances.find(({ secret }) => secret !== undefined && isSignedBy(secret, credentials, bodies));
}

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/;
/** What somebody on this machine calls it. A proxy that says nothing of itself often keeps the name that was asked for elsewhere. */
const LOCAL_NAME = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
/** Of somebody who passes requests on, and of a browser, which any page may send here. */
const FROM_ELSEWHERE = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via', 'origin', 'sec-fetch-site'] as const;

function isFromThisMachine({ socket, headers }: Request): boolean {
  const isNear = LOOPBACK.test(socket.remoteAddress ?? '') && LOCAL_NAME.test(headers.host ?? '');
  return isNear && FROM_ELSEWHERE.every((name) => headers[name] === undefined);
}
