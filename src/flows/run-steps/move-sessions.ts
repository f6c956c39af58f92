// An encounter that was moved to another patient after it was documented: what the engine wrote for the patient before is retracted, and a
// new run documents each session for the patient it belongs to now. Each part can be repeated, so a process that dies loses nothing.
import type { Encounter } from '@medplum/fhirtypes';
import { placeIdentity, type WritePlace, type WrittenDocument } from '../../domain/chart/chart-write.ts';
import { type ExistingDocument, summarizeSession } from '../../domain/chart/existing-documents.ts';
import { isRetired, patientOf } from '../../domain/chart/existing-resource.ts';
import { growingPauseMs } from '../../domain/run/growing-pause.ts';
import { judgeMove, newestOfSessions } from '../../domain/run/moved-session.ts';
import type { Run } from '../../domain/run/run.ts';
import type { RunEnd } from '../../domain/run/run-end.ts';
import type { Ehr } from '../../ports/ehr.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { Claim } from '../../ports/queue.ts';
import type { Runs } from '../../ports/runs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { isMergedInto } from '../chart-writing/follow-merges.ts';
import { readExisting } from '../chart-writing/read-existing.ts';
import type { RetractRun } from '../chart-writing/retract-run.ts';
import type { FindRecordings } from './find-recordings.ts';

export type MoveSessionsOrder = {
  /** The run that has read the encounter. */
  readonly claim: Claim;
  readonly site: LoadedSite;
  readonly ehr: Ehr;
  readonly encounter: Encounter;
  /** The encounter's patient now: `Patient/2`. */
  readonly patient: string;
  /** All runs of the encounter, read just now. */
  readonly runs: readonly Run[];
};

/** Returns the end of a run that must wait before it can tell. Throws what the EHR and the stores throw; a later call continues. */
export type MoveSessions = (order: MoveSessionsOrder, signal: AbortSignal) => Promise<RunEnd | undefined>;

type MoveParts = {
  readonly runs: Pick<Runs, 'noteMove' | 'moveSession'>;
  readonly ledger: Pick<Ledger, 'read' | 'storeFindings'>;
  readonly retractRun: RetractRun;
  readonly findRecordings: FindRecordings;
  readonly runtime: Pick<Runtime, 'now'>;
};

type Work = MoveSessionsOrder & {
  readonly parts: MoveParts;
  /** The newest run of the session. */
  readonly last: Run;
  /** The runs of the encounter when `last` was the newest. */
  readonly known: ReadonlySet<string>;
  readonly place: WritePlace;
  readonly signal: AbortSignal;
};

/** The time in which an EHR that merges two patients may move the documents itself. */
const MERGE_MS = 900_000;

export function makeMoveSessions(parts: MoveParts): MoveSessions {
  return async (order, signal) => {
    const { site, encounter, runs } = order;
    const known = new Set(runs.map(({ id }) => id));
    let wait: RunEnd | undefined;
    for (const last of newestOfSessions(runs)) {
      const place = { site: site.name, encounter: encounter.id ?? '', session: last.session ?? '' };
      wait = (await moveSession({ ...order, parts, last, known, place, signal })) ?? wait;
    }
    return wait;
  };
}

async function moveSession(work: Work): Promise<RunEnd | undefined> {
  const { parts, last, known, patient, place, claim } = work;
  const verdict = judgeMove(last, patient);
  if (verdict === 'stay') return undefined;
  if (verdict === 'wait') return waitFor(work, 'A run of this encounter for the patient before has not ended yet.');
  if (verdict === 'settle') return settle(work);
  if (last.patient !== patient) {
    const revisions = await parts.ledger.read(place);
    const newest = revisions.findLast(({ kind }) => kind === 'documents');
    // This process has slept: a later run has written, and another process handles the encounter.
    if (newest !== undefined && !known.has(newest.run.id)) return undefined;
    const standing = standingDocuments(summarizeSession(revisions));
    const merge = await judgeMerge(work, standing);
    if (merge !== 'not-merged') return merge === 'moved-by-ehr' ? undefined : merge;
    if (verdict === 'retract' && standing.length === 0) return undefined;
    if (!(await retractThere(work, standing, newest?.number ?? 0))) return undefined;
  }
  // Closed before the new run is created: if the process dies in between, the next one comes back to this place.
  await closeFinding(work);
  if (verdict === 'move') await parts.runs.moveSession({ id: last.id, patient, seenBy: claim.run.id });
  return undefined;
}

