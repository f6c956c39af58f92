// An EHR in memory: it stores versions, resolves references, finds resources by identity, and misbehaves exactly as the test sets it.
import type { Bundle, Resource, ResourceType } from '@medplum/fhirtypes';
import type { EhrCapabilities } from '../../src/domain/chart/ehr-capabilities.ts';
import { AppError } from '../../src/domain/errors.ts';
import { settleAll } from '../../src/domain/settle-all.ts';
import type { AskOrder, Ehr, Ehrs, StoredResource, TransactionAnswer, WriteAnswer } from '../../src/ports/ehr.ts';
import { someCapabilities } from './ehr-capabilities.ts';
import { matches } from './ehr-search.ts';
import { carries, type FakeStore, makeStore } from './ehr-store.ts';
import { makeFakeWriter, type RunMode } from './ehr-writer.ts';
import { type FakeRuntime, makeFakeRuntime } from './runtime.ts';

export type EhrCall = Exclude<keyof Ehr, 'openRecording' | 'withWriteSlot' | 'together'>;

export type Misdeed =
  /** The write is stored, and the answer is lost. */
  | 'commit-unknown'
  /** The write is not stored, and the answer is lost. */
  | 'drop-unknown'
  | 'busy'
  /** It limits requests, and asks to wait for a minute. */
  | 'limited'
  | 'conflict'
  | 'refused'
  | 'type-refused'
  /** A transaction is run entry by entry, and answered as a batch. */
  | 'batch'
  /** A transaction is run entry by entry; the even entries are busy, and so are those that refer to them. */
  | 'mixed'
  | 'bundle-refused'
  | 'bundle-too-large'
  | 'throw-unavailable';

/** Misbehaviour of the `nth` call of that name (and type of resource), from 1, or of all of them. */
export type Misbehaviour = {
  readonly on: EhrCall;
  readonly type?: ResourceType;
  readonly nth?: number;
} /** `afterMs`: the duration of the call, which takes effect at its end. */ & (
  | { readonly does: Misdeed; readonly afterMs?: number; readonly why?: string }
  /** Another client's action right before the call. */
  | { readonly before: (ehr: FakeEhr) => void }
);

export type SeenCall = {
  readonly call: EhrCall;
  /** Undefined for a transaction. */
  readonly type?: string | undefined;
  /** The reference, the identities, or the bytes that were sent. */
  readonly about: string;
  readonly atMs: number;
};

export type FakeEhrOptions = {
  readonly runtime?: FakeRuntime;
  readonly capabilities?: EhrCapabilities;
  readonly resources?: readonly Resource[];
  readonly misbehaviours?: readonly Misbehaviour[];
  /** The time for which a search misses what the engine has stored. */
  readonly searchLagMs?: number;
  /** Types that cannot be searched for. */
  readonly cannotFind?: readonly ResourceType[];
  readonly ignoresIfNoneExist?: boolean;
  readonly ignoresIfMatch?: boolean;
  /** The answer about a Subscription; undefined: the operation is not offered. Absent: `$status`, and no events. */
  readonly answers?: (order: AskOrder) => Resource | undefined;
  /** Recordings by their link or inline text. */
  readonly recordings?: ReadonlyMap<string, Uint8Array>;
};

export type FakeEhr = Ehr & {
  readonly store: FakeStore;
  readonly runtime: FakeRuntime;
  /** The same EHR for every site. */
  readonly ehrs: Ehrs;
  readonly calls: readonly SeenCall[];
  /** The bodies of writing calls, in order. */
  readonly sent: readonly string[];
  /** A person stores a resource, under its own id if it has one. */
  readonly put: (resource: Resource) => StoredResource;
  /** A person changes an existing resource. */
  readonly edit: (reference: string, change: (resource: Resource) => Resource) => StoredResource;
  /** Adds misbehaviour; calls are counted from now. */
  readonly misbehave: (...misbehaviours: readonly Misbehaviour[]) => void;
  /** Ends all misbehaviour. */
  readonly behave: () => void;
};

