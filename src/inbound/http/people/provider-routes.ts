// Sign-in by the identity provider, and the logout that it asks for.
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { AppError, asAppError, type ErrorCode } from '../../../domain/errors.ts';
import type { EndByProvider } from '../../../flows/people/end-by-provider.ts';
import type { SignInProvider } from '../../../flows/people/sign-in-provider.ts';
import { randomSecret } from '../../../flows/random-names.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import { readFormBody } from '../body/form-body.ts';
import { forClient } from '../server/client-signal.ts';
import { statusFor } from '../server/error-response.ts';
import { attemptCookieOf, clearAttemptCookie, setAttemptCookie } from './attempt-cookie.ts';
import { ownPathOf } from './own-path.ts';
import type { PersonDoor } from './person-door.ts';
import { setPersonHeaders } from './person-page.ts';
import type { RefusedSignIns } from './refused-sign-ins.ts';

export type ProviderRouteParts = {
  readonly door: PersonDoor;
  readonly signInProvider: SignInProvider | undefined;
  readonly endByProvider: EndByProvider | undefined;
  readonly refused: RefusedSignIns;
  readonly runtime: Pick<Runtime, 'makeSecret'>;
};

/** Failures that say something about who signs in, and not about the provider's or the engine's state. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(['unauthorized', 'forbidden', 'conflict', 'invalidRequest']);

export function makeProviderRouter({
  door,
  signInProvider,
  endByProvider,
  refused,
  runtime,
}: ProviderRouteParts): Router {
  const router = Router({ strict: true });
  const configured = (): SignInProvider => {
    if (signInProvider !== undefined) return signInProvider;
    throw new AppError('notFound', 'This engine has no identity provider (OIDC_ISSUER)');
  };

  router.get('/sign-in/provider', async (req, res) => {
    const browser = randomSecret(runtime);
    const address = await configured().begin({ browser, returnTo: ownPathOf(req.query['return'], door.base) });
    setAttemptCookie(res, browser);
    door.goTo(res, address);
  });

  router.get('/sign-in/provider/callback', async (req, res) => {
    const provider = configured();
    const address = req.ip ?? '';
    const browser = attemptCookieOf(req);
    clearAttemptCookie(res);
    try {
      const order = { query: queryOf(req), browser, address, agent: req.headers['user-agent'] };
      const { returnTo, ...opened } = await provider.finish(order);
      await door.enter(req, res, opened);
      door.goTo(res, returnTo);
    } catch (thrown) {
      if (REFUSALS.has(asAppError(thrown).code)) await refused.note(address, 'provider');
      throw thrown;
    }
  });

  router.get('/sign-in/provider/end', async (_req, res) => {
    door.goTo(res, (await configured().logoutAddress()) ?? `${door.base}/sign-in`);
  });

  router.post('/sign-in/provider/logout', makeLogout({ endByProvider, refused }));
  return router;
}

/** A server calls it, and no browser: it has no cookie, and its answer is for machines (OpenID Connect Back-Channel Logout, section 2.8). */
function makeLogout({ endByProvider, refused }: Pick<ProviderRouteParts, 'endByProvider' | 'refused'>): RequestHandler {
  const end = async (req: Request, res: Response): Promise<void> => {
    if (endByProvider === undefined) throw new AppError('notFound', 'This engine has no identity provider');
    const fields = await forClient(req, res, (signal) => readFormBody(req, signal));
    await endByProvider({ token: fields['logout_token'] ?? '', address: req.ip ?? '' });
  };
  return async (req, res) => {
    setPersonHeaders(res);
    try {
      await end(req, res);
      res.status(200).end();
    } catch (thrown) {
      const error = asAppError(thrown);
      if (error.code === 'cancelled') throw thrown;
      if (REFUSALS.has(error.code)) await refused.note(req.ip ?? '', 'provider-logout');
      const status = REFUSALS.has(error.code) ? 400 : statusFor('ops', error.code);
      res.status(status).json({ error: status === 400 ? 'invalid_request' : 'temporarily_unavailable' });
    }
  };
}

function queryOf({ originalUrl }: Request): string {
  const start = originalUrl.indexOf('?');
  return start < 0 ? '' : originalUrl.slice(start);
}
