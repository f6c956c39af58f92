// The writes of the EHR in memory: one resource, or a transaction, as a whole or (as a batch) entry by entry.
import type { Bundle, BundleEntry, Resource } from '@medplum/fhirtypes';
import type { Identity } from '../../src/domain/chart/identity.ts';
import type { TransactionAnswer, WriteAnswer, WrittenEntry } from '../../src/ports/ehr.ts';
import { identityOf } from './ehr-search.ts';
import { carries, type WritableStore } from './ehr-store.ts';

export type RunMode = 'atomic' | 'batch' | 'mixed';

/** `identifier` of a type that has none is ignored, as servers do: then everything of the type matches. */
type Condition = Identity & { readonly isIgnored?: boolean };
type Create = { readonly body: string; readonly ifNoneExist?: Condition | undefined };
type Update = { readonly reference: string; readonly body: string; readonly ifMatch?: string | undefined };
type WriterParts = {
  readonly store: WritableStore;
  readonly ignoresIfNoneExist: boolean;
  readonly ignoresIfMatch: boolean;
};

export type FakeWriter = {
  readonly create: (order: Create) => WriteAnswer;
  readonly update: (order: Update) => WriteAnswer;
  readonly transact: (bundle: string, mode: RunMode) => TransactionAnswer;
};

export function makeFakeWriter({ store, ignoresIfNoneExist, ignoresIfMatch }: WriterParts): FakeWriter {
  /** A condition matches only what a search sees. */
  const matching = (type: string, condition: Condition | undefined) =>
    condition === undefined || ignoresIfNoneExist
      ? []
      : store
          .visible()
          .filter(
            ({ resource }) =>
              resource.resourceType === type && (condition.isIgnored === true || carries(resource, condition)),
          );

  const create = ({ body, ifNoneExist }: Create): WriteAnswer => {
    const resource: Resource = JSON.parse(body);
    const [first, ...others] = matching(resource.resourceType, ifNoneExist);
    if (others.length > 0) return { kind: 'conflict' };
    if (first) return { kind: 'stored', reference: first.reference, version: first.version, isNew: false };
    const { reference, version } = store.add(resource, { sent: body, by: 'engine' });
    return { kind: 'stored', reference, version, isNew: true };
  };
  const update = ({ reference, body, ifMatch }: Update): WriteAnswer => {
    const stored = store.get(reference);
    if (stored === undefined) return { kind: 'refused', status: 404, isTypeRefused: false, why: 'not-found' };
    if (ifMatch !== undefined && ifMatch !== stored.version && !ignoresIfMatch) return { kind: 'conflict' };
    const { version } = store.change(reference, JSON.parse(body), { sent: body, by: 'engine' });
    return { kind: 'stored', reference, version, isNew: false };
  };

  const runEntry = (entry: BundleEntry, body: string, reserved?: string): WriteAnswer => {
    const { request, resource } = entry;
    if (request?.method === 'PUT') return update({ reference: request.url, body, ifMatch: versionIn(request.ifMatch) });
    const named = matching(resource?.resourceType ?? '', conditionIn(entry));
    if (named.length > 0 || reserved === undefined) {
      return create({ body, ifNoneExist: conditionIn(entry) });
    }
    const { reference, version } = store.add(JSON.parse(body), { sent: body, by: 'engine', reference: reserved });
    return { kind: 'stored', reference, version, isNew: true };
  };

  const wouldConflict = (entry: BundleEntry): boolean => {
    const { request, resource } = entry;
    if (request?.method !== 'PUT') {
      return matching(resource?.resourceType ?? '', conditionIn(entry)).length > 1;
    }
    const version = versionIn(request.ifMatch);
    const stored = store.get(request.url);
    return stored === undefined || (version !== undefined && version !== stored.version && !ignoresIfMatch);
  };

  const transactAtomically = (entries: readonly BundleEntry[]): TransactionAnswer => {
    if (entries.some(wouldConflict)) return { kind: 'conflict' };
    const references = new Map<string, string>();
    const reserved = entries.map((entry) => {
      const { fullUrl, request, resource } = entry;
      const type = resource?.resourceType ?? '';
      const [there] = matching(type, conditionIn(entry));
      const reference = request?.method === 'PUT' ? request.url : (there?.reference ?? store.reserve(type));
      if (fullUrl !== undefined) references.set(fullUrl, reference);
      return reference;
    });
    const answers = entries.map((entry, index) => runEntry(entry, resolve(entry, references), reserved[index]));
    const stored = answers.filter(isStored);
    if (stored.length < entries.length) throw new Error('the fake stored a transaction in part');
    return { kind: 'stored', entries: stored, wasBatch: false };
  };

  /** Stores each entry after those that it refers to. In `mixed` every second one is busy, and so are those that refer to it. */
  const runAsBatch = (entries: readonly BundleEntry[], mode: RunMode): TransactionAnswer => {
    const references = new Map<string, string>();
    const answers = new Map<BundleEntry, WriteAnswer>();
    for (const [index, entry] of inOrder(entries).entries()) {
      const body = resolve(entry, references);
      const isLeft = mode === 'mixed' && (index % 2 === 1 || pointsAtOne(body, entries));
      const answer: WriteAnswer = isLeft ? { kind: 'busy' } : runEntry(entry, body);
      answers.set(entry, answer);
      if (isStored(answer) && entry.fullUrl) references.set(entry.fullUrl, answer.reference);
    }
    const inPlace = entries.flatMap((entry) => answers.get(entry) ?? []);
    const stored = inPlace.filter(isStored);
    const isWhole = stored.length === entries.length;
    return isWhole ? { kind: 'stored', entries: stored, wasBatch: true } : { kind: 'mixed', entries: inPlace };
  };

  return {
    create,
    update,
    transact(text, mode) {
      const bundle: Bundle = JSON.parse(text);
      if (bundle.type !== 'transaction') return { kind: 'refused', status: 400, isTooLarge: false, why: 'invalid' };
      const entries = bundle.entry ?? [];
      return mode === 'atomic' ? transactAtomically(entries) : runAsBatch(entries, mode);
    },
  };
}

