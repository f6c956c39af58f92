// What an engine keeps in memory while it has nothing to do: with a model, with the sandbox, and with the rules after a few histories.
import path from 'node:path';
import { readCases } from '../eval/sets.ts';
import { type Engine, startEngine } from '../support/engine.ts';
import { type Figure, mebibytes } from './figures.ts';
import { residentBytes } from './process-figures.ts';

const IDLE_MS = 20_000;
const HISTORIES = 40;
const MEBIBYTE = 1_048_576;
/** No request reaches it. */
const MODEL = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' } as const;
const SANDBOX = {
  SANDBOX: 'on',
  SANDBOX_PORT: '0',
  MAPPINGS_DIR: path.join(import.meta.dirname, '../../mappings'),
} as const;

type Case = {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly boundMib: number;
  readonly work?: (engine: Engine) => Promise<void>;
};

const CASES: readonly Case[] = [
  { name: 'with a model', env: MODEL, boundMib: 190 },
  { name: 'with a model and the sandbox', env: { ...MODEL, ...SANDBOX }, boundMib: 190 },
  { name: `with the rules and the sandbox, after ${HISTORIES} histories`, env: SANDBOX, boundMib: 300, work: diagnose },
];

export async function measureMemory(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const one of CASES) {
    // The first start after an installation, or after a change, compiles the source: it is not what is measured.
    await (await startEngine({ env: one.env })).stop();
    figures.push(await measureCase(one));
  }
  return figures;
}

async function measureCase({ name, env, boundMib, work }: Case): Promise<Figure> {
  const engine = await startEngine({ env: { LOG_LEVEL: 'error', ...env } });
  try {
    await work?.(engine);
    await idle();
    const bytes = residentBytes(engine.pid);
    return { name, value: mebibytes(bytes), bound: `at most ${boundMib} MiB`, isKept: bytes <= boundMib * MEBIBYTE };
  } finally {
    await engine.stop();
  }
}

async function diagnose({ url, makeKey }: Engine): Promise<void> {
  const key = await makeKey();
  const { vignettes } = await readCases(['seen']);
  for (const { text, language } of vignettes.slice(0, HISTORIES)) {
    const response = await fetch(`${url}/diagnose`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ clinical_history: text, language }),
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`a history was answered with ${response.status}`);
  }
}

function idle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, IDLE_MS));
}
