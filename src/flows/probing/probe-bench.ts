// How a probe writes: each resource is noted before it is sent, a lost answer is looked into before anything else is done, and all test
// resources are removed again. Nothing that the probe did not make is changed.
import type { Bundle, Resource, ResourceType } from '@medplum/fhirtypes';
import { backoffMs } from '../../domain/backoff.ts';
import { type ReferenceMap, renderBody } from '../../domain/chart/frozen-body.ts';
import type { Identity } from '../../domain/chart/identity.ts';
import type { Ehr, FindAnswer, StoredResource, TransactionAnswer, WriteAnswer } from '../../ports/ehr.ts';
import type { Runtime } from '../../ports/runtime.ts';

export type TestDocument = {
  readonly document: string;
  readonly identity: Identity;
  readonly fullUrl: string;
  readonly resource: Resource;
};

type TestPlace = { readonly patient?: string; readonly encounter?: string };

export type ProbeBench = {
  /** By urn: the references that were stored so far. */
  readonly references: ReferenceMap;
  readonly create: (document: TestDocument) => Promise<WriteAnswer>;
  readonly transact: (documents: readonly TestDocument[], how: TransactionKind) => Promise<TransactionAnswer>;
  /** Searches until all are found, or the search has had its time. */
  readonly lookFor: (documents: readonly TestDocument[]) => Promise<Look>;
  /** The longest time after which a search found what was stored; undefined if one never found it, or none was made. */
  readonly searchLagMs: () => number | undefined;
  /** Waits as long as the search was seen to lag. */
  readonly waitForSearch: () => Promise<void>;
  /** Whether a search has found a resource of this type already: only then does finding none mean anything. */
  readonly hasFoundType: (type: ResourceType) => boolean;
  /** Whether a search finds none now; undefined if this EHR cannot search for it. */
  readonly isAbsent: (document: TestDocument) => Promise<boolean | undefined>;
  /** Where documents are looked for on servers that cannot search by identifier. */
  readonly setPlace: (place: TestPlace) => void;
  /** Removes what was made, the last first, even if the signal is aborted; returns the references of what stayed. */
  readonly clear: () => Promise<Cleared>;
};

export type TransactionKind = {
  readonly isConditional: boolean;
  /** This one is made so that no server may accept it. */
  readonly broken?: TestDocument;
};

export type Look =
  | { readonly canFind: false; readonly why: string }
  | {
      readonly canFind: true;
      /** How many there are of each, in the order of the question. */
      readonly counts: readonly number[];
      readonly stored: readonly (StoredResource | undefined)[];
      readonly waitedMs: number;
    };

export type Cleared = { readonly removed: number; readonly leftBehind: readonly string[] };

type BenchParts = {
  readonly ehr: Ehr;
  readonly runtime: Pick<Runtime, 'monotonicMs' | 'pause'>;
  readonly signal: AbortSignal;
  /** How long a search may take to find what was written. */
  readonly patienceMs: number;
};

type Trace = { readonly type: ResourceType; readonly identity: Identity; readonly references: Set<string> };

const MAX_TRIES = 4;
const MAX_BUSY_WAIT_MS = 10_000;
const FIRST_LOOK_MS = 250;
const MAX_LOOK_MS = 5_000;
/** The limit after a search had all its time once and found nothing. */
const FUTILE_PATIENCE_MS = 2_000;
/** Added to the lag that was seen, because it is not the same each time. */
const LAG_MARGIN_MS = 1_000;
const MAX_CLEARING_MS = 60_000;

