// A simulated model: a real HTTP server on 127.0.0.1 that speaks chat completions as far as the product needs it, answers what fits the
// request, and fails as a test sets it.
import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Language } from '../../src/domain/language.ts';
import { type JsonSchema, type ModelRequest, usualAnswer } from './openai-answers.ts';
import type { AnswerBehaviour, Behaviour } from './openai-behaviours.ts';

export { FAULTS, type Gate, makeGate } from './openai-behaviours.ts';

export type ChatBody = {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string; readonly content: string | readonly unknown[] }[];
  readonly response_format?: {
    readonly type: string;
    readonly json_schema: { readonly name: string; readonly strict: boolean; readonly schema: JsonSchema };
  };
};

export type SeenRequest = {
  readonly headers: IncomingHttpHeaders;
  /** Undefined until the whole body has arrived, and if it is longer than the limit. */
  readonly body: ChatBody | undefined;
  readonly rawBody: string | undefined;
  readonly sha256: string | undefined;
  /** The number of bytes of the body so far. */
  readonly receivedBytes: number;
  /** `gone`: the client disconnected before the answer was whole. */
  readonly closed: Promise<'finished' | 'gone'>;
};

export type OpenAiServer = {
  /** The value for OPENAI_BASE_URL. */
  readonly baseUrl: string;
  readonly requests: readonly SeenRequest[];
  /** Sets one behaviour for each of the next requests; later requests are answered as usual again. */
  readonly next: (...behaviours: readonly Behaviour[]) => void;
  /** Sets the behaviour for all requests without one of their own. */
  readonly behave: (behaviour: Behaviour | ((asked: ModelRequest) => Behaviour)) => void;
  /** The number of requests that are still being answered. */
  readonly openCalls: () => number;
  readonly close: () => Promise<void>;
};

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const KEPT_BODY_BYTES = 8 * 1_048_576;
const DEFAULT_CHUNK_CHARS = 24;
const LANGUAGES: Readonly<Record<string, Language>> = { English: 'en', Spanish: 'es', Portuguese: 'pt' };

