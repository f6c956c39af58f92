// The thread in which a PDF is looked at: first its raw bytes, then, where these are fine, through the parser.
import { parentPort } from 'node:worker_threads';
import { scanPdf } from './pdf-scan.ts';
import { Refusal } from './refusal.ts';

async function inspect(bytes: Uint8Array): Promise<string> {
  try {
    scanPdf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (error) {
    return error instanceof Refusal ? error.code : 'pdfUnreadable';
  }
  // Only now: loading it takes longer than all that comes before.
  const { openPdf } = await import('./pdf-open.ts');
  try {
    await openPdf(bytes);
    return 'ok';
  } catch (error) {
    return error instanceof Refusal ? error.code : 'pdfUnreadable';
  }
}

parentPort?.once('message', async (bytes: Uint8Array) => {
  const word = await inspect(bytes).catch(() => 'broken');
  parentPort?.postMessage(word);
});
