// Calls /ops of an engine, and turns each failure into a sentence that says what to do.
import { CliError } from './cli-error.ts';
import { readEvents, type ServerEvent } from './event-lines.ts';
import { LOGIN, type OpsKey, REVIEWER_KEY, SERVICE_TOKEN, type Settings, sessionEnded } from './settings.ts';
import { printable } from './tables.ts';

/** The engine does not answer, or cannot do this now: another try may succeed. */
export class EngineAway extends CliError {}

type Request = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path below /ops; its parts are encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  /** Bytes in place of a JSON body. They are read once. */
  readonly bytes?: AsyncIterable<Uint8Array>;
};

export type OpsClient = {
  readonly baseUrl: string;
  /** Resolves to the JSON of the answer, or undefined if it has no body. */
  readonly ask: <Answer>(request: Request) => Promise<Answer>;
  readonly askText: (request: Request) => Promise<string>;
  /**
   * Streams events. Ends if the engine ends the stream or the signal is aborted; throws EngineAway if the connection is lost, or
   * silent for too long.
   */
  readonly listen: (order: ListenOrder) => Promise<EventConnection>;
};

type Page = { readonly next?: string };

/** Asks for all pages of a list, one after another. */
export async function askPages<Answer extends Page>(
  ask: OpsClient['ask'],
  { path, query }: Required<Pick<Request, 'path' | 'query'>>,
): Promise<readonly Answer[]> {
  const pages: Answer[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask<Answer>({ method: 'GET', path, query: { ...query, limit: '500', cursor } });
    pages.push(page);
    cursor = page.next;
  } while (cursor !== undefined);
  return pages;
}

type ListenOrder = {
  readonly path: string;
  /** The id of the last received event: the engine first sends everything after it. */
  readonly lastEventId?: string | undefined;
  readonly signal: AbortSignal;
};

export type EventConnection = {
  /** When the stream began, by the engine's clock. */
  readonly startedAt: Date;
  readonly events: AsyncIterable<ServerEvent>;
  /** The caller must call this at the end, whether it read any event or not. */
  readonly close: () => void;
};

export type HowToConnect = {
  /** Set for work that takes longer than half a minute. */
  readonly timeoutMs?: number;
  /** What the user can do if the answer is late. */
  readonly whenLate?: string;
  /** Uses the key of CHARTWRIGHT_REVIEWER_KEY if it is set. */
  readonly asReviewer?: boolean;
};

type ClientParts = HowToConnect & {
  readonly settings: Settings;
  /** The engine sends at least a heartbeat every 15 seconds. */
  readonly silenceMs?: number;
};

