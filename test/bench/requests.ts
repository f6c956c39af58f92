// The requests of an event by kind, those of its write, and the time of an event if each request takes 50 ms longer, as over the network of a
// hospital: one event at a time, so that nothing else counts.
import { setTimeout as sleep } from 'node:timers/promises';
import { connectRabbit, type RabbitClient } from '../support/rabbit-client.ts';
import type { Figure } from './figures.ts';
import { median } from './process-figures.ts';
import { EXCHANGE, type RunTestbed, withRunTestbed } from './run-testbed.ts';
import type { WorldAnswer } from './run-world.ts';
import { anEvent } from './runs-drain.ts';

const WARM_UP = 20;
const EVENTS = 20;
const LATENCY_MS = 50;
const MOST_OF_AN_EVENT = 12;
const MOST_OF_A_WRITE = 6;
const LIMIT_MS = 40_000;
/** The documents of an event: what is searched for before and after its write. */
const WRITE = 'POST of a transaction';

export function measureRequests(): Promise<readonly Figure[]> {
  return withRunTestbed(async (testbed) => {
    const engine = await testbed.startEngine(await testbed.makeDatabase('requests'));
    const rabbit = await connectRabbit(testbed.brokerUrl);
    try {
      await testbed.untilListening(rabbit);
      await documentAll(testbed, rabbit, 'warm', WARM_UP);
      const plain = await documentAll(testbed, rabbit, 'plain', EVENTS);
      await testbed.world.ask({ ask: 'delay', delayMs: LATENCY_MS });
      const far = await documentAll(testbed, rabbit, 'far', EVENTS);
      return figuresOf(plain, far);
    } finally {
      await rabbit.close();
      await engine.stop();
    }
  });
}

type Documented = { readonly requests: readonly (readonly string[])[]; readonly wallMs: number };

function figuresOf(plain: Documented, far: Documented): readonly Figure[] {
  const most = Math.max(...plain.requests.map(({ length }) => length));
  const ofWrite = Math.max(...plain.requests.map(countOfWrite));
  const byKind = Map.groupBy(plain.requests.flat(), (what) => what);
  return [
    {
      name: 'requests of an event',
      value: String(most),
      bound: `at most ${MOST_OF_AN_EVENT}`,
      isKept: most <= MOST_OF_AN_EVENT,
    },
    {
      name: 'requests of its write',
      value: String(ofWrite),
      bound: `at most ${MOST_OF_A_WRITE}`,
      isKept: ofWrite <= MOST_OF_A_WRITE,
    },
    ...[...byKind].map(([what, all]) => ({
      name: `  ${what}`,
      value: (all.length / plain.requests.length).toFixed(1),
    })),
    { name: 'an event takes, one at a time', value: inMs(plain.wallMs) },
    { name: `  if each request takes ${LATENCY_MS} ms longer`, value: inMs(far.wallMs) },
  ];
}

/** From the last answer of the model on. */
function countOfWrite(requests: readonly string[]): number {
  return requests.length - 1 - requests.lastIndexOf('model');
}

function inMs(ms: number): string {
  return `${ms.toFixed(0)} ms`;
}

/** One event after the other. */
async function documentAll(
  testbed: RunTestbed,
  rabbit: RabbitClient,
  name: string,
  count: number,
): Promise<Documented> {
  const requests: (readonly string[])[] = [];
  const walls: number[] = [];
  for (let index = 0; index < count; index += 1) {
    // One at a time: the engine also searches for encounters that ended.
    await testbed.world.ask({ ask: 'admit', name, from: index, count: 1 });
    await testbed.world.ask({ ask: 'sequence' });
    const startedMs = performance.now();
    await rabbit.send(EXCHANGE, 'encounter.finished', anEvent(`${name}-${index}`));
    const { sequence, atMs } = await untilQuiet(testbed);
    requests.push(sequence);
    walls.push(atMs - startedMs);
  }
  return { requests, wallMs: median(walls) };
}

/** The event is through when its documents were looked for after the write, and nothing follows. */
async function untilQuiet({
  world,
}: RunTestbed): Promise<{ readonly sequence: readonly string[]; readonly atMs: number }> {
  const deadlineMs = performance.now() + LIMIT_MS;
  const sequence: string[] = [];
  let atMs = performance.now();
  for (;;) {
    const more = sequenceOf(await world.ask({ ask: 'sequence' }));
    if (more.length > 0) atMs = performance.now();
    sequence.push(...more);
    const isWritten = sequence.includes(WRITE) && sequence.at(-1) !== WRITE;
    const quietMs = performance.now() - atMs;
    if (isWritten && quietMs > QUIET_MS) return { sequence, atMs };
    if (performance.now() > deadlineMs) throw new Error(`an event is not through after ${sequence.length} requests`);
    await sleep(5);
  }
}

const QUIET_MS = 200;

function sequenceOf(answer: WorldAnswer): readonly string[] {
  return 'sequence' in answer ? answer.sequence : [];
}
