// GET /launch/{site} and /launch/{site}/callback: the door through which a clinician comes in from the EHR. What goes wrong is said on a page.
import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import { AppError, asAppError } from '../../../domain/errors.ts';
import { LaunchRefused } from '../../../domain/people/launch-refusal.ts';
import { present } from '../../../domain/present.ts';
import type { CloseSession } from '../../../flows/people/close-session.ts';
import type { Launch, LaunchKind } from '../../../flows/people/launch.ts';
import type { VisitPage } from '../../../flows/people/visit-page.ts';
import { randomSecret } from '../../../flows/random-names.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import type { Sites } from '../../../ports/sites.ts';
import { setFramedHeaders } from '../pages/framed-page.ts';
import { cookieOf, SESSION_COOKIES, setSessionCookie } from '../people/session-cookie.ts';
import { sendMessagePage } from '../review/message-page.ts';
import { forClient } from '../server/client-signal.ts';
import { statusFor } from '../server/error-response.ts';
import { requestIdOf } from '../server/request-gate.ts';
import { launchCookieOf, launchKindOf, setLaunchCookie } from './launch-cookies.ts';
import type { RefusedLaunches } from './refused-launches.ts';

type LaunchDoorParts = {
  readonly launch: Launch;
  readonly visitPage: VisitPage;
  readonly closeSession: CloseSession;
  readonly refusedLaunches: RefusedLaunches;
  readonly sites: Pick<Sites, 'current'>;
  readonly logger: Pick<Logger, 'error' | 'warn'>;
  readonly runtime: Pick<Runtime, 'makeSecret'>;
};

const MOST_CHARACTERS = 4_096;

export function makeLaunchRouter(parts: LaunchDoorParts): Router {
  const router = Router({ strict: true });
  router.all('/launch/:site', onlyGet, (req, res) => begin(parts, req, res));
  router.all('/launch/:site/callback', onlyGet, (req, res) => finish(parts, req, res));
  router.use('/launch', answerFailure(parts));
  return router;
}

/** Not HEAD, which would use a launch up without a browser that goes on. */
const onlyGet: RequestHandler = (req, res, next) => {
  if (req.method === 'GET') return next();
  res.setHeader('allow', 'GET');
  throw new AppError('methodNotAllowed', 'This address takes GET');
};

async function begin({ launch, runtime, ...parts }: LaunchDoorParts, req: Request, res: Response): Promise<void> {
  const { site, kind } = cameFor(req);
  const [issuer, name] = [oneOf(req, 'iss'), oneOf(req, 'launch')];
  const browser = launchCookieOf(req, kind) ?? randomSecret(runtime);
  const order = present({ site, kind, browser, issuer, launch: name });
  const address = await noteRefusal(parts, req, () => forClient(req, res, (signal) => launch.begin(order, signal)));
  setLaunchCookie(res, kind, browser);
  goTo(parts, res, { site, address: address.href });
}

async function finish({ launch, ...parts }: LaunchDoorParts, req: Request, res: Response): Promise<void> {
  const { site, kind } = cameFor(req);
  const browser = launchCookieOf(req, kind);
  const answer = new URL(req.originalUrl, 'http://own.invalid').searchParams;
  const agent = req.headers['user-agent'];
  const order = { site, kind, browser, answer, address: req.ip ?? '', agent };
  // The code is good once: the sign-in is completed even if the browser goes away.
  const { secretText } = await noteRefusal(parts, req, () => launch.finish(order, new AbortController().signal));
  await endFormer(parts, req, kind);
  setSessionCookie(res, kind, secretText);
  goTo(parts, res, { site, address: '../../review' });
}

/** The session that this browser had before ends: its cookie is replaced. */
async function endFormer(
  { visitPage, closeSession }: Pick<LaunchDoorParts, 'visitPage' | 'closeSession'>,
  req: Request,
  kind: LaunchKind,
): Promise<void> {
  const former = await visitPage({ cookie: cookieOf(req, SESSION_COOKIES[kind]), address: req.ip ?? '' });
  if (former === undefined) return;
  const { actor, address } = former.caller;
  await closeSession({ which: { id: former.session.id }, why: 'replaced', actor, address });
}

function cameFor(req: Request): { readonly site: string; readonly kind: LaunchKind } {
  return { site: String(req.params['site']), kind: launchKindOf(req) };
}

/** A parameter that is given twice, or that no EHR would send, is refused: it must not be unclear which one counts. */
function oneOf(req: Request, name: string): string | undefined {
  const values = new URL(req.originalUrl, 'http://own.invalid').searchParams.getAll(name);
  const [value] = values;
  if (values.length > 1 || (value !== undefined && value.length > MOST_CHARACTERS)) {
    throw new AppError('invalidRequest', `This launch has no clear ${name}. Open the draft from the chart again.`);
  }
  return value;
}

type Noting = Pick<LaunchDoorParts, 'refusedLaunches' | 'logger'>;

async function noteRefusal<T>({ refusedLaunches, logger }: Noting, req: Request, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    const { site } = cameFor(req);
    const { code } = asAppError(thrown);
    if (thrown instanceof LaunchRefused) await refusedLaunches.note(thrown, { site, address: req.ip ?? '' });
    else if (CONCERNS_OPERATORS.has(code)) logger.warn(`a launch from the EHR of ${site} failed`, { thrown });
    throw thrown;
  }
}

const CONCERNS_OPERATORS = new Set<string>(['notConfigured', 'ehrUnavailable', 'ehrAnswer']);

function goTo(
  parts: Pick<LaunchDoorParts, 'sites'>,
  res: Response,
  { site, address }: { readonly site: string; readonly address: string },
): void {
  setFramedHeaders(res, frameOriginsOf(parts, site));
  // Neither the code nor the name of the launch goes on to the next page.
  res.setHeader('referrer-policy', 'no-referrer');
  res.redirect(303, address);
}

function frameOriginsOf({ sites }: Pick<LaunchDoorParts, 'sites'>, site: string): readonly string[] {
  return sites.current().sites.get(site)?.settings.launch?.frameOrigins ?? [];
}

function answerFailure(parts: LaunchDoorParts): ErrorRequestHandler {
  return (thrown, req, res, next) => {
    const error = asAppError(thrown);
    if (res.headersSent || error.code === 'cancelled') return next(thrown);
    if (error.code === 'internal') parts.logger.error('a launch failed', { requestId: requestIdOf(res), thrown });
    if (error.retryAfterSeconds !== undefined) res.setHeader('retry-after', Math.ceil(error.retryAfterSeconds));
    const [, , site = '', inner] = req.originalUrl.split(/[/?]/);
    const root = inner === 'callback' ? '../../' : '../';
    const frameOrigins = frameOriginsOf(parts, site);
    res.status(statusFor('ops', error.code));
    sendMessagePage(res, { kind: 'not-let-in', error, root, frameOrigins });
  };
}