export function makeFakeEhr(options: FakeEhrOptions = {}): FakeEhr {
  const runtime = options.runtime ?? makeFakeRuntime();
  const store = makeStore({ now: runtime.now, searchLagMs: options.searchLagMs ?? 0 });
  const calls: SeenCall[] = [];
  const sent: string[] = [];
  const script = makeScript();
  const writer = makeFakeWriter({
    store,
    ignoresIfNoneExist: options.ignoresIfNoneExist === true,
    ignoresIfMatch: options.ignoresIfMatch === true,
  });

  const see = (call: EhrCall, about: string, type?: string) => {
    calls.push({ call, about, type, atMs: runtime.monotonicMs() });
    return script.next(call, type, fake);
  };
  const seeRead = (call: EhrCall, about: string, signal: AbortSignal, type?: string) => {
    signal.throwIfAborted();
    const misdeed = see(call, about, type);
    if (misdeed !== undefined) throw new AppError('ehrUnavailable', 'the EHR cannot be reached');
  };
  const seeWrite = (call: EhrCall, body: string, signal: AbortSignal, type?: string) => {
    signal.throwIfAborted();
    sent.push(body);
    const misdeed = see(call, body, type);
    if (misdeed?.does === 'throw-unavailable') throw new AppError('ehrUnavailable', 'the EHR cannot be reached');
    return misdeed;
  };

  const fake: FakeEhr = {
    store,
    runtime,
    calls,
    sent,
    ehrs: { of: () => fake, jwks: async () => undefined },
    put: (resource) => {
      const reference = `${resource.resourceType}/${resource.id}`;
      const made = { sent: JSON.stringify(resource), by: 'person' } as const;
      return store.get(reference) ? store.change(reference, resource, made) : store.add(resource, made);
    },
    edit(reference, change) {
      const stored = store.get(reference);
      if (stored === undefined) throw new Error('the test edits what is not there');
      const changed = change(structuredClone(stored.resource));
      return store.change(reference, changed, { sent: JSON.stringify(changed), by: 'person' });
    },
    misbehave: script.add,
    behave: script.clear,

    async capabilities(signal) {
      seeRead('capabilities', '', signal);
      return options.capabilities ?? someCapabilities();
    },
    async read(reference, signal) {
      seeRead('read', reference, signal, typeOf(reference));
      const found = store.get(reference);
      return found && asStored(found);
    },
    async search({ type, parameters, maxResources }, signal) {
      seeRead('search', type, signal, type);
      const found = store
        .visible()
        .map(({ resource }) => resource)
        .filter((resource) => resource.resourceType === type && matches(resource, parameters));
      return { resources: structuredClone(found.slice(0, maxResources)), isComplete: found.length <= maxResources };
    },
    async find({ type, identities }, signal) {
      seeRead('find', identities.map(({ value }) => value).join(' '), signal, type);
      if (options.cannotFind?.includes(type)) return { canFind: false, why: `${type} cannot be searched for` };
      const found = new Map<string, readonly StoredResource[]>();
      for (const identity of identities) {
        const carriers = store
          .visible()
          .filter(({ resource }) => resource.resourceType === type && carries(resource, identity));
        if (carriers.length > 0) found.set(identity.value, carriers.map(asStored));
      }
      return { canFind: true, found };
    },
    // `this`: a test may have put its own reads around these.
    async together(works, signal) {
      signal.throwIfAborted();
      return (await settleAll(works.map((work) => work(this)))) as never;
    },
    async ask(order, signal) {
      seeRead('ask', `${order.reference}/${order.operation}`, signal, typeOf(order.reference));
      if (store.get(order.reference) === undefined) return undefined;
      return options.answers ? options.answers(order) : noNews(order);
    },
    async withWriteSlot(work, signal) {
      signal.throwIfAborted();
      return work();
    },
    async create({ type, body, ifNoneExist }, signal) {
      const misdeed = seeWrite('create', body, signal, type);
      return misbehaveOnOne(misdeed, () => writer.create({ body, ifNoneExist }));
    },
    async update({ reference, body, ifMatch }, signal) {
      const misdeed = seeWrite('update', body, signal, typeOf(reference));
      return misbehaveOnOne(misdeed, () => writer.update({ reference, body, ifMatch }));
    },
    async remove(reference, signal) {
      seeRead('remove', reference, signal, typeOf(reference));
      return store.remove(reference);
    },
    async transact(bundle, signal) {
      const misdeed = seeWrite('transact', bundle, signal);
      return misbehaveOnBundle(misdeed, (mode) => writer.transact(bundle, mode));
    },
    async *openRecording({ bytes }) {
      const key = bytes.kind === 'link' ? bytes.url : bytes.base64;
      const recording = options.recordings?.get(key);
      if (recording === undefined) throw new AppError('ehrAnswer', 'the EHR does not have this recording');
      yield recording;
    },
  };
  for (const resource of options.resources ?? []) fake.put(resource);
  fake.misbehave(...(options.misbehaviours ?? []));
  return fake;
}

