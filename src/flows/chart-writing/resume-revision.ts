// A revision that an earlier try of the same run has frozen is continued; one that had failed is planned again.
import { summarizeSession } from '../../domain/chart/existing-documents.ts';
import { changedByPersons } from '../../domain/chart/write-plan.ts';
import { readExisting } from './read-existing.ts';
import type { ChartWork, WriteState } from './write-states.ts';

export async function readLedger({
  parts,
  facts,
  place,
  patient,
}: ChartWork): Promise<WriteState<'recheckingPeople' | 'resolvingUncertainWrites'>> {
  const revisions = await parts.ledger.read(place);
  const { open } = summarizeSession(revisions);
  const isOfThisRun = open?.run.id === facts.run.id && open.kind === 'documents' && open.patient === patient;
  const hasFailed = open?.writes.some(({ state }) => state === 'refused' || state === 'ambiguous');
  if (open === undefined || !isOfThisRun || hasFailed) return { state: 'resolvingUncertainWrites', revisions };
  return { state: 'recheckingPeople', nextState: { state: 'resumingRevision', revisions, revision: open } };
}

/** The plan is gone with its process, so what a person has changed since is found out again. */
export async function resumeRevision(
  { parts }: ChartWork,
  { revisions, revision }: WriteState<'resumingRevision'>,
  signal: AbortSignal,
): Promise<WriteState<'deliveringRevision'>> {
  const { documents } = summarizeSession(revisions);
  const changing = new Set(revision.writes.map(({ base }) => base.value));
  const others = [...documents.values()].filter(({ base }) => !changing.has(base.value));
  const left = changedByPersons(others, await readExisting(parts.ehr, others, signal));
  return { state: 'deliveringRevision', revisions, revision, left, isResumed: true };
}
