// Findings of earlier passes whose writes are not due, or are not current any more: a person may have corrected them since.
import { isRetired } from '../../domain/chart/existing-resource.ts';
import type { Finding, OpenFinding } from '../../ports/ledger.ts';
import type { Charts } from './reconcile-charts.ts';
import { isDraft } from './reconcile-encounters.ts';

/** The number of findings that are read again in one pass. */
const MAX_FINDINGS = 200;

/** Findings that are certainly corrected. Those that were `found` in this pass need no second look. */
export async function findMended(
  charts: Charts,
  open: readonly OpenFinding[],
  found: readonly Finding[],
): Promise<readonly OpenFinding[]> {
  const names = new Set(found.map(nameOf));
  const old = open.filter((one) => (one.kind === 'duplicate' || one.kind === 'encounter') && !names.has(nameOf(one)));
  const mended: OpenFinding[] = [];
  for (const finding of old.slice(-MAX_FINDINGS)) if (await isMended(charts, finding)) mended.push(finding);
  return mended;
}

async function isMended(charts: Charts, { kind, references }: OpenFinding): Promise<boolean> {
  let left = 0;
  for (const reference of references) {
    if (kind === 'encounter' && reference.startsWith('Encounter/')) continue;
    const read = await charts.read(reference);
    if (read === undefined) return false;
    const resource = read.stored?.resource;
    if (resource !== undefined && !isRetired(resource) && (kind === 'duplicate' || isDraft(resource))) left += 1;
  }
  return kind === 'duplicate' ? left <= 1 : left === 0;
}

function nameOf({ kind, identity }: Pick<Finding, 'kind' | 'identity'>): string {
  return JSON.stringify([kind, identity]);
}
