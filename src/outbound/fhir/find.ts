// Looking for what the engine wrote, on servers that search well, badly, or not at all. An answer counts by what really carries the
// identity; "not there" is only said where the server has shown everything, or answered the very question.
import type { Resource, ResourceType } from '@medplum/fhirtypes';
import type { EhrCapabilities } from '../../domain/chart/ehr-capabilities.ts';
import { type Identity, tokenOf } from '../../domain/chart/identity.ts';
import { carriesIdentity } from '../../domain/chart/stamp.ts';
import type { FindAnswer, FindOrder, StoredResource } from '../../ports/ehr.ts';
import { fromRefusal } from './ehr-errors.ts';
import type { EhrSearch, SearchResult } from './ehr-search.ts';
import type { FhirAnswer } from './fhir-answer.ts';
import { type ContextWay, type FindWays, waysToFind } from './find-ways.ts';
import type { JsonObject } from './json.ts';
import { readOutcome } from './outcome.ts';
import { asStored } from './references.ts';
import type { RecallSearchFacts, SearchFacts } from './search-facts.ts';

export type FindParts = {
  readonly site: string;
  readonly capabilities: (signal: AbortSignal) => Promise<EhrCapabilities>;
  readonly search: EhrSearch;
  readonly recallFacts: RecallSearchFacts;
};

type Found = Map<string, Map<string, StoredResource>>;
/** Why a way did not tell; undefined: it told. */
type Failed = string | undefined;
type Look = FindParts & {
  readonly order: FindOrder;
  readonly facts: SearchFacts;
  readonly found: Found;
  readonly signal: AbortSignal;
};

/** Beyond it, a server that shows everything is not read to the end. */
const MAX_RESOURCES = 1000;
/** Addresses must not grow longer than every server takes. */
const MAX_AT_ONCE = 10;

export async function findWritten(parts: FindParts, order: FindOrder, signal: AbortSignal): Promise<FindAnswer> {
  if (order.identities.length === 0) return { canFind: true, found: new Map() };
  const capabilities = await parts.capabilities(signal);
  const facts = await parts.recallFacts(capabilities.software);
  const ways = waysToFind(order, { capabilities, facts });
  const failures: string[] = [];
  for (const walk of walksOf(ways)) {
    const found: Found = new Map();
    const failed = await walk({ ...parts, order, facts, found, signal });
    if (failed === undefined) return answer(found);
    failures.push(failed);
  }
  const why = failures.length > 0 ? failures.join('; ') : `this EHR offers no search that could find a ${order.type}`;
  return { canFind: false, why };
}

function walksOf({ byIdentity, byContext }: FindWays): readonly ((look: Look) => Promise<Failed>)[] {
  return [
    ...(byIdentity ? [(look: Look) => lookByIdentity(look, byIdentity.parameter)] : []),
    ...(byContext.length > 0 ? [(look: Look) => lookByContext(look, byContext)] : []),
  ];
}

async function lookByIdentity(look: Look, parameter: string): Promise<Failed> {
  for (const identities of chunks(look.order.identities, MAX_AT_ONCE)) {
    const open = identities.length === 1 ? identities : await askForSeveral(look, parameter, identities);
    for (const identity of open) {
      const failed = await askForOne(look, parameter, identity);
      if (failed !== undefined) return failed;
    }
    // Each alone, and none of them together: it takes the comma for a part of the value.
    const wasNoneShown = identities.length > 1 && open.length === identities.length;
    if (wasNoneShown && identities.every(({ value }) => look.found.has(value))) {
      await look.facts.learn(severalBy(look, parameter), 'refused');
    }
  }
  return undefined;
}

/**
 * Gives those that must be asked for alone: not every server understands several values in one question, and what it did not bring
 * counts as not there only once it has shown that it does.
 */
async function askForSeveral(
  look: Look,
  parameter: string,
  identities: readonly Identity[],
): Promise<readonly Identity[]> {
  const { order, facts, found } = look;
  const several = severalBy(look, parameter);
  if (facts.of(several) === 'refused') return identities;
  const result = await ask(look, parameter, identities.map(tokenOf).join(','));
  if (result.kind === 'refused' && isLasting(result.answer)) await facts.learn(several, 'refused');
  if (result.kind === 'refused' || !result.isComplete) return identities;
  const shown = note(found, result.resources, identities);
  if (shown.carried > 1 && !shown.hasOthers) await facts.learn(several, 'works');
  // Of what was never sent nothing is expected; the slightest sign that something is there after all, and each is asked for.
  const isAsExpected = order.wasNeverSent === true && result.resources.length === 0;
  return isAsExpected || facts.of(several) === 'works' ? [] : identities.filter(({ value }) => !found.has(value));
}

