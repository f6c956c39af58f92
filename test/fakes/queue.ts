// The queue of runs, in memory.
import { AppError } from '../../src/domain/errors.ts';
import { mergeVersions } from '../../src/domain/run/merge-versions.ts';
import { RUN_STEPS } from '../../src/domain/run/run.ts';
import type { RunEnd } from '../../src/domain/run/run-end.ts';
import type { Claim, ClaimOrder, FinishedStep, FoundSession, Queue, StoredStep } from '../../src/ports/queue.ts';
import {
  addRun,
  asRun,
  cancelNow,
  findSession,
  forgetSteps,
  isKeptBack,
  type KeptRun,
  lookAgain,
  putBack,
  type RunsMemory,
  resultsOf,
  tell,
} from './runs-store.ts';

export function makeFakeQueue(memory: RunsMemory): Queue {
  return { ...claimsOf(memory), ...looksOf(memory), ...stepsOf(memory) };
}

function claimsOf(memory: RunsMemory): Pick<Queue, 'claim' | 'renewLeases' | 'reclaim' | 'wake'> {
  const all = () => [...memory.runs.values()];
  return {
    claim: async (order) => choose(memory, order).map((run) => claimed(memory, run, order)),
    renewLeases: async ({ holder, leaseMs, ids }) => {
      const mine = all().filter((run) => ids.includes(run.id) && run.status === 'running' && run.holder === holder);
      for (const run of mine) run.leaseUntil = later(memory, leaseMs);
      return ids.filter((id) => !mine.some((run) => run.id === id));
    },
    reclaim: async (testbed) => {
      const left = all().filter(({ status, holder }) => status === 'running' && holder?.startsWith(`${testbed}/`));
      for (const run of left) run.leaseUntil = memory.now();
      return left.length;
    },
    wake: async (by) => {
      const now = memory.now();
      const asleep = all().filter(
        (run) =>
          run.status === 'waiting' &&
          run.dueAt !== undefined &&
          run.dueAt > now &&
          ('service' in by ? run.waitsFor === by.service : run.site === by.site && run.reason !== 'retry'),
      );
      for (const run of asleep) Object.assign(run, { dueAt: now, changedAt: now });
      return asleep.length;
    },
  };
}

type Candidate = { readonly run: KeptRun; readonly isDead: boolean };

function choose(memory: RunsMemory, { sites, intakeSites, limit }: ClaimOrder): readonly KeptRun[] {
  const now = memory.now();
  const candidates = [...memory.runs.values()]
    .filter(({ site, session }) => sites.includes(site) && (session !== '' || intakeSites.includes(site)))
    .map((run) => ({ run, isDead: run.status === 'running' && (run.leaseUntil ?? now) <= now }))
    .filter(({ run, isDead }) => isDead || (isDue(run, now) && !isKeptBack(memory, run)));
  const working = new Map<string, number>();
  for (const { status, organization } of memory.runs.values()) {
    if (status === 'running') working.set(organization, (working.get(organization) ?? 0) + 1);
  }
  return onePerPatient(candidates)
    .toSorted((a, b) => Number(b.isUrgent) - Number(a.isUrgent) || a.serial - b.serial)
    .map((run) => {
      const turn = (working.get(run.organization) ?? 0) + 1;
      working.set(run.organization, turn);
      return { run, turn };
    })
    .toSorted(
      (a, b) => Number(b.run.isUrgent) - Number(a.run.isUrgent) || a.turn - b.turn || a.run.serial - b.run.serial,
    )
    .slice(0, limit)
    .map(({ run }) => run);
}

function isDue({ status, dueAt }: KeptRun, now: Date): boolean {
  return (status === 'queued' || status === 'waiting') && dueAt !== undefined && dueAt <= now;
}

function onePerPatient(candidates: readonly Candidate[]): readonly KeptRun[] {
  const seen = new Set<string>();
  return candidates
    .toSorted((a, b) => Number(b.isDead) - Number(a.isDead) || a.run.serial - b.run.serial)
    .filter(({ run }) => {
      const name = run.patient === undefined ? run.id : `${run.site} ${run.patient}`;
      return !seen.has(name) && seen.add(name);
    })
    .map(({ run }) => run);
}

