// A layer in front of an EHR that applies faults. Without faults it changes nothing.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { makeDelivery } from './deliver.ts';
import {
  type FaultHandler,
  type FaultRequest,
  type FaultTools,
  ImpossibleFault,
  type Json,
  type Next,
  type Reply,
  readKind,
  readReply,
  refusal,
  splitPath,
  withReplyJson,
} from './exchange.ts';
import { makeHandler } from './fault-handlers.ts';
import type { Fault, FaultMode } from './faults.ts';
import { answerInParts, partsOfBatch } from './read-batches.ts';
import { fitsFilter, type RequestKind } from './request-filter.ts';
import { toListener, toServer } from './upstream.ts';
import { type After, makeWaits } from './waits.ts';

export type SeenRequest = RequestKind & {
  /** The path below the FHIR base with its query, for tests; it must not be logged. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  /** Empty if the body was not JSON. */
  readonly body: string;
  /** The faults that affected the request. */
  readonly faults: readonly FaultMode[];
};

export type Faults = {
  readonly listener: RequestListener;
  readonly set: (faults: readonly Fault[]) => void;
  readonly add: (fault: Fault) => void;
  readonly clear: () => void;
  /** Ends hanging replies, continues waiting requests and shows hidden resources. The faults stay active. */
  readonly release: () => void;
  /** The last requests, oldest first. */
  readonly seen: readonly SeenRequest[];
  readonly close: () => void;
};

type Active = { readonly fault: Fault; readonly handler: FaultHandler; fitted: number };

type FaultParts = { readonly now?: () => Date; readonly monotonicMs?: () => number; readonly after?: After };

const KEPT_REQUESTS = 2_000;

export function makeFaults(
  behind: RequestListener | { readonly proxyTo: string },
  { now = () => new Date(), monotonicMs = () => performance.now(), after }: FaultParts = {},
): Faults {
  const upstream = typeof behind === 'function' ? toListener(behind) : toServer(behind.proxyTo);
  const waits = makeWaits(after);
  const delivery = makeDelivery();
  const seen: SeenRequest[] = [];
  let active: readonly Active[] = [];

  const tools: FaultTools = { ask: (near) => askEhr(near, upstream.send), wait: waits.wait, now, monotonicMs };
  const activate = (fault: Fault): Active => ({ fault, handler: makeHandler(fault, tools), fitted: 0 });
  const listener: RequestListener = (incoming, response) => {
    serve(incoming, response).catch(() => response.destroy());
  };
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isJson = /json/.test(incoming.headers['content-type'] ?? '');
    const isForm = /x-www-form-urlencoded/.test(incoming.headers['content-type'] ?? '');
    // A body that no fault reads is passed through as a stream.
    const early = isJson || isForm ? undefined : readHead(incoming, Buffer.alloc(0));
    const plan = early && planFor(early, active);
    if (early && plan?.length === 0 && upstream.listener && !early.kind.isMetadata) {
      remember(early, []);
      upstream.listener(incoming, response);
      return;
    }
    const request = readHead(incoming, await bodyOf(incoming));
    const isWhole = active.some(({ handler }) => handler.handlesBatches);
    const parts = new Map((isWhole ? [] : partsOfBatch(request)).map((part) => [part, planFor(part, active)]));
    const metByParts = [...new Set([...parts.values()].flat())];
    const meeting = metByParts.length > 0 ? metByParts : (plan ?? planFor(request, active));
    remember(request, meeting);
    const send: Next = async (last) => announce(last, await upstream.send(last), active);
    const answerOf = (one: FaultRequest, met: readonly Active[]) => onionOf(met, send)(one).catch(explain);
    const reply =
      metByParts.length > 0
        ? await answerInParts([...parts.keys()], (part) => answerOf(part, parts.get(part) ?? []))
        : await answerOf(request, meeting);
    await delivery.deliver(reply, response);
  };
  const remember = (request: FaultRequest, meeting: readonly Active[]): void => {
    const { base } = splitPath(request.path);
    const url = `${request.path.slice(base.length + 1)}${request.query === '' ? '' : `?${request.query}`}`;
    const body = request.json ? request.body.toString('utf8') : '';
    seen.push({ ...request.kind, url, headers: request.headers, body, faults: meeting.map(({ fault }) => fault.mode) });
    if (seen.length > KEPT_REQUESTS) seen.shift();
  };
  const release = () => {
    waits.release();
    delivery.release();
    for (const { handler } of active) handler.release?.();
  };

  return {
    listener,
    set: (faults) => {
      active = faults.map(activate);
    },
    add: (fault) => {
      active = [...active, activate(fault)];
    },
    clear: () => {
      release();
      active = [];
    },
    release,
    seen,
    close: release,
  };
}

