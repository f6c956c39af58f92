// An engine that dies, or that stands still for so long that it is taken for dead: another one goes on with its runs, and when the one that
// stood still wakes up in the middle of a write, it finds that the run is not its own any more.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { chartShape, untilRun } from '../support/journey-runs.ts';
import { startWorld, WHOLE_CHART, type World } from '../support/run-world.ts';
import { mentions } from '../support/run-world-crashes.ts';
import { whatIsWrong } from '../support/run-world-invariants.ts';

const LIMIT_MS = 150_000;

let world: World;

beforeAll(async () => {
  world = await startWorld({ hasGates: true, sites: 3 });
});
afterAll(() => world?.close());

const isWrite = ({ method, path }: { readonly method: string; readonly path: string }) =>
  method === 'POST' && path.endsWith('/R4');

test(
  'the runs of an engine that died, and of one that stands still, are brought to their end by another',
  async () => {
    const [dying = '', before = '', after = ''] = world.sites;
    const visits = [dying, before, after].map((site) => world.admit({ site }));
    const [ofDead, beforeWrite, afterWrite] = visits;
    if (!ofDead || !beforeWrite || !afterWrite) throw new Error('a visit is missing');

    // One engine dies while it waits for the note; the other stands still with one run right before its write, and one right after it.
    const dead = await world.start('dead', { WORKERS: '1' });
    const note = world.modelGate.hold({ moment: 'before' });
    await world.tell(ofDead);
    await note.reached;
    const still = await world.start('still', { WORKERS: '2' });
    const lastLook = world.gateOf(before).hold({
      moment: 'after',
      fits: (request) => mentions(beforeWrite)(request) && request.path.includes('/Provenance?'),
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
    // Both places are free again, so it has seen what became of its runs.
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
