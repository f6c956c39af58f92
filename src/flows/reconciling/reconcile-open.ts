// Findings of earlier passes whose writes are not due, or are not current any more: a person may have corrected them since.
import type { Resource } from '@medplum/fhirtypes';
import { isRetired, literalOf, patientOf } from '../../domain/chart/existing-resource.ts';
import type { Finding, FindingKind, OpenFinding } from '../../ports/ledger.ts';
import type { Charts } from './reconcile-charts.ts';
import { isDraft } from './reconcile-encounters.ts';

/** The number of findings that are read again in one pass. */
const MAX_FINDINGS = 200;
const READ_AGAIN: ReadonlySet<FindingKind> = new Set<FindingKind>(['duplicate', 'encounter', 'moved']);

/** Findings that are certainly corrected. Those that were `found` in this pass need no second look. */
export async function findMended(
  charts: Charts,
  open: readonly OpenFinding[],
  found: readonly Finding[],
): Promise<readonly OpenFinding[]> {
  const names = new Set(found.map(nameOf));
  const old = open.filter((one) => READ_AGAIN.has(one.kind) && !names.has(nameOf(one)));
  const mended: OpenFinding[] = [];
  for (const finding of old.slice(-MAX_FINDINGS)) if (await isMended(charts, finding)) mended.push(finding);
  return mended;
}

async function isMended(charts: Charts, { kind, references }: OpenFinding): Promise<boolean> {
  const subject = kind === 'moved' ? await subjectOf(charts, references) : undefined;
  const isOpen = (resource: Resource): boolean => {
    if (isRetired(resource)) return false;
    if (kind === 'moved') return subject === undefined || patientOf(resource) !== subject;
    return kind === 'duplicate' || isDraft(resource);
  };
  let left = 0;
  for (const reference of references) {
    if (kind !== 'duplicate' && NO_DOCUMENT.test(reference)) continue;
    const read = await charts.read(reference);
    if (read === undefined) return false;
    const resource = read.stored?.resource;
    if (resource !== undefined && isOpen(resource)) left += 1;
  }
  return kind === 'duplicate' ? left <= 1 : left === 0;
}

/** The encounter and the patient of a finding are named beside its documents. */
const NO_DOCUMENT = /^(Encounter|Patient)\//;

/** The encounter may have come back to the patient in whose chart the documents are. */
async function subjectOf(charts: Charts, references: readonly string[]): Promise<string | undefined> {
  const encounter = references.find((reference) => reference.startsWith('Encounter/'));
  const read = encounter === undefined ? undefined : await charts.read(encounter);
  const resource = read?.stored?.resource;
  return resource?.resourceType === 'Encounter' ? literalOf(resource.subject) : undefined;
}

function nameOf({ kind, identity }: Pick<Finding, 'kind' | 'identity'>): string {
  return JSON.stringify([kind, identity]);
}
