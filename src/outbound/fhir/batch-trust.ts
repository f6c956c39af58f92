// Whether an EHR answers a batch of GETs as it answers each of them alone. This is found out by asking the same again in a batch, between
// requests that must fail, and is stored. Until then, and for a while after a batch went wrong, nothing is asked in batches.
import type { FhirAnswer } from './fhir-answer.ts';
import { jsonOf } from './fhir-answer.ts';
import { isResource, type JsonObject, objectAt, objectsAt } from './json.ts';
import { readBatch, statusOf } from './read-batch.ts';
import { fromResource } from './references.ts';
import type { SearchFacts } from './search-facts.ts';

/** A request that was answered alone. */
export type Exchange = { readonly url: string; readonly answer: FhirAnswer };

/** `unproven`: a test would show it. */
export type Trust = 'proven' | 'unproven' | 'none';

export type BatchTrust = {
  readonly of: (facts: SearchFacts | undefined) => Trust;
  /** A batch went wrong: until that time has passed there is no trust. */
  readonly suspend: (forMs: number) => void;
  readonly isSuspended: () => boolean;
  /** Sends a batch like these exchanges, and compares. It needs a search that has found something. Never throws. */
  readonly test: (exchanges: readonly Exchange[], facts: SearchFacts, signal: AbortSignal) => Promise<void>;
};

type Parts = {
  /** Undefined: there was no answer. */
  readonly send: (urls: readonly string[], signal: AbortSignal) => Promise<FhirAnswer | undefined>;
  readonly monotonicMs: () => number;
};

const FACT = 'batch';
const UNTESTED_MS = 3_600_000;
const MAX_REPEATED = 6;
/** No server has it. */
const MISSING = 'Patient/chartwright-probe';
/** Most servers refuse the date; to the others the id is one that no patient has. */
const WRONG = 'Patient?_id=chartwright-probe&birthdate=wrong';

export function makeBatchTrust({ send, monotonicMs }: Parts): BatchTrust {
  let suspendedUntilMs = Number.NEGATIVE_INFINITY;
  const suspend = (forMs: number) => {
    suspendedUntilMs = Math.max(suspendedUntilMs, monotonicMs() + forMs);
  };
  const isSuspended = () => monotonicMs() < suspendedUntilMs;
  return {
    of(facts) {
      if (facts === undefined || isSuspended()) return 'none';
      const fact = facts.of(FACT);
      if (fact === undefined) return 'unproven';
      return fact === 'works' ? 'proven' : 'none';
    },
    suspend,
    isSuspended,
    async test(exchanges, facts, signal) {
      const found = exchanges.filter(({ url, answer }) => answer.status === 200 && !isPage(url));
      const withMatches = found.filter(({ answer }) => objectsAt(jsonOf(answer), 'entry').length > 0);
      if (withMatches.length === 0) return;
      // At once, so that no second test runs beside this one. A failed test is not repeated soon.
      suspend(UNTESTED_MS);
      const repeated = [...new Set([...withMatches, ...found])].slice(0, MAX_REPEATED);
      const hasPassed = await passes(repeated, (urls) => send(urls, signal));
      if (hasPassed || signal.aborted) suspendedUntilMs = Number.NEGATIVE_INFINITY;
      if (hasPassed) await facts.learn(FACT, 'works').catch(() => undefined);
    },
  };
}

/** The address of a further page of a search is of the server's own making, and not relative to the base. */
export function isPage(url: string): boolean {
  return /^https?:/i.test(url);
}

async function passes(
  exchanges: readonly Exchange[],
  send: (urls: readonly string[]) => Promise<FhirAnswer | undefined>,
): Promise<boolean> {
  const [first, ...others] = exchanges.map(({ url }) => url);
  if (first === undefined) return false;
  const urls = [MISSING, first, WRONG, ...others];
  const answer = await send(urls).catch(() => undefined);
  const answers = answer && readBatch(answer, urls);
  if (answer === undefined || answers === undefined) return false;
  const [missing] = objectsAt(jsonOf(answer), 'entry').map(statusOf);
  if (missing !== 404 && missing !== 410) return false;
  const [wrong, byUrl] = [answers[2], new Map(urls.map((url, index) => [url, answers[index]]))];
  if (wrong !== undefined && contentOf(wrong).length > 0) return false;
  return exchanges.every(({ url, answer: alone }) => {
    const batched = byUrl.get(url);
    return batched !== undefined && contentOf(batched).join() === contentOf(alone).join();
  });
}

/** The references of a resource, or of a search's results in their order, with their versions. */
function contentOf(answer: FhirAnswer): readonly string[] {
  const json = jsonOf(answer);
  if (json?.['resourceType'] !== 'Bundle') return nameOf(json);
  return objectsAt(json, 'entry').flatMap((entry) => nameOf(objectAt(entry, 'resource')));
}

function nameOf(resource: JsonObject | undefined): readonly string[] {
  if (!isResource(resource)) return [];
  const { reference = '', version = '' } = fromResource(resource, resource.resourceType) ?? {};
  return [`${resource.resourceType} ${reference} ${version}`];
}
