// Twenty diagnoses at once, each of 30 KB in 2,000 pieces: the cost of relaying them with partial events.
import { startEngine } from '../support/engine.ts';
import { diagnosisAnswer, type ModelRequest } from '../support/openai-answers.ts';
import { startOpenAiServer } from '../support/openai-server.ts';
import { type Figure, times } from './figures.ts';
import { cpuMs, median } from './process-figures.ts';
import { type Pipe, startPipe } from './uploads.ts';

const AT_ONCE = 20;
const ROUNDS = 10;
/** An engine that has just started runs its code uncompiled, and costs twice as much. */
const WARM_UP_ROUNDS = 2;
/** Processor time of a stream against a plain pipe. */
const MOST_TIMES = 3;
const ANSWER_CHARS = 30_000;
const CHUNK_CHARS = 15;

export async function measureStreams(): Promise<readonly Figure[]> {
  const vendor = await startOpenAiServer();
  vendor.behave({ kind: 'answer', content: longAnswer, chunkChars: CHUNK_CHARS, form: 'events' });
  const engine = await startEngine({ env: { OPENAI_BASE_URL: vendor.baseUrl, LOG_LEVEL: 'error' } });
  const pipe = await startPipe(new URL(vendor.baseUrl).origin);
  try {
    const key = await engine.makeKey();
    let engineMs = 0;
    let pipeMs = 0;
    let partials = 0;
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
      const engineBefore = cpuMs(engine.pid);
      const texts = await Promise.all(Array.from({ length: AT_ONCE }, () => streamFromEngine(engine.url, key)));
      const engineAfter = cpuMs(engine.pid);
      const pipeBefore = cpuMs(pipe.pid);
      await Promise.all(Array.from({ length: AT_ONCE }, () => streamFromPipe(pipe, vendor.baseUrl)));
      if (round < 0) continue;
      pipeMs += (cpuMs(pipe.pid) - pipeBefore) / (AT_ONCE * ROUNDS);
      engineMs += (engineAfter - engineBefore) / (AT_ONCE * ROUNDS);
      partials = median(texts.map((text) => text.split('event: partial').length - 1));
    }
    const ratio = engineMs / pipeMs;
    return [
      { name: 'processor time a stream', value: `${engineMs.toFixed(1)} ms` },
      { name: 'processor time of a plain pipe a stream', value: `${pipeMs.toFixed(1)} ms` },
      {
        name: `${AT_ONCE} streams at once: processor time against a plain pipe`,
        value: times(ratio),
        bound: `at most ${MOST_TIMES} x`,
        isKept: ratio <= MOST_TIMES,
      },
      { name: 'partial events of a stream', value: String(partials) },
    ];
  } finally {
    pipe.stop();
    await engine.stop();
    await vendor.close();
  }
}

function longAnswer(_usual: unknown, { language }: ModelRequest): unknown {
  const answer = diagnosisAnswer(language);
  const [disease] = answer.diagnosis.diseases;
  const count = Math.ceil(ANSWER_CHARS / JSON.stringify(disease).length);
  return { ...answer, diagnosis: { diseases: Array.from({ length: count }, () => disease) } };
}

async function streamFromEngine(url: string, key: string): Promise<string> {
  const response = await fetch(`${url}/diagnose/stream`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ clinical_history: 'Made-up history: cough and fever for three days.' }),
  });
  const text = await response.text();
  if (!text.includes('event: final')) throw new Error(`a stream ended without a final event (${response.status})`);
  return text;
}

async function streamFromPipe(pipe: Pipe, baseUrl: string): Promise<void> {
  const { pathname } = new URL(baseUrl);
  const response = await fetch(`${pipe.url}${pathname.replace(/\/$/, '')}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'bench',
      stream: true,
      messages: [{ role: 'user', content: 'bench' }],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'differential_diagnosis', strict: true, schema: {} },
      },
    }),
  });
  await response.text();
}
