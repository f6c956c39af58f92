// Executes transactions and batches. A transaction is stored completely or not at all. References between its entries (`urn:uuid:…`) are
// replaced by the stored references, also to later entries.
import { randomUUID } from 'node:crypto';
import {
  badRequest,
  multipleMatches,
  OperationOutcomeError,
  parseSearchRequest,
  preconditionFailed,
} from '@medplum/core';
import type { Bundle, BundleEntry, OperationOutcome, Resource, ResourceType } from '@medplum/fhirtypes';
import { type Interact, splitUrl, succeeded } from './interactions.ts';
import { statusOf } from './outcomes.ts';
import { isObject, type Json } from './resource-values.ts';
import type { StoreRepository } from './store-repository.ts';

type RunParts = { readonly interact: Interact; readonly repository: StoreRepository };
type Prepared = { readonly entry: BundleEntry; readonly hasAssignedId: boolean; readonly refused?: OperationOutcome };
type Names = Map<string, string>;

/** Throws an OperationOutcomeError if nothing was stored. */
export async function runBundle(bundle: Bundle, parts: RunParts): Promise<Bundle> {
  const isTransaction = bundle.type === 'transaction';
  if (!isTransaction && bundle.type !== 'batch')
    throw new OperationOutcomeError(badRequest('Unrecognized bundle type'));
  const entries = bundle.entry ?? [];
  if (entries.length === 0) throw new OperationOutcomeError(badRequest('Missing bundle entries'));
  const work = () => runEntries(entries, { ...parts, isTransaction });
  const entry = isTransaction ? await parts.repository.withTransaction(work) : await work();
  return { resourceType: 'Bundle', type: isTransaction ? 'transaction-response' : 'batch-response', entry };
}

async function runEntries(
  entries: readonly BundleEntry[],
  { interact, repository, isTransaction }: RunParts & { readonly isTransaction: boolean },
): Promise<BundleEntry[]> {
  const names: Names = new Map();
  const prepared: Prepared[] = [];
  for (const entry of entries) prepared.push(await prepareEntry(entry, { names, repository }));
  if (isTransaction) refuseOverlaps(prepared);

  const results = new Map<Prepared, BundleEntry>();
  for (const one of inOrder(prepared)) {
    const result = one.refused ? { outcome: one.refused } : await runEntry(one, { interact, repository, names });
    if (isTransaction && !succeeded(result.outcome)) throw new OperationOutcomeError(result.outcome);
    results.set(one, responseEntry(result));
  }
  return prepared.map((one) => results.get(one) ?? {});
}

async function runEntry(
  { entry, hasAssignedId }: Prepared,
  { interact, repository, names }: RunParts & { names: Names },
) {
  const { method = '', url = '', ifNoneExist, ifMatch } = entry.request ?? {};
  try {
    return await interact(
      {
        method,
        url,
        body: await withNames(entry.resource, { names, repository }),
        headers: { ...(ifNoneExist && { 'if-none-exist': ifNoneExist }), ...(ifMatch && { 'if-match': ifMatch }) },
        hasAssignedId,
      },
      repository,
    );
  } catch (error) {
    if (error instanceof OperationOutcomeError) return { outcome: error.outcome };
    throw error;
  }
}

/** The order of R4: deletes, creates, updates, reads. */
function inOrder(prepared: readonly Prepared[]): readonly Prepared[] {
  const rank = ({ entry }: Prepared) => ['DELETE', 'POST', 'PUT', 'PATCH'].indexOf(entry.request?.method ?? '');
  const last = (at: number) => (at < 0 ? Number.POSITIVE_INFINITY : at);
  return prepared.toSorted((one, other) => {
    const [left, right] = [last(rank(one)), last(rank(other))];
    return left === right ? 0 : left - right;
  });
}

type NamingParts = { readonly names: Names; readonly repository: StoreRepository };

