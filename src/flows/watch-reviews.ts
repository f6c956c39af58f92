// Clinicians decide where they work: a Task in the EHR that somebody completed is their approval of the draft, one that they rejected
// takes it back. Read from time to time, since not every EHR tells of it.
import type { Resource, Task } from '@medplum/fhirtypes';
import { AppError } from '../domain/errors.ts';
import { ownReference } from '../domain/own-reference.ts';
import { textOf } from '../domain/raw-members.ts';
import type { Run } from '../domain/run.ts';
import type { Ehr, Ehrs } from '../ports/ehr.ts';
import type { Runs } from '../ports/runs.ts';
import type { LoadedSite } from '../ports/sites.ts';
import type { Decision, ReviewRun } from './review-run.ts';

/** How many were decided. Throws what the EHR and the stores throw. */
export type WatchReviews = (order: { readonly site: LoadedSite }, signal: AbortSignal) => Promise<number>;

type WatchParts = {
  readonly runs: Pick<Runs, 'awaitingReview' | 'noteAsked'>;
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly reviewRun: ReviewRun;
};

const AT_A_TIME = 50;

export function makeWatchReviews({ runs, ehrs, reviewRun }: WatchParts): WatchReviews {
  return async ({ site }, signal) => {
    if (site.settings.review.by !== 'task') return 0;
    const waiting = (await runs.awaitingReview(site.name, AT_A_TIME)).filter(({ resources }) => taskIn(resources));
    if (waiting.length === 0) return 0;
    let decided = 0;
    for (const run of waiting) {
      const found = await readDecision(ehrs.of(site), { run, site }, signal);
      if (found !== undefined && (await decide(reviewRun, { run, site, ...found }, signal))) decided += 1;
    }
    await runs.noteAsked(waiting.map(({ id }) => id));
    return decided;
  };
}

function taskIn(resources: Run['resources']): string | undefined {
  return resources.findLast(({ reference }) => reference.startsWith('Task/'))?.reference;
}

type Of = { readonly run: Run; readonly site: LoadedSite };
type Found = { readonly decision: Decision; readonly practitioner: string };

async function readDecision(ehr: Ehr, { run, site }: Of, signal: AbortSignal): Promise<Found | undefined> {
  const task = asTask((await ehr.read(taskIn(run.resources) ?? '', signal))?.resource);
  if (task === undefined) return undefined;
  const practitioner = ownReference(task.owner, site.settings.ehr?.baseUrl);
  // A decision that is nobody's is none.
  if (practitioner === undefined || !/^Practitioner(Role)?\//.test(practitioner)) return undefined;
  if (task.status === 'completed') return { decision: { kind: 'approve' }, practitioner };
  if (task.status !== 'rejected') return undefined;
  const reason = textOf(task.statusReason, 'text') ?? 'no reason was given';
  return { decision: { kind: 'reject', reason }, practitioner };
}

function asTask(resource: Resource | undefined): Task | undefined {
  return resource?.resourceType === 'Task' ? resource : undefined;
}

async function decide(
  reviewRun: ReviewRun,
  { run, site, decision, practitioner }: Of & Found,
  signal: AbortSignal,
): Promise<boolean> {
  const reviewer = { id: 'task', site: site.name, practitioner, name: practitioner, createdAt: run.createdAt };
  try {
    await reviewRun({ id: run.id, decider: { kind: 'reviewer', reviewer }, decision, revision: run.revision }, signal);
    return true;
  } catch (thrown) {
    // Somebody was quicker, or there is nothing left to decide about.
    if (thrown instanceof AppError && thrown.code === 'conflict') return false;
    throw thrown;
  }
}
