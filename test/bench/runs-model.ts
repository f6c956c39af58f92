// A model that needs half a second, and a hundred runs at once: how near the engine keeps the model to its capacity. In one case the model is
// the bottleneck, as in a hospital, and in the other one the processor.
import { setTimeout as sleep } from 'node:timers/promises';
import { connectRabbit } from '../support/rabbit-client.ts';
import type { Figure } from './figures.ts';
import { cpuMs } from './process-figures.ts';
import { EXCHANGE, type RunTestbed, type World } from './run-testbed.ts';
import { anEvent } from './runs-drain.ts';

const THINK_MS = 500;
const AT_ONCE = 100;
const CALLS_A_RUN = 2;
/** Few enough that this machine's processor is not the bottleneck. */
const FEW_CALLS = 10;
const BOUND = 0.9;
const WARM_UP = 40;
const DEADLINE_MS = 90_000;

type Flow = { readonly runsASecond: number; readonly ideal: number; readonly processors: number };

export async function measureModel(testbed: RunTestbed): Promise<readonly Figure[]> {
  const narrow = await measureFlow(testbed, { name: 'narrow', calls: FEW_CALLS, events: 200 });
  const wide = await measureFlow(testbed, { name: 'wide', calls: 2 * AT_ONCE, events: 300 });
  return [
    {
      name: `model of ${THINK_MS} ms, ${AT_ONCE} runs at once, ${FEW_CALLS} calls: of the ideal`,
      value: share(narrow),
      bound: `at least ${BOUND}`,
      isKept: narrow.runsASecond / narrow.ideal >= BOUND,
    },
    { name: '  runs a second', value: perSecond(narrow.runsASecond) },
    { name: '  processors that the engine took for them', value: narrow.processors.toFixed(2) },
    { name: `with as many calls as runs want: of the ideal of ${perSecond(wide.ideal)}`, value: share(wide) },
    { name: '  runs a second', value: perSecond(wide.runsASecond) },
    { name: '  processors that the engine took for them', value: wide.processors.toFixed(2) },
  ];
}

function share({ runsASecond, ideal }: Flow): string {
  return (runsASecond / ideal).toFixed(2);
}

function perSecond(count: number): string {
  return `${count.toFixed(1)} / s`;
}

type Order = { readonly name: string; readonly calls: number; readonly events: number };

/** Counts the calls that the model gets, without the beginning and the end. */
async function measureFlow(testbed: RunTestbed, { name, calls, events }: Order): Promise<Flow> {
  const databaseUrl = await testbed.makeDatabase(name);
  const env = { WORKERS: String(AT_ONCE), MAX_REASONER_CALLS: String(calls), MAX_SPEECH_CALLS: '100' };
  const engine = await testbed.startEngine(databaseUrl, env);
  const rabbit = await connectRabbit(testbed.brokerUrl);
  const { world } = testbed;
  const send = async (part: string, count: number) => {
    await world.ask({ ask: 'admit', name: `${name}-${part}`, count });
    await world.ask({ ask: 'requests' });
    const sent = Array.from({ length: count }, (_, index) => anEvent(`${name}-${part}-${index}`));
    await Promise.all(sent.map((event) => rabbit.send(EXCHANGE, 'encounter.finished', event)));
    return counter(world, engine.pid);
  };
  try {
    await testbed.untilListening(rabbit);
    await (await send('warm', WARM_UP))(CALLS_A_RUN * WARM_UP);
    await world.ask({ ask: 'think', thinkMs: THINK_MS });
    const until = await send('measured', events);
    const from = await until(CALLS_A_RUN * events * 0.15);
    const to = await until(CALLS_A_RUN * events * 0.85);
    const seconds = (to.atMs - from.atMs) / 1000;
    return {
      runsASecond: (to.asked - from.asked) / CALLS_A_RUN / seconds,
      ideal: Math.min(calls, AT_ONCE) / CALLS_A_RUN / (THINK_MS / 1000),
      processors: (to.cpuMs - from.cpuMs) / 1000 / seconds,
    };
  } finally {
    await world.ask({ ask: 'think', thinkMs: 0 });
    await rabbit.close();
    await engine.stop();
  }
}

type Moment = { readonly atMs: number; readonly asked: number; readonly cpuMs: number };

/** Waits until the model got that many calls since then. */
function counter({ ask }: World, pid: number): (count: number) => Promise<Moment> {
  const deadlineMs = performance.now() + DEADLINE_MS;
  let asked = 0;
  return async (count) => {
    for (;;) {
      const answer = await ask({ ask: 'requests' });
      const counts = new Map('requests' in answer ? answer.requests : []);
      asked += counts.get('model') ?? 0;
      const moment = { atMs: performance.now(), asked, cpuMs: cpuMs(pid) };
      if (asked >= count) return moment;
      if (moment.atMs > deadlineMs) throw new Error(`the model was asked ${asked} times, and not ${count}`);
      await sleep(20);
    }
  };
}
