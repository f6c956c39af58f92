// Holds the requests of an app to its scopes: what it may not ask for is refused, and what it may not see is left out of the answer.
import type { Answer } from '../fhir/http-exchange.ts';
import { outcome } from '../fhir/outcomes.ts';
import { isObject, type Json, referencesIn } from '../fhir/resource-values.ts';
import type { AppGrant } from './app-grant.ts';
import { type ResourceScope, readResourceScope } from './smart-scopes.ts';

type AppRequest = { readonly method: string; readonly path: string };

/** Types that belong to no patient: they are shown with scopes of the level `patient`, too. */
const SHARED_TYPES: ReadonlySet<string> = new Set(['Practitioner', 'PractitionerRole', 'Organization', 'Location']);

/** Returns the reason to refuse the request; undefined if it may be made. */
export function scopeRefusal(grant: AppGrant, asked: AppRequest): Answer | undefined {
  const [type = '', id] = asked.path.split('/');
  const letter = letterOf(asked);
  if (letter === 'r' && isOwnPerson(grant, type, id)) return undefined;
  const fitting = letter === undefined ? [] : scopesFor(grant, type, letter);
  // A recording has no patient of its own: a scope of the level `patient` opens none.
  const isAllowed = type === 'Binary' ? fitting.some(({ level }) => level === 'user') : fitting.length > 0;
  return isAllowed ? undefined : insufficient;
}

/** The answer to an allowed request, without what belongs to other patients or to types outside of the scopes. */
export function withinScope(answer: Answer, grant: AppGrant, asked: AppRequest): Answer {
  const { body } = answer;
  const letter = letterOf(asked);
  if (answer.status !== 200 || !isObject(body) || letter === undefined) return answer;
  if (body['resourceType'] !== 'Bundle') return isVisible(body, grant, letter) ? answer : insufficient;
  const entries: readonly unknown[] = Array.isArray(body['entry']) ? body['entry'] : [];
  const visible = entries.filter((entry) => {
    const resource = isObject(entry) ? entry['resource'] : undefined;
    return isObject(resource) && isVisible(resource, grant, letter);
  });
  if (visible.length === entries.length) return answer;
  // The number of all hits would tell what was left out.
  const { total: _, ...rest } = body;
  return { ...answer, body: { ...rest, entry: visible } };
}

const insufficient: Answer = {
  status: 403,
  headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
  body: outcome('forbidden', 'The scopes of this token do not cover this request'),
};

/** `r` reads one resource, `s` searches; undefined: an app may not do it here at all. */
function letterOf({ method, path }: AppRequest): 'r' | 's' | undefined {
  const [type = '', id, ...rest] = path.split('/');
  if (type === '' || path.includes('$')) return undefined;
  if (method === 'POST') return id === '_search' ? 's' : undefined;
  if (method !== 'GET') return undefined;
  return id === undefined || (rest.length === 0 && id.startsWith('_')) ? 's' : 'r';
}

function scopesFor({ scopes }: AppGrant, type: string, letter: string): readonly ResourceScope[] {
  return scopes
    .flatMap((scope) => readResourceScope(scope) ?? [])
    .filter((scope) => (scope.type === '*' || scope.type === type) && scope.letters.includes(letter));
}

/** With `fhirUser` an app may read who is signed in. */
function isOwnPerson({ scopes, practitioner }: AppGrant, type: string, id: unknown): boolean {
  return scopes.includes('fhirUser') && type === 'Practitioner' && id === practitioner;
}

function isVisible(resource: Json, grant: AppGrant, letter: string): boolean {
  const { resourceType, id } = resource;
  const type = String(resourceType);
  if (isOwnPerson(grant, type, id)) return true;
  const fitting = scopesFor(grant, type, letter);
  if (type === 'OperationOutcome' || fitting.some(({ level }) => level === 'user')) return true;
  if (fitting.length === 0) return false;
  if (SHARED_TYPES.has(type)) return true;
  if (type === 'Patient') return id === grant.patient;
  const patients = referencesIn(resource).filter((reference) => reference.startsWith('Patient/'));
  return patients.length > 0 && patients.every((reference) => reference === `Patient/${grant.patient}`);
}