/** The encounter belongs again to the patient in whose chart the documents are. */
async function settle({ parts, last, ...work }: Work): Promise<undefined> {
  await closeFinding({ parts, ...work });
  await parts.runs.noteMove({ id: last.id, to: undefined, resources: [] });
}

async function closeFinding({ parts, place }: Pick<Work, 'parts' | 'place'>): Promise<void> {
  await parts.ledger.storeFindings(place.site, [placeIdentity(place)], []);
}

/** What is in the chart according to the ledger. Records of what happened stay there. */
function standingDocuments({ documents, older }: ReturnType<typeof summarizeSession>): readonly ExistingDocument[] {
  return [...documents.values(), ...older].filter(({ type }) => type !== 'Provenance');
}

/** Reports documents in the other chart, and retracts them. False: a person must do it. */
async function retractThere(work: Work, standing: readonly ExistingDocument[], upTo: number): Promise<boolean> {
  const { parts, site, place, last, patient: to, signal } = work;
  const from = last.patient ?? '';
  if (standing.length > 0) {
    const identity = placeIdentity(place);
    const references = [`Encounter/${place.encounter}`, from, ...standing.map(({ reference }) => reference)];
    await parts.ledger.storeFindings(site.name, [identity], [{ site: site.name, kind: 'moved', identity, references }]);
  }
  await parts.runs.noteMove({ id: last.id, to, resources: standing.map(asWritten) });
  const reason = 'The encounter belongs to another patient now.';
  const order = { site, place, reason, actor: 'engine', moved: { from, to, run: last.id, upTo } };
  return (await parts.retractRun(order, signal)).status === 'retracted';
}

function asWritten({ document, reference }: ExistingDocument): WrittenDocument {
  return { document, reference, status: 'unchanged' };
}

/**
 * A merge is no other person. If the EHR has moved the documents, or keeps documents and recordings under the replaced record, nothing is
 * to be done. Documents that stay behind are handled like those of a move, once the EHR has had its time.
 */
async function judgeMerge(
  { parts, site, ehr, encounter, last, patient, claim, signal }: Work,
  standing: readonly ExistingDocument[],
): Promise<'not-merged' | 'moved-by-ehr' | RunEnd> {
  const read = async (reference: string) => ({ stored: await ehr.read(reference, signal) });
  if ((await isMergedInto(read, last.patient ?? '', patient)) !== true) return 'not-merged';
  const inChart = await readExisting(ehr, standing, signal);
  const behind = [...inChart.values()].filter(
    (one) => one !== undefined && !isRetired(one.resource) && patientOf(one.resource) !== patient,
  );
  const survivor = (await read(patient)).stored?.resource;
  if (behind.length === 0 || survivor?.resourceType !== 'Patient') return 'moved-by-ehr';
  const { sources } = await parts.findRecordings({ site, encounter, patient: survivor }, signal);
  const canBeDocumented = last.recordings.every((name) => sources.some(({ reference }) => reference === name));
  if (!canBeDocumented) return 'moved-by-ehr';
  const ageMs = parts.runtime.now().getTime() - claim.run.trigger.receivedAt.getTime();
  if (ageMs >= MERGE_MS) return 'not-merged';
  return waitFor({ parts, claim }, 'The patient was merged, and the EHR may still move the documents itself.');
}

function waitFor({ parts, claim }: Pick<Work, 'parts' | 'claim'>, message: string): RunEnd {
  const now = parts.runtime.now().getTime();
  const ageMs = now - claim.run.trigger.receivedAt.getTime();
  const until = new Date(now + growingPauseMs(ageMs));
  return { status: 'waiting', reason: 'moved', message, until, countsAsTry: false };
}
