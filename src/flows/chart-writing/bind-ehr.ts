// A site belongs to the EHR that it wrote to first: its ledger has ids of that EHR, which may be other patients' in another one.
import type { WriteOutcome } from '../../domain/chart/chart-write.ts';
import { AppError } from '../../domain/errors.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { otherEhr } from './write-outcome.ts';

/** Undefined if the site's EHR is still that one. */
export async function bindEhr(ledger: Ledger, { name, settings }: LoadedSite): Promise<WriteOutcome | undefined> {
  try {
    await ledger.bindEhr(name, settings.ehr?.baseUrl ?? '');
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== 'conflict') throw thrown;
    return otherEhr(name);
  }
}
