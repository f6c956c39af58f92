// Signs in at an engine as a program without a browser: asks for a code, and then whether a person has confirmed it (RFC 8628).
import { memberOf } from '../../domain/raw-members.ts';
import type { DeviceCodeAnswer, DeviceTokenAnswer } from '../../wire/device.ts';
import { DEVICE_GRANT } from '../../wire/device-grant.ts';
import { CliError } from '../shared/cli-error.ts';
import { explainNoAnswer, messagesIn, notAnEngine, parseJson } from '../shared/ops-client.ts';
import { printable } from '../shared/tables.ts';

const PATIENCE_MS = 30_000;
const CLIENT = 'chartwright-cli';
const AGENT = 'chartwright command line';
/** RFC 8628, section 3.5. */
const SLOWER_SECONDS = 5;

type DeviceParts = { readonly baseUrl: string; readonly pause: (ms: number) => Promise<void> };

export type DeviceClient = {
  readonly begin: () => Promise<DeviceCodeAnswer>;
  /** Asks until the person has decided, or the code has ended. */
  readonly wait: (begun: DeviceCodeAnswer) => Promise<DeviceTokenAnswer>;
  readonly useLink: (link: string) => Promise<DeviceTokenAnswer>;
};

/** Its functions throw a CliError with what to do. */
export function makeDeviceClient({ baseUrl, pause }: DeviceParts): DeviceClient {
  async function post(path: string, body: URLSearchParams | object) {
    const isForm = body instanceof URLSearchParams;
    const headers = { 'user-agent': AGENT, ...(!isForm && { 'content-type': 'application/json' }) };
    try {
      const response = await fetch(new URL(`${baseUrl}${path}`), {
        method: 'POST',
        headers,
        body: isForm ? body : JSON.stringify(body),
        redirect: 'manual',
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      return { status: response.status, answer: parseJson(await response.text()) };
    } catch (thrown) {
      const waited = { baseUrl, timeoutMs: PATIENCE_MS, whenLate: undefined };
      throw new CliError(explainNoAnswer(thrown, waited), { cause: thrown });
    }
  }

  function refusal(answer: unknown): CliError {
    const error = memberOf(answer, 'error');
    const known = typeof error === 'string' && Object.hasOwn(REFUSALS, error) ? REFUSALS[error] : undefined;
    const said = messagesIn(answer)?.map(printable).join('\n');
    return new CliError(known ?? said ?? notAnEngine(baseUrl));
  }

  async function wait({ device_code, interval, expires_in }: DeviceCodeAnswer): Promise<DeviceTokenAnswer> {
    let seconds = interval;
    for (let waited = 0; waited <= expires_in; waited += seconds) {
      await pause(seconds * 1_000);
      const form = new URLSearchParams({ grant_type: DEVICE_GRANT, device_code, client_id: CLIENT });
      const { status, answer } = await post('/device/token', form);
      if (status === 200 && isToken(answer)) return answer;
      const error = memberOf(answer, 'error');
      if (error === 'slow_down') seconds += SLOWER_SECONDS;
      else if (error !== 'authorization_pending') throw refusal(answer);
    }
    throw refusal({ error: 'expired_token' });
  }

  return {
    async begin() {
      const { status, answer } = await post('/device/code', new URLSearchParams({ client_id: CLIENT }));
      if (status !== 200 || !isCode(answer)) throw refusal(answer);
      return answer;
    },
    wait,
    async useLink(token) {
      const { status, answer } = await post('/device/link', { token });
      if (status !== 200 || !isToken(answer)) throw refusal(answer);
      return answer;
    },
  };
}

const REFUSALS: Readonly<Record<string, string>> = {
  access_denied: 'The sign-in was refused on the page.',
  expired_token: 'The code was not confirmed in time. Try again: npm run cli -- login',
  invalid_grant: 'The code is not known any more. Try again: npm run cli -- login',
};

function isCode(answer: unknown): answer is DeviceCodeAnswer {
  return ['device_code', 'user_code', 'verification_uri'].every((name) => typeof memberOf(answer, name) === 'string');
}

function isToken(answer: unknown): answer is DeviceTokenAnswer {
  return typeof memberOf(answer, 'access_token') === 'string' && typeof memberOf(answer, 'expires_in') === 'number';
}
