// New resources: each is looked for before it is sent, until all are in the chart once. Nothing is sent twice, whatever the strategy.
import type { ChartWrite } from '../../domain/chart/chart-write.ts';
import type { FoundBefore } from './find-writes.ts';
import { lookForWrites } from './look-for-writes.ts';
import { sendSingly } from './send-singly.ts';
import { sendConditionally, sendTransaction } from './send-transaction.ts';
import {
  type Delivery,
  type DeliveryState,
  learn,
  MAX_ROUNDS,
  notFoundYet,
  parked,
  pauseForBusy,
  pendingCreates,
  type SendResult,
  uncertain,
} from './track-delivery.ts';

/** A stored resource usually shows at once; a longer wait is left to the run. */
const QUICK_LOOKS_MS = [200, 500, 1_000, 2_000];

export async function lookForCreates(
  delivery: Delivery,
  { round, looks, before }: DeliveryState<'lookingForCreates'>,
  signal: AbortSignal,
): Promise<DeliveryState<'lookingForCreates' | 'sendingCreates' | 'sendingChanges' | 'closingRevision'>> {
  const pending = pendingCreates(delivery);
  if (pending.length === 0) {
    // What was refused as a Bundle was accepted one by one: this EHR does not accept transactions.
    if (delivery.wasBundleRefused) await learn(delivery, { name: 'transaction', value: 'refused' });
    return { state: 'sendingChanges' };
  }
  const order = { writes: pending, ...(isFresh(delivery, before) && { before: before?.found }) };
  const { absent, waitMs, parked: stopped } = await lookForWrites(delivery, order, signal);
  if (stopped) return { state: 'closingRevision', stopped };
  if (waitMs > 0) {
    const quickMs = QUICK_LOOKS_MS[looks];
    if (quickMs === undefined) throw notFoundYet(delivery, SENT, waitMs);
    await delivery.runtime.pause(Math.min(quickMs, waitMs), signal);
    return { state: 'lookingForCreates', round, looks: looks + 1 };
  }
  if (absent.length === 0) return { state: 'lookingForCreates', round: round + 1, looks };
  return { state: 'sendingCreates', round, looks, absent };
}

/** What was found longer ago does not show what another client, or a restored backup, has in the chart by now. */
const FRESH_MS = 5_000;

function isFresh({ runtime }: Delivery, before: FoundBefore | undefined): boolean {
  return before !== undefined && runtime.monotonicMs() - before.atMs < FRESH_MS;
}

export async function sendCreates(
  delivery: Delivery,
  { round, looks, absent }: DeliveryState<'sendingCreates'>,
  signal: AbortSignal,
): Promise<DeliveryState<'lookingForCreates' | 'closingRevision'>> {
  const { stopped, busy } = await send(delivery, absent, signal);
  if (stopped) return { state: 'closingRevision', stopped };
  if (busy !== undefined) await pauseForBusy(delivery, { round, busy }, signal);
  else if (round >= MAX_ROUNDS) throw uncertain(delivery.site, SENT, 60_000);
  return { state: 'lookingForCreates', round: round + 1, looks };
}

async function send(delivery: Delivery, writes: readonly ChartWrite[], signal: AbortSignal): Promise<SendResult> {
  switch (delivery.strategy) {
    case 'transaction':
      return sendTransaction(delivery, writes, signal);
    case 'conditional-transaction':
      return sendConditionally(delivery, writes, signal);
    case 'single-creates':
    case 'document-only':
      return sendSingly(delivery, writes, signal);
    case 'hold':
      return { stopped: noWay(delivery) };
  }
}

const SENT = 'a resource that was sent is in the chart';

function noWay({ site }: Delivery) {
  return parked(
    'no-way',
    'there is no way left to write to this EHR',
    `See what the EHR accepts (npm run cli -- sites probe ${site}), change its settings or the site’s, and replay the run.`,
  );
}