/** Chooses the reference of an entry's resource before anything is stored, so that earlier entries can refer to later ones. */
async function prepareEntry(entry: BundleEntry, { names, repository }: NamingParts): Promise<Prepared> {
  const { method, url, ifNoneExist } = entry.request ?? {};
  if (!method || !url) return refusedEntry(entry, badRequest('Missing Bundle entry request method or URL'));
  const [path, query] = splitUrl(url);
  // The query of a GET is a search, and may have any number of matches.
  const condition = method === 'POST' ? ifNoneExist : method === 'GET' ? '' : query;
  const matches = condition && !path.includes('/') ? await matchesOf(path, condition, repository) : [];
  if (matches.length > 1) return refusedEntry(entry, multipleMatches);
  const [match] = matches;
  const isCreate = method === 'POST' || (method === 'PUT' && query !== '' && !match);
  if (!isCreate || !entry.resource) {
    const target = match ? `${path}/${match.id}` : path;
    if (entry.fullUrl) names.set(entry.fullUrl, target);
    return { entry, hasAssignedId: false };
  }
  const id = match?.id ?? randomUUID();
  if (entry.fullUrl) names.set(entry.fullUrl, `${path}/${id}`);
  return { entry: { ...entry, resource: { ...entry.resource, id } }, hasAssignedId: true };
}

async function matchesOf(type: string, condition: string, repository: StoreRepository): Promise<readonly Resource[]> {
  try {
    return await repository.searchResources({ ...parseSearchRequest(`${type}?${condition}`), count: 2 });
  } catch (error) {
    // An invalid search is refused when the entry is executed.
    if (error instanceof OperationOutcomeError) return [];
    throw error;
  }
}

function refusedEntry(entry: BundleEntry, refused: OperationOutcome): Prepared {
  return { entry, hasAssignedId: false, refused };
}

/** Refuses two entries for the same resource, because their order is not defined. */
function refuseOverlaps(prepared: readonly Prepared[]): void {
  const seen = new Set<string>();
  for (const { entry } of prepared) {
    const { method, url, ifNoneExist } = entry.request ?? {};
    const identity = method === 'POST' ? ifNoneExist && `${url}?${ifNoneExist}` : method !== 'GET' && url;
    const own = [identity, entry.fullUrl].filter((one): one is string => typeof one === 'string' && one !== '');
    if (own.some((one) => seen.has(one))) {
      throw new OperationOutcomeError(badRequest('Duplicate resource identity found in Bundle'));
    }
    for (const one of own) seen.add(one);
  }
}

const URN = /urn(?::|%3A)(?:uuid|oid)(?::|%3A)[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*/g;

async function withNames(value: unknown, parts: NamingParts): Promise<unknown> {
  if (typeof value === 'string') {
    return value.replaceAll(URN, (urn) => parts.names.get(urn.replaceAll('%3A', ':')) ?? urn);
  }
  if (Array.isArray(value)) return Promise.all(value.map((one) => withNames(one, parts)));
  if (!isObject(value)) return value;
  const pairs = Object.entries(value).map(async ([name, part]) => {
    const isCondition = name === 'reference' && typeof part === 'string' && /^[A-Z][A-Za-z]+\?/.test(part);
    return [name, isCondition ? await resolveCondition(part, parts) : await withNames(part, parts)] as const;
  });
  return Object.fromEntries(await Promise.all(pairs)) satisfies Json;
}

/** Resolves a conditional reference (`Patient?identifier=…`); exactly one resource must match. */
async function resolveCondition(reference: string, { repository }: NamingParts): Promise<string> {
  const [type, condition] = splitUrl(reference);
  const [match, ...others] = await matchesOf(type, condition, repository);
  if (!match?.id || others.length > 0) throw new OperationOutcomeError(preconditionFailed);
  return `${type as ResourceType}/${match.id}`;
}

/** Describes a delete as real servers do: a bare status, a relative location without a version, and no ETag. */
function responseEntry({ outcome: said, resource }: Awaited<ReturnType<Interact>>): BundleEntry {
  const location = succeeded(said) && resource?.id ? `${resource.resourceType}/${resource.id}` : undefined;
  return {
    response: { status: String(statusOf(said)), outcome: said, ...(location !== undefined && { location }) },
    ...(resource && { resource }),
  };
}