export function makeOpsClient(parts: ClientParts): OpsClient {
  const { settings, timeoutMs = 30_000, whenLate, asReviewer = false, silenceMs = 45_000 } = parts;
  const { baseUrl } = settings;
  const readKey = () => (asReviewer ? settings.readReviewerKey() : settings.readKey());
  const urlOf = (path: string) => new URL(`${baseUrl}/ops${path}`);

  async function send({ method, path, query = {}, body, bytes }: Request): Promise<string> {
    const found = await readKey();
    const url = urlOf(path);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    const { status, text } = await exchange(url, {
      method,
      headers: {
        authorization: `Bearer ${found.key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(bytes !== undefined && { 'content-type': 'application/octet-stream' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(bytes !== undefined && { body: ReadableStream.from(bytes), duplex: 'half' }),
    });
    if (status >= 200 && status < 300) return text;
    throw refusal(status, text, found);
  }

  function refusal(status: number, text: string, { source }: OpsKey): CliError {
    const message = explainRefusal(status, text, { baseUrl, source });
    return status === 429 || status === 503 ? new EngineAway(message) : new CliError(message);
  }

  async function exchange(url: URL, init: RequestInit): Promise<{ readonly status: number; readonly text: string }> {
    try {
      // The key is sent to the configured address only: redirects are not followed.
      const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
      return { status: response.status, text: await response.text() };
    } catch (thrown) {
      throw new EngineAway(explainNoAnswer(thrown, { baseUrl, timeoutMs, whenLate }), { cause: thrown });
    }
  }

  async function listen({ path, lastEventId, signal }: ListenOrder): Promise<EventConnection> {
    const found = await readKey();
    const headers = {
      accept: 'text/event-stream',
      authorization: `Bearer ${found.key}`,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    };
    const watch = watchSilence(signal, silenceMs);
    try {
      const response = await fetch(urlOf(path), { headers, redirect: 'manual', signal: watch.signal });
      if (response.status !== 200) throw refusal(response.status, await response.text(), found);
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      if (!isStream || response.body === null) throw new CliError(notAnEngine(baseUrl));
      const given = new Date(response.headers.get('date') ?? Number.NaN);
      const startedAt = Number.isNaN(given.getTime()) ? new Date() : given;
      return { startedAt, events: eventsOf(response.body, watch, signal), close: watch.close };
    } catch (thrown) {
      watch.close();
      throw thrown instanceof CliError ? thrown : away(thrown);
    }
  }

  async function* eventsOf(
    body: ReadableStream<Uint8Array>,
    watch: SilenceWatch,
    signal: AbortSignal,
  ): AsyncGenerator<ServerEvent> {
    try {
      yield* readEvents(body, watch.heard);
    } catch (thrown) {
      if (!signal.aborted) throw away(thrown);
    }
  }

  function away(thrown: unknown): EngineAway {
    return new EngineAway(explainNoAnswer(thrown, { baseUrl, timeoutMs: silenceMs, whenLate }), { cause: thrown });
  }

  return {
    baseUrl,
    askText: send,
    listen,
    async ask<Answer>(request: Request): Promise<Answer> {
      const text = await send(request);
      const answer = parseJson(text);
      if (text !== '' && answer === undefined) throw new CliError(notAnEngine(baseUrl));
      return answer as Answer;
    },
  };
}

type SilenceWatch = { readonly signal: AbortSignal; readonly heard: () => void; readonly close: () => void };

/** A half-open connection would stay silent forever. */
function watchSilence(signal: AbortSignal, silenceMs: number): SilenceWatch {
  const ended = new AbortController();
  const giveUp = () => ended.abort(new DOMException('The engine has fallen silent', 'TimeoutError'));
  const timer = setTimeout(giveUp, silenceMs);
  return {
    signal: AbortSignal.any([signal, ended.signal]),
    heard: () => void timer.refresh(),
    close: () => {
      clearTimeout(timer);
      ended.abort();
    },
  };
}

type Waited = { readonly baseUrl: string; readonly timeoutMs: number; readonly whenLate: string | undefined };

export function explainNoAnswer(
  thrown: unknown,
  { baseUrl, timeoutMs, whenLate = 'Look at its log.' }: Waited,
): string {
  if (isTimeout(thrown)) {
    return `The engine at ${baseUrl} did not answer within ${timeoutMs / 1000} s. ${whenLate}`;
  }
  return `No engine answers at ${baseUrl}${reasonOf(thrown)}. Start one with npm start, or set CHARTWRIGHT_URL to its address.`;
}

function isTimeout(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && 'name' in thrown && thrown.name === 'TimeoutError';
}

/** Codes like `ECONNREFUSED` are included because a person can search for them. */
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
  if (status === 401 && source === REVIEWER_KEY) {
    return `The engine at ${baseUrl} does not accept the reviewer’s key from ${source}, or not for this run. Create another account: npm run cli -- reviewers create`;
  }
  if (status === 401 && source === LOGIN) return sessionEnded(baseUrl);
  if (status === 401 && source === SERVICE_TOKEN) {
    return `The engine at ${baseUrl} does not accept the token from ${source}: it has ended or was revoked. Make another: npm run cli -- tokens create`;
  }
  if (status === 401) {
    return `The engine at ${baseUrl} does not accept the operator key from ${source}. Set OPERATOR_KEY, or DATA_DIR to the folder of that engine; or sign in: npm run cli -- login`;
  }
  return messages.map((message) => printable(inFlags(message))).join('\n');
}

export function messagesIn(body: unknown): readonly string[] | undefined {
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
  since: '--since',
  status: '--status',
  patient: '--patient',
  model: '--model',
  mapping: '--mapping',
  prompt: '--prompt',
  practitioner: '--practitioner',
  action: '--action',
  run: '--run',
  seq: '--seq',
  hash: '--hash',
  revision: '--revision',
  name: '--name',
  email: '--email',
  roles: '--role',
  purpose: '--purpose',
  sections: '--edit',
  category: '--category',
  claimed: '--claimed',
};

/** The engine names the field; the user of the command line knows it as a flag. */
function inFlags(message: string): string {
  const [, field = '', rest = ''] = /^(\w+)(?:\.\d+)?(?:\.\w+)?( must .*| is required.*)$/.exec(message) ?? [];
  return Object.hasOwn(FLAGS, field)
    ? `${FLAGS[field]}${rest}`
    : message.replace('(If-Match or revision)', '(--revision)').replace('send takeOver: true', 'add --take-over');
}

export function notAnEngine(baseUrl: string): string {
  return `The server at ${baseUrl} is not a Chartwright engine, or has an incompatible version. Set CHARTWRIGHT_URL to the engine’s address.`;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