function explain(error: unknown): Reply {
  if (error instanceof ImpossibleFault) return refusal(500, { code: 'exception', text: error.message });
  throw error;
}

/** Returns the faults that affect the request. Each fitting request is counted, also those that pass first. */
function planFor(request: FaultRequest, active: readonly Active[]): readonly Active[] {
  return active.filter((one) => {
    const { fault, handler } = one;
    if (!fitsFilter(request.kind, fault.on) || !handler.isFor(request)) return false;
    one.fitted += 1;
    const { after = 0, times = Number.POSITIVE_INFINITY } = fault;
    return one.fitted > after && one.fitted <= after + times;
  });
}

/** Faults that break answers are nearest to the client, so that the others see the real answer. */
function onionOf(meeting: readonly Active[], send: Next): Next {
  const isOuter = ({ fault }: Active) => OUTER.has(fault.mode);
  const ordered = [...meeting.filter(isOuter), ...meeting.filter((one) => !isOuter(one))];
  return ordered.reduceRight<Next>(
    (next, { handler }) =>
      (request) =>
        handler.handle(request, next),
    send,
  );
}

const OUTER: ReadonlySet<FaultMode> = new Set([
  'down',
  'slow',
  'lost-answer',
  'too-many-requests',
  'unauthorized',
  'expiring-tokens',
  'ended-links',
  'server-errors',
]);

/** Removes announced missing features from the CapabilityStatement. */
async function announce(request: FaultRequest, reply: Reply, active: readonly Active[]): Promise<Reply> {
  if (!request.kind.isMetadata || reply.status !== 200) return reply;
  const { json, reply: whole } = await readReply(reply);
  if (!json) return whole;
  const edits = active.flatMap(({ handler }) => handler.editStatement ?? []);
  return withReplyJson(
    whole,
    edits.reduce((statement, edit) => edit(statement), json),
  );
}

function readHead(incoming: IncomingMessage, body: Buffer): FaultRequest {
  const { method = 'GET', url = '/', headers } = incoming;
  const mark = url.indexOf('?');
  const [path, query] = mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
  const json = /json/.test(headers['content-type'] ?? '') ? parsed(body) : undefined;
  return { method, path, query, headers, body, json, kind: readKind(method, path, json) };
}

function parsed(body: Buffer): Json | undefined {
  try {
    const json: unknown = JSON.parse(body.toString('utf8'));
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Json) : undefined;
  } catch {
    return undefined;
  }
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Sends another user's request to the same EHR, with the credentials of the current request. */
function askEhr(near: FaultRequest, send: ReturnType<typeof toListener>['send']): ReturnType<FaultTools['ask']> {
  const { authorization } = near.headers;
  const { base } = splitPath(near.path);
  return async (method, relative, body) => {
    const [path = '', query = ''] = relative.split('?');
    const headers = {
      accept: 'application/fhir+json',
      'content-type': 'application/fhir+json',
      'x-sandbox-author': 'another-user',
      ...(authorization !== undefined && { authorization }),
    };
    const bytes = Buffer.from(body ? JSON.stringify(body) : '');
    const reply = await send({ method, path: `${base}/${path}`, query, headers, body: bytes });
    const { json } = await readReply(reply);
    return { status: reply.status, json };
  };
}
