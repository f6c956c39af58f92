// Requests to the EHR and its replies as the faults see them. Both are immutable: a fault returns a changed copy.
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { RequestKind } from './request-filter.ts';

export type Json = Readonly<Record<string, unknown>>;

export type FaultRequest = {
  readonly method: string;
  /** The path including the FHIR base, without the query. */
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body if it is a JSON object. */
  readonly json: Json | undefined;
  readonly kind: RequestKind;
};

export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable | string;
  /** How the reply is broken on its way to the client. */
  readonly delivery?: 'hang' | 'reset' | 'cut';
};

export type Next = (request: FaultRequest) => Promise<Reply>;

/** Sends another request to the EHR, as its own users do, during the current one: `Patient/p-1`. */
export type AskEhr = (
  method: 'GET' | 'PUT' | 'DELETE',
  relative: string,
  body?: Json,
) => Promise<{ readonly status: number; readonly json: Json | undefined }>;

export type FaultTools = {
  readonly ask: (near: FaultRequest) => AskEhr;
  /** Waits for that time, or until `release` or `close`. */
  readonly wait: (ms: number) => Promise<void>;
  readonly now: () => Date;
  readonly monotonicMs: () => number;
};

/** The behaviour of one fault. Only requests for which `isFor` is true are counted. */
export type FaultHandler = {
  readonly isFor: (request: FaultRequest) => boolean;
  readonly handle: (request: FaultRequest, next: Next) => Promise<Reply>;
  /** Removes an announced missing feature from the CapabilityStatement. */
  readonly editStatement?: (statement: Json) => Json;
  /** It handles a batch of reads as such, and not entry by entry. */
  readonly handlesBatches?: boolean;
  readonly release?: () => void;
};

/** The fault cannot be applied to this request; the answer says why. */
export class ImpossibleFault extends Error {}

export type BundleEntry = { readonly fullUrl?: string; readonly resource?: Json; readonly request: Json };

export function readKind(method: string, path: string, json: Json | undefined): RequestKind {
  const { type, rest } = splitPath(path);
  const isBundle = method === 'POST' && type === undefined && json?.['resourceType'] === 'Bundle';
  const isSearch = (method === 'GET' && type !== undefined && rest.length === 0) || rest[0] === '_search';
  const isReadBatch = isBundle && json['type'] === 'batch' && entriesOf(json).every(isRead);
  return {
    method,
    types: isBundle ? entriesOf(json).map(entryType) : type === undefined ? [] : [type],
    isTransaction: isBundle && json['type'] === 'transaction',
    isWrite: !isSearch && !isReadBatch && method !== 'GET' && method !== 'HEAD',
    isReadBatch,
    isSearch,
    isMetadata: method === 'GET' && /(^|\/)metadata$/.test(path),
  };
}

function isRead({ request }: BundleEntry): boolean {
  return request?.['method'] === 'GET';
}

/** The FHIR base ends before the first segment that looks like a type name. */
export function splitPath(path: string): {
  readonly base: string;
  readonly type: string | undefined;
  readonly rest: readonly string[];
} {
  const segments = path.replace(/\/$/, '').split('/');
  const at = segments.findIndex((segment) => /^[A-Z][a-z]+[A-Za-z]*$/.test(segment));
  if (at < 0) return { base: path.replace(/\/(metadata)?$/, ''), type: undefined, rest: [] };
  return { base: segments.slice(0, at).join('/'), type: segments[at], rest: segments.slice(at + 1) };
}

export function isBundle({ kind, json }: FaultRequest): boolean {
  return kind.isWrite && json?.['resourceType'] === 'Bundle';
}

export function entriesOf(bundle: Json | undefined): readonly BundleEntry[] {
  const entries = bundle?.['entry'];
  return Array.isArray(entries) ? entries : [];
}

export function entryType({ request }: BundleEntry): string {
  return String(request?.['url'] ?? '').split(/[/?]/)[0] ?? '';
}

export function withJson(request: FaultRequest, json: Json): FaultRequest {
  return { ...request, json, body: Buffer.from(JSON.stringify(json)) };
}

export function withEntries(request: FaultRequest, edit: (entry: BundleEntry) => BundleEntry): FaultRequest {
  return withJson(request, { ...request.json, entry: entriesOf(request.json).map(edit) });
}

/** Returns all resources that this request would write. */
export function writtenResources(request: FaultRequest): readonly Json[] {
  if (!request.kind.isWrite || !request.json) return [];
  return isBundle(request)
    ? entriesOf(request.json)
        .map(({ resource }) => resource)
        .filter((resource) => resource !== undefined)
    : [request.json];
}

/** Returns the references (`Condition/12`) of all resources that this request would update. */
export function updatedReferences(request: FaultRequest): readonly string[] {
  if (isBundle(request)) {
    const puts = entriesOf(request.json).filter((entry) => entry.request['method'] === 'PUT');
    return puts.map((entry) => String(entry.request['url'])).filter((url) => !url.includes('?'));
  }
  const { type, rest } = splitPath(request.path);
  return request.method === 'PUT' && rest[0] !== undefined ? [`${type}/${rest[0]}`] : [];
}

export function hasCondition(request: FaultRequest): boolean {
  if (!isBundle(request)) return request.headers['if-none-exist'] !== undefined;
  return entriesOf(request.json).some((entry) => entry.request['ifNoneExist'] !== undefined);
}

export function withoutConditions(request: FaultRequest): FaultRequest {
  if (isBundle(request)) {
    return withEntries(request, (entry) => {
      const { ifNoneExist: _, ...rest } = entry.request;
      return { ...entry, request: rest };
    });
  }
  const { 'if-none-exist': _, ...headers } = request.headers;
  return { ...request, headers };
}

export function jsonReply(status: number, json: Json, headers: Readonly<Record<string, string>> = {}): Reply {
  const type = { 'content-type': 'application/fhir+json; charset=utf-8' };
  return { status, headers: { ...type, ...headers }, body: JSON.stringify(json) };
}

/** `expression` names the element of the problem. */
export type OutcomeText = { readonly code: string; readonly text: string; readonly expression?: string };

export function refusal(status: number, said: OutcomeText): Reply {
  return jsonReply(status, outcomeOf(said));
}

export function outcomeOf({ code, text, expression }: OutcomeText): Json {
  const where = expression === undefined ? {} : { expression: [expression] };
  return { resourceType: 'OperationOutcome', issue: [{ severity: 'error', code, details: { text }, ...where }] };
}

/** Returns undefined as JSON, and the unchanged reply, if the reply is not JSON. */
export async function readReply(reply: Reply): Promise<{ readonly json: Json | undefined; readonly reply: Reply }> {
  if (!/json/.test(reply.headers['content-type'] ?? '')) return { json: undefined, reply };
  const body = typeof reply.body === 'string' ? reply.body : await textOf(reply.body);
  const whole = { ...reply, body };
  try {
    const json: unknown = JSON.parse(body);
    return { json: typeof json === 'object' && json !== null ? (json as Json) : undefined, reply: whole };
  } catch {
    return { json: undefined, reply: whole };
  }
}

/** Returns the reply with another body. */
export function withReplyJson(reply: Reply, json: Json): Reply {
  const { 'content-length': _, ...headers } = reply.headers;
  return { ...reply, headers, body: JSON.stringify(json) };
}

async function textOf(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