function severalBy({ order }: Look, parameter: string): string {
  return `${order.type}:${parameter}:several`;
}

async function askForOne(look: Look, parameter: string, identity: Identity): Promise<Failed> {
  const { order, facts, found } = look;
  const search = `${order.type}:${parameter}`;
  const result = await ask(look, parameter, tokenOf(identity));
  if (result.kind === 'refused') {
    if (isLasting(result.answer)) await facts.learn(search, 'refused');
    return refusedBy(order.type, parameter, result.answer.status);
  }
  const shown = note(found, result.resources, [identity]);
  if (result.isComplete) {
    if (shown.carried > 0 && !shown.hasOthers) await facts.learn(search, 'works');
    return undefined;
  }
  // It takes the question and answers another one; reading all that is there would be the same every time.
  if (shown.hasOthers) await facts.learn(search, 'refused');
  return tooManyBy(order.type, parameter);
}

/** The narrow question first; it ends the search only where it has brought everything. */
async function lookByContext(look: Look, ways: readonly ContextWay[]): Promise<Failed> {
  const { order, facts, found } = look;
  const failures: string[] = [];
  for (const { parameter, value, isExhaustive } of ways) {
    const result = await ask(look, parameter, value);
    if (result.kind === 'refused') {
      if (isLasting(result.answer)) await facts.learn(`${order.type}:${parameter}`, 'refused');
      failures.push(refusedBy(order.type, parameter, result.answer.status));
      continue;
    }
    note(found, result.resources, order.identities);
    if (!result.isComplete) failures.push(tooManyBy(order.type, parameter));
    else if (isExhaustive || order.identities.every((identity) => found.has(identity.value))) return undefined;
    else failures.push(`${order.type} by ${parameter} does not show all that there may be`);
  }
  return failures.join('; ');
}

/** Rights may be given, and a gateway says 404 while the EHR behind it is away: neither is how this EHR searches. */
function isLasting(answer: FhirAnswer): boolean {
  if (answer.status === 405 || answer.status === 501) return true;
  return answer.status !== 403 && readOutcome(answer, []).isFhir;
}

/** 401 is not about searching. */
async function ask(look: Look, parameter: string, value: string): Promise<SearchResult> {
  const { site, search, order, signal } = look;
  const { type } = order;
  const result = await search({ type, parameters: { [parameter]: value }, maxResources: MAX_RESOURCES }, signal);
  if (result.kind === 'refused' && (result.answer.status === 401 || result.answer.status < 400)) {
    throw fromRefusal({ site, what: type }, result.answer);
  }
  return result;
}

/** Keeps what really carries one of them. */
function note(found: Found, resources: readonly (Resource & JsonObject)[], identities: readonly Identity[]) {
  const carried = new Set<string>();
  let hasOthers = false;
  for (const resource of resources) {
    const carriedHere = identities.filter((identity) => carriesIdentity(resource, identity));
    const stored = asStored(resource, resource.resourceType);
    if (carriedHere.length === 0 || stored === undefined) hasOthers = true;
    else {
      for (const { value } of carriedHere) {
        carried.add(value);
        const sameNamed = found.get(value) ?? new Map<string, StoredResource>();
        found.set(value, sameNamed.set(stored.reference, stored));
      }
    }
  }
  return { carried: carried.size, hasOthers };
}

function answer(found: Found): FindAnswer {
  return { canFind: true, found: new Map([...found].map(([value, stored]) => [value, [...stored.values()]])) };
}

function refusedBy(type: ResourceType, parameter: string, status: number): string {
  return `this EHR does not search ${type} by ${parameter} (${status})`;
}

function tooManyBy(type: ResourceType, parameter: string): string {
  return `asked for ${type} by ${parameter}, this EHR shows more than can be looked through`;
}

function chunks<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}
