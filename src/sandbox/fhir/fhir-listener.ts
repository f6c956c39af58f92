// The request listener of the sandbox's EHR: FHIR R4 as JSON over HTTP below a base path. Interactions run one after another, so that no
// client sees half of a transaction.
import type { IncomingMessage, RequestListener } from 'node:http';
import { OperationOutcomeError } from '@medplum/core';
import type { Bundle, OperationOutcome, Resource } from '@medplum/fhirtypes';
import type { AppGrant } from '../smart/app-grant.ts';
import { scopeRefusal, withinScope } from '../smart/scope-check.ts';
import { httpDate, readBinary, takeRawBinary } from './binary-exchange.ts';
import { capabilityStatement } from './capability-statement.ts';
import {
  type Answer,
  mediaType,
  RefusedRequest,
  readBytes,
  readJson,
  takesJson,
  writeAnswer,
} from './http-exchange.ts';
import { type Interact, type Interaction, isTaken, makeInteract, splitUrl, succeeded } from './interactions.ts';
import { type Mutex, makeMutex } from './mutex.ts';
import type { OAuth } from './oauth.ts';
import { outcome, statusOf } from './outcomes.ts';
import { isObject, type Json } from './resource-values.ts';
import { runBundle } from './run-bundle.ts';
import type { VersionedStore } from './sandbox-store.ts';
import { searchAnswer } from './search-answer.ts';
import { withoutUnknown } from './search-query.ts';
import type { SignedLinks } from './signed-links.ts';
import type { StoredResource } from './store-records.ts';
import { StoreRepository } from './store-repository.ts';
import type { Subscriptions } from './subscriptions.ts';

export type FhirListenerParts = {
  readonly store: VersionedStore;
  readonly subscriptions: Subscriptions;
  /** The base URL, known once the server listens. */
  readonly baseUrl: () => string;
  readonly basePath: string;
  readonly software: { readonly name: string; readonly version: string };
  readonly startedAt: Date;
  /** False: the request is answered with 401. */
  readonly authorize?: ((request: IncomingMessage) => 401 | undefined) | undefined;
  readonly smartConfiguration?: Json | undefined;
  readonly oauth?: OAuth | undefined;
  /** Absent: links to recordings are given out as they are stored, and need a token. */
  readonly links?: SignedLinks | undefined;
};

type ListenerContext = FhirListenerParts & { readonly interact: Interact; readonly mutex: Mutex };

type Call = {
  readonly request: IncomingMessage;
  readonly method: string;
  /** The path below the base, without a leading slash. */
  readonly path: string;
  readonly query: string;
  readonly author: string;
};

export function makeFhirListener(parts: FhirListenerParts): RequestListener {
  const context: ListenerContext = { ...parts, interact: makeInteract(), mutex: makeMutex() };
  return (request, response) => {
    answerTo(request, context)
      .catch((error: unknown) => failureAnswer(error))
      .then((answer) => writeAnswer(response, answer))
      // The client has disconnected, or a recording could not be read: no answer is possible.
      .catch(() => response.destroy());
  };
}

function failureAnswer(error: unknown): Answer {
  if (error instanceof RefusedRequest) return error.answer;
  if (error instanceof OperationOutcomeError) return refusal(error.outcome);
  return { status: 500, body: outcome('exception', 'Internal server error') };
}

