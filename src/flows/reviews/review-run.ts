// Applies a clinician's decision about a draft: approve, edit or reject. A decision is about the one revision that the clinician saw.
import { createHash } from 'node:crypto';
import { AppError, asAppError } from '../../domain/errors.ts';
import type { WrittenNote } from '../../domain/note/note.ts';
import type { Access } from '../../domain/people/caller.ts';
import type { RecordedPurpose } from '../../domain/people/purpose.ts';
import { present } from '../../domain/present.ts';
import type { RejectCategory } from '../../domain/run/draft-decision.ts';
import type { Run, RunReview, RunStatus } from '../../domain/run/run.ts';
import { isRules } from '../../domain/site/engine-choice.ts';
import { isOnThisMachine } from '../../domain/site/this-machine.ts';
import type { Audit, AuditEntry } from '../../ports/audit.ts';
import type { Drafts } from '../../ports/drafts.ts';
import type { Reasoner } from '../../ports/reasoner.ts';
import type { Runs } from '../../ports/runs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite, Sites } from '../../ports/sites.ts';
import type { RetractSession } from '../chart-writing/retract-session.ts';
import { messageWithReferences } from '../chart-writing/write-outcome.ts';
import { findRun, runNotFound } from '../operations/find-run.ts';
import { findSite } from '../operations/find-site.ts';
import { byCaller } from '../people/by-caller.ts';
import type { RequireOpenChart } from '../people/require-open-chart.ts';
import { decisionRecord } from './decision-record.ts';
import { editNote } from './edit-note.ts';
import { requireDraft, requireNewest } from './require-draft.ts';
import { requireUnclaimed } from './require-unclaimed.ts';

export type Decision =
  | { readonly kind: 'approve' }
  /** New texts of sections, by their keys. */
  | { readonly kind: 'edit'; readonly sections: Readonly<Record<string, string>> }
  /** The reason may contain patient data: it is written only to the chart, with the retracted documents. */
  | { readonly kind: 'reject'; readonly reason: string; readonly category?: RejectCategory }
  /** The draft is made anew from the transcript, with this instruction for the model. It may contain patient data, and is stored encrypted. */
  | { readonly kind: 'correct'; readonly instruction: string; readonly category?: RejectCategory };

/** A clinician, who signs at each site as a Practitioner of its EHR; or the operator, who may decide only at a site for trials. */
export type Decider =
  | {
      readonly kind: 'clinician';
      /** The name in the audit trail. */
      readonly actor: string;
      readonly name: string;
      readonly signsAs: readonly { readonly site: string; readonly practitioner: string }[];
    }
  | { readonly kind: 'operator' };

export type ReviewOrder = {
  readonly id: string;
  /** `ehr`: the decision was made in the EHR, by a Task. */
  readonly access: Access | 'ehr';
  readonly decider: Decider;
  readonly decision: Decision;
  /** The revision that the reviewer saw. Absent: the only one. */
  readonly revision?: number | undefined;
  /** Decides although another person has claimed the draft. */
  readonly takesOver?: boolean;
};

/**
 * Returns the run; after `correct` the new run, which makes the other draft. Throws `forbidden` for an operator and for a restricted chart that is
 * not open, `notFound` for a run of another site, `conflict` if there is no draft to decide about, another revision by now, another person at
 * it, or no model to correct it, `invalidRequest` for an edit of an unknown section.
 */
export type ReviewRun = (order: ReviewOrder, signal: AbortSignal) => Promise<Run>;

export type ReviewRunParts = {
  readonly runs: Pick<
    Runs,
    'find' | 'ofEncounter' | 'results' | 'review' | 'reject' | 'replay' | 'endRejected' | 'markRetracted'
  >;
  readonly drafts: Pick<Drafts, 'findClaim' | 'release'>;
  readonly sites: Pick<Sites, 'current'>;
  readonly retractSession: RetractSession;
  readonly requireOpenChart: RequireOpenChart;
  readonly audit: Pick<Audit, 'append'>;
  readonly reasoner: Pick<Reasoner, 'engine'>;
  /** Wakes the worker that runs here. */
  readonly onDecided: () => void;
  readonly runtime: Pick<Runtime, 'now'>;
};

type DraftDecision = { readonly run: Run; readonly who: DecisionMaker; readonly revision: number };
type DecisionMaker = {
  readonly actor: string;
  readonly practitioner: string;
  readonly name?: string;
  readonly access?: Access;
  readonly purpose?: RecordedPurpose | undefined;
};

