// How quickly the engine answers others while it is attacked. The attacks are those of test/journeys/attacks.test.ts.
import { sendLongTexts } from '../attacks/long-texts.ts';
import { leaveAnswersUnread } from '../attacks/unread-answers.ts';
import { type Engine, startEngine } from '../support/engine.ts';
import { type Figure, mebibytes } from './figures.ts';
import { residentBytes } from './process-figures.ts';

const MODEL = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' } as const;
const MEBIBYTE = 1_048_576;
const WATCHED_MS = 5_000;
const MOST_MS = 250;
const MOST_MORE_MIB = 64;

export async function measureAttacks(): Promise<readonly Figure[]> {
  return [...(await measureUnread()), await measureLongTexts()];
}

async function measureUnread(): Promise<readonly Figure[]> {
  const engine = await startEngine({ env: { LOG_LEVEL: 'error', ...MODEL } });
  try {
    await (await fetch(`${engine.url}/openapi.json`)).arrayBuffer();
    const before = residentBytes(engine.pid);
    let most = before;
    const end = await leaveAnswersUnread({ url: engine.url, path: '/openapi.json', connections: 15, requests: 1_000 });
    const untilMs = performance.now() + WATCHED_MS;
    const worst = await worstAnswer(engine, () => {
      most = Math.max(most, residentBytes(engine.pid));
      return performance.now() < untilMs;
    });
    end();
    return [
      {
        name: 'memory of 15,000 answers that are not read',
        value: mebibytes(most - before),
        bound: `at most ${MOST_MORE_MIB} MiB more`,
        isKept: most - before <= MOST_MORE_MIB * MEBIBYTE,
      },
      slowest('slowest /healthz beside them', worst),
    ];
  } finally {
    await engine.stop();
  }
}

async function measureLongTexts(): Promise<Figure> {
  const engine = await startEngine({ env: { LOG_LEVEL: 'error' } });
  try {
    const key = await engine.makeKey();
    let isOver = false;
    void sendLongTexts({ url: engine.url, key, texts: 8 }).finally(() => {
      isOver = true;
    });
    return slowest('slowest /healthz beside 8 histories of 1 MB', await worstAnswer(engine, () => !isOver));
  } finally {
    await engine.stop();
  }
}

async function worstAnswer({ url }: Engine, goesOn: () => boolean): Promise<number> {
  let worstMs = 0;
  while (goesOn()) {
    const startedMs = performance.now();
    await (await fetch(`${url}/healthz`)).arrayBuffer();
    worstMs = Math.max(worstMs, performance.now() - startedMs);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return worstMs;
}

function slowest(name: string, worstMs: number): Figure {
  return { name, value: `${Math.round(worstMs)} ms`, bound: `at most ${MOST_MS} ms`, isKept: worstMs <= MOST_MS };
}
