// Faults of searches: too few results, too many, or none.
import { dropUnmatched } from './condition-faults.ts';
import {
  entriesOf,
  type FaultHandler,
  type FaultRequest,
  type FaultTools,
  hasCondition,
  type Json,
  jsonReply,
  type Reply,
  readReply,
  refusal,
  splitPath,
  withReplyJson,
} from './exchange.ts';
import type { FaultOf } from './faults.ts';
import { withoutSearchParameter, withTypes } from './statement-edits.ts';

/** Hides new resources from searches for a time, or until they are released. */
export function searchLag(fault: FaultOf<'search-lag'>, tools: FaultTools): FaultHandler {
  const { ms = Number.POSITIVE_INFINITY, alsoConditions = false } = fault;
  const hiddenUntil = new Map<string, number>();
  const isSeen = (reference: string) => (hiddenUntil.get(reference) ?? 0) <= tools.monotonicMs();
  return {
    isFor: ({ kind }) => kind.isWrite || kind.isSearch,
    handle: async (request, next) => {
      if (request.kind.isSearch) return onlyThose(await next(request), (one) => isSeen(referenceOf(one)));
      const isBlind = alsoConditions && hasCondition(request);
      const reply = await next(isBlind ? await dropUnmatched(request, tools, isSeen) : request);
      const { json, reply: whole } = await readReply(reply);
      const until = tools.monotonicMs() + ms;
      for (const reference of createdReferences(whole, json)) hiddenUntil.set(reference, until);
      return whole;
    },
    release: () => hiddenUntil.clear(),
  };
}

function createdReferences(reply: Reply, json: Json | undefined): readonly string[] {
  if (json?.['resourceType'] === 'Bundle') {
    return entriesOf(json).flatMap((entry) => {
      const response: Json = 'response' in entry ? (entry.response as Json) : {};
      return String(response['status']).startsWith('201') ? locationReference(response['location']) : [];
    });
  }
  return reply.status === 201 ? locationReference(reply.headers['location']) : [];
}

function locationReference(location: unknown): readonly string[] {
  const found = /([A-Z][A-Za-z]+\/[A-Za-z0-9\-.]+)(?:\/_history\/[^/]+)?$/.exec(String(location))?.[1];
  return found === undefined ? [] : [found];
}

export function identifierSearch(fault: FaultOf<'identifier-search'>): FaultHandler {
  const { how, parameter = 'identifier', isAnnounced = false, on } = fault;
  const types = on?.type === undefined ? undefined : [on.type].flat();
  const isMeant = (resource: Json) => types === undefined || types.includes(String(resource['type']));
  return {
    isFor: (request) => request.kind.isSearch && parametersOf(request).has(parameter),
    handle: async (request, next) => {
      if (how === 'refused') {
        return refusal(400, { code: 'invalid', text: `Unknown search parameter: ${parameter}` });
      }
      if (how === 'nothing') return jsonReply(200, { resourceType: 'Bundle', type: 'searchset' });
      return next(withoutParameter(request, parameter));
    },
    ...(isAnnounced && {
      editStatement: withTypes((one) => (isMeant(one) ? withoutSearchParameter(one, parameter) : one)),
    }),
  };
}

export function parametersOf({ query, body, headers }: FaultRequest): URLSearchParams {
  const isForm = /x-www-form-urlencoded/.test(headers['content-type'] ?? '');
  return new URLSearchParams([query, isForm ? body.toString('utf8') : ''].filter((part) => part !== '').join('&'));
}

export function withoutParameter(request: FaultRequest, name: string): FaultRequest {
  const parameters = parametersOf(request);
  for (const key of [...parameters.keys()]) if (key.split(':')[0] === name) parameters.delete(key);
  return { ...request, query: parameters.toString(), body: Buffer.alloc(0) };
}

const MAX_FOREIGN = 5;

/** Adds other resources of the same type to the results. */
export function foreignResults(_: FaultOf<'foreign-results'>, tools: FaultTools): FaultHandler {
  return {
    isFor: ({ kind }) => kind.isSearch,
    handle: async (request, next) => {
      const { json, reply } = await readReply(await next(request));
      if (json?.['resourceType'] !== 'Bundle') return reply;
      const { type = '' } = splitPath(request.path);
      const all = await tools.ask(request)('GET', `${type}?_count=50`);
      const own = new Set(entriesOf(json).map(({ resource }) => referenceOf(resource)));
      const foreign = entriesOf(all.json).filter(({ resource }) => !own.has(referenceOf(resource)));
      return withReplyJson(reply, { ...json, entry: [...entriesOf(json), ...foreign.slice(0, MAX_FOREIGN)] });
    },
  };
}

async function onlyThose(reply: Reply, isShown: (resource: Json | undefined) => boolean): Promise<Reply> {
  const { json, reply: whole } = await readReply(reply);
  if (json?.['resourceType'] !== 'Bundle') return whole;
  const { entry: _, ...rest } = json;
  const entry = entriesOf(json).filter(({ resource }) => isShown(resource));
  return withReplyJson(whole, { ...rest, ...(entry.length > 0 && { entry }) });
}

function referenceOf(resource: Json | undefined): string {
  return `${String(resource?.['resourceType'])}/${String(resource?.['id'])}`;
}
