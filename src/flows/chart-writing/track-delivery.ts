// The delivery of one frozen revision: what is known of it, in memory and in the ledger alike, and the steps that all ways of writing share.
import { type BackoffLimits, backoffMs, spreadMs } from '../../domain/backoff.ts';
import type { ChartWrite, ParkReason, Revision } from '../../domain/chart/chart-write.ts';
import type { EhrCapabilities, EhrFact, EhrProfile } from '../../domain/chart/ehr-capabilities.ts';
import { sha256 } from '../../domain/chart/frozen-body.ts';
import { LookAgain } from '../../domain/chart/look-again.ts';
import type { WriteStrategy } from '../../domain/chart/write-strategies.ts';
import { EhrLimit } from '../../domain/ehr-limit.ts';
import { AppError } from '../../domain/errors.ts';
import type { Ehr, WriteAnswer } from '../../ports/ehr.ts';
import type { EhrKnowledge } from '../../ports/ehr-knowledge.ts';
import type { Lease, Ledger, WriteResult } from '../../ports/ledger.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { FoundBefore } from './find-writes.ts';
import type { State } from './state-table.ts';

export type DeliveryParts = {
  readonly ehr: Ehr;
  readonly ledger: Ledger;
  readonly knowledge: EhrKnowledge;
  readonly runtime: Pick<Runtime, 'monotonicMs' | 'pause' | 'chance' | 'makeUuid'>;
  /** How long a stored resource may stay invisible to a search. */
  readonly searchLagMs: number;
};

export type Parked = {
  readonly kind: 'parked';
  readonly reason: ParkReason;
  /** The outcome puts the site's name in front of it: `mercy: …`. */
  readonly message: string;
  readonly advice: string;
  readonly references: readonly string[];
};

/** `map-again`: the EHR refused a type, or drafts; this was learned, and leads to other documents. */
export type StoppedDelivery = Parked | { readonly kind: 'map-again' };
export type DeliveryResult = { readonly kind: 'done'; readonly revision: Revision } | StoppedDelivery;

/** What came of one sending: the reason to stop, or how long the EHR asked to wait. */
export type SendResult = { readonly stopped?: StoppedDelivery; readonly busy?: Busy };

/** The EHR took nothing, and is to be asked again. */
export type Busy = Omit<Extract<WriteAnswer, { readonly kind: 'busy' }>, 'kind'>;

export type Delivery = DeliveryParts & {
  readonly site: string;
  readonly lease: Lease;
  /** The ledger's clock, because every time in the ledger is by it. */
  readonly now: () => Promise<Date>;
  readonly capabilities: EhrCapabilities;
  readonly facts: EhrFact[];
  readonly revision: Revision;
  readonly writes: Map<string, ChartWrite>;
  /** By urn: first those of other documents, then what this revision adds. */
  readonly references: Map<string, string>;
  strategy: WriteStrategy;
  /** The monotonic clock when this delivery last renewed the lease. */
  renewedMs?: number;
  /** A write test has shown that this EHR's searches find at once what was stored. */
  readonly isSearchImmediate: boolean;
  /** If all of the revision is in the chart, nothing else is done with the lease. */
  readonly isLast: boolean;
  /** A Bundle was refused with a status that can also mean one of its entries. */
  wasBundleRefused: boolean;
};

/** `round`: how often something was sent or found; `looks`: how often a search had to be repeated. */
type Rounds = { readonly round: number; readonly looks: number };

export type DeliveryStates = {
  /** `before`: what was found when nothing had been sent yet. */
  readonly lookingForCreates: Rounds & { readonly before?: FoundBefore | undefined };
  readonly sendingCreates: Rounds & { readonly absent: readonly ChartWrite[] };
  readonly sendingChanges: object;
  readonly closingRevision: { readonly stopped?: StoppedDelivery | undefined };
  readonly ended: { readonly result: DeliveryResult };
};
export type DeliveryState<Name extends keyof DeliveryStates = keyof DeliveryStates> = State<DeliveryStates, Name>;

/** A process that died holds its chart no longer than this. */
export const LEASE_MS = 30_000;

export async function recallProfile(
  { ehr, knowledge }: Pick<DeliveryParts, 'ehr' | 'knowledge'>,
  site: string,
  signal: AbortSignal,
): Promise<EhrProfile> {
  const capabilities = await ehr.capabilities(signal);
  return { capabilities, facts: await knowledge.recall(site, capabilities.software) };
}

/** The ledger comes first: a crash forgets what is only in memory. */
export async function recordResults(delivery: Delivery, results: readonly WriteResult[]): Promise<void> {
  if (results.length === 0) return;
  await delivery.ledger.recordResults(delivery.lease, results);
  for (const { id, ...result } of results) {
    const write = delivery.writes.get(id);
    if (write === undefined) continue;
    const recorded = { ...write, ...result };
    delivery.writes.set(id, recorded);
    noteReference(delivery, recorded);
  }
}

export function noteReference(
  { references }: Pick<Delivery, 'references'>,
  { action, fullUrl, state, reference }: ChartWrite,
): void {
  const isThere = state === 'stored' || state === 'written';
  if (action === 'create' && isThere && reference !== undefined) references.set(fullUrl, reference);
}

