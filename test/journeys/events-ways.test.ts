// Feeds without a broker and a Subscription: HL7 v2 that an interface engine pushes, a recording that is uploaded, and polling by the engine.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeAudio } from '../support/audio-samples.ts';
import type { Engine } from '../support/engine.ts';
import { anAdt } from '../support/event-samples.ts';
import { chartShape, eventually, untilRun, untilRuns, viewOf } from '../support/journey-runs.ts';
import { startWorld, type Visit, WHOLE_CHART, type World } from '../support/run-world.ts';
import { whatIsWrong } from '../support/run-world-invariants.ts';

const SECRET = 'made-up-secret-of-the-interface-engine';
const SETTINGS = `identifiers: { visit: "urn:oid:1.2.4" }
timeZone: America/Chicago
events:
  push: { secret: "${SECRET}" }`;

let world: World;
let engine: Engine;
let key: string;

beforeAll(async () => {
  world = await startWorld({ settings: SETTINGS, sites: 2 });
  const [, asking = ''] = world.sites;
  await world.writeSite(asking, 'events:\n  poll: { query: "Encounter?_lastUpdated=gt{since}", every: 1s }');
  engine = await world.start();
  key = await engine.makeKey({ organization: world.sites[0] ?? '' });
});
afterAll(() => world?.close());

function pushHl7(message: string): Promise<Response> {
  const headers = { 'content-type': 'application/hl7-v2', authorization: `Bearer ${SECRET}` };
  return fetch(`${engine.url}/ehr/${world.sites[0]}/events`, { method: 'POST', headers, body: message });
}

function handOver({ site, id }: Visit, patient: string, kind: 'mp3' | 'flac' = 'mp3'): Promise<Response> {
  const form = new FormData();
  form.set('patient', patient);
  form.set('file', new Blob([makeAudio(kind, 20_000)]), 'visit.mp3');
  return fetch(`${engine.url}/ehr/${site}/encounters/e-${id}/recording`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body: form,
  });
}

describe('a discharge that an interface engine pushes', () => {
  it('a pushed HL7 discharge is acknowledged in HL7, and its visit number leads to the encounter', async () => {
    const visit = world.admit({ visitNumber: 'V-77' });
    const answer = await pushHl7(anAdt({ trigger: 'A03', controlId: 'MSG1', visit: 'V-77' }));
    expect(answer.status).toBe(200);
    expect(await answer.text()).toMatch(/\rMSA\|AA\|MSG1/);
    const run = await untilRun(engine, visit.encounter);
    expect(run.patient).toBe(visit.patient);
    expect(chartShape(world, visit.encounter)).toEqual(WHOLE_CHART);
    // Senders that have received no answer send the message again.
    expect(await (await pushHl7(anAdt({ trigger: 'A03', controlId: 'MSG1', visit: 'V-77' }))).text()).toContain(
      'MSA|AA',
    );
    expect((await viewOf(engine, run.id)).events).toContainEqual(
      expect.objectContaining({ source: 'push', repeats: 1 }),
    );
  });

  it('a pushed text that is no HL7 message is refused in HL7', async () => {
    const answer = await pushHl7('MSH|^~\\&|');
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining('MSA|AR')]);
  });
});

describe('a recording that is uploaded for an encounter', () => {
  it('an uploaded recording is acknowledged after it is stored, and its sender can follow it to the chart', async () => {
    const visit = world.admit({ hasRecording: false });
    const answer = await handOver(visit, visit.patient);
    expect(answer.status).toBe(202);
    const { runId } = (await answer.json()) as { readonly runId: string };
    const run = await untilRun(engine, visit.encounter);
    expect(run.id).toBe(runId);
    const shown = await fetch(`${engine.url}/ehr/${visit.site}/runs/${runId}`, { headers: { 'x-api-key': key } });
    expect(await shown.json()).toMatchObject({ runId, status: 'written', resources: run.resources });
    // The same file again belongs to the same run.
    expect(await (await handOver(visit, visit.patient)).json()).toEqual({ runId });
    expect(chartShape(world, visit.encounter)).toEqual(WHOLE_CHART);
  });

  it('an uploaded recording of another patient is refused, and nothing of it is stored', async () => {
    const [visit, other] = [world.admit({ hasRecording: false }), world.admit({ hasRecording: false })];
    expect((await handOver(visit, other.patient, 'flac')).status).toBe(400);
    const { runs } = (await engine.ops('GET', `/runs?encounter=${visit.encounter}`)) as {
      readonly runs: readonly unknown[];
    };
    expect(runs.filter((run) => (run as { recordings: readonly string[] }).recordings.length > 0)).toEqual([]);
  });
});

describe('an EHR that sends no events', () => {
  it('an EHR that sends no events is polled, and each encounter that ended is documented once', async () => {
    const [, site = ''] = world.sites;
    // Encounters that ended before the engine had this site are not documented.
    const { faults } = world.ehrOf(site);
    await eventually(() => faults.seen.find(({ url }) => url.includes('_lastUpdated=')), {
      what: 'the first question',
    });
    const visits = Array.from({ length: 5 }, () => world.admit({ site }));
    const unfinished = world.admit({ site, status: 'in-progress' });
    await untilRuns(engine, visits.length, 'written', { site });
    for (const { encounter } of visits) expect(chartShape(world, encounter)).toEqual(WHOLE_CHART);
    expect(chartShape(world, unfinished.encounter)).toEqual([]);
    // The encounter whose recording was refused still waits for a recording.
    expect(await whatIsWrong(world, engine, { ends: ['written', 'skipped', 'waiting'] })).toEqual([]);
  });
});
