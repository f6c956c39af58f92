// The expected state at the end of any scenario of a hospital and its engines: for each encounter, derived from the actions of the hospital
// and its people, never from the way in which the engine works.
import type { Run } from '../../src/domain/run/run.ts';
import { isRetired } from './chart-invariants.ts';
import { madeBy } from './run-invariants.ts';
import { VISITS } from './run-model-testbed.ts';
import type { RunTestbed } from './run-testbed.ts';

type VisitModel = {
  status: 'finished' | 'in-progress' | 'cancelled';
  wasCancelled: boolean;
  readonly recordings: Set<string>;
};

export type RunModel = {
  readonly visits: Map<string, VisitModel>;
  /** The keys of sent events, each with its encounter. */
  readonly sent: (readonly [key: string, visit: string])[];
  /** The runs that a person cancelled or rejected. */
  readonly ended: Set<string>;
  /** The events that were deleted after their storage period. */
  readonly forgotten: Set<string>;
  /** True if drafts had to wait for a clinician at some moment. */
  mayBeHeld: boolean;
};

export function aModel(): RunModel {
  const visits = VISITS.map(({ id, recordings }): [string, VisitModel] => [
    id,
    { status: 'finished', wasCancelled: false, recordings: new Set([recordings[0]]) },
  ]);
  return { visits: new Map(visits), sent: [], ended: new Set(), forgotten: new Set(), mayBeHeld: false };
}

/** Returns a sentence for each difference. */
export function whatDiffers(model: RunModel, testbed: RunTestbed, runs: readonly Run[]): readonly string[] {
  const unusual = runs.flatMap((run) => whatIsUnusual(model, run, runs));
  const visits = [...model.visits].flatMap(([id, visit]) => {
    const own = runs.filter(({ encounter, replayOf }) => encounter === `Encounter/${id}` && replayOf === undefined);
    if (visit.status === 'cancelled') return whatStands(testbed, id, runs);
    return visit.status === 'finished' && !visit.wasCancelled ? whatIsNotDocumented(model, visit, own) : [];
  });
  return [...unusual, ...visits];
}

/** No scenario has a reason for another end of a run. */
function whatIsUnusual({ ended, mayBeHeld, visits }: RunModel, run: Run, runs: readonly Run[]): readonly string[] {
  const { status, reason = '', crashes, serial } = run;
  const told = [`run ${serial} is ${status} ${reason}`.trim()];
  if (status === 'rejected') return ended.has(run.id) ? [] : told;
  if (status === 'parked') {
    if (reason === 'rejected') return ended.has(run.id) ? [] : told;
    if (reason === 'retract-by-hand') return isSigned(run, runs) && wasCancelled(visits, run) ? [] : told;
    return reason === 'tries' || (reason === 'crashes' && crashes >= 3) ? [] : told;
  }
  if (status === 'held') return reason === 'review' && mayBeHeld ? [] : told;
  return status === 'cancelled' && !ended.has(run.id) ? told : [];
}

/** The engine does not change documents that a clinician approved. */
function isSigned({ session }: Run, runs: readonly Run[]): boolean {
  return runs.some((other) => other.session === session && other.review !== undefined);
}

function wasCancelled(visits: RunModel['visits'], { encounter }: Run): boolean {
  return visits.get(encounter.replace('Encounter/', ''))?.wasCancelled === true;
}

/** Each recording belongs to one run, and that run is written, unless a person or repeated failures ended it. */
function whatIsNotDocumented({ ended }: RunModel, visit: VisitModel, own: readonly Run[]): readonly string[] {
  return [...visit.recordings].flatMap((recording) => {
    const having = own.filter(({ recordings }) => recordings.includes(`DocumentReference/${recording}`));
    const [run] = having;
    if (having.length !== 1 || run === undefined) return [`${recording} belongs to ${having.length} runs`];
    if (run.status === 'written' || run.status === 'parked' || run.status === 'held' || ended.has(run.id)) return [];
    return [`${recording} is not documented: its run ${run.serial} is ${run.status} ${run.reason ?? ''}`.trim()];
  });
}

/** A cancelled encounter has no valid documents except those that a person is asked to retract by hand. */
function whatStands({ ehr }: RunTestbed, id: string, runs: readonly Run[]): readonly string[] {
  const byHand = runs.filter(({ reason }) => reason === 'retract-by-hand').map(({ session }) => `${id}/${session}/`);
  return madeBy(ehr.store)
    .filter(({ name, resource }) => name.startsWith(`${id}/`) && resource.resourceType !== 'Provenance')
    .filter(({ name, resource }) => !isRetired(resource) && !byHand.some((place) => name.startsWith(place)))
    .map(({ reference }) => `${reference} is in force, and ${id} was cancelled`);
}
