// Runs as a process of its own: reads one PDF from standard input, writes the processor time that it took, and one word or its text. This
// thread only watches, so that a worker thread that is stuck in a hostile PDF is ended also if the parent process is gone.
import { Worker } from 'node:worker_threads';
import type { WorkerNews } from './pdf-worker.ts';

const MAX_PDF_BYTES = 32 * 1_048_576;
/** Heap limits do not count the buffers that streams are unpacked to. */
const MAX_RESIDENT_BYTES = 768 * 1_048_576;
const LOOK_EVERY_MS = 50;
const MAX_LIFE_MS = 120_000;

const [, , job, maxProcessorMs] = process.argv;
/** Known from the moment when the parser is loaded, because what comes before is not the work of the PDF. */
let usageBefore: NodeJS.CpuUsage | undefined;

function usedMs(): number {
  if (usageBefore === undefined) return 0;
  const { user, system } = process.cpuUsage(usageBefore);
  return Math.ceil((user + system) / 1000);
}

function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

async function readInput(): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of process.stdin) {
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_PDF_BYTES) return undefined;
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function answer(word: string, leave: () => void = () => process.exit(0)): void {
  process.stdout.write(`${usedMs()}\n${word}`, leave);
}

setTimeout(end, MAX_LIFE_MS);
setInterval(() => {
  if (usedMs() > Number(maxProcessorMs)) answer('pdfTime', end);
  else if (process.memoryUsage.rss() > MAX_RESIDENT_BYTES) answer('', end);
}, LOOK_EVERY_MS);

const worker = new Worker(new URL(import.meta.url.replace('pdf-child', 'pdf-worker')), {
  resourceLimits: { maxOldGenerationSizeMb: 512 },
  workerData: job,
});
worker.on('message', (news: WorkerNews) => {
  if (news.kind === 'ready') usageBefore = process.cpuUsage();
  else answer(news.word);
});
// Out of heap, or a stack overflow that could not be caught.
worker.once('error', () => answer('pdfUnreadable'));
const bytes = await readInput();
if (bytes === undefined) answer('pdfUnreadable');
else worker.postMessage(bytes, [bytes.buffer]);
