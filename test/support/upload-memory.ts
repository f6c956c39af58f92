// How much memory large uploads take on their way out: measured in a process of its own, against a local server that
// only counts. Run as a program it is that process. Times are not measured.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { makeHttpFetch } from '../../src/platform/http-fetch.ts';

export type UploadMemory = {
  /** Buffers outside the heap: where a body that is held whole would lie. */
  readonly peakExternalGrowthBytes: number;
  readonly peakResidentGrowthBytes: number;
  readonly receivedBytes: number;
};

type Work = { readonly url: string; readonly uploads: number; readonly sizeBytes: number };
type Growth = Omit<UploadMemory, 'receivedBytes'>;

const CHUNK_BYTES = 65_536;

/** `uploads` at the same time, each of `sizeBytes`. */
export async function measureUploadMemory(
  work: Omit<Work, 'url'> = { uploads: 4, sizeBytes: 100 * 1_048_576 },
): Promise<UploadMemory> {
  let receivedBytes = 0;
  const server = http.createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      receivedBytes += chunk.length;
    });
    request.once('end', () => response.end('{}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const child = fork(fileURLToPath(import.meta.url), { execArgv: ['--expose-gc', '--no-warnings'] });
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    child.send({ ...work, url } satisfies Work);
    const [outcome] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
    if (typeof outcome !== 'object' || outcome === null) throw new Error(`the uploading process ended with ${outcome}`);
    return { ...(outcome as Growth), receivedBytes };
  } finally {
    child.kill('SIGKILL');
    server.closeAllConnections();
    server.close();
  }
}

async function uploadAll({ url, uploads, sizeBytes }: Work): Promise<Growth> {
  const fetch = makeHttpFetch();
  const send = async (size: number) => {
    const response = await fetch(url, { method: 'POST', body: freshBytes(size) as never });
    await response.text();
  };
  await send(CHUNK_BYTES);
  globalThis.gc?.();
  const before = process.memoryUsage();
  const peak = { external: before.external, rss: before.rss };
  const look = () => {
    const { external, rss } = process.memoryUsage();
    peak.external = Math.max(peak.external, external);
    peak.rss = Math.max(peak.rss, rss);
  };
  const timer = setInterval(look, 10);
  await Promise.all(Array.from({ length: uploads }, () => send(sizeBytes)));
  clearInterval(timer);
  look();
  return {
    peakExternalGrowthBytes: peak.external - before.external,
    peakResidentGrowthBytes: peak.rss - before.rss,
  };
}

/** New buffers for each chunk, as a real upload brings them. */
async function* freshBytes(sizeBytes: number): AsyncGenerator<Uint8Array> {
  for (let left = sizeBytes; left > 0; left -= CHUNK_BYTES) yield Buffer.alloc(Math.min(left, CHUNK_BYTES), 0x55);
}

if (import.meta.main) {
  process.once('message', async (work) => {
    process.send?.(await uploadAll(work as Work));
  });
}
