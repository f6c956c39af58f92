// Sign-in of programs without a browser (RFC 8628): the codes, the question whether the person has confirmed, the page where they do, and the
// one-time link for where there is no page either.
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { AppError, asAppError } from '../../../domain/errors.ts';
import type { OpenedSession } from '../../../flows/people/open-session.ts';
import {
  DEVICE_CODE,
  type DeviceAnswer,
  type Program,
  type SignInDevice,
} from '../../../flows/people/sign-in-device.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import {
  type DeviceCodeAnswer,
  type DeviceError,
  type DeviceErrorAnswer,
  type DeviceTokenAnswer,
  deviceCodeForm,
  deviceLinkBody,
  deviceTokenForm,
} from '../../../wire/device.ts';
import { DEVICE_GRANT } from '../../../wire/device-grant.ts';
import { readFormBody } from '../body/form-body.ts';
import { readJsonBody } from '../body/json-body.ts';
import { validate } from '../body/validate.ts';
import { forClient } from '../server/client-signal.ts';
import type { WrongKeyThrottle } from '../server/wrong-keys.ts';
import { makeDevicePage } from './device-page.ts';
import { makePersonDoor, type PersonDoorParts } from './person-door.ts';
import type { RefusedSignIns } from './refused-sign-ins.ts';

export type DeviceRouterParts = PersonDoorParts & {
  readonly signInDevice: SignInDevice;
  /** `codes`: sign-ins that begin. `tries`: codes typed on the page. */
  readonly throttles: Readonly<Record<'codes' | 'tries', WrongKeyThrottle>>;
  /** Of programs with a wrong code or link. */
  readonly refused: RefusedSignIns;
  readonly runtime: Pick<Runtime, 'now' | 'digest' | 'isSameDigest'>;
};

const LINK_LIMITS = { limitBytes: 16_384, timeoutMs: 10_000 } as const;

export function makeDeviceRouter(parts: DeviceRouterParts): Router {
  const { signInDevice, throttles, refused } = parts;
  const baseUrl = parts.publicUrl.replace(/\/+$/, '');
  const router = Router({ strict: true });

  router.post(
    '/device/code',
    asOAuth(async (req, res) => {
      const form = await readForm(req, res);
      if (!deviceCodeForm.safeParse(form).success) return sendOAuthError(res, 'invalid_request');
      const program = programOf(req);
      await throttles.codes.failed(program.address);
      const { deviceCode, userCode } = await signInDevice.begin(program);
      const answer: DeviceCodeAnswer = {
        device_code: deviceCode,
        user_code: userCode,
        verification_uri: `${baseUrl}/device`,
        expires_in: DEVICE_CODE.lifeSeconds,
        interval: DEVICE_CODE.intervalSeconds,
      };
      res.json(answer);
    }),
  );

  router.post(
    '/device/token',
    asOAuth(async (req, res) => {
      const form = await readForm(req, res);
      const { success, data } = deviceTokenForm.safeParse(form);
      if (!success) {
        const isOther = form['grant_type'] !== undefined && form['grant_type'] !== DEVICE_GRANT;
        return sendOAuthError(res, isOther ? 'unsupported_grant_type' : 'invalid_request');
      }
      const program = programOf(req);
      const polled = await signInDevice.poll(data.device_code, program);
      if (polled.state === 'signed-in') return void res.json(tokenAnswer(polled));
      if (polled.state === 'unknown') await refused.note(program.address, 'device');
      sendOAuthError(res, ERRORS[polled.state]);
    }),
  );

  router.post('/device/link', async (req, res) => {
    res.setHeader('cache-control', 'no-store');
    const body = await forClient(req, res, (signal) => readJsonBody(req, { ...LINK_LIMITS, signal }));
    const { token } = validate(deviceLinkBody, body);
    const program = programOf(req);
    try {
      res.json(tokenAnswer(await signInDevice.withLink(token, program)));
    } catch (thrown) {
      if (asAppError(thrown).code === 'unauthorized') await refused.note(program.address, 'device');
      throw thrown;
    }
  });

  router.use(makeDevicePage({ door: makePersonDoor(parts), signInDevice, tries: throttles.tries }));

  function tokenAnswer({ session, secretText }: OpenedSession): DeviceTokenAnswer {
    const seconds = Math.floor((session.endsAt.getTime() - parts.runtime.now().getTime()) / 1_000);
    return { access_token: `ps_${secretText}`, token_type: 'Bearer', expires_in: Math.max(0, seconds) };
  }

  return router;
}

const ERRORS: Readonly<Record<Exclude<DeviceAnswer['state'], 'signed-in'>, DeviceError>> = {
  pending: 'authorization_pending',
  'too-soon': 'slow_down',
  denied: 'access_denied',
  expired: 'expired_token',
  unknown: 'invalid_grant',
};

const DESCRIPTIONS: Readonly<Record<DeviceError, string>> = {
  authorization_pending: 'The code is not confirmed yet',
  slow_down: 'Ask 5 seconds later each time',
  access_denied: 'The person has refused',
  expired_token: 'The code has expired: begin again',
  invalid_grant: 'The code is wrong or was used',
  invalid_request: 'A field is missing, or given twice',
  unsupported_grant_type: `The grant_type must be ${DEVICE_GRANT}`,
};

function sendOAuthError(res: Response, error: DeviceError): void {
  const answer: DeviceErrorAnswer = { error, error_description: DESCRIPTIONS[error] };
  res.status(400).json(answer);
}

/** What is wrong with the form itself is said as OAuth says it; the rest as everywhere. */
function asOAuth(handle: (req: Request, res: Response) => Promise<void>): RequestHandler {
  return async (req, res) => {
    res.setHeader('cache-control', 'no-store');
    res.setHeader('pragma', 'no-cache');
    try {
      await handle(req, res);
    } catch (thrown) {
      if (!(thrown instanceof AppError) || thrown.code !== 'invalidRequest') throw thrown;
      sendOAuthError(res, 'invalid_request');
    }
  };
}

function readForm(req: Request, res: Response): Promise<Readonly<Record<string, string>>> {
  return forClient(req, res, (signal) => readFormBody(req, signal));
}

function programOf(req: Request): Program {
  return { address: req.ip ?? '', agent: req.headers['user-agent'] };
}