/** The status of a Subscription without events. */
function noNews({ reference, operation }: AskOrder): Bundle {
  const type = operation === '$status' ? 'query-status' : 'query-event';
  const parameter = [
    { name: 'subscription', valueReference: { reference } },
    { name: 'status', valueCode: 'active' },
    { name: 'type', valueCode: type },
    { name: 'events-since-subscription-start', valueString: '0' },
  ];
  const status: Resource = { resourceType: 'Parameters', parameter };
  const bundle = operation === '$status' ? 'searchset' : 'history';
  return { resourceType: 'Bundle', type: bundle, entry: [{ resource: status }] };
}

function asStored({ reference, version, resource }: StoredResource): StoredResource {
  return { reference, ...(version !== undefined && { version }), resource: structuredClone(resource) };
}

function typeOf(reference: string): string {
  return reference.split('/')[0] ?? '';
}

type Done = { readonly does: Misdeed; readonly why?: string };

/** Each misbehaviour counts its own calls. */
function makeScript() {
  let pending: { readonly what: Misbehaviour; seen: number }[] = [];
  return {
    add: (...misbehaviours: readonly Misbehaviour[]) => {
      pending.push(...misbehaviours.map((what) => ({ what, seen: 0 })));
    },
    clear: () => {
      pending = [];
    },
    next(call: EhrCall, type: string | undefined, ehr: FakeEhr): Done | undefined {
      const due = pending.filter(({ what }) => what.on === call && (what.type === undefined || what.type === type));
      for (const one of due) one.seen += 1;
      const now = due.filter(({ what, seen }) => what.nth === undefined || what.nth === seen).map(({ what }) => what);
      for (const what of now) if ('before' in what) what.before(ehr);
      const [first] = now.filter((what) => 'does' in what);
      if (first?.afterMs !== undefined) ehr.runtime.advance(first.afterMs);
      return first;
    },
  };
}

function misbehaveOnOne(done: Done | undefined, act: () => WriteAnswer): WriteAnswer {
  switch (done?.does) {
    case undefined:
      return act();
    case 'commit-unknown':
      act();
      return { kind: 'unknown' };
    case 'drop-unknown':
      return { kind: 'unknown' };
    case 'busy':
      return { kind: 'busy', retryAfterMs: 1_000 };
    case 'limited':
      return { kind: 'busy', isLimit: true, retryAfterMs: 60_000 };
    case 'conflict':
      return { kind: 'conflict' };
    case 'refused':
      return { kind: 'refused', status: 422, isTypeRefused: false, why: done.why ?? 'invalid' };
    case 'type-refused':
      return { kind: 'refused', status: 404, isTypeRefused: true, why: 'not-supported' };
    default:
      throw new Error(`${done?.does} is nothing that one write can answer`);
  }
}

function misbehaveOnBundle(done: Done | undefined, run: (mode: RunMode) => TransactionAnswer): TransactionAnswer {
  switch (done?.does) {
    case undefined:
      return run('atomic');
    case 'batch':
    case 'mixed':
      return run(done.does);
    case 'commit-unknown':
      run('atomic');
      return { kind: 'unknown' };
    case 'drop-unknown':
      return { kind: 'unknown' };
    case 'busy':
      return { kind: 'busy', retryAfterMs: 1_000 };
    case 'limited':
      return { kind: 'busy', isLimit: true, retryAfterMs: 60_000 };
    case 'conflict':
      return { kind: 'conflict' };
    case 'refused':
      return { kind: 'refused', status: 422, isTooLarge: false, why: 'invalid' };
    case 'bundle-refused':
      return { kind: 'refused', status: 400, isTooLarge: false, why: 'not-supported' };
    case 'bundle-too-large':
      return { kind: 'refused', status: 400, isTooLarge: true, why: 'too-costly' };
    default:
      throw new Error(`${done?.does} is nothing that a transaction can answer`);
  }
}
