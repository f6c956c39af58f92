// Reads a PDF in a child process, so that a hostile one harms only that process: no environment, no files but the parser's own, no
// writing, limits on memory and processor time, a deadline. The bytes go through a pipe only.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { basename, dirname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

const ROOM = fileURLToPath(new URL('.', import.meta.url));
/** With the same file ending as this file: `.js` in a packed engine. */
const CHILD = import.meta.filename.replace('pdf-process', 'pdf-child');
const PARSER = 'pdfjs-dist';

export type PdfFile = { readonly open: () => AsyncIterable<Uint8Array> };
type Child = ChildProcessByStdio<Writable, Readable, null>;
/** The answer is untrusted: a PDF may have taken the child over. */
export type Ending = {
  readonly answer: string;
  readonly killedBy: NodeJS.Signals | null;
  /** The processor time that the PDF took; all that it was allowed, if the child could not say it. */
  readonly usedMs: number;
};

export type PdfQuestion = {
  /** `check`: may it be passed on? `text`: its text. */
  readonly job: 'check' | 'text';
  readonly maxAnswerLength: number;
  /** The processor time that this PDF may use. The child watches it. */
  readonly processorMs: number;
  /** The last resort, on the clock. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

/** Returns only after the child process is gone. */
export async function askChild(file: PdfFile, question: PdfQuestion): Promise<Ending> {
  const { timeoutMs, signal } = question;
  signal.throwIfAborted();
  const child = startChild(question);
  const kill = () => child.kill('SIGKILL');
  const deadline = setTimeout(kill, timeoutMs);
  signal.addEventListener('abort', kill);
  try {
    const feeding = feed(file, child);
    // Not the feeding: a source that is stuck would keep the caller after the child is long gone.
    const ending = await endOf(child, question);
    signal.throwIfAborted();
    if (feeding.fault !== undefined) throw feeding.fault.error;
    return ending;
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener('abort', kill);
  }
}

function startChild({ job, processorMs }: PdfQuestion): Child {
  const flags = [
    '--permission',
    ...readableFolders().map((folder) => `--allow-fs-read=${folder}`),
    '--allow-worker',
    '--max-old-space-size=512',
    '--disallow-code-generation-from-strings',
    '--disable-proto=delete',
  ];
  // Detached: a Ctrl-C at the terminal is for the engine, which lets its requests end first.
  return spawn(process.execPath, [...flags, CHILD, job, String(Math.ceil(processorMs))], {
    cwd: ROOM,
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
}

/** This folder and the parser: its real path, and the folders in which Node searches it, which may be links. */
function readableFolders(): readonly string[] {
  const { resolve } = createRequire(import.meta.url);
  const lookedIn = (resolve.paths(PARSER) ?? []).filter((folder) => basename(folder) === 'node_modules');
  return [ROOM, dirname(resolve(`${PARSER}/package.json`)), ...lookedIn];
}

const USED_LINE = /^(\d{1,9})\n/;
const USED_LINE_LENGTH = 10;

function endOf(child: Child, { maxAnswerLength, processorMs }: PdfQuestion): Promise<Ending> {
  const maxLength = USED_LINE_LENGTH + maxAnswerLength;
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text.slice(0, maxLength - output.length);
    });
    child.once('error', reject);
    child.once('close', (_code, killedBy) => {
      const [line = '', used] = USED_LINE.exec(output) ?? [];
      const usedMs = used === undefined ? processorMs : Math.min(Number(used), processorMs);
      resolve({ answer: output.slice(line.length), killedBy, usedMs });
    });
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
