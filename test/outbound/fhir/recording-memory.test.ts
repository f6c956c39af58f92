import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type http from 'node:http';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { peakBytes, resetPeak, residentBytes } from '../../bench/process-figures.ts';
import { audioSha256, audioStream } from '../../support/audio-samples.ts';
import { type DeepgramServer, startDeepgramServer } from '../../support/deepgram-server.ts';
import { makeLocalServers } from '../../support/local-servers.ts';

const MEBIBYTE = 1_048_576;
const LARGE_BYTES = 100 * MEBIBYTE;
const SMALL_BYTES = MEBIBYTE;
const MAX_GROWTH_BYTES = 80 * MEBIBYTE;
/** Code that holds a recording holds it in each try. A late garbage collector does not. */
const TRIES = 3;

/** Serves `/raw/<bytes>` and `/json/<bytes>`: a recording of that size, made while it is sent, so that it is not in memory here either. */
async function serveRecording(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const [, form, size = '0'] = request.url?.split('/') ?? [];
  const sizeBytes = Number(size);
  response.setHeader('content-type', form === 'json' ? 'application/fhir+json' : 'audio/wav');
  if (form === 'raw') response.setHeader('content-length', sizeBytes);
  const chunks = form === 'json' ? asBinary(audioStream('wav', sizeBytes)) : audioStream('wav', sizeBytes);
  for await (const chunk of chunks) {
    if (!response.write(chunk)) await once(response, 'drain');
  }
  response.end();
}

async function* asBinary(sound: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  yield '{"resourceType":"Binary","contentType":"audio/wav","data":"';
  let carry = Buffer.alloc(0);
  for await (const piece of sound) {
    const bytes = Buffer.concat([carry, piece]);
    const length = bytes.length - (bytes.length % 3);
    carry = bytes.subarray(length);
    yield bytes.toString('base64', 0, length);
  }
  yield `${carry.toString('base64')}"}`;
}

type Reader = {
  readonly pid: number;
  /** Passes the recording behind this link from the EHR to the vendor, and returns the result. */
  readonly take: (link: string) => Promise<string>;
  readonly stop: () => void;
};

async function startReader(ehrUrl: string, vendorUrl: string): Promise<Reader> {
  const program = path.join(import.meta.dirname, '../../support/recording-reader.ts');
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    ['--no-warnings', program, ehrUrl, vendorUrl],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const lines = linesOf(createInterface({ input: child.stdout }));
  if ((await lines.next()).value !== 'ready') throw new Error('the reader did not start');
  return {
    pid: child.pid ?? 0,
    async take(link) {
      child.stdin.write(`${link}\n`);
      return String((await lines.next()).value);
    },
    stop: () => void child.kill(),
  };
}

function linesOf(lines: Interface): AsyncIterator<string> {
  return lines[Symbol.asyncIterator]();
}

describe('A recording of 100 MB from the EHR to the speech vendor', () => {
  const servers = makeLocalServers();
  let vendor: DeepgramServer;
  let ehrUrl: string;

  beforeAll(async () => {
    vendor = await startDeepgramServer();
    ehrUrl = await servers.serve((request, response) => void serveRecording(request, response));
  });
  afterAll(async () => {
    await servers.close();
    await vendor.close();
  });

  it.each([
    ['as its bytes', 'raw'],
    ['as a Binary in JSON', 'json'],
  ])('lets the process grow by no more than 80 MB, %s', async (_, form) => {
    const reader = await startReader(ehrUrl, vendor.baseUrl);
    try {
      // What is loaded at the first use belongs to the idle size.
      expect(await reader.take(`${form}/${SMALL_BYTES}`)).toMatch(/^heard/);
      const idleBytes = residentBytes(reader.pid);
      let growthBytes = Number.POSITIVE_INFINITY;
      for (let tries = 0; tries < TRIES && growthBytes > MAX_GROWTH_BYTES; tries++) {
        resetPeak(reader.pid);
        expect(await reader.take(`${form}/${LARGE_BYTES}`)).toMatch(/^heard/);
        growthBytes = Math.min(growthBytes, peakBytes(reader.pid) - idleBytes);
        expect(vendor.requests.at(-1)).toMatchObject({
          receivedBytes: LARGE_BYTES,
          sha256: audioSha256('wav', LARGE_BYTES),
        });
      }
      expect(growthBytes).toBeLessThanOrEqual(MAX_GROWTH_BYTES);
    } finally {
      reader.stop();
    }
  });
});
