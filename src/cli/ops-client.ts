// Speaks to /ops of an engine, and turns every way in which that can fail into a sentence that says what to do.
import { CliError } from './cli-error.ts';
import type { Settings } from './settings.ts';

type Request = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below /ops, with its parts already encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
};

export type OpsClient = {
  readonly baseUrl: string;
  /** The JSON of the answer; undefined where it has none. */
  readonly ask: <Answer>(request: Request) => Promise<Answer>;
  readonly askText: (request: Request) => Promise<string>;
};

type ClientParts = { readonly settings: Settings; readonly timeoutMs?: number };

export function makeOpsClient({ settings, timeoutMs = 30_000 }: ClientParts): OpsClient {
  const { baseUrl } = settings;

  async function send({ method, path, query = {}, body }: Request): Promise<string> {
    const { key, source } = await settings.readOperatorKey();
    const url = new URL(`${baseUrl}/ops${path}`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    const { status, text } = await exchange(url, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (status >= 200 && status < 300) return text;
    throw new CliError(explainRefusal(status, text, { baseUrl, source }));
  }

  async function exchange(url: URL, init: RequestInit): Promise<{ readonly status: number; readonly text: string }> {
    try {
      // The key goes to the address that was set, and nowhere that it might point to.
      const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
      return { status: response.status, text: await response.text() };
    } catch (thrown) {
      throw new CliError(explainNoAnswer(thrown, { baseUrl, timeoutMs }), { cause: thrown });
    }
  }

  return {
    baseUrl,
    askText: send,
    async ask<Answer>(request: Request): Promise<Answer> {
      const text = await send(request);
      const answer = parseJson(text);
      if (text !== '' && answer === undefined) throw new CliError(notAnEngine(baseUrl));
      return answer as Answer;
    },
  };
}

function explainNoAnswer(thrown: unknown, { baseUrl, timeoutMs }: { baseUrl: string; timeoutMs: number }): string {
  if (thrown instanceof Error && thrown.name === 'TimeoutError') {
    return `The engine at ${baseUrl} did not answer within ${timeoutMs / 1000} s. Look at its log.`;
  }
  return `No engine answers at ${baseUrl}${reasonOf(thrown)}. Start it with npm start, or set CHARTWRIGHT_URL to where it is.`;
}

/** `ECONNREFUSED` and its like are what a person can search for. */
function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return /^[A-Z_]{3,60}$/.test(code) ? ` (${code})` : '';
}

function explainRefusal(
  status: number,
  text: string,
  { baseUrl, source }: { baseUrl: string; source: string },
): string {
  const messages = messagesIn(parseJson(text));
  if (messages === undefined) return notAnEngine(baseUrl);
  if (status === 401) {
    return `The engine at ${baseUrl} does not take the operator key from ${source}. Set OPERATOR_KEY, or DATA_DIR to the folder of that engine.`;
  }
  return messages.map(inFlags).join('\n');
}

function messagesIn(body: unknown): readonly string[] | undefined {
  if (typeof body !== 'object' || body === null || !('message' in body)) return undefined;
  const messages = Array.isArray(body.message) ? body.message : [body.message];
  return messages.every((message) => typeof message === 'string') ? messages : undefined;
}

const FLAGS: Readonly<Record<string, string>> = {
  expiresAt: '--expires',
  overlapHours: '--overlap-hours',
  requestsPerMinute: '--requests-per-minute',
  requestsPerMonth: '--requests-per-month',
  audioSecondsPerMonth: '--audio-seconds-per-month',
  organization: '--organization',
  plan: '--plan',
  label: '--label',
  key: '--key',
  from: '--from',
  to: '--to',
  limit: '--limit',
};

/** The engine names the field; whoever types commands knows it as a flag. */
function inFlags(message: string): string {
  const [, field = '', rest = ''] = /^(\w+)( must .*| is required.*)$/.exec(message) ?? [];
  return Object.hasOwn(FLAGS, field) ? `${FLAGS[field]}${rest}` : message;
}

function notAnEngine(baseUrl: string): string {
  return `What answers at ${baseUrl} is not a Chartwright engine, or not one that this command knows. Set CHARTWRIGHT_URL to where the engine is.`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
