// The limits of two big vendors' servers according to their documentation: notes as DocumentReferences and diagnoses as Conditions, one by one.
import {
  type FaultHandler,
  type FaultRequest,
  type FaultTools,
  isBundle,
  type Json,
  type Next,
  type Reply,
  refusal,
  splitPath,
  withJson,
  withoutConditions,
} from './exchange.ts';
import type { FaultOf } from './faults.ts';
import { withoutVersions } from './feature-faults.ts';
import { parametersOf, withoutParameter } from './search-faults.ts';
import { withInteractions, withoutSearchParameter, withoutSystemInteraction, withTypes } from './statement-edits.ts';

const WRITABLE: ReadonlySet<string> = new Set(['DocumentReference', 'Condition']);
const UNKNOWN_TO_THEM: ReadonlySet<string> = new Set(['Composition', 'RiskAssessment', 'Subscription']);

const invalid = (text: string): Reply => refusal(422, { code: 'business-rule', text });
const notAllowed = (text: string): Reply => refusal(405, { code: 'not-supported', text });
const NO_BUNDLES = notAllowed('Bundles are not supported');

export function epicLike(_: FaultOf<'epic-like'>, tools: FaultTools): FaultHandler {
  return {
    isFor: ({ kind }) => !kind.isMetadata,
    handlesBatches: true,
    handle: async (request, next) => {
      const { kind, method } = request;
      if (kind.isReadBatch) return NO_BUNDLES;
      if (!kind.isWrite) return withoutVersions(await epicRead(request, next));
      if (method !== 'POST') return notAllowed('Only creates are supported');
      const refused = typeRefusal(request) ?? (await epicRefusal(request, tools));
      if (refused) return refused;
      const stored = await next(withoutConditions(firstAttachmentOnly(request)));
      return emptied(await withoutVersions(stored));
    },
    editStatement: epicStatement,
  };
}

const epicStatement = (statement: Json): Json =>
  withTypes((resource) => {
    const type = String(resource['type']);
    if (UNKNOWN_TO_THEM.has(type)) return undefined;
    const interactions = ['read', 'search-type', ...(WRITABLE.has(type) ? ['create'] : [])];
    const searchable = type === 'Patient' ? resource : withoutSearchParameter(resource, 'identifier');
    return {
      ...withInteractions(withoutSearchParameter(searchable, '_tag'), interactions),
      versioning: 'no-version',
      conditionalCreate: false,
      conditionalUpdate: false,
    };
  })(withoutSystemInteraction('transaction', 'batch')(statement));

/** Ignores unknown search parameters and requires the patient in a search. */
async function epicRead(request: FaultRequest, next: Next): Promise<Reply> {
  const { type } = splitPath(request.path);
  if (type !== undefined && UNKNOWN_TO_THEM.has(type)) return unknownType;
  if (!request.kind.isSearch || type === 'Patient') return next(request);
  const understood = withoutParameter(withoutParameter(request, 'identifier'), '_tag');
  const parameters = parametersOf(understood);
  const isNarrow = ['patient', 'subject', 'encounter', 'target', '_id'].some((name) => parameters.has(name));
  if (!isNarrow) return refusal(400, { code: 'required', text: 'Either patient or _id is needed' });
  return next(understood.method === 'POST' ? asGet(understood) : understood);
}

const unknownType = refusal(404, { code: 'not-supported', text: 'Resource type is not supported' });

function asGet(request: FaultRequest): FaultRequest {
  const { 'content-type': _, ...headers } = request.headers;
  return { ...request, method: 'GET', path: request.path.replace(/\/_search$/, ''), headers };
}

function typeRefusal(request: FaultRequest): Reply | undefined {
  if (isBundle(request)) return NO_BUNDLES;
  const { type } = splitPath(request.path);
  return type === undefined || !WRITABLE.has(type) ? unknownType : undefined;
}

