// Documents in a chart that are changed or retracted while the EHR has a fault at the first of the writes, at the second, and so on.
import type { Resource } from '@medplum/fhirtypes';
import type { ChartFacts } from '../../src/domain/chart/chart.ts';
import type { WriteOutcome } from '../../src/domain/chart/chart-write.ts';
import type { WriteStrategy } from '../../src/domain/chart/write-strategies.ts';
import type { Fault } from '../../src/sandbox/faults/faults.ts';
import { BELONGINGS, findBrokenRules, runToEnd, STRATEGY_SETUPS } from './fault-matrix.ts';
import { type Belonging, whatContradicts } from './real-chart-invariants.ts';
import {
  aResult,
  type Engine,
  type EngineParts,
  type RealHospital,
  type RealHospitalParts,
  type RealTestbed,
} from './real-charts.ts';

export type Task = 'revision' | 'retraction';
type RevisionCell = {
  readonly task: Task;
  readonly strategy: WriteStrategy;
  readonly fault: Fault;
  readonly engine?: EngineParts;
  readonly hospital?: RealHospitalParts;
  /** Types of documents that a person has changed before. */
  readonly edited?: readonly string[];
  /** The patients whose the documents may be, if not only the first one. */
  readonly patients?: readonly string[];
};

const FIRST: Readonly<Record<Task, ChartFacts>> = {
  revision: aResult({ diseases: ['J18.9', 'J20.9'] }),
  retraction: aResult({ diseases: ['J18.9'] }),
};
/** Another plan in the note, and one disease instead of another. */
const CHANGED = aResult({
  run: 'run-2',
  time: '2026-03-02T11:00:00Z',
  plan: 'Canary visit next week.',
  diseases: ['J18.9', 'J44.1'],
});
const HOUR_MS = 3_600_000;

/** The outcomes of the fault at each of the writes: `5 × written`, `1 × parked touched, still | 4 × written`. And the broken rules. */
export async function runAtEveryWrite(
  testbed: RealTestbed,
  cell: RevisionCell,
): Promise<{ readonly outcomes: string; readonly wrong: readonly string[] }> {
  const outcomes: string[] = [];
  const wrong: string[] = [];
  for (let after = 0; ; after += 1) {
    const one = await runOnce(testbed, { ...cell, fault: { ...cell.fault, after } });
    // The fault was set after the last write.
    if (!one.wasMet) break;
    outcomes.push(one.outcome);
    wrong.push(...one.wrong.map((sentence) => `at write ${after + 1}: ${sentence}`));
  }
  return { outcomes: counted(outcomes), wrong };
}

/** The outcome of a fault that lasts all the time. */
export async function runThroughout(testbed: RealTestbed, cell: RevisionCell) {
  const { outcome, wrong } = await runOnce(testbed, cell);
  return { outcomes: outcome, wrong };
}

async function runOnce(
  testbed: RealTestbed,
  { task, strategy, fault, engine: engineParts, patients, edited = [], ...cell }: RevisionCell,
) {
  const setup = STRATEGY_SETUPS[strategy];
  const hospital = await testbed.openHospital({ ...cell.hospital, ...setup });
  try {
    const written = await hospital.startEngine().write(FIRST[task]);
    if (written.status !== 'written') throw new Error(`the first result was not written: ${written.status}`);
    for (const type of edited) editAll(hospital, type);
    const belongings = [
      ...BELONGINGS,
      ...(patients ?? []).map((patient) => ({ patient, encounter: BELONGINGS[0]?.encounter ?? '' })),
    ];
    hospital.faults.set([fault, ...setup.faults]);
    const seenBefore = hospital.faults.seen.length;
    const first = await tryOnce(hospital, {
      task,
      run: 'run-2',
      engine: hospital.startEngine(engineParts),
      belongings,
    });
    const wasMet = hospital.faults.seen.slice(seenBefore).some(({ faults }) => faults.includes(fault.mode));
    if (first.name === DONE[task]) return { outcome: first.name, wrong: first.wrong, wasMet };
    hospital.faults.release();
    hospital.faults.set(setup.faults);
    await hospital.clock.pass(HOUR_MS);
    const run = first.name.startsWith('waiting') ? 'run-2' : 'run-3';
    const second = await tryOnce(hospital, { task, run, engine: hospital.startEngine(), belongings });
    const outcome = second.name === first.name ? `${first.name}, still` : `${first.name}, then ${second.name}`;
    return { outcome, wrong: [...first.wrong, ...second.wrong], wasMet };
  } finally {
    await hospital.close();
  }
}

function editAll({ store }: RealHospital, type: string): void {
  const ours = store.writes().filter((write) => write.author === 'client' && write.type === type);
  for (const { id } of ours) {
    const resource = store.get(`${type}/${id}`);
    if (resource !== undefined) store.put({ ...resource, language: 'en-AU' } as Resource);
  }
}

const DONE: Readonly<Record<Task, WriteOutcome['status']>> = { revision: 'written', retraction: 'retracted' };

type Try = {
  readonly task: Task;
  readonly run: string;
  readonly engine: Engine;
  readonly belongings: readonly Belonging[];
};

async function tryOnce(hospital: RealHospital, { task, run, engine, belongings }: Try) {
  const facts: ChartFacts = { ...CHANGED, run: { ...CHANGED.run, id: run } };
  const ended = await runToEnd(hospital, (signal) =>
    task === 'revision' ? engine.write(facts, signal) : engine.retract(run, signal),
  );
  const contradicting = ended.name === 'parked touched' ? whatContradicts(hospital) : [];
  const wrong = [...(await findBrokenRules(hospital, { engine, facts, ended, belongings })), ...contradicting];
  // A parked outcome is about what it leaves.
  const { outcome } = ended;
  const left = outcome && outcome.status !== 'parked' && 'left' in outcome ? outcome.left.length : 0;
  return { name: left > 0 ? `${ended.name} but for ${left}` : ended.name, wrong };
}

function counted(names: readonly string[]): string {
  const groups: { readonly name: string; count: number }[] = [];
  for (const name of names) {
    const last = groups.at(-1);
    if (last?.name === name) last.count += 1;
    else groups.push({ name, count: 1 });
  }
  return groups.map(({ name, count }) => `${count} × ${name}`).join(' | ');
}