export function makeProbeBench({ ehr, runtime, signal, patienceMs }: BenchParts): ProbeBench {
  const trail = new Map<string, Trace>();
  const references = new Map<string, string>();
  let place: TestPlace = {};
  let seenLagMs = 0;
  let hasLostAnswers = false;
  let isSearchFutile = false;
  let lagMs: number | undefined;
  const seenTypes = new Set<ResourceType>();

  const note = ({ resource, identity }: TestDocument) => {
    const key = `${resource.resourceType} ${identity.value}`;
    const trace = trail.get(key) ?? { type: resource.resourceType, identity, references: new Set() };
    trail.set(key, trace);
    return trace;
  };
  const noteStored = (document: TestDocument, reference: string) => {
    note(document).references.add(reference);
    references.set(document.fullUrl, reference);
  };
  const settle = (during: AbortSignal) => runtime.pause(Math.min(seenLagMs * 2 + LAG_MARGIN_MS, patienceMs), during);
  const find = (type: ResourceType, identities: readonly Identity[], during: AbortSignal): Promise<FindAnswer> =>
    ehr.find({ type, identities, ...place }, during);

  /** Sends again while the EHR is busy, up to a limit. */
  async function untilTaken<T extends { readonly kind: string }>(attempt: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const answer = await attempt();
      if (answer.kind !== 'busy' || tries === MAX_TRIES) return answer;
      const asked = 'retryAfterMs' in answer && typeof answer.retryAfterMs === 'number' ? answer.retryAfterMs : 0;
      await runtime.pause(Math.min(asked || backoffMs(tries, { firstMs: FIRST_LOOK_MS }), MAX_BUSY_WAIT_MS), signal);
    }
  }

  async function lookFor(documents: readonly TestDocument[]): Promise<Look> {
    const startedMs = runtime.monotonicMs();
    for (let looks = 0; ; looks += 1) {
      const passedMs = runtime.monotonicMs() - startedMs;
      const pauseMs = backoffMs(looks, { firstMs: FIRST_LOOK_MS, longestMs: MAX_LOOK_MS });
      const look = await lookOnce(documents, startedMs);
      if (!look.canFind || look.counts.every((count) => count > 0)) {
        if (look.canFind) {
          seenLagMs = Math.max(seenLagMs, look.waitedMs);
          lagMs = Math.max(lagMs ?? 0, passedMs);
        }
        return look;
      }
      if (look.waitedMs >= (isSearchFutile ? Math.min(patienceMs, FUTILE_PATIENCE_MS) : patienceMs)) {
        isSearchFutile = true;
        return look;
      }
      await runtime.pause(pauseMs, signal);
    }
  }

  async function lookOnce(documents: readonly TestDocument[], startedMs: number): Promise<Look> {
    const found = new Map<TestDocument, readonly StoredResource[]>();
    for (const [type, ofType] of Map.groupBy(documents, ({ resource }) => resource.resourceType)) {
      const answer = await find(
        type,
        ofType.map(({ identity }) => identity),
        signal,
      );
      if (!answer.canFind) return answer;
      for (const document of ofType) found.set(document, answer.found.get(document.identity.value) ?? []);
    }
    for (const [document, stored] of found) {
      if (stored.length > 0) seenTypes.add(document.resource.resourceType);
      for (const { reference } of stored) noteStored(document, reference);
    }
    return {
      canFind: true,
      counts: documents.map((document) => found.get(document)?.length ?? 0),
      stored: documents.map((document) => found.get(document)?.[0]),
      waitedMs: runtime.monotonicMs() - startedMs,
    };
  }

  /** Notes each resource with an identity of this probe, also one whose answer was lost. */
  async function findTraces(during: AbortSignal): Promise<void> {
    for (const [type, traces] of Map.groupBy(trail.values(), (trace) => trace.type)) {
      const identities = traces.map(({ identity }) => identity);
      const answer = await find(type, identities, during).catch(() => undefined);
      if (answer === undefined || !answer.canFind) continue;
      for (const { identity, references: known } of traces) {
        for (const { reference } of answer.found.get(identity.value) ?? []) known.add(reference);
      }
    }
  }

  return {
    references,
    lookFor,
    setPlace: (given) => {
      place = given;
    },

    async create(document) {
      const { resource } = document;
      note(document);
      const body = renderBody(JSON.stringify(resource), references);
      const answer = await untilTaken(() =>
        ehr.withWriteSlot(() => ehr.create({ type: resource.resourceType, body }, signal), signal),
      );
      if (answer.kind === 'stored') noteStored(document, answer.reference);
      if (answer.kind === 'unknown') hasLostAnswers = true;
      return answer;
    },

    async transact(documents, { isConditional, broken }) {
      for (const document of documents) note(document);
      const entry = documents.map((document) => {
        const { fullUrl, resource, identity } = document;
        const sound = JSON.parse(renderBody(JSON.stringify(resource), references));
        const request = {
          method: 'POST' as const,
          url: resource.resourceType,
          ...(isConditional && { ifNoneExist: condition(document) }),
        };
        return { fullUrl, resource: identity === broken?.identity ? brokenResource(sound) : sound, request };
      });
      const bundle: Bundle = { resourceType: 'Bundle', type: 'transaction', entry };
      const answer = await untilTaken(() =>
        ehr.withWriteSlot(() => ehr.transact(JSON.stringify(bundle), signal), signal),
      );
      for (const [index, stored] of entriesOf(answer).entries()) {
        const document = documents[index];
        if (stored.kind === 'stored' && document) noteStored(document, stored.reference);
      }
      if (answer.kind === 'unknown' || answer.kind === 'mixed') hasLostAnswers = true;
      return answer;
    },

    searchLagMs: () => (isSearchFutile ? undefined : lagMs),
    waitForSearch: () => settle(signal),
    hasFoundType: (type) => seenTypes.has(type),

    async isAbsent(document) {
      const look = await lookOnce([document], runtime.monotonicMs());
      return look.canFind ? look.counts[0] === 0 : undefined;
    },

    async clear() {
      // The caller's signal may have ended the test; the test resources are removed all the same.
      const own = new AbortController().signal;
      const startedMs = runtime.monotonicMs();
      if (hasLostAnswers) await settle(own);
      await findTraces(own);
      const all = [...trail.values()].flatMap((trace) => [...trace.references]).toReversed();
      const leftBehind: string[] = [];
      for (const reference of new Set(all)) {
        const isInTime = runtime.monotonicMs() - startedMs < MAX_CLEARING_MS;
        const isGone = isInTime && (await ehr.remove(reference, own).catch(() => false));
        if (!isGone) leftBehind.push(reference);
      }
      return { removed: new Set(all).size - leftBehind.length, leftBehind };
    },
  };
}

function entriesOf(answer: TransactionAnswer): readonly WriteAnswer[] {
  return answer.kind === 'stored' || answer.kind === 'mixed' ? answer.entries : [];
}

const TAGGED = new Set(['Provenance', 'Binary']);

function condition({ resource, identity }: TestDocument): string {
  const parameter = TAGGED.has(resource.resourceType) ? '_tag' : 'identifier';
  return `${parameter}=${encodeURIComponent(`${identity.system}|${identity.value}`)}`;
}

/** A wrong kind of value, an invalid time and missing elements: some servers check only one of them. */
function brokenResource(resource: Resource): Resource {
  const { resourceType, meta } = resource;
  return { resourceType, meta: { ...meta, lastUpdated: 'not a time' }, language: 7 } as unknown as Resource;
}
