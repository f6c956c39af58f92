// The page on which a person who has signed in confirms a program: the code is typed, never followed from a link, so that no person can be led to
// confirm a stranger's program by a click (RFC 8628, section 5.4).
import { type Request, type Response, Router } from 'express';
import { AppError, asAppError } from '../../../domain/errors.ts';
import { readUserCode } from '../../../domain/people/user-code.ts';
import type { Program, SignInDevice } from '../../../flows/people/sign-in-device.ts';
import type { Visitor } from '../../../flows/people/visit-page.ts';
import { escapeHtml } from '../pages/own-pages.ts';
import type { WrongKeyThrottle } from '../server/wrong-keys.ts';
import type { PersonDoor } from './person-door.ts';
import { sendPersonPage } from './person-page.ts';

type DevicePageParts = {
  readonly door: PersonDoor;
  readonly signInDevice: Pick<SignInDevice, 'find' | 'allow' | 'deny'>;
  /** Counts each try before the code is looked up. */
  readonly tries: WrongKeyThrottle;
};

const TITLE = 'Sign in the command line';

export function makeDevicePage({ door, signInDevice, tries }: DevicePageParts): Router {
  const { base } = door;
  const router = Router({ strict: true });
  const send = (res: Response, title: string, body: string) => sendPersonPage(res, { title, body, base });
  const askAgain = (res: Response, visitor: Visitor) =>
    send(res.status(400), TITLE, drawQuestion({ base, visitor, isWrong: true }));

  router.get('/device', async (req, res) => {
    const visitor = await door.visitorOf(req, res);
    const here = encodeURIComponent(`${base}/device`);
    if (visitor === undefined) return door.goTo(res, `${base}/sign-in?return=${here}`);
    requireWholeSession(visitor);
    send(res, TITLE, drawQuestion({ base, visitor, isWrong: false }));
  });

  router.post('/device', async (req: Request, res: Response) => {
    const { visitor, fields } = await door.readFormOf(req, res);
    requireWholeSession(visitor);
    const { caller, person } = visitor;
    const { code = '', decision } = fields;
    if (await isTooOften(tries, caller.address)) return send(res.status(429), 'Too many codes', TOO_MANY);
    const program = await signInDevice.find(code, caller);
    if (program === undefined) return askAgain(res, visitor);
    const shown = { base, visitor, program, code: readUserCode(code) ?? '' };
    if (decision === undefined) return send(res, TITLE, drawConsent(shown));
    const isAllowed = decision === 'allow';
    const isDecided = isAllowed ? await signInDevice.allow(code, person.id) : await signInDevice.deny(code, caller);
    if (!isDecided) return askAgain(res, visitor);
    if (isAllowed)
      send(res, 'The command line is signed in', '<p>Go back to the program. You can close this page.</p>');
    else send(res, 'The program was refused', DENIED);
  });

  router.use(door.answerFailure);
  return router;
}

/** Throws `forbidden` for a session that an EHR opened: the program would get more than it. */
function requireWholeSession({ caller }: Visitor): void {
  if (caller.opened === undefined) return;
  throw new AppError('forbidden', 'Your EHR opened this session: sign in here to use the command line');
}

async function isTooOften(tries: WrongKeyThrottle, address: string): Promise<boolean> {
  try {
    await tries.failed(address);
    return false;
  } catch (thrown) {
    if (asAppError(thrown).code === 'authThrottled') return true;
    throw thrown;
  }
}

type Question = { readonly base: string; readonly visitor: Visitor; readonly isWrong: boolean };

function drawQuestion({ base, visitor: { person, formToken }, isWrong }: Question): string {
  const problem = isWrong
    ? '<p class="notice wrong" role="alert" id="problem">This code is wrong, was used, or is older than 10 minutes. Type the code that the program shows.</p>'
    : '';
  const described = isWrong ? ' aria-describedby="problem" aria-invalid="true"' : '';
  return `${problem}
      <p>You are signed in as <strong>${escapeHtml(person.name)}</strong>. A program that you have started shows a code: type it here.</p>
      <form method="post" action="${escapeHtml(base)}/device">
        <input type="hidden" name="form" value="${escapeHtml(formToken)}" />
        <label>Code
          <input name="code" autocomplete="off" spellcheck="false" autocapitalize="characters" maxlength="20" required autofocus${described} />
        </label>
        <button type="submit">Continue</button>
      </form>`;
}

type Consent = { readonly base: string; readonly visitor: Visitor; readonly program: Program; readonly code: string };

function drawConsent({ base, visitor: { person, formToken }, program, code }: Consent): string {
  return `<p>A program wants to work as <strong>${escapeHtml(person.name)}</strong>, with all your roles, for 12 hours at most.</p>
      <ul class="card">
        <li>Code: <strong>${escapeHtml(code)}</strong></li>
        <li>Address: ${escapeHtml(program.address)}</li>
        <li>Program: ${escapeHtml(program.agent ?? 'unknown')}</li>
      </ul>
      <p>Allow it only if you have started it yourself just now and it shows this code. If the code was sent to you, refuse.</p>
      <form method="post" action="${escapeHtml(base)}/device">
        <input type="hidden" name="form" value="${escapeHtml(formToken)}" />
        <input type="hidden" name="code" value="${escapeHtml(code)}" />
        <button type="submit" name="decision" value="allow">Allow</button>
        <button type="submit" name="decision" value="deny" class="quiet">Refuse</button>
      </form>`;
}

const DENIED = '<p>It gets no session. If you have not started it, tell your admin that a code was sent to you.</p>';
const TOO_MANY =
  '<p class="notice wrong" role="alert">Too many codes were tried from your address. Wait a minute and try again.</p>';
