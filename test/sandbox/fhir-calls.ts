// Calls to an EHR by a plain HTTP client, and made-up resources for them.
import type { Bundle, BundleEntry, Condition, Resource } from '@medplum/fhirtypes';

export type Called = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body of a JSON answer. */
  readonly json: CalledJson;
};
// Answers are read without types; missing members are undefined.
export type CalledJson = Readonly<Record<string, unknown>> & {
  readonly id?: string;
  readonly meta?: { readonly versionId?: string };
  readonly entry?: readonly BundleEntry[];
  readonly link?: Bundle['link'];
};

export type CallOptions = { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> };
export type Call = (method: string, url: string, options?: CallOptions) => Promise<Called>;

export function callsTo(baseUrl: string): Call {
  return async (method, url, { body, headers = {} } = {}) => {
    const type = body === undefined ? {} : { 'content-type': 'application/fhir+json' };
    const response = await fetch(url === '' ? baseUrl : `${baseUrl}/${url}`, {
      method,
      headers: { accept: 'application/fhir+json', ...type, ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  };
}

function parsed(text: string): CalledJson {
  try {
    return JSON.parse(text) as CalledJson;
  } catch {
    return {};
  }
}

export const SYSTEM = 'urn:chartwright:mercy';

export function aCondition(value: string, changes: Partial<Condition> = {}): Condition {
  return {
    resourceType: 'Condition',
    identifier: [{ system: SYSTEM, value }],
    subject: { reference: 'Patient/p-1' },
    encounter: { reference: 'Encounter/e-1' },
    code: { text: 'Cough' },
    ...changes,
  };
}

export const withIdentity = (value: string): string => `identifier=${encodeURIComponent(`${SYSTEM}|${value}`)}`;

export function anEntry(resource: Resource, request: Partial<BundleEntry['request']> = {}): BundleEntry {
  return { resource, request: { method: 'POST', url: resource.resourceType, ...request } };
}

export function aTransaction(entry: BundleEntry[]): Bundle {
  return { resourceType: 'Bundle', type: 'transaction', entry };
}

export function someConditions(count: number, isConditional = false): Bundle {
  const values = Array.from({ length: count }, (_, index) => `c-${index + 1}`);
  return aTransaction(
    values.map((value) => anEntry(aCondition(value), isConditional ? { ifNoneExist: withIdentity(value) } : {})),
  );
}

export const statusesOf = ({ json }: Called): readonly (string | undefined)[] =>
  (json.entry ?? []).map(({ response }) => response?.status);