function isStored(answer: WriteAnswer): answer is WrittenEntry {
  return answer.kind === 'stored';
}

/** Returns for example `W/"3"`. */
function versionIn(ifMatch: string | undefined): string | undefined {
  return ifMatch === undefined ? undefined : (/"(.*)"/.exec(ifMatch)?.[1] ?? ifMatch);
}

/** Reads `identifier=urn:chartwright:mercy|e-1/s/condition`, or `_tag` with the same value. */
function conditionIn({ request, resource }: BundleEntry): Condition | undefined {
  if (request?.ifNoneExist === undefined) return undefined;
  const parameters = new URLSearchParams(request.ifNoneExist);
  const tag = parameters.get('_tag');
  const identity = identityOf(tag ?? parameters.get('identifier') ?? '');
  const hasIdentifier = resource?.resourceType !== 'Provenance' && resource?.resourceType !== 'Binary';
  return identity && { ...identity, isIgnored: tag === null && !hasIdentifier };
}

/** Sorts each entry behind those that it refers to, as far as possible. */
function inOrder(entries: readonly BundleEntry[]): readonly BundleEntry[] {
  const ordered: BundleEntry[] = [];
  for (let left = [...entries]; left.length > 0; ) {
    const remaining = left;
    const free = remaining.filter((entry) => {
      const others = remaining.filter((other) => other !== entry);
      return !pointsAtOne(JSON.stringify(entry.resource), others);
    });
    const next = free.length > 0 ? free : remaining;
    ordered.push(...next);
    left = remaining.filter((entry) => !next.includes(entry));
  }
  return ordered;
}

function pointsAtOne(body: string, entries: readonly BundleEntry[]): boolean {
  return entries.some(({ fullUrl }) => fullUrl !== undefined && body.includes(`"${fullUrl}"`));
}

function resolve({ resource }: BundleEntry, references: ReadonlyMap<string, string>): string {
  let resolved = JSON.stringify(resource);
  for (const [urn, reference] of references) resolved = resolved.replaceAll(`"${urn}"`, `"${reference}"`);
  return resolved;
}
