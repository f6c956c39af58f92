// The documents that a site would write, made by its own mappings of a visit that nobody had.
import type { Encounter, Patient } from '@medplum/fhirtypes';
import { labelledAsTest, testFacts } from '../../domain/chart/test-visit.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { mapDocuments } from '../chart-writing/map-documents.ts';
import type { TestDocument } from './probe-bench.ts';

export type TestVisit = {
  /** Names everything of this probe. */
  readonly id: string;
  readonly patient: Patient;
  readonly encounter: Encounter;
};

type Wants = {
  /** Each has documents of its own. */
  readonly session: number;
  /** Absent: all that the site has. */
  readonly names?: ReadonlySet<string>;
  /** As if somebody had signed, and not as drafts. */
  readonly isSigned?: boolean;
};

/** Work items are not tried: they would call somebody. */
export const NEVER_TRIED = 'task';

/** Throws a MappingError. */
export function makeTestDocuments(
  { site, runtime }: { readonly site: LoadedSite; readonly runtime: Pick<Runtime, 'now'> },
  { id, patient, encounter }: TestVisit,
  { session, names, isSigned = false }: Wants,
): readonly TestDocument[] {
  const isWanted = (name: string) => name !== NEVER_TRIED && (name === 'notice' || (names?.has(name) ?? true));
  const mappings = new Map([...site.mappings].filter(([name]) => isWanted(name)));
  const run = { id: `probe-${id}`, time: runtime.now().toISOString() };
  const facts = testFacts({ patient, encounter, session: `probe-${id}-${session}`, run, isSigned });
  return mapDocuments({ site: { ...site, mappings }, facts }).documents.map((made) => ({
    document: made.document,
    identity: made.identity,
    fullUrl: made.fullUrl,
    resource: labelledAsTest(made.resource),
  }));
}
