// Faults of missing features: resource types, drafts, versions, ids chosen by the client.
import {
  type BundleEntry,
  entriesOf,
  entryType,
  type FaultHandler,
  type FaultRequest,
  type FaultTools,
  isBundle,
  type Json,
  type OutcomeText,
  outcomeOf,
  type Reply,
  readReply,
  refusal,
  updatedReferences,
  withJson,
  withReplyJson,
  writtenResources,
} from './exchange.ts';
import type { FaultOf } from './faults.ts';
import { withTypes } from './statement-edits.ts';
import { withoutIfMatch } from './update-faults.ts';

export function typesRefused(fault: FaultOf<'types-refused'>): FaultHandler {
  const { types, status = 404, isAnnounced = false } = fault;
  const outcome = { code: 'not-supported', text: 'Resource type is not supported' };
  const isOne = (type: string) => types.includes(type);
  return {
    isFor: ({ kind }) => kind.isWrite && kind.types.some(isOne),
    handle: (request, next) =>
      isBundle(request) && !request.kind.isTransaction
        ? refuseEntries({ request, next, isRefused: (entry) => isOne(entryType(entry)), status, outcome })
        : Promise.resolve(refusal(status, outcome)),
    ...(isAnnounced && {
      editStatement: withTypes((resource) => (isOne(String(resource['type'])) ? undefined : resource)),
    }),
  };
}

export function draftsRefused({ status = 422, saysWhere = false }: FaultOf<'drafts-refused'>): FaultHandler {
  const refused: OutcomeText = { code: 'business-rule', text: 'Preliminary documents are not accepted' };
  return {
    isFor: (request) => writtenResources(request).some(isDraft),
    handle: (request, next) => {
      const expression = draftElement(writtenResources(request).find(isDraft));
      const outcome: OutcomeText = saysWhere ? { ...refused, expression } : refused;
      return isBundle(request) && !request.kind.isTransaction
        ? refuseEntries({ request, next, isRefused: ({ resource }) => isDraft(resource), status, outcome })
        : Promise.resolve(refusal(status, outcome));
    },
  };
}

function draftElement(resource: Json | undefined): string {
  return `${String(resource?.['resourceType'])}.${resource?.['docStatus'] === undefined ? 'status' : 'docStatus'}`;
}

const isDraft = (resource: Json | undefined) =>
  resource?.['docStatus'] === 'preliminary' || resource?.['status'] === 'preliminary';

type RefusalParts = {
  readonly request: FaultRequest;
  readonly next: (request: FaultRequest) => Promise<Reply>;
  readonly isRefused: (entry: BundleEntry) => boolean;
  readonly status: number;
  readonly outcome: OutcomeText;
};

/** The other entries of a batch are done; each entry has its own answer, in the Bundle's order. */
async function refuseEntries({ request, next, isRefused, status, outcome }: RefusalParts): Promise<Reply> {
  const entries = entriesOf(request.json);
  const remaining = entries.filter((entry) => !isRefused(entry));
  const refused = { response: { status: String(status), outcome: outcomeOf(outcome) } };
  if (remaining.length === 0) {
    const whole = { resourceType: 'Bundle', type: 'batch-response', entry: entries.map(() => refused) };
    return withReplyJson({ status: 200, headers: { 'content-type': 'application/fhir+json' }, body: '' }, whole);
  }
  const { json, reply } = await readReply(await next(withJson(request, { ...request.json, entry: remaining })));
  if (json?.['resourceType'] !== 'Bundle') return reply;
  const answered = [...entriesOf(json)];
  const entry = entries.map((one) => (isRefused(one) ? refused : answered.shift()));
  return withReplyJson(reply, { ...json, entry });
}

/** The real server would create the resource under the client's id; here it refuses. */
export function updateAsCreateRefused(fault: FaultOf<'update-as-create-refused'>, tools: FaultTools): FaultHandler {
  const { status = 405 } = fault;
  return {
    isFor: (request) => updatedReferences(request).length > 0,
    handle: async (request, next) => {
      for (const reference of updatedReferences(request)) {
        const found = await tools.ask(request)('GET', reference);
        if (found.status === 404 || found.status === 410) {
          return refusal(status, { code: 'not-supported', text: 'Ids are chosen by the server' });
        }
      }
      return next(request);
    },
  };
}

export function noVersions({ isAnnounced = false }: FaultOf<'no-versions'>): FaultHandler {
  return {
    isFor: ({ kind }) => !kind.isMetadata,
    handle: async (request, next) => {
      const unconditional = updatedReferences(request).length > 0 ? withoutIfMatch(request) : request;
      return withoutVersions(await next(unconditional));
    },
    ...(isAnnounced && { editStatement: withTypes((resource) => ({ ...resource, versioning: 'no-version' })) }),
  };
}

export async function withoutVersions(original: Reply): Promise<Reply> {
  const { json, reply } = await readReply(original);
  const { etag: _, 'last-modified': __, location, ...headers } = reply.headers;
  const plain = { ...reply, headers: { ...headers, ...(location && { location: withoutHistory(location) }) } };
  return json ? withReplyJson(plain, unversioned(json) as Json) : plain;
}

function withoutHistory(location: string): string {
  return location.replace(/\/_history\/[^/]+$/, '');
}

/** Applies to all resources of the reply: a Bundle has one in each entry. */
function unversioned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unversioned);
  if (typeof value !== 'object' || value === null) return value;
  const remaining = Object.entries(value).filter(([name]) => !['versionId', 'lastUpdated', 'etag'].includes(name));
  return Object.fromEntries(remaining.map(([name, part]) => [name, unversioned(part)]));
}
