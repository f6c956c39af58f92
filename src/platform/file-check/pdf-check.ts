// Has a PDF looked at by a child process, so that a hostile one harms nothing but that process: no environment, no files
// but the parser's own, no writing, a memory limit, a deadline, a few at once. The bytes go through a pipe only.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { isRefusalCode, Refusal } from './refusal.ts';
import { makeSlots } from './slots.ts';

const ROOM = fileURLToPath(new URL('.', import.meta.url));
const CHILD = fileURLToPath(new URL('./pdf-child.ts', import.meta.url));
const PARSER = 'pdfjs-dist';
const MAX_ANSWER_LENGTH = 1024;

type PdfFile = { readonly open: () => AsyncIterable<Uint8Array> };
type PdfCheckParts = { readonly timeoutMs: number; readonly maxChildren: number };
type Child = ChildProcessByStdio<Writable, Readable, null>;
type Ending = { readonly answer: string; readonly killedBy: NodeJS.Signals | null };

/** Throws a Refusal for a PDF that is not taken; any other throw is not about the PDF. */
export type PdfCheck = (file: PdfFile, signal: AbortSignal) => Promise<void>;

export function makePdfCheck({ timeoutMs, maxChildren }: PdfCheckParts): PdfCheck {
  const slots = makeSlots(maxChildren);
  return async (file, signal) => {
    const giveBack = await slots.take(signal);
    try {
      judge(await askChild(file, { timeoutMs, signal }));
    } finally {
      giveBack();
    }
  };
}

function judge({ answer, killedBy }: Ending): void {
  if (answer === 'ok') return;
  // The answer is not believed beyond this set of words: a PDF may have taken the child over.
  if (isRefusalCode(answer)) throw new Refusal(answer);
  if (killedBy !== null) throw new Refusal('pdfUnreadable');
  throw new Error('the child process that reads PDFs does not work');
}

type Limits = { readonly timeoutMs: number; readonly signal: AbortSignal };

/** Returns once the child process is gone, whatever happened. */
async function askChild(file: PdfFile, { timeoutMs, signal }: Limits): Promise<Ending> {
  signal.throwIfAborted();
  const child = startChild();
  const kill = () => child.kill('SIGKILL');
  const deadline = setTimeout(kill, timeoutMs);
  signal.addEventListener('abort', kill);
  try {
    const feeding = feed(file, child);
    // Not the feeding: a source that is stuck would keep the caller after the child is long gone.
    const ending = await endOf(child);
    signal.throwIfAborted();
    if (feeding.fault !== undefined) throw feeding.fault.error;
    return ending;
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener('abort', kill);
  }
}

function startChild(): Child {
  const flags = [
    '--permission',
    ...readableFolders().map((folder) => `--allow-fs-read=${folder}`),
    '--allow-worker',
    '--max-old-space-size=512',
    '--disallow-code-generation-from-strings',
    '--disable-proto=delete',
  ];
  // Detached: a Ctrl-C at the terminal is for the engine, which lets its requests end first.
  return spawn(process.execPath, [...flags, CHILD], {
    cwd: ROOM,
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
}

/** This room and the parser: where it really lies, and the folders in which it is looked for, which may be links. */
function readableFolders(): readonly string[] {
  const { resolve } = createRequire(import.meta.url);
  const lookedIn = (resolve.paths(PARSER) ?? []).filter((folder) => basename(folder) === 'node_modules');
  return [ROOM, dirname(resolve(`${PARSER}/package.json`)), ...lookedIn];
}

function endOf(child: Child): Promise<Ending> {
  return new Promise((resolve, reject) => {
    let answer = '';
    child.stdout.setEncoding('latin1').on('data', (text: string) => {
      answer = (answer + text).slice(0, MAX_ANSWER_LENGTH);
    });
    child.once('error', reject);
    child.once('close', (_code, killedBy) => resolve({ answer: answer.trim(), killedBy }));
  });
}

type Feeding = { fault: { readonly error: unknown } | undefined };

/** Goes on by itself. A source that fails takes the child with it; a child that ends early has read enough. */
function feed(file: PdfFile, child: Child): Feeding {
  const feeding: Feeding = { fault: undefined };
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      yield* file.open();
    } catch (error) {
      feeding.fault = { error };
      child.kill('SIGKILL');
    }
  }
  pipeline(bytes(), child.stdin).catch(() => undefined);
  return feeding;
}
