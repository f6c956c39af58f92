// One revision at work: what is known of it, kept in memory and in the ledger alike, and the steps that every way of writing shares.
import type { ChartWrite, ParkReason, Revision } from '../../domain/chart/chart-write.ts';
import type { EhrCapabilities, EhrFact } from '../../domain/chart/ehr-capabilities.ts';
import type { WriteStrategy } from '../../domain/chart/write-strategies.ts';
import { AppError } from '../../domain/errors.ts';
import type { Ehr } from '../../ports/ehr.ts';
import type { EhrKnowledge } from '../../ports/ehr-knowledge.ts';
import type { Lease, Ledger, WriteResult } from '../../ports/ledger.ts';
import type { Runtime } from '../../ports/runtime.ts';

export type DeliveryParts = {
  readonly ehr: Ehr;
  readonly ledger: Ledger;
  readonly knowledge: EhrKnowledge;
  readonly runtime: Pick<Runtime, 'monotonicMs' | 'pause' | 'chance' | 'makeUuid'>;
  /** How long after it was sent something may be there without being found. */
  readonly searchLagMs: number;
};

export type Parked = {
  readonly kind: 'parked';
  readonly reason: ParkReason;
  /** Goes behind the site's name: `mercy: …`. */
  readonly message: string;
  readonly advice: string;
  readonly references: readonly string[];
};

export type Delivery = DeliveryParts & {
  readonly site: string;
  readonly lease: Lease;
  /** By the ledger's clock, as all that is compared with it. */
  readonly now: () => Promise<Date>;
  readonly capabilities: EhrCapabilities;
  readonly facts: EhrFact[];
  readonly revision: Revision;
  readonly writes: Map<string, ChartWrite>;
  /** By urn: of other documents, in front of what this revision adds. */
  readonly references: Map<string, string>;
  rung: WriteStrategy;
  /** By the machine's own clock: when the lease was last renewed here. */
  renewedMs?: number;
  /** A Bundle was refused with a status that can also be about what is in it. */
  wasBundleRefused: boolean;
};

/** How long a lease is taken for: a process that died holds its chart no longer than this. */
export const LEASE_MS = 30_000;

/** To the ledger first: what is only in memory is forgotten in a crash. */
export async function recordResults(job: Delivery, results: readonly WriteResult[]): Promise<void> {
  if (results.length === 0) return;
  await job.ledger.recordResults(job.lease, results);
  for (const { id, ...result } of results) {
    const write = job.writes.get(id);
    if (write === undefined) continue;
    const settled = { ...write, ...result };
    job.writes.set(id, settled);
    noteReference(job, settled);
  }
}

export function noteReference(
  { references }: Pick<Delivery, 'references'>,
  { action, fullUrl, state, reference }: ChartWrite,
): void {
  const isThere = state === 'stored' || state === 'written';
  if (action === 'create' && isThere && reference !== undefined) references.set(fullUrl, reference);
}

export async function learn(job: Delivery, fact: EhrFact): Promise<void> {
  job.facts.push(fact);
  await job.knowledge.learn(job.site, job.capabilities.software, fact);
}

/** Longer than this nobody waits here: the run waits, and its worker does something else. */
const MAX_PAUSE_MS = 10_000;
const FIRST_PAUSE_MS = 200;

/** Before the same is sent again. Throws `ehrUnavailable` where it would take too long. */
export async function pauseForBusy(
  job: Delivery,
  round: number,
  retryAfterMs: number,
  signal: AbortSignal,
): Promise<void> {
  if (retryAfterMs > MAX_PAUSE_MS || round >= MAX_ROUNDS) {
    const retryAfterSeconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
    throw new AppError('ehrUnavailable', `${job.site}: the EHR is busy; it is tried again later`, {
      retryAfterSeconds,
    });
  }
  const backoffMs = Math.min(FIRST_PAUSE_MS * 2 ** round, MAX_PAUSE_MS);
  await job.runtime.pause(Math.max(retryAfterMs, backoffMs * (0.5 + job.runtime.chance())), signal);
}

/** How often one try looks and sends. */
export const MAX_ROUNDS = 8;

const CONFIRMED_FOR_MS = 5_000;

/** Where that was not done just now. */
export async function renewStaleLease(job: Delivery): Promise<void> {
  const { renewedMs, runtime, ledger, lease } = job;
  const startedMs = runtime.monotonicMs();
  if (renewedMs !== undefined && startedMs - renewedMs < CONFIRMED_FOR_MS) return;
  await ledger.renew(lease, LEASE_MS);
  job.renewedMs = startedMs;
}

/**
 * Right before something leaves: the right to write is asked for again, and if that answer itself took long, once more. A process
 * that was stopped and woken finds out here that its time is over.
 */
export async function beginSending(
  job: Delivery,
  writes: readonly ChartWrite[],
  hashes: ReadonlyMap<string, string>,
): Promise<void> {
  const sends = writes.map(({ id, sha256 }) => ({ id, sentSha256: hashes.get(id) ?? sha256 }));
  let sentAt: Date;
  do {
    job.renewedMs = job.runtime.monotonicMs();
    sentAt = await job.ledger.beginSending(job.lease, sends, LEASE_MS);
  } while (job.runtime.monotonicMs() - job.renewedMs >= CONFIRMED_FOR_MS);
  for (const { id, sentSha256 } of sends) {
    const write = job.writes.get(id);
    if (write !== undefined) job.writes.set(id, { ...write, state: 'sending', sentAt, sentSha256 });
  }
}

export function parked(
  reason: ParkReason,
  message: string,
  advice: string,
  references: readonly string[] = [],
): Parked {
  return { kind: 'parked', reason, message, advice, references };
}

/** Not about what was sent: nobody may write, and nothing else is tried. */
export function accessRefused(status: number): Parked {
  return parked(
    'refused',
    `the EHR refuses to let the engine write (${status})`,
    'Look at ehr.auth of the site and at what the EHR allows this client to write, and replay the run.',
  );
}
