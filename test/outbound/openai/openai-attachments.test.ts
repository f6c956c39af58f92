import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Attachment, AttachmentType } from '../../../src/domain/diagnosis/attachment.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { makeOpenAiReasoner } from '../../../src/outbound/openai/openai-reasoner.ts';
import { makeHttpFetch } from '../../../src/platform/http-fetch.ts';
import { aHistory } from '../../contracts/reasoner-contract.ts';
import { FAULTS, type OpenAiServer, startOpenAiServer } from '../../support/openai-server.ts';
import { until } from '../../support/until.ts';

const MEBIBYTE = 1_048_576;
const TRANSPORTS: [string, typeof fetch][] = [
  ["the product's own fetch", makeHttpFetch()],
  ["Node's fetch", fetch],
];

/** Makes distinct bytes, with only one piece in memory at a time. */
function aFile(
  type: AttachmentType,
  sizeBytes: number,
  seed: number,
  onRead: (bytes: number) => void = () => undefined,
): Attachment {
  const piece = Uint8Array.from({ length: 65_521 }, (_, index) => (index * 7 + seed) & 0xff);
  return {
    type,
    sizeBytes,
    open: async function* () {
      for (let start = 0; start < sizeBytes; start += piece.length) {
        const length = Math.min(piece.length, sizeBytes - start);
        onRead(length);
        yield piece.subarray(0, length);
      }
    },
  };
}

async function dataUrl(file: Attachment): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of file.open()) chunks.push(chunk);
  return `data:${file.type};base64,${Buffer.concat(chunks).toString('base64')}`;
}

describe('Files that are sent to the model', () => {
  const signal = new AbortController().signal;
  let server: OpenAiServer;

  beforeEach(async () => {
    server = await startOpenAiServer();
  });
  afterEach(async () => {
    await server.close();
  });

  function aReasoner(fetchOfTransport: typeof fetch = makeHttpFetch(), idleMs = 50_000) {
    return makeOpenAiReasoner({
      baseUrl: server.baseUrl,
      model: 'made-up-model',
      timeouts: { firstByteMs: 50_000, idleMs, totalMs: 55_000 },
      fetch: fetchOfTransport,
      backoffMs: 1,
    });
  }

  it.each(TRANSPORTS)('arrive byte for byte, images and PDFs, over %s', async (_, fetchOfTransport) => {
    const files = [
      aFile('image/png', 100_001, 1),
      aFile('application/pdf', 2 * MEBIBYTE + 2, 2),
      aFile('image/jpeg', 1, 3),
      aFile('application/pdf', 65_536, 4),
    ];
    await aReasoner(fetchOfTransport).diagnose({ ...aHistory, attachments: files }, signal);
    const [request] = server.requests;
    expect(request?.body?.messages[1]?.content).toEqual([
      { type: 'text', text: expect.stringContaining(aHistory.clinicalHistory ?? '') },
      { type: 'image_url', image_url: { url: await dataUrl(files[0] as Attachment) } },
      { type: 'file', file: { filename: 'document-2.pdf', file_data: await dataUrl(files[1] as Attachment) } },
      { type: 'image_url', image_url: { url: await dataUrl(files[2] as Attachment) } },
      { type: 'file', file: { filename: 'document-4.pdf', file_data: await dataUrl(files[3] as Attachment) } },
    ]);
    expect(request?.headers['content-length']).toBe(String(request?.receivedBytes));
    expect(request?.headers).not.toHaveProperty('transfer-encoding');
  });

  it('are sent again from their start after the vendor was busy', async () => {
    server.next(FAULTS.serverError);
    await aReasoner().diagnose({ ...aHistory, attachments: [aFile('image/png', 100_000, 1)] }, signal);
    const [first, second] = server.requests.map(({ rawBody }) =>
      createHash('sha256').update(withoutMarks(rawBody)).digest('hex'),
    );
    expect(server.requests.length).toBe(2);
    expect(second).toBe(first);
  });

  it('may be sent without a clinical history', async () => {
    await aReasoner().diagnose({ attachments: [aFile('image/webp', 10, 1)], language: 'en' }, signal);
    expect(server.requests[0]?.rawBody).toContain('no written history');
  });

  it('of 200 MiB are never held in memory: they are read only as fast as they are sent', async () => {
    let readBytes = 0;
    let furthestAhead = 0;
    const onRead = (bytes: number) => {
      readBytes += bytes;
      furthestAhead = Math.max(furthestAhead, (readBytes * 4) / 3 - (server.requests[0]?.receivedBytes ?? 0));
    };
    const attachments = Array.from({ length: 10 }, (_, seed) => aFile('image/png', 20 * MEBIBYTE, seed, onRead));
    await aReasoner().diagnose({ ...aHistory, attachments }, signal);
    expect(readBytes).toBe(200 * MEBIBYTE);
    expect(furthestAhead).toBeLessThan(24 * MEBIBYTE);
  });

  it('are given up as a slow vendor if the vendor stops reading them', async () => {
    server.next({ kind: 'hang', reads: false });
    let isLeft = false;
    const file = aFile('image/png', 40 * MEBIBYTE, 1);
    const open = async function* () {
      try {
        yield* file.open();
      } finally {
        isLeft = true;
      }
    };
    const asked = aReasoner(makeHttpFetch(), 300).diagnose({ ...aHistory, attachments: [{ ...file, open }] }, signal);
    await expect(asked).rejects.toMatchObject({
      code: 'vendorUnavailable',
      message: expect.stringContaining('REASONER_IDLE_SECONDS'),
    });
    await until(() => isLeft);
  });

  it.each(TRANSPORTS)(
    'fail with the error of their source if they cannot be read, over %s',
    async (_, fetchOfTransport) => {
      const gone = new AppError('overloaded', 'the spool is gone');
      const broken: Attachment = {
        type: 'image/png',
        sizeBytes: 10 * MEBIBYTE,
        // biome-ignore lint/correctness/useYield: the generator fails before its first byte.
        open: async function* () {
          throw gone;
        },
      };
      const asked = aReasoner(fetchOfTransport).diagnose({ ...aHistory, attachments: [broken] }, signal);
      await expect(asked).rejects.toBe(gone);
      await until(() => server.openCalls() === 0);
    },
  );

  it('are not read further when the caller cancels', async () => {
    const caller = new AbortController();
    let readBytes = 0;
    const attachments = [
      aFile('image/png', 20 * MEBIBYTE, 1, (bytes) => {
        readBytes += bytes;
        if (readBytes > MEBIBYTE) caller.abort();
      }),
    ];
    await expect(aReasoner().diagnose({ ...aHistory, attachments }, caller.signal)).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(readBytes).toBeLessThan(2 * MEBIBYTE);
    await until(() => server.openCalls() === 0);
  });
});

/** The marks around the history differ from call to call. */
function withoutMarks(rawBody: string | undefined): string {
  return (rawBody ?? '').replace(/[0-9a-f]{24}/g, '');
}