async function answerTo(request: IncomingMessage, context: ListenerContext): Promise<Answer> {
  const [fullPath, query] = splitUrl(request.url ?? '/');
  const isInside = fullPath === context.basePath || fullPath.startsWith(`${context.basePath}/`);
  const author = request.headers['x-sandbox-author'];
  const call: Call = {
    request,
    method: request.method ?? 'GET',
    path: fullPath.slice(context.basePath.length).replace(/^\//, ''),
    query,
    author: typeof author === 'string' ? author : 'client',
  };
  if (!isInside || call.method === 'HEAD') return notFound;
  const said = context.oauth?.answer(request, call.path, query);
  if (said) return said;
  if (call.method === 'GET' && call.path === '.well-known/smart-configuration') {
    return context.smartConfiguration ? { status: 200, body: context.smartConfiguration } : notFound;
  }
  const opened = openLink(call, context);
  if (opened) return opened;
  const bearer = call.path === 'metadata' ? 'system' : (context.oauth?.bearerOf(request) ?? 'system');
  if (bearer === 'system') return chartAnswer(call, context);
  return 'refusal' in bearer ? bearer.refusal : answerToApp(call, bearer, context);
}

async function chartAnswer(call: Call, context: ListenerContext): Promise<Answer> {
  if (context.authorize?.(call.request) === 401) return { status: 401, body: outcome('login', 'Unauthorized') };
  return (await binaryAnswer(call, context)) ?? withLinks(await jsonAnswer(call, context), context);
}

async function answerToApp(call: Call, grant: AppGrant, context: ListenerContext): Promise<Answer> {
  return scopeRefusal(grant, call) ?? withinScope(await chartAnswer(call, context), grant, call);
}

/** A signed link is its own permission. Returns undefined for any other request. */
function openLink({ request, method, path, query }: Call, { links, store }: ListenerContext): Answer | undefined {
  const [type, id, ...more] = path.split('/');
  if (links === undefined || method !== 'GET' || type !== 'Binary' || id === undefined || more.length > 0)
    return undefined;
  const state = links.check(id, query);
  if (state === 'unsigned') return undefined;
  if (state === 'valid') return readBinary(id, { request, store }) ?? notFound;
  return state === 'ended'
    ? { status: 410, body: outcome('expired', 'This link has ended') }
    : { status: 403, body: outcome('forbidden', 'The signature of this link is not valid') };
}

function withLinks(answer: Answer, { links }: ListenerContext): Answer {
  return links !== undefined && isObject(answer.body) ? { ...answer, body: links.sign(answer.body) } : answer;
}

async function readResource(request: IncomingMessage, { links }: ListenerContext): Promise<unknown> {
  const body = await readJson(request);
  return links !== undefined && isObject(body) ? links.unsign(body) : body;
}

const notFound: Answer = { status: 404, body: outcome('not-found', 'Not found') };

async function binaryAnswer(call: Call, context: ListenerContext): Promise<Answer | undefined> {
  const { request, method, path, author } = call;
  const [type, id, ...more] = path.split('/');
  if (type !== 'Binary' || more.length > 0) return undefined;
  if (method === 'GET' && id !== undefined) return readBinary(id, { request, store: context.store });
  const isRaw = !/json$/.test(mediaType(request)) && id !== '_search';
  const isReplacing = method === 'PUT' && id !== undefined && context.store.current('Binary', id) !== undefined;
  if (!isRaw || !((method === 'POST' && id === undefined) || isReplacing)) return undefined;
  const taken = await takeRawBinary({ request, store: context.store, author, mutex: context.mutex }, id);
  if (!('resource' in taken)) return refusal(taken as OperationOutcome);
  return storedAnswer({ resource: taken.resource, isNew: method === 'POST', call, baseUrl: context.baseUrl() });
}

async function jsonAnswer(call: Call, context: ListenerContext): Promise<Answer> {
  const { request, method, path, query } = call;
  if (!takesJson(request, new URLSearchParams(query))) {
    return { status: 406, body: outcome('not-supported', 'Only JSON is given') };
  }
  if (method === 'GET' && path === 'metadata') {
    const { software, startedAt, oauth, subscriptions } = context;
    const body = capabilityStatement({
      software,
      date: startedAt.toISOString(),
      baseUrl: context.baseUrl(),
      hasTokens: oauth !== undefined,
      operations: subscriptions.operations,
    });
    return { status: 200, body };
  }
  const repository = new StoreRepository({ store: context.store, author: call.author });
  if (path === '') return bundleAnswer(call, { context, repository });
  const [type = '', part, operation] = path.split('/');
  if (method === 'GET' && type === 'Subscription' && operation?.startsWith('$')) {
    const said = context.subscriptions.ask(part ?? '', operation, new URLSearchParams(query));
    return said ? { status: 200, body: said } : notFound;
  }
  const asked = await searchQuery(call, { type, part });
  if (asked !== undefined) return searched(type, asked, { context, repository });

  const body = method === 'POST' || method === 'PUT' ? await readResource(request, context) : undefined;
  const interaction: Interaction = {
    method,
    url: query === '' ? path : `${path}?${query}`,
    body: method === 'POST' && isObject(body) ? { ...body, id: undefined } : body,
    headers: request.headers,
  };
  if (body !== undefined && !isObject(body)) return refusal(outcome('structure', 'The body is no resource'));
  const refused = isObject(body) ? context.subscriptions.refusalOf(body) : undefined;
  if (refused) return { status: 422, body: refused };
  const { outcome: said, resource } = await context.mutex.run(() => context.interact(interaction, repository));
  if (!succeeded(said) || !resource) return { status: statusOf(said), body: said };
  if (method === 'GET' && resource.resourceType === 'Bundle') return { status: 200, body: resource };
  return storedAnswer({ resource: asKept(resource), isNew: statusOf(said) === 201, call, baseUrl: context.baseUrl() });
}

type RequestContext = { readonly context: ListenerContext; readonly repository: StoreRepository };

async function bundleAnswer(call: Call, { context, repository }: RequestContext): Promise<Answer> {
  if (call.method !== 'POST') return isTaken(call.method) ? notFound : notAllowed;
  const bundle = await readResource(call.request, context);
  if (!isObject(bundle) || bundle['resourceType'] !== 'Bundle') return refusal(outcome('structure', 'Not a bundle'));
  const parts = { interact: withSearchPages(context), repository };
  const result = await context.mutex.run(() => runBundle(bundle as unknown as Bundle, parts));
  return { status: 200, ...(!wantsMinimal(call.request) && { body: result }) };
}

/** A search in a Bundle has the same page, with the same links, as a search of its own. */
function withSearchPages({ interact, baseUrl, store }: ListenerContext): Interact {
  return async (interaction, repository) => {
    const done = await interact(interaction, repository);
    const [type, query] = splitUrl(interaction.url);
    if (interaction.method !== 'GET' || done.resource?.resourceType !== 'Bundle' || type.includes('/')) return done;
    return { ...done, resource: searchAnswer(done.resource, { type, query, baseUrl: baseUrl(), store }) };
  };
}

const notAllowed: Answer = { status: 405, body: outcome('not-supported', 'Interaction is not supported') };

/** Returns undefined if the request is not a search. */
async function searchQuery(
  { request, method, query }: Call,
  { type, part }: { readonly type: string; readonly part: string | undefined },
): Promise<string | undefined> {
  const isPosted = method === 'POST' && part === '_search';
  if (!isPosted && (method !== 'GET' || part !== undefined)) return undefined;
  const form = isPosted ? await searchForm(request) : '';
  const asked = [query, form].filter((one) => one !== '').join('&');
  return prefers(request, 'handling=lenient') ? withoutUnknown(type, asked) : asked;
}

async function searchForm(request: IncomingMessage): Promise<string> {
  const form = (await readBytes(request, 1_048_576)).toString('utf8');
  if (form !== '' && mediaType(request) !== 'application/x-www-form-urlencoded') {
    throw new RefusedRequest(415, outcome('not-supported', 'A search is posted as a form'));
  }
  return form;
}

async function searched(type: string, query: string, { context, repository }: RequestContext): Promise<Answer> {
  const interaction = { method: 'GET', url: `${type}?${query}` };
  const { outcome: said, resource } = await context.mutex.run(() => context.interact(interaction, repository));
  if (!succeeded(said) || resource?.resourceType !== 'Bundle') return refusal(said);
  return {
    status: 200,
    body: searchAnswer(resource, { type, query, baseUrl: context.baseUrl(), store: context.store }),
  };
}

type StoredParts = {
  readonly resource: StoredResource;
  readonly isNew: boolean;
  readonly call: Call;
  readonly baseUrl: string;
};

/** Answers with the current version of a resource, after a read or a write. */
function storedAnswer({ resource, isNew, call, baseUrl }: StoredParts): Answer {
  const { resourceType, id, meta } = resource;
  const isRead = call.method === 'GET';
  const headers = {
    etag: `W/"${meta.versionId}"`,
    'last-modified': httpDate(resource),
    ...(!isRead && { location: `${baseUrl}/${resourceType}/${id}/_history/${meta.versionId}` }),
  };
  const isEmpty = !isRead && wantsMinimal(call.request);
  return { status: isNew ? 201 : 200, headers, ...(!isEmpty && { body: resource }) };
}

function wantsMinimal(request: IncomingMessage): boolean {
  return prefers(request, 'return=minimal');
}

function prefers(request: IncomingMessage, what: string): boolean {
  return String(request.headers['prefer'] ?? '').includes(what);
}

function refusal(said: OperationOutcome): Answer {
  return { status: statusOf(said), body: said };
}

/** The repository returns the store's own objects, which have a version. */
function asKept(resource: Resource): StoredResource {
  return resource as unknown as StoredResource;
}
