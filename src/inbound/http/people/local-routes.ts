// Sign-in of local accounts: passkey, password with one-time code, and one-time link.
import { isIP } from 'node:net';
import { type Request, type Response, Router } from 'express';
import { AppError, asAppError } from '../../../domain/errors.ts';
import type { OpenedSession } from '../../../flows/people/open-session.ts';
import type { OwnPasskeys } from '../../../flows/people/own-passkeys.ts';
import type { SignInLocal } from '../../../flows/people/sign-in-local.ts';
import type { UseLink } from '../../../flows/people/use-link.ts';
import { randomSecret } from '../../../flows/random-names.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import type { FormFields } from '../body/form-body.ts';
import { forClient } from '../server/client-signal.ts';
import { attemptCookieOf, clearAttemptCookie, setAttemptCookie } from './attempt-cookie.ts';
import { drawLink, drawNewPasskey, drawPasskey, drawPassword } from './local-pages.ts';
import { ownPathOf } from './own-path.ts';
import type { PersonDoor } from './person-door.ts';
import { sendPersonPage } from './person-page.ts';
import type { RefusedSignIns, SignInDoor } from './refused-sign-ins.ts';

export type LocalRouteParts = {
  readonly door: PersonDoor;
  readonly signInLocal: SignInLocal;
  readonly useLink: UseLink;
  readonly ownPasskeys: OwnPasskeys;
  readonly refused: RefusedSignIns;
  readonly runtime: Pick<Runtime, 'makeSecret'>;
  readonly publicUrl: string;
};

/** Passkeys belong to a name: browsers make none for an address of numbers. */
export function canHavePasskeys(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  const isNumber = isIP(hostname.replace(/^\[|\]$/g, '')) > 0;
  return !isNumber && (protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost'));
}

export function makeLocalRouter(parts: LocalRouteParts): Router {
  const { door, signInLocal, useLink } = parts;
  const { base } = door;
  const router = Router({ strict: true });

  router.get('/sign-in/passkey', async (req, res) => {
    const question = await signInLocal.askPasskey(newBrowser(parts, res));
    const returnTo = ownPathOf(req.query['return'], base);
    const body = drawPasskey(base, question, returnTo);
    sendPersonPage(res, { title: 'Sign in with a passkey', base, body, script: 'passkey.js' });
  });

  router.post('/sign-in/passkey', async (req, res) => {
    const fields = await door.readOwnForm(req, res);
    const order = { browser: attemptCookieOf(req), ...textsOf(fields, 'challenge', 'answer'), ...fromOf(req) };
    await enterBy(parts, 'passkey', { req, res, fields }, () => signInLocal.byPasskey(order));
  });

  router.get('/sign-in/password', (req, res) => {
    const body = drawPassword(base, ownPathOf(req.query['return'], base));
    sendPersonPage(res, { title: 'Sign in with a password', base, body });
  });

  router.post('/sign-in/password', async (req, res) => {
    const fields = await door.readOwnForm(req, res);
    const order = { ...textsOf(fields, 'account', 'password', 'code'), ...fromOf(req) };
    await enterBy(parts, 'password', { req, res, fields }, (signal) => signInLocal.byPassword(order, signal));
  });

  router.get('/sign-in/link/:token', async (req, res) => {
    const token = String(req.params['token']);
    const opened = await noting(parts, 'link', req, () => useLink.look(token, newBrowser(parts, res)));
    const body = drawLink(`${base}/sign-in/link/${token}`, opened, canHavePasskeys(parts.publicUrl));
    sendPersonPage(res, { title: 'Your account', base, body, script: 'passkey.js' });
  });

  router.post('/sign-in/link/:token', async (req, res) => {
    const fields = await door.readOwnForm(req, res);
    const use = { token: String(req.params['token']), browser: attemptCookieOf(req), ...fromOf(req) };
    await enterBy(parts, 'link', { req, res, fields }, (signal) =>
      fields['way'] === 'passkey'
        ? useLink.withPasskey({ ...use, ...textsOf(fields, 'challenge', 'answer') })
        : useLink.withPassword({ ...use, ...textsOf(fields, 'state', 'password', 'code') }, signal),
    );
  });

  addOwnPasskeys(router, parts);
  return router;
}

function addOwnPasskeys(router: Router, parts: LocalRouteParts): void {
  const { door, ownPasskeys, publicUrl } = parts;
  const { base } = door;

  router.get('/me/passkeys/new', async (req, res) => {
    const visitor = await door.visitorOf(req, res);
    if (visitor === undefined) return door.goTo(res, `${base}/sign-in?return=${encodeURIComponent(`${base}/me`)}`);
    if (!canHavePasskeys(publicUrl))
      throw new AppError('notFound', 'Passkeys need a name as the address of the engine');
    const question = await ownPasskeys.ask(visitor, newBrowser(parts, res));
    const body = drawNewPasskey({ base, formToken: visitor.formToken }, question);
    sendPersonPage(res, { title: 'Add a passkey', base, body, script: 'passkey.js' });
  });

  router.post('/me/passkeys', async (req, res) => {
    // What signs the person in is about to grow.
    const { visitor, fields } = await door.readFormOf(req, res, { isRenewed: true });
    await ownPasskeys.add(visitor, { browser: attemptCookieOf(req), ...textsOf(fields, 'challenge', 'answer') });
    clearAttemptCookie(res);
    door.goTo(res, `${base}/me`);
  });

  router.post('/me/passkeys/remove', async (req, res) => {
    const { visitor, fields } = await door.readFormOf(req, res);
    await ownPasskeys.remove(visitor, fields['passkey'] ?? '');
    door.goTo(res, `${base}/me`);
  });
}

type FormRequest = { readonly req: Request; readonly res: Response; readonly fields: FormFields };

async function enterBy(
  parts: LocalRouteParts,
  at: SignInDoor,
  { req, res, fields }: FormRequest,
  signIn: (signal: AbortSignal) => Promise<OpenedSession>,
): Promise<void> {
  const { door } = parts;
  const opened = await noting(parts, at, req, () => forClient(req, res, signIn));
  clearAttemptCookie(res);
  await door.enter(req, res, opened);
  door.goTo(res, ownPathOf(fields['return'], door.base));
}

/** A refusal is recorded and counted. Nothing else is: a password that is too short says nothing about who sets it. */
async function noting<T>(
  { refused }: LocalRouteParts,
  at: SignInDoor,
  req: Request,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const { code } = asAppError(thrown);
    if (code === 'unauthorized' || code === 'forbidden') await refused.note(req.ip ?? '', at);
    throw thrown;
  }
}

function newBrowser({ runtime }: LocalRouteParts, res: Response): string {
  const browser = randomSecret(runtime);
  setAttemptCookie(res, browser);
  return browser;
}

function fromOf(req: Request): { readonly address: string; readonly agent: string | undefined } {
  return { address: req.ip ?? '', agent: req.headers['user-agent'] };
}

function textsOf<Name extends string>(fields: FormFields, ...names: readonly Name[]): Record<Name, string> {
  const texts = names.map((name) => {
    const text = fields[name];
    if (text === undefined) throw new AppError('invalidRequest', `The form has no ${name}: open the page again`);
    return [name, text];
  });
  return Object.fromEntries(texts);
}
