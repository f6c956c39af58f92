// The thread in which a PDF is looked at: first its raw bytes, then, where these are fine, through the parser.
import { parentPort, workerData } from 'node:worker_threads';
import { scanPdf } from './pdf-scan.ts';
import { Refusal } from './refusal.ts';

async function inspect(bytes: Uint8Array): Promise<string> {
  try {
    scanPdf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (error) {
    return error instanceof Refusal ? error.code : 'pdfUnreadable';
  }
  try {
    return await look(bytes);
  } catch (error) {
    return error instanceof Refusal ? error.code : 'pdfUnreadable';
  }
}

async function look(bytes: Uint8Array): Promise<string> {
  // Only now: loading the parser takes longer than all that comes before.
  if (workerData === 'text') {
    const { readPdfText } = await import('./pdf-read.ts');
    return await readPdfText(bytes);
  }
  const { openPdf } = await import('./pdf-open.ts');
  await openPdf(bytes);
  return 'ok';
}

parentPort?.once('message', async (bytes: Uint8Array) => {
  const word = await inspect(bytes).catch(() => 'broken');
  parentPort?.postMessage(word);
});