export function makeReviewRun(parts: ReviewRunParts): ReviewRun {
  return async ({ id, access, decider, decision, revision, takesOver = false }, signal) => {
    const run = await findRun(parts.runs, id, access === 'ehr' ? 'all' : access.runs);
    const sites = parts.sites.current();
    const maker = whoDecides(run, decider, sites.sites.get(run.site));
    const who = access === 'ehr' ? maker : { ...maker, access, purpose: await parts.requireOpenChart(run, access) };
    const site = findSite(sites, run.site, [run.site]);
    requireDraft(run, { settings: site.settings, decision: decision.kind, now: parts.runtime.now() });
    const ofEncounter = await parts.runs.ofEncounter(run.site, run.encounter);
    requireNewest(run, ofEncounter);
    const deciding = { run, who, revision: revisionMeant(run, revision) };
    await requireUnclaimed(parts.drafts, { run: run.id, actor: who.actor, takesOver });
    const decided = await decide(parts, { deciding, decision, ofEncounter }, signal);
    await parts.drafts.release(run.id);
    return decided;
  };
}

type Deciding = {
  readonly deciding: DraftDecision;
  readonly decision: Decision;
  readonly ofEncounter: readonly Run[];
};

function decide(
  parts: ReviewRunParts,
  { deciding, decision, ofEncounter }: Deciding,
  signal: AbortSignal,
): Promise<Run> {
  if (decision.kind === 'reject') return reject(parts, { ...deciding, ...decision }, signal);
  if (decision.kind === 'correct') return askForCorrection(parts, deciding, { ...decision, ofEncounter });
  return accept(parts, deciding, decision);
}

function whoDecides({ site }: Run, decider: Decider, loaded: LoadedSite | undefined): DecisionMaker {
  if (decider.kind === 'operator') {
    if (hasNoClinicians(loaded)) return { actor: 'operator', practitioner: `Practitioner/${site}` };
    const why =
      'Only a clinician may decide about a draft: use the key of a reviewer of this site (npm run cli -- reviewers create). The operator key is accepted only for a site with made-up patients, and only if its ehr.baseUrl is on this machine';
    throw new AppError('forbidden', why);
  }
  const { actor, name, signsAs } = decider;
  const practitioner = signsAs.find((one) => one.site === site)?.practitioner;
  // The same error as for an unknown run: a reviewer does not learn about runs of other sites.
  if (practitioner === undefined) throw runNotFound();
  return { actor, practitioner, name };
}

/** A site for trials with an EHR elsewhere may have real patients after all. */
function hasNoClinicians(site: LoadedSite | undefined): boolean {
  return site?.isTrial === true && isOnThisMachine(site.settings.ehr?.baseUrl ?? '');
}

function revisionMeant({ revision: current }: Run, given: number | undefined): number {
  if (given === undefined && current > 1) {
    const why = `There were ${current} revisions of this draft: name the one that you saw (If-Match or revision)`;
    throw new AppError('conflict', why);
  }
  if (given !== undefined && given !== current) {
    throw new AppError('conflict', `This draft has revision ${current} by now, not ${given}: read it again`);
  }
  return current;
}

async function accept(
  { runs, audit, onDecided, runtime }: ReviewRunParts,
  { run, who, revision }: DraftDecision,
  decision: Extract<Decision, { readonly kind: 'approve' | 'edit' }>,
): Promise<Run> {
  const results = await runs.results(run.id);
  const { check, 'write-note': written } = results;
  const shown = check?.note ?? written?.note;
  if (shown === undefined) throw new AppError('conflict', 'The note of this run was deleted: start the run again');
  const note = decision.kind === 'edit' ? editNote(shown, decision.sections) : undefined;
  await noteDecision(
    audit,
    { run, who, revision },
    decision.kind,
    note === undefined ? {} : { editSha256: hashOf(note) },
  );
  const review: RunReview = {
    decision: decision.kind,
    time: runtime.now().toISOString(),
    reviewer: who.practitioner,
    ...(who.name !== undefined && { name: who.name }),
    revision,
  };
  const record = decisionRecord({ decision: decision.kind, who, results, signed: note ?? shown });
  const decided = await runs.review({ id: run.id, review, record, ...(note !== undefined && { note }) });
  onDecided();
  return decided;
}