export async function startOpenAiServer(): Promise<OpenAiServer> {
  const requests: SeenRequest[] = [];
  const queued: Behaviour[] = [];
  let usual: (asked: ModelRequest) => Behaviour = () => ({ kind: 'answer' });
  let openCalls = 0;

  const server = createServer(async (request, response) => {
    openCalls += 1;
    const seen = watchRequest(request, response);
    requests.push(seen);
    void seen.closed.then(() => {
      openCalls -= 1;
    });
    const next = queued.shift();
    if (next?.kind === 'hang' && next.reads === false) return;
    try {
      await readBody(request, seen);
    } catch {
      return;
    }
    const asked = readModelRequest(seen.body);
    await act(response, next ?? usual(asked), asked, seen.body).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    next: (...behaviours) => queued.push(...behaviours),
    behave: (behaviour) => {
      usual = typeof behaviour === 'function' ? behaviour : () => behaviour;
    },
    openCalls: () => openCalls,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function watchRequest(request: IncomingMessage, response: ServerResponse): Mutable<SeenRequest> {
  const closed = new Promise<'finished' | 'gone'>((resolve) => {
    response.once('close', () => resolve(response.writableFinished ? 'finished' : 'gone'));
  });
  const unknown = { body: undefined, rawBody: undefined, sha256: undefined };
  return { headers: request.headers, receivedBytes: 0, closed, ...unknown };
}

async function readBody(request: IncomingMessage, seen: Mutable<SeenRequest>): Promise<void> {
  const hash = createHash('sha256');
  const chunks: Uint8Array[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) {
    seen.receivedBytes += chunk.length;
    hash.update(chunk);
    if (seen.receivedBytes <= KEPT_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  seen.sha256 = hash.digest('hex');
  if (seen.receivedBytes > KEPT_BODY_BYTES) return;
  seen.rawBody = Buffer.concat(chunks).toString();
  seen.body = JSON.parse(seen.rawBody) as ChatBody;
}

/** A request whose body was too long to keep gets a diagnosis in English. */
function readModelRequest(body: ChatBody | undefined): ModelRequest {
  const rules = body?.messages.find(({ role }) => role === 'system')?.content;
  const [, named = 'English'] = /Output language: (\w+)/.exec(typeof rules === 'string' ? rules : '') ?? [];
  const asked = body?.response_format?.json_schema;
  return {
    language: LANGUAGES[named] ?? 'en',
    schemaName: asked?.name ?? 'differential_diagnosis',
    schema: asked?.schema ?? {},
    data: (body?.messages ?? []).flatMap(({ role, content }) => (role === 'user' ? [String(content)] : [])),
  };
}

async function act(
  response: ServerResponse,
  behaviour: Behaviour,
  asked: ModelRequest,
  body: ChatBody | undefined,
): Promise<void> {
  if (behaviour.kind === 'hang') return;
  if (behaviour.kind === 'drop') {
    response.destroy();
    return;
  }
  if (behaviour.kind === 'status') {
    response.writeHead(behaviour.status, { 'content-type': 'application/json', ...behaviour.headers });
    response.end(behaviour.body ?? JSON.stringify({ error: { message: 'a made-up vendor error', type: 'test' } }));
    return;
  }
  const given = behaviour.content?.(usualAnswer(asked), asked) ?? usualAnswer(asked);
  const content = typeof given === 'string' ? given : JSON.stringify(given);
  const form = behaviour.form ?? (body?.stream === false ? 'json' : 'events');
  if (form === 'json') sendWhole(response, behaviour, content);
  else await sendEvents(response, behaviour, content);
}

function sendWhole(response: ServerResponse, behaviour: AnswerBehaviour, content: string): void {
  const { finishReason, refusal, maker } = behaviour;
  const message = { role: 'assistant', content: refusal === undefined ? content : null, refusal: refusal ?? null };
  const reason = finishReason === undefined ? 'stop' : finishReason;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ ...envelope('chat.completion', maker), choices: [{ index: 0, message, finish_reason: reason }] }),
  );
}

async function sendEvents(response: ServerResponse, behaviour: AnswerBehaviour, content: string): Promise<void> {
  const { chunkChars = DEFAULT_CHUNK_CHARS, gate, paceMs, finishReason, refusal, breaksOff, maker } = behaviour;
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  response.flushHeaders();
  const say = (delta: object, reason: string | null = null) =>
    write(response, {
      ...envelope('chat.completion.chunk', maker),
      choices: [{ index: 0, delta, finish_reason: reason }],
    });
  await say({ role: 'assistant', content: '' });
  if (refusal !== undefined) await say({ refusal });
  let chunks = 0;
  for (let start = 0; refusal === undefined && start < content.length; start += chunkChars) {
    await gate?.pass();
    if (chunks === breaksOff?.afterChunks) return breakOff(response, breaksOff.by);
    if (paceMs !== undefined) await sleep(paceMs);
    if (response.destroyed) return;
    await say({ content: content.slice(start, start + chunkChars) });
    chunks += 1;
  }
  if (finishReason !== null) await say({}, finishReason ?? 'stop');
  await write(response, { ...envelope('chat.completion.chunk', maker), choices: [], usage: { total_tokens: chunks } });
  response.end('data: [DONE]\n\n');
}

async function breakOff(response: ServerResponse, by: 'cut' | 'hang' | 'error-event'): Promise<void> {
  if (by === 'hang') return;
  if (by === 'cut') {
    response.destroy();
    return;
  }
  await write(response, { error: { message: 'a made-up vendor error', type: 'server_error' } });
  response.end();
}

async function write(response: ServerResponse, event: object): Promise<void> {
  if (response.destroyed) return;
  const isTaken = response.write(`data: ${JSON.stringify(event)}\n\n`);
  if (isTaken) return;
  await new Promise<void>((resolve) => {
    response.once('drain', resolve).once('close', resolve);
  });
}

function envelope(object: string, maker: AnswerBehaviour['maker'] = { model: 'made-up-model' }) {
  return { id: 'chatcmpl-made-up', object, created: 1_700_000_000, ...maker };
}
