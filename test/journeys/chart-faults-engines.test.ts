// Several engines on one database, at one EHR, at the same time: one writes, and the others find what it wrote.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Encounter, Patient } from '@medplum/fhirtypes';
import type { ChartFacts } from '../../src/domain/chart/chart.ts';
import type { WriteOutcome } from '../../src/domain/chart/chart-write.ts';
import { AppError } from '../../src/domain/errors.ts';
import { systemRuntime } from '../../src/platform/system-runtime.ts';
import type { Fault } from '../../src/sandbox/faults/faults.ts';
import { BELONGINGS } from '../support/fault-matrix.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { type Belonging, whatIsUntrue, whatIsWrong } from '../support/real-chart-invariants.ts';
import {
  aResult,
  ENCOUNTER,
  type Engine,
  openRealTestbed,
  PATIENT,
  type RealHospital,
} from '../support/real-charts.ts';

const testbed = openedForFile(openRealTestbed);
let hospital: RealHospital;
let engines: readonly [Engine, Engine];

beforeEach(async () => {
  hospital = await testbed.openHospital();
  engines = [await startEngine(), await startEngine()];
});
afterEach(() => hospital.close());

/** Has a pool of connections of its own, and real pauses: no lease expires while the engines wait for each other. */
async function startEngine(): Promise<Engine> {
  const runtime = { ...testbed.clock, pause: systemRuntime.pause, makeUuid: systemRuntime.makeUuid };
  return hospital.startEngine({ database: await testbed.connect(), runtime });
}

const MAX_TRIES = 1_000;

/** Tries like a worker, without its waits. */
async function untilDone(attempt: () => Promise<WriteOutcome>): Promise<WriteOutcome> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const isPassing = error instanceof AppError && error.retryability !== 'permanent';
      if (!isPassing || tries >= MAX_TRIES) throw error;
      if (error.code !== 'inUse') await testbed.clock.pass((error.retryAfterSeconds ?? 1) * 1000);
      await systemRuntime.pause(30, new AbortController().signal);
    }
  }
}

const write = (engine: Engine, facts: ChartFacts) => untilDone(() => engine.write(facts));

/** Bundles and resources that were sent for the session. */
function sentFor({ faults }: RealHospital, session: string): number {
  return faults.seen.filter(({ method, body }) => method === 'POST' && body.includes(`/${session}/`)).length;
}

describe('two engines with the same session at the same time', () => {
  it('two engines that write the same session at the same time write it once', async () => {
    const outcomes = await Promise.all(engines.map((engine) => write(engine, aResult())));
    expect(outcomes.map(({ status }) => status)).toEqual(['written', 'written']);
    expect(sentFor(hospital, 'canary-session')).toBe(1);
    expect(await whatIsWrong(hospital, BELONGINGS)).toEqual([]);
  });

  it.each<readonly [string, Fault]>([
    ['its answers are lost', { mode: 'lost-answer', how: 'reset', isStored: true, times: 2 }],
    ['nothing of it was stored', { mode: 'lost-answer', how: 503, isStored: false, times: 2 }],
    ['searches lag', { mode: 'search-lag', ms: 45_000 }],
    ['transactions are run entry by entry', { mode: 'transaction-as-batch' }],
  ])('two engines that write the same session at the same time write it once at an EHR where %s', async (_, fault) => {
    hospital.faults.set([fault]);
    const outcomes = await Promise.all(engines.map((engine) => write(engine, aResult())));
    expect(outcomes.map(({ status }) => status)).toEqual(['written', 'written']);
    expect(await whatIsWrong(hospital, BELONGINGS)).toEqual([]);
  });

  it('two engines with different results of a session write them one after the other, and one of them is in the chart', async () => {
    const results = [aResult({ run: 'run-1' }), aResult({ run: 'run-2', diseases: ['J44.1'], plan: 'Canary rest.' })];
    await Promise.all(results.map((facts, index) => write(engines[index % 2] ?? engines[0], facts)));
    expect(await whatIsWrong(hospital, BELONGINGS)).toEqual([]);
    const [last] = results;
    if (last === undefined) throw new Error('there are two results');
    const outcome = await write(engines[0], last);
    const [{ ehr }] = engines;
    expect(await whatIsUntrue(hospital, { facts: last, outcome, ehr })).toEqual([]);
  });

  it('two engines do not write documents that are being retracted', async () => {
    await write(engines[0], aResult());
    const changed = aResult({ run: 'run-2', diseases: ['J44.1'] });
    await Promise.all([write(engines[0], changed), untilDone(() => engines[1].retract('retraction-1'))]);
    const outcome = await untilDone(() => engines[1].retract('retraction-2'));
    const [{ ehr }] = engines;
    expect(outcome.status).toBe('retracted');
    expect(await whatIsUntrue(hospital, { facts: changed, outcome, ehr })).toEqual([]);
    expect(await whatIsWrong(hospital, BELONGINGS)).toEqual([]);
  });
});

describe('ten sessions at the same time', () => {
  const people = Array.from({ length: 10 }, (_, index) => {
    const patient: Patient = { ...PATIENT, id: `canary-patient-${index}` };
    const encounter: Encounter = {
      ...ENCOUNTER,
      id: `canary-encounter-${index}`,
      subject: { reference: `Patient/${patient.id}` },
    };
    return { patient, encounter };
  });
  const belongings: readonly Belonging[] = people.map(({ patient, encounter }) => ({
    patient: patient.id ?? '',
    encounter: encounter.id ?? '',
  }));

  it.each<readonly [string, readonly Fault[]]>([
    ['one EHR', []],
    ['an EHR whose answers are lost now and then', [{ mode: 'lost-answer', how: 'reset', isStored: true, times: 3 }]],
  ])('ten sessions of ten patients at %s make one Device, and each chart has its own documents', async (_, faults) => {
    for (const { patient, encounter } of people) {
      hospital.store.put(patient);
      hospital.store.put(encounter);
    }
    hospital.faults.set(faults);
    const results = people.map((person, index) =>
      aResult({ ...person, run: `run-${index}`, session: `canary-${index}` }),
    );
    const outcomes = await Promise.all(results.map((facts, index) => write(engines[index % 2] ?? engines[0], facts)));
    expect(outcomes.map(({ status }) => status)).toEqual(people.map(() => 'written'));
    const devices = hospital.store.all('Device').filter(({ identifier }) => identifier !== undefined);
    expect(devices).toHaveLength(1);
    expect(await whatIsWrong(hospital, belongings)).toEqual([]);
    const [{ ehr }] = engines;
    for (const [index, outcome] of outcomes.entries()) {
      const facts = results[index] ?? aResult();
      expect(await whatIsUntrue(hospital, { facts, outcome, ehr })).toEqual([]);
    }
  });

  it('ten sessions of one patient are written one after the other, each once', async () => {
    const results = people.map((_, index) =>
      aResult({ run: `run-${index}`, session: `canary-${index}`, plan: `Canary plan ${index}.` }),
    );
    const outcomes = await Promise.all(results.map((facts, index) => write(engines[index % 2] ?? engines[0], facts)));
    expect(outcomes.map(({ status }) => status)).toEqual(people.map(() => 'written'));
    expect(people.map((_, index) => sentFor(hospital, `canary-${index}`))).toEqual(people.map(() => 1));
  });
});
