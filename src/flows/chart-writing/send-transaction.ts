// New resources sent in one transaction, plain or with a condition on each entry. An EHR that does not keep what a transaction promises
// gets the next write strategy.
import type { ChartWrite } from '../../domain/chart/chart-write.ts';
import { openReferences, transactionBundle } from '../../domain/chart/frozen-body.ts';
import { carriesIdentity } from '../../domain/chart/stamp.ts';
import { assessStrategies, conditionalLimit, WRITE_STRATEGIES } from '../../domain/chart/write-strategies.ts';
import type { TransactionAnswer, WriteAnswer, WrittenEntry } from '../../ports/ehr.ts';
import { holdLease } from './hold-lease.ts';
import { afterCreate, refersAhead, storedResult } from './send-singly.ts';
import {
  accessRefused,
  type Busy,
  beginSending,
  type Delivery,
  isAccessRefused,
  learn,
  notSent,
  pendingCreates,
  recordResults,
  type SendResult,
} from './track-delivery.ts';

export async function sendTransaction(
  delivery: Delivery,
  writes: readonly ChartWrite[],
  signal: AbortSignal,
): Promise<SendResult> {
  const ahead = findAhead(delivery, writes);
  if (ahead !== undefined) return { stopped: refersAhead(ahead) };
  return afterTransaction(delivery, writes, await transact(delivery, writes, { isConditional: false }, signal));
}

/** A quarter of a second each. */
const LEASE_TRIES = 60;

/** Conditional transactions disturb each other: one at a time at one EHR, also between engine processes. */
export async function sendConditionally(
  delivery: Delivery,
  all: readonly ChartWrite[],
  signal: AbortSignal,
): Promise<SendResult> {
  const writes = all.slice(0, conditionalLimit(delivery.facts));
  const ahead = findAhead(delivery, writes);
  if (ahead !== undefined) return { stopped: refersAhead(ahead) };
  const answer = await holdLease(
    { ...delivery, name: `${delivery.site}/conditional`, tries: LEASE_TRIES },
    () => transact(delivery, writes, { isConditional: true }, signal),
    signal,
  );
  if (answer.kind === 'stored') await checkMatches(delivery, writes, answer.entries, signal);
  return afterTransaction(delivery, writes, answer);
}

/** The first write that refers to a document outside of the Bundle that is not in the chart yet. */
function findAhead({ references }: Delivery, writes: readonly ChartWrite[]): ChartWrite | undefined {
  const inBundle = new Set(writes.map(({ fullUrl }) => fullUrl));
  return writes.find(({ body }) => openReferences(body, references).some((urn) => !inBundle.has(urn)));
}

async function transact(
  delivery: Delivery,
  writes: readonly ChartWrite[],
  { isConditional }: { readonly isConditional: boolean },
  signal: AbortSignal,
): Promise<TransactionAnswer> {
  const { ehr, references } = delivery;
  const bundle = transactionBundle({ writes, references, isConditional });
  return ehr.withWriteSlot(async () => {
    await beginSending(delivery, writes);
    return ehr.transact(bundle, signal);
  }, signal);
}

/**
 * A conditional create that stored nothing reports that the resource is there already. This is believed only if that resource carries
 * the identity: a server that does not know the condition matches anything.
 */
async function checkMatches(
  delivery: Delivery,
  writes: readonly ChartWrite[],
  entries: readonly WrittenEntry[],
  signal: AbortSignal,
): Promise<void> {
  for (const [index, write] of writes.entries()) {
    const entry = entries[index];
    if (entry === undefined || entry.isNew) continue;
    const matched = await delivery.ehr.read(entry.reference, signal);
    if (matched !== undefined && carriesIdentity(matched.resource, write.identity)) {
      await recordResults(delivery, storedResult(write, { ...entry, isNew: true }));
      continue;
    }
    await recordResults(delivery, notSent([write]));
    await learn(delivery, { name: 'conditional', value: 'failed' });
    delivery.strategy = 'single-creates';
  }
}

async function afterTransaction(
  delivery: Delivery,
  writes: readonly ChartWrite[],
  answer: TransactionAnswer,
): Promise<SendResult> {
  switch (answer.kind) {
    case 'stored': {
      await recordResults(
        delivery,
        writes.flatMap((write, index) => storedResult(write, answer.entries[index])),
      );
      if (answer.wasBatch) await demote(delivery);
      return {};
    }
    case 'mixed':
      return afterBatch(delivery, writes, answer.entries);
    case 'busy':
      await recordResults(delivery, notSent(writes));
      return { busy: answer };
    case 'refused': {
      await recordResults(delivery, notSent(writes));
      if (isAccessRefused(answer.status)) return { stopped: accessRefused(answer.status) };
      // 404 and 405 refuse transactions as such; another status can be about an entry, which the next strategy finds out.
      if (answer.status === 404 || answer.status === 405) {
        await learn(delivery, { name: 'transaction', value: 'refused' });
      } else if (!answer.isTooLarge) delivery.wasBundleRefused = true;
      useNextStrategy(delivery);
      return {};
    }
    case 'conflict':
      // Nothing was stored. If several resources carry one identity, the next look finds them; else this EHR does not accept this way.
      await recordResults(delivery, notSent(writes));
      useNextStrategy(delivery);
      return {};
    case 'unknown':
      return {};
  }
}

/** Some entries may be stored and some not: the answer to each counts, and then each is looked for. */
async function afterBatch(
  delivery: Delivery,
  writes: readonly ChartWrite[],
  entries: readonly WriteAnswer[],
): Promise<SendResult> {
  await demote(delivery);
  let all: SendResult = {};
  for (const [index, write] of writes.entries()) {
    const answer = entries[index] ?? { kind: 'unknown' };
    if (answer.kind === 'conflict') await recordResults(delivery, notSent([write]));
    const one = answer.kind === 'conflict' ? {} : await afterCreate(delivery, write, answer);
    const busy = longest(all.busy, one.busy);
    all = { ...one, ...all, ...(busy && { busy }) };
  }
  return all;
}

function longest(one: Busy | undefined, other: Busy | undefined): Busy | undefined {
  return (other?.retryAfterMs ?? 0) > (one?.retryAfterMs ?? 0) ? other : (one ?? other);
}

/** The EHR ran the transaction entry by entry. */
async function demote(delivery: Delivery): Promise<void> {
  await learn(delivery, { name: 'transaction', value: 'batch' });
  delivery.strategy = 'single-creates';
}

function useNextStrategy(delivery: Delivery): void {
  const types = pendingCreates(delivery).map(({ type }) => type);
  const after = WRITE_STRATEGIES.indexOf(delivery.strategy);
  const next = assessStrategies({ ...delivery, types }).find(
    ({ rung, isUsable }) => isUsable && WRITE_STRATEGIES.indexOf(rung) > after,
  );
  delivery.strategy = next?.rung ?? 'hold';
}
