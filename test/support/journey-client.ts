// An HTTP client of a whole engine: JSON, forms with their parts in order, and event streams. It returns every answer, whatever its
// status.
import type { Engine } from './engine.ts';

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined if the text is not JSON. */
  readonly body: unknown;
};

/** A text field or a file. The form keeps the order of the parts. */
export type FormPart =
  | { readonly name: string; readonly value: string }
  | {
      readonly name: string;
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly fileName: string;
      readonly type?: string;
    };

export type StreamEvent = { readonly event: string; readonly data: unknown };

type Target = Pick<Engine, 'url'>;
type Extra = { readonly headers?: Readonly<Record<string, string>>; readonly signal?: AbortSignal };

/** Sends no `x-api-key` header if the key is undefined. A string is sent unchanged as the body. */
export function postJson(
  engine: Target,
  path: string,
  key: string | undefined,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return sendJson(engine, path, key, body, { headers }).then(readAll);
}

export function postForm(
  engine: Target,
  path: string,
  key: string | undefined,
  parts: readonly FormPart[],
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return sendForm(engine, path, key, parts, { headers }).then(readAll);
}

export function getAnswer(engine: Target, path: string, key: string | undefined): Promise<Answer> {
  return get(engine, path, key).then(readAll);
}

/** Like `postJson`, but it does not read the body of the answer: for streams, and for clients that disconnect. */
export function sendJson(
  engine: Target,
  path: string,
  key: string | undefined,
  body: unknown,
  { headers, signal }: Extra = {},
): Promise<Response> {
  return fetch(`${engine.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...keyHeader(key), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });
}

/** Like `postForm`, but it does not read the body of the answer. */
function sendForm(
  engine: Target,
  path: string,
  key: string | undefined,
  parts: readonly FormPart[],
  { headers, signal }: Extra = {},
): Promise<Response> {
  const form = new FormData();
  for (const part of parts) {
    if ('value' in part) form.append(part.name, part.value);
    else form.append(part.name, new Blob([part.bytes], { type: part.type ?? '' }), part.fileName);
  }
  return fetch(`${engine.url}${path}`, {
    method: 'POST',
    headers: { ...keyHeader(key), ...headers },
    body: form,
    ...(signal !== undefined && { signal }),
  });
}

/** Sends a GET and does not read the body of the answer. */
export function get(engine: Target, path: string, key: string | undefined, extra: Extra = {}): Promise<Response> {
  return fetch(`${engine.url}${path}`, {
    headers: { ...keyHeader(key), ...extra.headers },
    ...(extra.signal !== undefined && { signal: extra.signal }),
  });
}

export async function readAll(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parseJson(text) };
}

/** Yields the events of a stream without comments. Throws for data that is not JSON, and for an incomplete event. */
export async function* openStream(response: Response): AsyncGenerator<StreamEvent> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    rest += decoder.decode(bytes, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event !== undefined) yield event;
    }
  }
  if (rest.trim() !== '') throw new Error('the stream ended within an event');
}

/** The diagnosis in an event of a stream, whose data repeats the name of the event. */
export function diagnosisIn({ event, data }: StreamEvent): Readonly<Record<string, unknown>> {
  const { type, ...diagnosis } = data as Readonly<Record<string, unknown>>;
  if (type !== event) throw new Error(`the data of the event ${event} says type ${String(type)}`);
  return diagnosis;
}

export async function readEvents(response: Response): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of openStream(response)) events.push(event);
  return events;
}

function parseEvent(block: string): StreamEvent | undefined {
  const fields = block
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(':'))
    .map((line) => /^([^:]+): ?(.*)$/.exec(line) ?? [line, line, '']);
  if (fields.length === 0) return undefined;
  const valuesOf = (name: string) => fields.filter(([, field]) => field === name).map(([, , value = '']) => value);
  return { event: valuesOf('event').join(''), data: JSON.parse(valuesOf('data').join('\n')) as unknown };
}

function keyHeader(key: string | undefined): Readonly<Record<string, string>> {
  return key === undefined ? {} : { 'x-api-key': key };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Makes a wrong key with the id of a valid key. */
export function wrongKeyOf(key: string): string {
  return `${key.slice(0, -6)}${key.endsWith('AAAAAA') ? 'BBBBBB' : 'AAAAAA'}`;
}
