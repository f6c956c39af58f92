// Reads decisions that clinicians make in the EHR: a completed Task approves the draft, a rejected one retracts it. Tasks are polled, since not
// every EHR sends events for them.
import type { Resource, Task } from '@medplum/fhirtypes';
import { identifierSystem } from '../../domain/chart/identity.ts';
import { ownReference } from '../../domain/chart/own-reference.ts';
import { AppError } from '../../domain/errors.ts';
import { listOf, memberOf, textOf } from '../../domain/raw-members.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Ehr, Ehrs } from '../../ports/ehr.ts';
import type { Runs } from '../../ports/runs.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { Decision, ReviewRun } from './review-run.ts';

/** Returns the number of decisions. Throws what the EHR and the stores throw. */
export type WatchReviews = (order: { readonly site: LoadedSite }, signal: AbortSignal) => Promise<number>;

type WatchParts = {
  readonly runs: Pick<Runs, 'awaitingReview' | 'noteReviewChecked'>;
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly reviewRun: ReviewRun;
};

const AT_A_TIME = 50;

export function makeWatchReviews({ runs, ehrs, reviewRun }: WatchParts): WatchReviews {
  /** Rejections whose retraction has failed: the run is not a draft any more, so only this list retries it. */
  const unfinished = new Map<string, Decided>();

  /** False if there was nothing to decide, or another decision came first. */
  async function decideOne(order: Decided, signal: AbortSignal): Promise<boolean> {
    if (order.decision.kind === 'reject') unfinished.set(order.run.id, order);
    const isDecided = await decide(reviewRun, order, signal);
    unfinished.delete(order.run.id);
    return isDecided;
  }

  return async ({ site }, signal) => {
    if (site.settings.review.by !== 'task') return 0;
    const again = [...unfinished.values()].filter((order) => order.site.name === site.name);
    const waiting = (await runs.awaitingReview({ sites: [site.name] }, AT_A_TIME)).filter(({ resources }) =>
      taskIn(resources),
    );
    const failures: unknown[] = [];
    let decided = 0;
    // One failure must not prevent the others from being read.
    const one = async (work: () => Promise<boolean>): Promise<void> => {
      signal.throwIfAborted();
      await work().then(
        (isDecided) => {
          decided += isDecided ? 1 : 0;
        },
        (thrown: unknown) => failures.push(thrown),
      );
    };
    for (const order of again) await one(() => decideOne({ ...order, site }, signal));
    for (const run of waiting) {
      await one(async () => {
        const found = await readDecision(ehrs.of(site), { run, site }, signal);
        return found !== undefined && decideOne({ run, site, ...found }, signal);
      });
    }
    if (waiting.length > 0) await runs.noteReviewChecked(waiting.map(({ id }) => id));
    if (failures.length > 0) throw failures[0];
    return decided;
  };
}

function taskIn(resources: Run['resources']): string | undefined {
  return resources.findLast(({ reference }) => reference.startsWith('Task/'))?.reference;
}

type SiteRun = { readonly run: Run; readonly site: LoadedSite };
type TaskDecision = { readonly decision: Decision; readonly practitioner: string };
type Decided = SiteRun & TaskDecision;

async function readDecision(ehr: Ehr, { run, site }: SiteRun, signal: AbortSignal): Promise<TaskDecision | undefined> {
  const task = asTask((await ehr.read(taskIn(run.resources) ?? '', signal))?.resource);
  if (task === undefined || !isAbout(task, { run, site })) return undefined;
  const practitioner = ownReference(task.owner, site.settings.ehr?.baseUrl);
  // A decision needs a Practitioner as the owner of the Task.
  if (practitioner === undefined || !/^Practitioner(Role)?\//.test(practitioner)) return undefined;
  if (task.status === 'completed') return { decision: { kind: 'approve' }, practitioner };
  if (task.status !== 'rejected') return undefined;
  const reason = textOf(task.statusReason, 'text') ?? 'no reason was given';
  return { decision: { kind: 'reject', reason }, practitioner };
}

/** An EHR that was restored from a backup may give the same id to a Task of another encounter. */
function isAbout(task: Task, { run, site }: SiteRun): boolean {
  const encounter = ownReference(task.encounter, site.settings.ehr?.baseUrl);
  if (encounter !== undefined && encounter !== run.encounter) return false;
  const system = identifierSystem(site.name);
  const names = listOf(task, 'identifier').filter((name) => memberOf(name, 'system') === system);
  const place = `${run.encounter.replace('Encounter/', '')}/${run.session ?? ''}/`;
  return names.every((name) => textOf(name, 'value')?.startsWith(place) === true);
}

function asTask(resource: Resource | undefined): Task | undefined {
  return resource?.resourceType === 'Task' ? resource : undefined;
}

async function decide(
  reviewRun: ReviewRun,
  { run, site, decision, practitioner }: Decided,
  signal: AbortSignal,
): Promise<boolean> {
  const signsAs = [{ site: site.name, practitioner }];
  const decider = { kind: 'clinician', actor: 'reviewer/task', name: practitioner, signsAs } as const;
  try {
    // The clinician has decided in the EHR, where no claim is shown.
    const order = { access: 'ehr', decider, decision, revision: run.revision, takesOver: true } as const;
    await reviewRun({ id: run.id, ...order }, signal);
    return true;
  } catch (thrown) {
    // Another decision came first, or there is nothing left to decide.
    if (thrown instanceof AppError && thrown.code === 'conflict') return false;
    throw thrown;
  }
}
