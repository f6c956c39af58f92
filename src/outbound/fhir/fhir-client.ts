// FHIR requests by fhir-kit-client: it knows the addresses of FHIR and how searches are encoded. They are sent by a function of the
// caller, because the library's own network reads bodies without a limit, follows redirects and puts addresses with ids into its errors.
import { Client } from 'fhir-kit-client';
import { type Identity, tokenOf } from '../../domain/chart/identity.ts';
import { AppError } from '../../domain/errors.ts';
import type { AskOrder, CreateOrder, SearchOrder, UpdateOrder } from '../../ports/ehr.ts';
import { splitReference, usableVersion } from './references.ts';
import type { EhrRequest } from './transport.ts';

/** `what`: the resource type or the operation, for the text of an error. */
export type SendRequest<Answer> = (request: EhrRequest, what: string, signal: AbortSignal) => Promise<Answer>;

/** Every method sends one request and returns the answer as `send` gave it. */
export type FhirClient<Answer> = {
  readonly baseUrl: string;
  readonly capabilities: (signal: AbortSignal) => Promise<Answer>;
  readonly read: (reference: string, signal: AbortSignal) => Promise<Answer>;
  readonly remove: (reference: string, signal: AbortSignal) => Promise<Answer>;
  readonly search: (order: Pick<SearchOrder, 'type' | 'parameters'>, signal: AbortSignal) => Promise<Answer>;
  /** A further page of a search: `url` is absolute. */
  readonly page: (url: string, type: string, signal: AbortSignal) => Promise<Answer>;
  readonly ask: (order: AskOrder, signal: AbortSignal) => Promise<Answer>;
  readonly create: (order: CreateOrder, signal: AbortSignal) => Promise<Answer>;
  readonly update: (order: UpdateOrder, signal: AbortSignal) => Promise<Answer>;
  readonly transact: (bundle: string, signal: AbortSignal) => Promise<Answer>;
};

const ACCEPT = { accept: 'application/fhir+json' };
/**
 * Writes ask for the whole resource: it repeats id and version if a gateway loses `Location` and `ETag`, and some servers answer an
 * empty body otherwise (Epic's create). Never `minimal`: there are servers that answer a whole Bundle with nothing then.
 */
const WRITE_HEADERS = { ...ACCEPT, 'content-type': 'application/fhir+json', prefer: 'return=representation' };

export function makeFhirClient<Answer>(baseUrl: string, send: SendRequest<Answer>): FhirClient<Answer> {
  const perform = performWith(baseUrl, send);
  return {
    baseUrl,
    capabilities: (signal) => perform('metadata', signal, (client) => client.capabilityStatement({ headers: ACCEPT })),
    async read(reference, signal) {
      const { type: resourceType, id } = partsOf(reference);
      return perform(resourceType, signal, (client) => client.read({ resourceType, id, options: { headers: ACCEPT } }));
    },
    async remove(reference, signal) {
      const { type: resourceType, id } = partsOf(reference);
      return perform(resourceType, signal, (client) =>
        client.delete({ resourceType, id, options: { headers: ACCEPT } }),
      );
    },
    search({ type: resourceType, parameters }, signal) {
      const searchParams = Object.fromEntries(
        Object.entries(parameters).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
      );
      return perform(resourceType, signal, (client) =>
        client.search({ resourceType, searchParams, options: { headers: ACCEPT } }),
      );
    },
    page: (url, type, signal) => perform(type, signal, (client) => client.request(url, get())),
    async ask({ reference, operation, parameters }, signal) {
      const { type, id } = partsOf(reference);
      const query = new URLSearchParams(parameters).toString();
      const path = `${type}/${id}/${operation}`;
      return perform(operation, signal, (client) => client.request(query === '' ? path : `${path}?${query}`, get()));
    },
    create({ type, body, ifNoneExist }, signal) {
      const condition = ifNoneExist && { 'if-none-exist': conditionOf(type, ifNoneExist) };
      return perform(type, signal, (client) => client.request(type, post(body, condition)));
    },
    async update({ reference, body, ifMatch }, signal) {
      const { type, id } = partsOf(reference);
      const condition = ifMatch === undefined ? {} : { 'if-match': `W/"${versionOf(ifMatch)}"` };
      return perform(type, signal, (client) =>
        client.request(`${type}/${id}`, { ...post(body, condition), method: 'PUT' }),
      );
    },
    // To the base itself, without a slash: the library's own `transaction` adds one, and not all servers accept it.
    transact: (bundle, signal) => perform('Bundle', signal, (client) => client.request('', post(bundle))),
  };
}

/**
 * The library accepts no fetch of its user, but its `httpClient.request` can be replaced. It declares a parsed resource as the result
 * and hands on whatever `request` returns, hence the casts. A client for each call, because `what` is no option that it passes on.
 */
function performWith<Answer>(baseUrl: string, send: SendRequest<Answer>) {
  return async (what: string, signal: AbortSignal, call: (client: Client) => Promise<unknown>): Promise<Answer> => {
    const client = new Client({ baseUrl });
    const request = (
      method: EhrRequest['method'],
      url: string,
      { headers }: Pick<EhrRequest, 'headers'> = {},
      body?: string,
    ) => send({ method, url, ...(headers && { headers }), ...(body !== undefined && { body }) }, what, signal);
    client.httpClient.request = request as unknown as typeof client.httpClient.request;
    return (await call(client)) as Answer;
  };
}

/** R4 gives these types no identifier: a tag names their resources. */
export function identityParameter(type: string): 'identifier' | '_tag' {
  return type === 'Provenance' || type === 'Binary' ? '_tag' : 'identifier';
}

function conditionOf(type: string, identity: Identity): string {
  return `${identityParameter(type)}=${encodeURIComponent(tokenOf(identity))}`;
}

function post(body: string, headers: Readonly<Record<string, string>> = {}) {
  return { method: 'POST', options: { headers: { ...WRITE_HEADERS, ...headers } }, body } as const;
}

function get() {
  return { method: 'GET', options: { headers: ACCEPT } } as const;
}

function partsOf(reference: string): { readonly type: string; readonly id: string } {
  const parts = splitReference(reference);
  if (parts === undefined) throw new AppError('ehrRefused', 'What should be asked of the EHR has no usable reference');
  return parts;
}

function versionOf(version: string): string {
  const usable = usableVersion(version);
  if (usable === undefined) throw new AppError('ehrAnswer', 'The EHR gave a version that cannot be asked for');
  return usable;
}
