// As an integration engineer would try it: an EHR says at the broker that an encounter ended, and a little later its chart has the note.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { dumpTables, findCanaries } from '../support/journey-canaries.ts';
import { chartOf, chartShape, eventually, listen, runsOf, untilRun, viewOf } from '../support/journey-runs.ts';
import { startWorld, WHOLE_CHART, type World } from '../support/run-world.ts';
import { whatIsWrong } from '../support/run-world-invariants.ts';

let world: World;
let engine: Engine;

beforeAll(async () => {
  world = await startWorld();
  engine = await world.start();
});
afterAll(() => world?.close());

/** The longer ones: random bytes may look like three letters. */
function codesOf(concept: unknown): readonly string[] {
  const { coding = [] } = concept as { readonly coding?: readonly { readonly code: string }[] };
  return coding.map(({ code }) => code).filter((code) => code.length >= 5);
}

const PACKAGE = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

describe('an encounter whose end the EHR publishes at the broker', () => {
  it('an encounter that ended has its note, its differential and their record in the chart once, a moment later', async () => {
    const visit = world.admit();
    await world.tell(visit);
    const run = await untilRun(engine, visit.encounter);
    expect(chartShape(world, visit.encounter)).toEqual(WHOLE_CHART);
    const standing = chartOf(world);
    expect(run.resources.map(({ reference }) => reference).toSorted()).toEqual(
      standing.flatMap(({ reference }) => (reference.startsWith('Device/') ? [] : [reference])).toSorted(),
    );
    const note = standing.find(({ resource }) => resource['resourceType'] === 'DocumentReference')?.resource;
    expect(note).toMatchObject({ docStatus: 'preliminary', subject: { reference: visit.patient } });
    expect(await whatIsWrong(world, engine)).toEqual([]);
  });

  it('a run can be followed step by step, from the event to the references', async () => {
    const visit = world.admit();
    const eventId = await world.tell(visit);
    const { id } = await untilRun(engine, visit.encounter);
    const view = await viewOf(engine, id);
    expect(view.steps.map(({ status, attempts }) => [status, attempts])).toEqual(Array(9).fill(['done', 1]));
    expect(view.events).toContainEqual(expect.objectContaining({ source: 'amqp', eventId, repeats: 0 }));
    expect(view.versions).toMatchObject({ engine: `chartwright ${PACKAGE.version}`, model: 'openai:gpt-5.4' });
  });

  it('a run, its documents, /readyz and the metrics name the model that answered, and that it has changed', async () => {
    const answerAs = (model: string) =>
      world.model.behave({ kind: 'answer', maker: { model, system_fingerprint: 'fp_1' } });
    const read = async (path: string) => (await fetch(`${engine.url}${path}`)).text();
    for (const model of ['gpt-5.4-2026-03-05', 'gpt-5.4-2026-05-01']) {
      answerAs(model);
      const visit = world.admit();
      await world.tell(visit);
      const { id, versions } = await untilRun(engine, visit.encounter);
      expect(versions).toMatchObject({ model: 'openai:gpt-5.4', answeredBy: `${model} fp_1` });
      expect((await viewOf(engine, id)).versions).toEqual(versions);
      const written = JSON.stringify(chartOf(world).filter(({ resource }) => resource['resourceType'] !== 'Encounter'));
      expect(written).toContain(`{"type":{"text":"answered by"},"value":"${model}"}`);
      expect(written).toContain(`"display":"${model} (fp_1)"`);
    }
    expect(await read('/readyz')).toMatch(/from gpt-5\.4-2026-03-05 fp_1 to gpt-5\.4-2026-05-01 fp_1/);
    // The first of these models is another one than that of the earlier runs.
    expect(await read('/metrics')).toMatch(/^chartwright_answering_model_changes_total 2$/m);
    world.model.behave({ kind: 'answer' });
  });

  it('a disease with the code of another one gets into the chart by its name alone', async () => {
    const content = (usual: unknown) => {
      const answer = structuredClone(usual) as { diagnosis?: { diseases: { name: string; icd10_code: string }[] } };
      const [first] = answer.diagnosis?.diseases ?? [];
      if (first) Object.assign(first, { name: 'Migraine', icd10_code: 'I21.9' });
      return answer;
    };
    world.model.behave({ kind: 'answer', content });
    const visit = world.admit();
    await world.tell(visit);
    await untilRun(engine, visit.encounter);
    world.model.behave({ kind: 'answer' });
    expect(chartShape(world, visit.encounter)).toContain('Condition condition/uncoded');
    const conditions = chartOf(world).filter(
      ({ resource }) => resource['resourceType'] === 'Condition' && JSON.stringify(resource).includes(visit.encounter),
    );
    const migraine = conditions.find(({ resource }) => JSON.stringify(resource['code']).includes('Migraine'));
    expect(migraine?.resource['code']).toEqual({ text: 'Migraine' });
    expect(JSON.stringify(conditions)).not.toContain('I21');
  });

  it('no table has the code of a written diagnosis or the id of an event in clear', async () => {
    const visit = world.admit();
    await world.tell(visit, `event-${'canary'.repeat(3)}`);
    await untilRun(engine, visit.encounter);
    const conditions = chartOf(world).filter(({ resource }) => resource['resourceType'] === 'Condition');
    const codes = conditions.flatMap(({ resource }) => codesOf(resource['code']));
    expect(codes.length).toBeGreaterThan(0);
    const words = [...codes, ...world.told.map(({ eventId }) => eventId)].map((word, index) => [`${index}`, word]);
    const { dump } = await dumpTables(world.connectionString);
    expect(dump.includes(visit.encounter)).toBe(true);
    expect(findCanaries(dump, Object.fromEntries(words))).toEqual([]);
  });

  it('outcome events report an urgent encounter at once and a documented encounter afterwards', async () => {
    const ears = await listen(world);
    const visit = world.admit();
    await world.tell(visit);
    const { id, patient, session, resources } = await untilRun(engine, visit.encounter);
    const heard = await eventually(async () => {
      const ofVisit = (await ears.heard()).filter(({ outcome }) => outcome['encounter'] === visit.encounter);
      return ofVisit.length >= 2 ? ofVisit : undefined;
    });
    expect(heard.map(({ routingKey }) => routingKey)).toEqual([
      `${visit.site}.encounter.attention`,
      `${visit.site}.encounter.documented`,
    ]);
    expect(heard[1]?.outcome).toMatchObject({ runId: id, patient, session, status: 'written', resources });
    expect(new Set(heard.map(({ messageId }) => messageId)).size).toBe(2);
  });

  it('an encounter is documented again only with a new recording: it gets one more note, and the first one is unchanged', async () => {
    const visit = world.admit();
    await world.tell(visit);
    const first = await untilRun(engine, visit.encounter);
    const before = chartShape(world, visit.encounter);
    await world.tell(visit);
    await world.tell(visit);
    world.addRecording(visit, 'late');
    await world.tell(visit);
    const runs = await eventually(async () => {
      const all = await runsOf(engine, { encounter: visit.encounter });
      const isDone = all.length === 2 && all.every(({ status }) => status === 'written');
      return isDone ? all : undefined;
    });
    expect(runs.map(({ recordings }) => recordings.length)).toEqual([1, 1]);
    expect(runs.find(({ id }) => id === first.id)?.resources).toEqual(first.resources);
    expect(chartShape(world, visit.encounter)).toHaveLength(2 * before.length);
    expect(await whatIsWrong(world, engine)).toEqual([]);
  });
});
