// The thread in which a PDF is looked at: first its raw bytes, then, where these are fine, through the parser.
import { parentPort, workerData } from 'node:worker_threads';
import { scanPdf } from './pdf-scan.ts';
import { Refusal } from './refusal.ts';

/** `ready`: all that follows is the work of the PDF. */
export type WorkerNews = { readonly kind: 'ready' } | { readonly kind: 'answer'; readonly word: string };
type Look = (bytes: Uint8Array) => Promise<string>;

async function loadParser(): Promise<Look> {
  if (workerData === 'text') {
    const { readPdfText } = await import('./pdf-read.ts');
    return readPdfText;
  }
  const { openPdf } = await import('./pdf-open.ts');
  return async (bytes) => {
    await openPdf(bytes);
    return 'ok';
  };
}

async function inspect(bytes: Uint8Array, look: Look): Promise<string> {
  try {
    scanPdf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return await look(bytes);
  } catch (error) {
    return error instanceof Refusal ? error.code : 'pdfUnreadable';
  }
}

function report(news: WorkerNews): void {
  parentPort?.postMessage(news);
}

const loaded = loadParser();
parentPort?.once('message', async (bytes: Uint8Array) => {
  try {
    const look = await loaded;
    report({ kind: 'ready' });
    report({ kind: 'answer', word: await inspect(bytes, look) });
  } catch {
    report({ kind: 'answer', word: 'broken' });
  }
});
