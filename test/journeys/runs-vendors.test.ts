// A model and a speech vendor that answer nonsense, refuse, break off, are silent or are down: the run waits and shows for what, nothing of
// the answer gets into a chart, and the note is written as soon as they work again.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DeepgramBehaviour } from '../support/deepgram-server.ts';
import type { Engine } from '../support/engine.ts';
import { chartShape, eventually, runsOf, untilRun, untilRuns } from '../support/journey-runs.ts';
import { FAULTS } from '../support/openai-server.ts';
import { startWorld, WHOLE_CHART, type World } from '../support/run-world.ts';
import { untilQuiet, whatIsWrong } from '../support/run-world-invariants.ts';

const LIMIT_MS = 150_000;

let world: World;
let engine: Engine;

beforeAll(async () => {
  world = await startWorld();
  engine = await world.start('a', {
    REASONER_FIRST_BYTE_SECONDS: '1',
    REASONER_IDLE_SECONDS: '1',
    SPEECH_BASE_SECONDS: '2',
  });
});
beforeEach(() => {
  world.model.behave({ kind: 'answer' });
  world.speech.behave();
});
afterAll(() => world?.close());

const untilWaiting = async (visit: { readonly encounter: string }) => {
  const run = await untilRun(engine, visit.encounter, 'waiting');
  expect(chartShape(world, visit.encounter)).toEqual([]);
  return run;
};

/** `tries`: the failure counts as one of the run's own tries. */
const OF_MODEL = [
  ['answers no JSON', FAULTS.malformed, true],
  ['answers with a probability of 1.7', FAULTS.badProbability, true],
  ['answers with nothing', FAULTS.empty, true],
  ['refuses', FAULTS.refusal, true],
  ['breaks off in the middle', FAULTS.cutMidway, true],
  ['sends an error in the middle', FAULTS.errorEvent, true],
  ['never says that it was all', FAULTS.noFinishReason, true],
  ['stops because it was too long', FAULTS.tooShort, true],
  ['says nothing', FAULTS.hang, false],
  ['falls silent in the middle', FAULTS.hangMidway, false],
  ['is not there', FAULTS.drop, false],
  ['has too many requests', FAULTS.rateLimited, false],
] as const;

describe('runs while the model fails', () => {
  it.each(OF_MODEL)(
    'a run whose model %s waits, and is written when the model works again',
    async (_, fault, isTry) => {
      world.model.behave(fault);
      const visit = world.admit();
      await world.tell(visit);
      const run = await untilWaiting(visit);
      expect([run.reason, run.tries > 0]).toEqual([isTry ? 'retry' : 'reasoner', isTry]);
      expect(run.waitsUntil).toBeDefined();
      world.model.behave({ kind: 'answer' });
      await untilRun(engine, visit.encounter);
      expect(chartShape(world, visit.encounter)).toEqual(WHOLE_CHART);
    },
    LIMIT_MS,
  );

  it(
    'a run whose model answers nonsense five times is parked with advice and without documents, and a replay writes it',
    async () => {
      world.model.behave(FAULTS.malformed);
      const visit = world.admit();
      await world.tell(visit);
      const parked = await untilRun(engine, visit.encounter, 'parked');
      expect(parked).toMatchObject({
        reason: 'tries',
        error: { code: 'tries', message: expect.stringContaining('5 times') },
      });
      expect(parked.advice).toContain('Replay');
      expect(chartShape(world, visit.encounter)).toEqual([]);
      world.model.behave({ kind: 'answer' });
      expect(await detailOfRuns()).toContain('1 parked');
      const { id } = (await engine.ops('POST', `/runs/${parked.id}/replay`, {})) as { readonly id: string };
      await untilRun(engine, visit.encounter);
      expect(chartShape(world, visit.encounter)).toEqual(WHOLE_CHART);
      expect(await runsOf(engine, { status: 'parked' })).toEqual([]);
      expect(await runsOf(engine, { status: 'parked', replayed: 'true' })).toMatchObject([
        { id: parked.id, replayedBy: id },
      ]);
      expect(await detailOfRuns()).not.toContain('parked');
    },
    LIMIT_MS,
  );
});

/** What /readyz says about the runs. */
async function detailOfRuns(): Promise<string> {
  const { components } = (await (await fetch(`${engine.url}/readyz`)).json()) as {
    readonly components: readonly { readonly name: string; readonly detail: string }[];
  };
  return components.find(({ name }) => name === 'runs')?.detail ?? '';
}

const OF_SPEECH = [
  ['has too many requests', { kind: 'status', status: 429 }],
  ['is out of order', { kind: 'status', status: 503 }],
  ['takes too long for its own gateway', { kind: 'status', status: 504 }],
  ['says nothing', { kind: 'hang' }],
  ['takes nothing', { kind: 'deaf' }],
  ['breaks off', { kind: 'cut' }],
  ['answers half a JSON', { kind: 'malformed' }],
  ['closes the connection', { kind: 'reset' }],
] as const satisfies readonly (readonly [string, DeepgramBehaviour])[];

describe('runs while speech recognition fails', () => {
  it.each(OF_SPEECH)(
    'a run whose speech vendor %s waits, and is written when the vendor works again',
    async (_, behaviour) => {
      world.speech.behave(behaviour);
      const visit = world.admit();
      await world.tell(visit);
      const run = await untilWaiting(visit);
      expect(['speech', 'retry']).toContain(run.reason);
      world.speech.behave();
      await untilRun(engine, visit.encounter);
      expect(chartShape(world, visit.encounter)).toEqual(WHOLE_CHART);
    },
    LIMIT_MS,
  );

  it('a run whose recording has no speech is skipped with that reason, and the chart remains empty', async () => {
    world.speech.behave({ kind: 'silence' });
    const visit = world.admit();
    await world.tell(visit);
    expect(await untilRun(engine, visit.encounter, 'skipped')).toMatchObject({ reason: 'no-speech' });
    expect(chartShape(world, visit.encounter)).toEqual([]);
  });
});

describe('runs while the model is down', () => {
  it(
    'a model that is down costs none of 20 runs a try, and all are written afterwards',
    async () => {
      world.model.behave(FAULTS.serverError);
      const visits = Array.from({ length: 20 }, () => world.admit());
      for (const visit of visits) await world.tell(visit);
      await eventually(async () => {
        return (await detailOfRuns()).includes('not available: reasoner') ? true : undefined;
      });
      const ours = new Set(visits.map(({ encounter }) => encounter));
      const waiting = await eventually(async () => {
        const runs = (await runsOf(engine, { status: 'waiting' })).filter(({ encounter }) => ours.has(encounter));
        return runs.length === visits.length ? runs : undefined;
      });
      expect(waiting.map(({ reason, waitsFor, tries }) => [reason, waitsFor, tries])).toEqual(
        Array(visits.length).fill(['reasoner', 'reasoner', 0]),
      );
      world.model.behave({ kind: 'answer' });
      await untilQuiet(world, engine, ['written', 'skipped', 'parked']);
      const after = (await runsOf(engine)).filter(({ encounter }) => ours.has(encounter));
      expect(after.map(({ status, tries }) => [status, tries])).toEqual(Array(visits.length).fill(['written', 0]));
      // The run that was parked by an earlier test keeps its state, beside the replay that wrote its documents.
      expect(await whatIsWrong(world, engine, { ends: ['written', 'skipped', 'parked'] })).toEqual([]);
      expect(await untilRuns(engine, 1, 'parked')).toHaveLength(1);
    },
    LIMIT_MS,
  );
});
