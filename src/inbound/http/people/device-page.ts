// The page on which a person who has signed in confirms a program: the code is typed, never followed from a link, so that no person can be led to
// confirm a stranger's program by a click (RFC 8628, section 5.4).
import type { Request, RequestHandler, Response } from 'express';
import { AppError, asAppError } from '../../../domain/errors.ts';
import type { Caller } from '../../../domain/people/caller.ts';
import { readUserCode } from '../../../domain/people/user-code.ts';
import type { IdentifyCaller } from '../../../flows/people/identify-caller.ts';
import type { Program, SignInDevice } from '../../../flows/people/sign-in-device.ts';
import { readFormBody } from '../body/form-body.ts';
import { escapeHtml } from '../pages/own-pages.ts';
import { forClient } from '../server/client-signal.ts';
import type { WrongKeyThrottle } from '../server/wrong-keys.ts';
import { sendFormPage } from './form-page.ts';
import { isFromOwnPage } from './own-pages-only.ts';
import { cookieOf, SESSION_COOKIES } from './session-cookie.ts';

type DevicePageParts = {
  readonly signInDevice: Pick<SignInDevice, 'find' | 'allow' | 'deny'>;
  readonly identifyCaller: IdentifyCaller;
  /** Counts each try before the code is looked up. */
  readonly tries: WrongKeyThrottle;
  readonly ownOrigin: string;
};

type SignedIn = Caller & { readonly person: string };

export function makeDevicePage(parts: DevicePageParts): {
  readonly show: RequestHandler;
  readonly decide: RequestHandler;
} {
  const { signInDevice, identifyCaller, tries, ownOrigin } = parts;

  /** A session that an EHR opened for one encounter does not count: the program would get more than it. */
  async function signedIn(req: Request): Promise<SignedIn | undefined> {
    const cookie = cookieOf(req, SESSION_COOKIES.browser);
    if (cookie === undefined) return undefined;
    const caller = await identifyCaller({ bearer: '', cookie, address: req.ip ?? '' });
    if (caller?.person === undefined || caller.opened !== undefined) return undefined;
    return { ...caller, person: caller.person };
  }

  async function decide(req: Request, res: Response, caller: SignedIn): Promise<void> {
    const { code = '', decision } = await forClient(req, res, (signal) => readFormBody(req, signal));
    await tries.failed(caller.address);
    const program = await signInDevice.find(code, caller);
    if (program === undefined) return askCode(res, caller, WRONG_CODE);
    if (decision === undefined) return askConsent(res, { caller, program, code: readUserCode(code) ?? '' });
    const isDecided =
      decision === 'allow' ? await signInDevice.allow(code, caller.person) : await signInDevice.deny(code, caller);
    if (!isDecided) return askCode(res, caller, WRONG_CODE);
    sendFormPage(res, decision === 'allow' ? ALLOWED : DENIED);
  }

  return {
    async show(req, res) {
      const caller = await signedIn(req);
      if (caller === undefined) return toSignIn(res);
      askCode(res, caller);
    },

    async decide(req, res) {
      if (!isFromOwnPage(req, ownOrigin)) throw new AppError('forbidden', 'This form must be sent from its own page');
      const caller = await signedIn(req);
      if (caller === undefined) return toSignIn(res);
      try {
        await decide(req, res, caller);
      } catch (thrown) {
        if (asAppError(thrown).code !== 'authThrottled') throw thrown;
        sendFormPage(res, TOO_MANY);
      }
    },
  };
}

function toSignIn(res: Response): void {
  res.setHeader('cache-control', 'no-store');
  res.redirect(303, 'sign-in?return=/device');
}

const TITLE = 'Sign in the command line';
const WRONG_CODE = 'This code is wrong, was used, or is older than 10 minutes. Type the code that the program shows.';

function askCode(res: Response, { name }: Caller, problem?: string): void {
  const why =
    problem === undefined ? '' : `      <p class="problem" role="alert" id="problem">${escapeHtml(problem)}</p>\n`;
  const described = problem === undefined ? '' : ' aria-describedby="problem" aria-invalid="true"';
  const main = `${why}      <p>You are signed in as ${escapeHtml(name)}. A program that you have started shows a code: type it here.</p>
      <form method="post" action="device">
        <label for="code">Code</label>
        <input id="code" name="code" class="code" autocomplete="off" spellcheck="false" maxlength="20" required autofocus${described} />
        <button type="submit">Continue</button>
      </form>`;
  sendFormPage(res, { title: TITLE, main, status: problem === undefined ? 200 : 400 });
}

type Consent = { readonly caller: Caller; readonly program: Program; readonly code: string };

function askConsent(res: Response, { caller, program, code }: Consent): void {
  const main = `      <p>A program wants to work as ${escapeHtml(caller.name)}, with all your roles, for 12 hours at most.</p>
      <dl>
        <dt>Code</dt><dd class="code">${escapeHtml(code)}</dd>
        <dt>Address</dt><dd>${escapeHtml(program.address)}</dd>
        <dt>Program</dt><dd>${escapeHtml(program.agent ?? 'unknown')}</dd>
      </dl>
      <p>Allow it only if you have started it yourself just now and it shows this code. If the code was sent to you, refuse.</p>
      <form method="post" action="device">
        <input type="hidden" name="code" value="${escapeHtml(code)}" />
        <button type="submit" name="decision" value="allow">Allow</button>
        <button type="submit" name="decision" value="deny" class="second">Refuse</button>
      </form>`;
  sendFormPage(res, { title: TITLE, main });
}

const ALLOWED = {
  title: 'The command line is signed in',
  main: '      <p>Go back to the program. You can close this page.</p>',
};
const DENIED = {
  title: 'The program was refused',
  main: '      <p>It gets no session. If you have not started it, tell your admin that a code was sent to you.</p>',
};
const TOO_MANY = {
  title: 'Too many codes',
  status: 429,
  main: '      <p class="problem" role="alert">Too many codes were tried from your address. Wait a minute and try again.</p>',
};
