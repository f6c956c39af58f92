// Counts the calls to vendors, and logs each failure of a vendor with the class of its cause. Failures by the caller or its files are no
// failures of a vendor.
import type { ErrorCode } from '../domain/errors.ts';
import { present } from '../domain/present.ts';
import type { VerifierEnd } from '../flows/service/verify-note.ts';
import type { EngineContext } from './engine-context.ts';

type VendorCall = {
  readonly vendor: string;
  readonly operation: string;
  readonly outcome: string;
  readonly durationMs: number;
  readonly cause?: string;
};

const BY_VENDOR: ReadonlySet<string> = new Set<ErrorCode>(['vendorUnavailable', 'vendorAnswer', 'vendorRejected']);

export function makeWatchVendors({ logger, metrics }: Pick<EngineContext, 'logger' | 'metrics'>) {
  return ({ vendor, operation, outcome, durationMs, cause }: VendorCall): void => {
    metrics.vendorCalled({ vendor, operation, outcome, durationMs });
    if (!BY_VENDOR.has(outcome)) return;
    const fields = { component: 'vendors', vendor, operation, code: outcome, durationMs: Math.round(durationMs) };
    logger.warn('vendor call failed', { ...fields, reason: cause ?? 'unknown' });
  };
}

/** Says which runs have had the first check of their note alone. */
export function makeWatchVerifier({ logger, metrics }: Pick<EngineContext, 'logger' | 'metrics'>) {
  return ({ outcome, code, run }: VerifierEnd): void => {
    metrics.noteVerified(outcome);
    if (outcome === 'checked') return;
    const fields = { component: 'verifier', ...present({ code, run }) };
    logger.warn('a note goes on without its second check', fields);
  };
}
