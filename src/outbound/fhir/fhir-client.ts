// What is sent to an EHR, as fhir-kit-client builds it: it knows FHIR's addresses and how searches are encoded. Nothing is sent here:
// the library's own network reads bodies without a limit, follows redirects, and puts addresses with ids into its errors.
import { Client } from 'fhir-kit-client';
import { type Identity, tokenOf } from '../../domain/chart/identity.ts';
import { AppError } from '../../domain/errors.ts';
import type { AskOrder, CreateOrder, SearchOrder, UpdateOrder } from '../../ports/ehr.ts';
import { splitReference, usableVersion } from './references.ts';
import type { EhrRequest } from './transport.ts';

export type FhirRequests = {
  readonly baseUrl: string;
  readonly capabilities: () => EhrRequest;
  readonly read: (reference: string) => EhrRequest;
  readonly remove: (reference: string) => EhrRequest;
  readonly search: (order: Pick<SearchOrder, 'type' | 'parameters'>) => EhrRequest;
  readonly ask: (order: AskOrder) => EhrRequest;
  /** A link that the server gave: relative to the search that it came from, or absolute. */
  readonly page: (link: string, type: string) => EhrRequest | undefined;
  readonly create: (order: CreateOrder) => EhrRequest;
  readonly update: (order: UpdateOrder) => EhrRequest;
  readonly transact: (bundle: string) => EhrRequest;
};

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const;
const ACCEPT = { accept: 'application/fhir+json' };
/**
 * The whole resource back: it tells id and version once more where a gateway loses `Location` and `ETag`, and some servers answer an
 * empty body unless they are asked (Epic's create). Never `minimal`: there are servers that answer a whole Bundle with nothing then.
 */
const WRITE_HEADERS = { ...ACCEPT, 'content-type': 'application/fhir+json', prefer: 'return=representation' };

export function makeFhirRequests(baseUrl: string): FhirRequests {
  const build = (call: (client: Client) => Promise<unknown>) => recordRequest(baseUrl, call);
  return {
    baseUrl,
    capabilities: () => build((client) => client.capabilityStatement({ headers: ACCEPT })),
    read: (reference) => {
      const { type: resourceType, id } = partsOf(reference);
      return build((client) => client.read({ resourceType, id, options: { headers: ACCEPT } }));
    },
    remove: (reference) => {
      const { type: resourceType, id } = partsOf(reference);
      return build((client) => client.delete({ resourceType, id, options: { headers: ACCEPT } }));
    },
    search: ({ type: resourceType, parameters }) => {
      const searchParams = Object.fromEntries(
        Object.entries(parameters).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
      );
      return build((client) => client.search({ resourceType, searchParams, options: { headers: ACCEPT } }));
    },
    ask: ({ reference, operation, parameters }) => {
      const { type, id } = partsOf(reference);
      const query = new URLSearchParams(parameters).toString();
      const path = `${type}/${id}/${operation}`;
      return build((client) => client.request(query === '' ? path : `${path}?${query}`, get()));
    },
    page: (link, type) => {
      const url = URL.parse(link, `${baseUrl.replace(/\/+$/, '')}/${type}`);
      return url === null ? undefined : { method: 'GET', url: url.href, headers: ACCEPT };
    },
    create: ({ type, body, ifNoneExist }) => {
      const condition = ifNoneExist && { 'if-none-exist': conditionOf(type, ifNoneExist) };
      return build((client) => client.request(type, post(body, condition)));
    },
    update: ({ reference, body, ifMatch }) => {
      const { type, id } = partsOf(reference);
      const condition = ifMatch === undefined ? {} : { 'if-match': `W/"${versionOf(ifMatch)}"` };
      return build((client) => client.request(`${type}/${id}`, { ...post(body, condition), method: 'PUT' }));
    },
    // To the base itself, without a slash: the library's own `transaction` adds one, and not all servers take it.
    transact: (bundle) => build((client) => client.request('', post(bundle))),
  };
}

/** R4 gives these no identifier: what they are named by is a tag. */
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

/** The library calls its network before it first waits, and only once. */
function recordRequest(baseUrl: string, call: (client: Client) => Promise<unknown>): EhrRequest {
  const client = new Client({ baseUrl });
  const recorded: EhrRequest[] = [];
  client.httpClient.request = async (method, url, { headers = {} } = {}, body) => {
    const known = METHODS.find((name) => name === method);
    if (known !== undefined && (body === undefined || typeof body === 'string')) {
      recorded.push({ method: known, url, headers, ...(body !== undefined && { body }) });
    }
    return { resourceType: 'Basic' };
  };
  // Its result is the stand-in above; a refusal of a type or an id is a request that was not built.
  call(client).catch(() => undefined);
  const [request] = recorded;
  if (request === undefined) throw new AppError('internal', 'A request to the EHR could not be built');
  return request;
}
