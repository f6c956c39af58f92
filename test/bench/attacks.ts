// How quickly the engine answers others while it is attacked. The attacks are those of test/journeys/attacks.test.ts.
import { sendCostlyFiles, sendFiles } from '../attacks/costly-files.ts';
import { sendLongTexts } from '../attacks/long-texts.ts';
import { leaveAnswersUnread } from '../attacks/unread-answers.ts';
import { type Engine, startEngine } from '../support/engine.ts';
import { makePdf } from '../support/file-samples.ts';
import { type Figure, mebibytes } from './figures.ts';
import { childrenCpuMs, residentBytes } from './process-figures.ts';

const MODEL = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' } as const;
const MEBIBYTE = 1_048_576;
const WATCHED_MS = 5_000;
const MOST_MS = 250;
const MOST_MORE_MIB = 64;
const FORMS = 4;
/** Five seconds for the files, and a start of a process for each of them. */
const MOST_FORM_MS = 7_000;

export async function measureAttacks(): Promise<readonly Figure[]> {
  return [...(await measureUnread()), await measureLongTexts(), ...(await measureCostlyFiles())];
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

/** The time of a process that reads PDFs counts when it has ended: with that of its start. */
async function measureCostlyFiles(): Promise<readonly Figure[]> {
  const engine = await startEngine({ env: { LOG_LEVEL: 'error' } });
  try {
    const attacker = await engine.makeKey({ organization: 'attacker' });
    const other = await engine.makeKey({ organization: 'other' });
    const own = { url: engine.url, key: other, files: [makePdf()] };
    const aloneMs = await timeOf(() => sendFiles(own));
    const before = childrenCpuMs(engine.pid);
    let isOver = false;
    const attack = sendCostlyFiles({ url: engine.url, key: attacker, forms: FORMS }).finally(() => {
      isOver = true;
    });
    const besideMs = await timeOf(() => sendFiles(own));
    const wasFirst = !isOver;
    const worst = await worstAnswer(engine, () => !isOver);
    await attack;
    const perForm = (childrenCpuMs(engine.pid) - before) / FORMS;
    return [
      slowest(`slowest /healthz beside ${FORMS} forms with costly PDFs`, worst),
      {
        name: 'processor time of the files of one such form',
        value: `${(perForm / 1_000).toFixed(1)} s`,
        bound: `at most ${MOST_FORM_MS / 1_000} s`,
        isKept: perForm <= MOST_FORM_MS,
      },
      {
        name: 'a PDF of another organization beside them',
        value: `${(besideMs / aloneMs).toFixed(1)} times as long as alone`,
        bound: 'answered before them',
        isKept: wasFirst,
      },
    ];
  } finally {
    await engine.stop();
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
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
