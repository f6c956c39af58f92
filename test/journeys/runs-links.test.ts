// Links to recordings that end while a run waits: the run reads its recording from the chart again, and its note is written.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { chartShape, untilRun } from '../support/journey-runs.ts';
import { startWorld, WHOLE_CHART, type World } from '../support/run-world.ts';
import { untilQuiet, whatIsWrong } from '../support/run-world-invariants.ts';

const LIMIT_MS = 150_000;

let world: World;
let engine: Engine;

beforeAll(async () => {
  world = await startWorld({ linkSeconds: 3_600 });
  engine = await world.start('a', { SPEECH_BASE_SECONDS: '2' });
});
afterAll(() => world?.close());

it(
  'a run that waits for speech recognition past the end of its link is written, with a link that was read again',
  async () => {
    world.speech.behave({ kind: 'status', status: 503 });
    const visit = world.admit();
    await world.tell(visit);
    await untilRun(engine, visit.encounter, 'waiting');
    const opened = () => world.ehr.faults.seen.filter(({ url }) => url.startsWith('Binary/')).map(({ url }) => url);
    const before = new Set(opened());
    world.ehr.changeLinkKey();
    world.speech.behave();
    await untilRun(engine, visit.encounter);
    expect(chartShape(world, visit.encounter)).toEqual(WHOLE_CHART);
    expect(before.size).toBeGreaterThan(0);
    expect(opened().some((url) => !before.has(url))).toBe(true);
    await untilQuiet(world, engine);
    expect(await whatIsWrong(world, engine)).toEqual([]);
  },
  LIMIT_MS,
);

it(
  'a run whose new link is refused as well is parked, the message says so, and a replay writes it when links open again',
  async () => {
    world.ehr.faults.set([{ mode: 'ended-links', status: 410, isLasting: true }]);
    const visit = world.admit();
    await world.tell(visit);
    const parked = await untilRun(engine, visit.encounter, 'parked');
    expect(parked).toMatchObject({ reason: 'recording', error: { message: expect.stringContaining('its new link') } });
    expect(JSON.stringify(parked)).not.toContain('Signature');
    world.ehr.faults.clear();
    await engine.ops('POST', `/runs/${parked.id}/replay`, {});
    await untilRun(engine, visit.encounter);
    expect(chartShape(world, visit.encounter)).toEqual(WHOLE_CHART);
    expect(JSON.stringify(engine.output())).not.toContain('Signature');
  },
  LIMIT_MS,
);