/** Parks the run first, so that no process writes it any more, and retracts its documents. Only then it is `rejected`, and needs no one. */
async function reject(
  { runs, sites, audit, retractSession, runtime }: ReviewRunParts,
  {
    run,
    who,
    revision,
    reason,
    category,
  }: DraftDecision & Pick<Extract<Decision, { kind: 'reject' }>, 'reason' | 'category'>,
  signal: AbortSignal,
): Promise<Run> {
  await noteDecision(audit, { run, who, revision }, 'reject', {
    reasonSha256: hashOf(reason),
    ...present({ category }),
  });
  const message = `${who.practitioner} rejected the draft.`;
  const isAgain = run.status === 'rejected' || run.status === 'parked';
  const stillThere = `${message} The draft may still be in the chart.`;
  if (!isAgain) {
    const results = await runs.results(run.id);
    const record = decisionRecord({ decision: 'reject', category, who, results });
    await runs.reject({ id: run.id, revision, message: stillThere, advice: REJECT_AGAIN, record });
  }
  const { session } = run;
  if (session === undefined) {
    await runs.endRejected({ id: run.id, message });
    return findRun(runs, run.id, { sites: [run.site] });
  }
  const place = { site: run.site, encounter: run.encounter.replace('Encounter/', ''), session };
  await audit.append(entryBy(who, { action: 'run.retract', site: run.site, run: run.id, details: { ...place } }));
  const site = findSite(sites.current(), run.site, [run.site]);
  const words = { reason: `Rejected at review: ${reason}`, run: { id: run.id, time: runtime.now().toISOString() } };
  const marking = { ...place, encounter: run.encounter, resources: [], left: [] };
  const outcome = await retractSession({ site, place, ...words }, signal).catch(async (thrown: unknown) => {
    // The run must show that the draft is still in the chart.
    const why = `${message} The draft is still in the chart: ${asAppError(thrown).message}`;
    await runs.markRetracted({ ...marking, park: { message: why, advice: REJECT_AGAIN } });
    throw thrown;
  });
  if (outcome.status === 'parked') {
    const park = { message: `${message} ${messageWithReferences(outcome)}`, advice: outcome.advice };
    await runs.markRetracted({ ...marking, park });
  } else if (run.reason === 'retract-by-hand') await runs.markRetracted(marking);
  else await runs.endRejected({ id: run.id, message });
  return findRun(runs, run.id, { sites: [run.site] });
}

const AT_WORK: ReadonlySet<string> = new Set<RunStatus>(['queued', 'running', 'waiting']);

/** The draft stays what it is until the other one is there: a correction that fails must not cost the patient the note. */
async function askForCorrection(
  { runs, audit, reasoner, onDecided }: ReviewRunParts,
  { run, who, revision }: DraftDecision,
  {
    instruction,
    category,
    ofEncounter,
  }: Omit<Extract<Decision, { kind: 'correct' }>, 'kind'> & Pick<Deciding, 'ofEncounter'>,
): Promise<Run> {
  if (isRules(reasoner.engine)) {
    const why = 'This engine writes notes by its rules, which take no instruction: edit the draft, or reject it';
    throw new AppError('conflict', why);
  }
  const atWork = ofEncounter.findLast(
    ({ session, serial, status }) => session === run.session && serial > run.serial && AT_WORK.has(status),
  );
  if (atWork !== undefined) {
    throw new AppError('conflict', `Another draft of this session is being made already: wait for ${atWork.id}`);
  }
  const hashes = { reasonSha256: hashOf(instruction), ...present({ category }) };
  await noteDecision(audit, { run, who, revision }, 'correct', hashes);
  const record = decisionRecord({ decision: 'correct', category, who, results: await runs.results(run.id) });
  const correction = { revision, instruction, record };
  const again = await runs.replay({ id: run.id, from: 'write-note', isDry: false, correction });
  onDecided();
  return again;
}

const REJECT_AGAIN = 'Reject it again when the EHR answers, or set it to entered-in-error in the EHR.';

type DecisionHashes = {
  readonly editSha256?: string;
  readonly reasonSha256?: string;
  readonly category?: RejectCategory;
};

function noteDecision(
  audit: ReviewRunParts['audit'],
  { run, who, revision }: DraftDecision,
  decision: Decision['kind'],
  hashes: DecisionHashes,
): Promise<void> {
  const details = { decision, revision, practitioner: who.practitioner, ...hashes };
  return audit.append(entryBy(who, { action: 'run.review', site: run.site, run: run.id, details }));
}

function entryBy({ actor, access, purpose }: DecisionMaker, entry: Omit<AuditEntry, 'actor'>): AuditEntry {
  return access === undefined ? { ...entry, actor } : byCaller(access, entry, purpose);
}

function hashOf(words: WrittenNote | string): string {
  return createHash('sha256').update(JSON.stringify(words)).digest('hex');
}