function claimed(memory: RunsMemory, run: KeptRun, { holder, leaseMs }: ClaimOrder): Claim {
  const now = memory.now();
  const crashes = run.status === 'running' ? run.crashes + 1 : run.crashes;
  const { isCancelling, reason, message, advice } = run;
  putBack(run, now, now);
  if (isCancelling) Object.assign(run, { reason, message, advice });
  run.fence += 1;
  run.startedAt ??= now;
  const leaseUntil = later(memory, leaseMs);
  Object.assign(run, { status: 'running', dueAt: undefined, holder, leaseUntil, crashes, isCancelling });
  return asClaim(run, holder);
}

function asClaim(run: KeptRun, holder: string): Claim {
  return { run: asRun(run), holder, fence: run.fence };
}

function later(memory: RunsMemory, ms: number): Date {
  return new Date(memory.now().getTime() + ms);
}

function held(memory: RunsMemory, { run: { id }, fence }: Claim): KeptRun {
  const run = memory.runs.get(id);
  if (run?.status === 'running' && run.fence === fence) return run;
  throw new AppError('inUse', 'This run is no longer ours: another process has it, or it has ended');
}

function looksOf(memory: RunsMemory): Pick<Queue, 'identify' | 'assignSessions' | 'siblings' | 'fold'> {
  const others = (run: KeptRun) =>
    [...memory.runs.values()].filter(
      ({ id, site, encounter, replayOf }) =>
        id !== run.id && site === run.site && encounter === run.encounter && replayOf === undefined,
    );
  return {
    identify: async (claim, { encounter, patient, isUrgent }) => {
      const run = held(memory, claim);
      const now = memory.now();
      const isRenamed = run.encounter !== encounter && run.replayOf === undefined;
      const other = isRenamed && findSession(memory, { ...run, encounter });
      if (other) {
        other.isUrgent ||= isUrgent || run.isUrgent;
        if (other.session === '') lookAgain(other, now, now, false);
        moveEvents(memory, run, [other]);
        return 'folded';
      }
      Object.assign(run, { encounter, patient, isUrgent: run.isUrgent || isUrgent, changedAt: now });
      if (!isKeptBack(memory, run)) return 'mine';
      if (run.isCancelling) cancelNow(run, now);
      else putBack(run, now, now);
      return 'later';
    },
    assignSessions: async (claim, sessions) => {
      const run = held(memory, claim);
      if (run.session !== '') return asClaim(run, claim.holder);
      const free = sessions.filter(({ session }) => !findSession(memory, { ...run, session }));
      const [first, ...rest] = free;
      if (!first) return 'none';
      shareOut(memory, run, first, rest);
      return asClaim(run, claim.holder);
    },
    siblings: async (claim) =>
      others(held(memory, claim)).map((run) => {
        const { id, session, recordings, status, reason } = asRun(run);
        return { id, recordings, status, ...(session && { session }), ...(reason && { reason }) };
      }),
    fold: async (claim) => {
      const run = held(memory, claim);
      if (run.mustLookAgain && !run.isCancelling) putBack(run, memory.now(), memory.now());
      else moveEvents(memory, run, others(run));
    },
  };
}

function moveEvents(memory: RunsMemory, from: KeptRun, to: readonly KeptRun[]): void {
  for (const { runs } of memory.events) if (runs.delete(from.id)) for (const { id } of to) runs.add(id);
  memory.runs.delete(from.id);
}

function shareOut(memory: RunsMemory, run: KeptRun, first: FoundSession, rest: readonly FoundSession[]): void {
  const { site, organization, encounter, patient, isUrgent, trigger } = run;
  const mustLookAgain = run.mustLookAgain;
  Object.assign(run, first, { mustLookAgain: false, changedAt: memory.now() });
  const base = { site, organization, encounter, isUrgent, trigger, dueAt: memory.now() };
  const made = rest.map((found) => addRun(memory, { ...base, ...found, ...(patient !== undefined && { patient }) }));
  // An event that arrived while the run looked at the encounter may not have been seen.
  if (mustLookAgain) made.push(addRun(memory, { ...base, session: '' }));
  for (const { runs } of memory.events) if (runs.has(run.id)) for (const { id } of made) runs.add(id);
}