export async function learn(delivery: Delivery, fact: EhrFact): Promise<void> {
  delivery.facts.push(fact);
  await delivery.knowledge.learn(delivery.site, delivery.capabilities.software, fact);
}

/** A longer wait is left to the run: its worker takes another one meanwhile. */
const MAX_PAUSE_MS = 10_000;
const BUSY_PAUSE: BackoffLimits = { firstMs: 200, longestMs: MAX_PAUSE_MS, spread: [0.5, 1.5] };

/** Waits before the same is sent again. Throws `ehrUnavailable` if that would take too long. */
export async function pauseForBusy(
  { site, runtime, now }: Delivery,
  {
    round,
    busy: { retryAfterMs = 0, isLimit, why = 'the EHR is busy' },
  }: { readonly round: number; readonly busy: Busy },
  signal: AbortSignal,
): Promise<void> {
  if (retryAfterMs > MAX_PAUSE_MS || round >= MAX_ROUNDS) {
    if (isLimit) throw new EhrLimit({ site, waitMs: retryAfterMs > 0 ? retryAfterMs : undefined, now: await now() });
    const retryAfterSeconds = secondsOf(retryAfterMs);
    throw new AppError('ehrUnavailable', `${site}: ${why}; it is tried again later`, { retryAfterSeconds });
  }
  const pauseMs = backoffMs(round, BUSY_PAUSE, runtime.chance());
  // Writes that wait for the same limit must not all return at the same moment.
  const askedMs = isLimit ? spreadMs(retryAfterMs, [1, 1.2], runtime.chance()) : retryAfterMs;
  await runtime.pause(Math.max(askedMs, pauseMs), signal);
}

/** How often one try looks and sends. */
export const MAX_ROUNDS = 8;

/** Only time can tell: a later try looks again. `what`: `a sent resource is in the chart`. */
export function uncertain(site: string, what: string, waitMs: number): AppError {
  const message = `${site}: it is not known yet whether ${what}; the run looks for it again`;
  return new AppError('ehrUncertain', message, { retryAfterSeconds: secondsOf(waitMs) });
}

/** Well within ten seconds, with what runs add to a wait so that they do not return together. */
const SOON_MS = 8_000;

/**
 * A sent write was not found; its absence is certain after `waitMs`. If the EHR shows at once what it stores, a write that arrives late is
 * looked for every few seconds until then.
 */
export function notFoundYet(delivery: Delivery, what: string, waitMs: number): AppError {
  const error = uncertain(delivery.site, what, waitMs);
  if (!delivery.isSearchImmediate || waitMs <= SOON_MS) return error;
  return new LookAgain(error.message, secondsOf(SOON_MS));
}

function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

const CONFIRMED_FOR_MS = 5_000;

/** Renews the lease unless that was done just now. */
export async function renewStaleLease(delivery: Delivery): Promise<void> {
  const { renewedMs, runtime, ledger, lease } = delivery;
  const startedMs = runtime.monotonicMs();
  if (renewedMs !== undefined && startedMs - renewedMs < CONFIRMED_FOR_MS) return;
  await ledger.renew(lease, LEASE_MS);
  delivery.renewedMs = startedMs;
}

/**
 * Must be called right before something leaves. It confirms the right to write, a second time if the confirmation itself took long: a
 * process that was stopped and woken notices here that another one has taken over.
 */
export async function beginSending(delivery: Delivery, writes: readonly ChartWrite[]): Promise<void> {
  // The hash is of the bytes as they are now; the ledger compares it with what was sent before.
  const sends = writes.map(({ id, body }) => ({ id, sentSha256: sha256(body) }));
  let sentAt: Date;
  do {
    delivery.renewedMs = delivery.runtime.monotonicMs();
    sentAt = await delivery.ledger.beginSending(delivery.lease, sends, LEASE_MS);
  } while (delivery.runtime.monotonicMs() - delivery.renewedMs >= CONFIRMED_FOR_MS);
  for (const { id, sentSha256 } of sends) {
    const write = delivery.writes.get(id);
    if (write !== undefined) delivery.writes.set(id, { ...write, state: 'sending', sentAt, sentSha256 });
  }
}

const FINAL_STATES = new Set(['written', 'refused', 'ambiguous', 'dropped']);

export function pendingCreates({ writes }: Delivery): readonly ChartWrite[] {
  return [...writes.values()].filter(({ action, state }) => action === 'create' && !FINAL_STATES.has(state));
}

/** Results for writes that the EHR certainly did not store. */
export function notSent(writes: readonly ChartWrite[]): readonly WriteResult[] {
  return writes.map(({ id }) => ({ id, state: 'frozen' as const }));
}

export function parked(
  reason: ParkReason,
  message: string,
  advice: string,
  references: readonly string[] = [],
): Parked {
  return { kind: 'parked', reason, message, advice, references };
}

export function isAccessRefused(status: number): boolean {
  return status === 401 || status === 403;
}

/** The EHR refuses the engine and not the resource, so nothing else is tried. */
export function accessRefused(status: number): Parked {
  return parked(
    'refused',
    `the EHR does not allow the engine to write (${status})`,
    'Check ehr.auth of the site and what the EHR allows this client to write, and replay the run.',
  );
}
