// An engine that dies, and an engine that is frozen until its leases end: another engine continues with their runs, and when the frozen one
// wakes up in the middle of a write, it finds that it has lost the run.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chartShape, untilRun } from '../support/journey-runs.ts';
import type { PassedRequest } from '../support/run-crash-proxy.ts';
import { startWorld, WHOLE_CHART, type World } from '../support/run-world.ts';
import { mentions } from '../support/run-world-crashes.ts';
import { whatIsWrong } from '../support/run-world-invariants.ts';

const LIMIT_MS = 150_000;

let world: World;

beforeAll(async () => {
  world = await startWorld({ hasGates: true, sites: 3 });
});
afterAll(() => world?.close());

const isWrite = ({ method, body }: PassedRequest) => method === 'POST' && body.includes('"type":"transaction"');
/** Alone, or in a batch of reads. */
const isLook = ({ path, body }: PassedRequest) => path.includes('/Provenance?') || body.includes('"Provenance?');

it(
  'another engine finishes the runs of an engine that died and of an engine that is frozen',
  async () => {
    const [dying = '', before = '', after = ''] = world.sites;
    const visits = [dying, before, after].map((site) => world.admit({ site }));
    const [ofDead, beforeWrite, afterWrite] = visits;
    if (!ofDead || !beforeWrite || !afterWrite) throw new Error('a visit is missing');

    // One engine dies while it waits for the note. The other one is frozen with one run right before its write, and one right after it.
    const dead = await world.start('dead', { WORKERS: '1' });
    const note = world.modelGate.hold({ moment: 'before' });
    await world.tell(ofDead);
    await note.reached;
    const still = await world.start('still', { WORKERS: '2' });
    const lastLook = world.gateOf(before).hold({
      moment: 'after',
      fits: (request) => mentions(beforeWrite)(request) && isLook(request),
    });
    const write = world
      .gateOf(after)
      .hold({ moment: 'after', fits: (request) => mentions(afterWrite)(request) && isWrite(request) });
    await world.tell(beforeWrite);
    await world.tell(afterWrite);
    await Promise.all([lastLook.reached, write.reached]);
    await world.kill(dead);
    still.signal('SIGSTOP');

    const survivor = await world.start('survivor');
    for (const { encounter } of visits) await untilRun(survivor, encounter);
    still.signal('SIGCONT');
    lastLook.release();
    write.release();
    // Both workers of the frozen engine are free again, so it has processed the loss of its runs.
    await world.kill(survivor);
    const later = [before, after].map((site) => world.admit({ site }));
    const notes = later.map(() => world.modelGate.hold({ moment: 'before' }));
    for (const visit of later) await world.tell(visit);
    await Promise.all(notes.map(({ reached }) => reached));
    for (const { release } of notes) release();
    for (const { encounter } of later) await untilRun(still, encounter);
    for (const { encounter } of visits) expect(chartShape(world, encounter)).toEqual(WHOLE_CHART);
    expect(await whatIsWrong(world, still, { compared: 500 })).toEqual([]);
    for (const { encounter } of visits) expect(await untilRun(still, encounter)).toMatchObject({ crashes: 1 });
  },
  LIMIT_MS,
);