function stepsOf(memory: RunsMemory): Pick<Queue, 'results' | 'finishStep' | 'goBack' | 'leave'> {
  return {
    results: async (claim) => resultsOf(held(memory, claim)),
    finishStep: async (claim, done, next) => {
      const run = held(memory, claim);
      keepSteps(run, done);
      Object.assign(run, { step: next, changedAt: memory.now(), ...(done.draft && { draft: done.draft }) });
      if (done.outcome) tell(memory, run, done.outcome);
      return { isCancelling: run.isCancelling };
    },
    goBack: async (claim, to) => {
      const run = held(memory, claim);
      forgetSteps(run, RUN_STEPS.slice(RUN_STEPS.indexOf(to)));
      Object.assign(run, { step: to, changedAt: memory.now() });
    },
    leave: async (claim, end, outcome, lastStep) => {
      const run = held(memory, claim);
      if (lastStep) keepSteps(run, lastStep);
      noteFailure(memory, run, end);
      run.versions = mergeVersions(run.versions, end.versions);
      if (end.status === 'waiting' && end.countsAsTry) run.tries += 1;
      run.arePurged = false;
      const isLook = run.mustLookAgain && run.session === '' && (end.status === 'waiting' || end.status === 'skipped');
      if (end.patient !== undefined) run.patient = end.patient;
      const isGoingOn = isLook || ['waiting', 'queued', 'held'].includes(end.status);
      const isRecalled = run.reason === 'recalled' && end.status === 'cancelled';
      if (run.isCancelling && (isGoingOn || isRecalled)) return cancelNow(run, memory.now());
      if (isLook) return putBack(run, memory.now(), memory.now());
      leave(memory, run, end);
      if (outcome && end.status !== 'cancelled') tell(memory, run, outcome);
    },
  };
}

function keepSteps(run: KeptRun, { before = [], ...last }: Omit<FinishedStep, 'outcome'>): void {
  for (const step of [...before, last]) keepStep(run, step);
}

function keepStep(run: KeptRun, { name, startedAt, finishedAt, result, versions }: StoredStep): void {
  const attempts = (run.steps.get(name)?.attempts ?? 0) + 1;
  const kept =
    result === undefined ? { status: 'skipped' as const } : { status: 'done' as const, result: JSON.stringify(result) };
  const { model, answeredBy, prompt } = versions ?? {};
  run.steps.set(name, { ...kept, attempts, startedAt, finishedAt, model, answeredBy, prompt });
  run.versions = mergeVersions(run.versions, versions);
}

function noteFailure(memory: RunsMemory, run: KeptRun, { failedStep }: RunEnd): void {
  if (!failedStep) return;
  const { name, startedAt, error } = failedStep;
  const kept = run.steps.get(name);
  const attempts = (kept?.attempts ?? 0) + 1;
  run.steps.set(name, { result: kept?.result, status: 'failed', attempts, startedAt, finishedAt: memory.now(), error });
}

const ENDS: readonly string[] = ['written', 'skipped', 'parked', 'rejected', 'retracted', 'cancelled'];

function leave(memory: RunsMemory, run: KeptRun, { failedStep: _, versions: __, ...end }: RunEnd): void {
  const now = memory.now();
  putBack(run, now, now);
  if (end.status === 'queued') return;
  run.dueAt = undefined;
  if (end.status === 'waiting') {
    const { until, countsAsTry: ___, ...said } = end;
    Object.assign(run, said, { dueAt: until });
    return;
  }
  Object.assign(run, end);
  if (end.status === 'written' || end.status === 'held') run.revision += 1;
  if (ENDS.includes(end.status)) Object.assign(run, { endedAt: now, step: undefined });
  if (end.status === 'written' && run.replayOf !== undefined) closeReplayed(memory, run);
}

function closeReplayed(memory: RunsMemory, replay: KeptRun): void {
  for (const run of memory.runs.values()) {
    const isBefore =
      run.site === replay.site &&
      run.encounter === replay.encounter &&
      run.session === replay.session &&
      run.serial < replay.serial;
    const isLeft = run.left.length > 0 || run.reason === 'retract-by-hand';
    const isLeftElsewhere = isLeft && run.patient !== replay.patient;
    if (isBefore && run.status === 'parked' && !isLeftElsewhere) run.replayedBy ??= replay.id;
  }
}