async function epicRefusal(request: FaultRequest, tools: FaultTools): Promise<Reply | undefined> {
  const resource = request.json ?? {};
  if (resource['resourceType'] === 'Condition') {
    const isProvisional = codesOf(resource['verificationStatus']).join() === 'provisional';
    return isProvisional ? undefined : invalid('verificationStatus must be provisional');
  }
  const [attachment] = attachmentsOf(resource);
  if (!/^text\/plain\b/.test(String(attachment?.['contentType']))) return invalid('Only text/plain is supported');
  if (typeof attachment?.['data'] !== 'string') return invalid('The text must be in the attachment');
  if (!['preliminary', 'final'].includes(String(resource['docStatus']))) return invalid('docStatus is not supported');
  const encounter = referencesAt(contextOf(resource)['encounter'])[0];
  if (encounter === undefined) return invalid('context.encounter is needed');
  const { json } = await tools.ask(request)('GET', encounter);
  const [subject] = referencesAt(resource['subject']);
  return json && referencesAt(json['subject'])[0] === subject
    ? undefined
    : invalid('The encounter is not one of this patient');
}

function firstAttachmentOnly(request: FaultRequest): FaultRequest {
  const content = request.json?.['content'];
  return Array.isArray(content) ? withJson(request, { ...request.json, content: content.slice(0, 1) }) : request;
}

export function oracleLike(_: FaultOf<'oracle-like'>): FaultHandler {
  return {
    isFor: ({ kind }) => !kind.isMetadata,
    handlesBatches: true,
    handle: async (request, next) => {
      const { type } = splitPath(request.path);
      if (request.kind.isReadBatch) return NO_BUNDLES;
      if (!request.kind.isWrite) {
        return type !== undefined && UNKNOWN_TO_THEM.has(type) ? unknownType : next(request);
      }
      if (request.method !== 'POST' && request.method !== 'PUT') return notAllowed('Deletes are not supported');
      const refused = typeRefusal(request) ?? oracleRefusal(request.json ?? {});
      return refused ?? emptied(await next(withoutConditions(request)));
    },
    editStatement: oracleStatement,
  };
}

const oracleStatement = (statement: Json): Json =>
  withTypes((resource) => {
    const type = String(resource['type']);
    if (UNKNOWN_TO_THEM.has(type)) return undefined;
    const interactions = ['read', 'search-type', ...(WRITABLE.has(type) ? ['create', 'update'] : [])];
    return { ...withInteractions(resource, interactions), conditionalCreate: false, conditionalUpdate: false };
  })(withoutSystemInteraction('transaction', 'batch')(statement));

function oracleRefusal(resource: Json): Reply | undefined {
  if (resource['resourceType'] === 'Condition') {
    const isRefused = codesOf(resource['verificationStatus']).some((code) => /entered-in-error|refuted/.test(code));
    return isRefused ? invalid('verificationStatus is not supported') : undefined;
  }
  if (resource['status'] === 'entered-in-error') return undefined;
  if (!['final', 'amended'].includes(String(resource['docStatus']))) return invalid('docStatus is not supported');
  const attachments = attachmentsOf(resource);
  if (attachments.length !== 1) return invalid('Exactly one content is supported');
  if (!/;\s*charset=/i.test(String(attachments[0]?.['contentType']))) return invalid('contentType needs its charset');
  const { end } = asObject(contextOf(resource)['period']);
  if (!/T\d\d:\d\d/.test(String(end))) return invalid('context.period.end is needed, with its time');
  if (referencesAt(contextOf(resource)['encounter']).length !== 1) return invalid('One encounter is needed');
  return undefined;
}

/** Answers 201 with the location and without the resource. */
async function emptied(reply: Reply): Promise<Reply> {
  if (reply.status >= 300) return reply;
  if (typeof reply.body !== 'string') reply.body.resume();
  const { 'content-type': _, 'content-length': __, ...headers } = reply.headers;
  return { ...reply, headers, body: '' };
}

function attachmentsOf(resource: Json): readonly Json[] {
  const content = resource['content'];
  return Array.isArray(content) ? content.map((one) => asObject(asObject(one)['attachment'])) : [];
}

const contextOf = (resource: Json): Json => asObject(resource['context']);

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function codesOf(concept: unknown): readonly string[] {
  const { coding } = asObject(concept);
  return Array.isArray(coding) ? coding.map((one) => String(asObject(one)['code'])) : [];
}

function referencesAt(value: unknown): readonly string[] {
  return [value].flat().flatMap((one) => {
    const { reference } = asObject(one);
    return typeof reference === 'string' ? [reference] : [];
  });
}
