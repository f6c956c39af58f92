// Work that only one process may do at a time: one writer for a patient's chart, one for a site's Devices, one conditional transaction.
import { AppError } from '../../domain/errors.ts';
import type { Lease, Ledger } from '../../ports/ledger.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { LEASE_MS } from './track-delivery.ts';

type HoldParts = {
  readonly ledger: Ledger;
  readonly runtime: Pick<Runtime, 'pause' | 'makeUuid'>;
  /** `mercy/Patient/1` */
  readonly name: string;
  /** How often the lease is asked for while another process has it; absent: once. */
  readonly tries?: number;
};

const PAUSE_MS = 250;
const RETRY_AFTER_SECONDS = 5;

/** Throws `inUse` if another process has it. */
export async function holdLease<T>(
  { ledger, runtime, name, tries = 1 }: HoldParts,
  work: (lease: Lease) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const holder = runtime.makeUuid();
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    const lease = await ledger.acquire(name, holder, LEASE_MS);
    if (lease !== undefined) return workAndRelease(ledger, lease, work);
    if (attempt >= tries) {
      throw new AppError('inUse', 'Another process is writing to the same place', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    await runtime.pause(PAUSE_MS, signal);
  }
}

async function workAndRelease<T>(ledger: Ledger, lease: Lease, work: (lease: Lease) => Promise<T>): Promise<T> {
  try {
    return await work(lease);
  } finally {
    // If this fails, the lease expires.
    await ledger.release(lease).catch(() => undefined);
  }
}
