// The documents that a site would write, made by its own mappings of an invented visit.
import type { Encounter, Patient } from '@medplum/fhirtypes';
import { labelledAsTest, testFacts } from '../../domain/chart/test-visit.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { mapDocuments } from '../chart-writing/map-documents.ts';
import type { TestDocument } from './probe-bench.ts';

export type TestVisit = {
  /** Part of every identity of this probe. */
  readonly id: string;
  readonly patient: Patient;
  readonly encounter: Encounter;
};

type TestChoice = {
  /** Each session has documents of its own. */
  readonly session: number;
  /** Absent: all documents of the site. */
  readonly names?: ReadonlySet<string>;
  /** Signed documents instead of drafts. */
  readonly isSigned?: boolean;
};

/** Work items are not tried, because they would notify a person. */
export const NEVER_TRIED = 'task';

/** Throws a MappingError. */
export function makeTestDocuments(
  { site, runtime }: { readonly site: LoadedSite; readonly runtime: Pick<Runtime, 'now'> },
  { id, patient, encounter }: TestVisit,
  { session, names, isSigned = false }: TestChoice,
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
