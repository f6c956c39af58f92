import { describe, expect, it } from '@jest/globals';
import type { Attachment } from '../../../src/domain/diagnosis/attachment.ts';
import { makeQuestionBody } from '../../../src/outbound/openai/question-body.ts';
import { fc } from '../../support/fast-check.ts';

function anAttachment(bytes: Uint8Array, chunkSizes: readonly number[] = []): Attachment {
  return {
    type: 'image/png',
    sizeBytes: bytes.length,
    open: async function* () {
      let start = 0;
      for (const size of chunkSizes) {
        yield bytes.subarray(start, start + size);
        start += size;
      }
      if (start < bytes.length) yield bytes.subarray(start);
    },
  };
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(Uint8Array.from(chunk));
  return Buffer.concat(parts).toString();
}

describe('The bytes of a request to the model', () => {
  it('are the JSON with each attachment in base64, of the announced length, however the bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat(40), { maxLength: 8 })), { maxLength: 5 }),
        fc.string({ unit: 'grapheme' }),
        async (files, history) => {
          const placed = files.map(
            ([bytes, sizes], index) => [`bytes-of-${index}`, anAttachment(bytes, sizes)] as const,
          );
          const message = (urls: readonly string[]) => JSON.stringify({ history, urls, end: true });
          const body = makeQuestionBody(message(placed.map(([placeholder]) => placeholder)), new Map(placed));
          const expected = message(files.map(([bytes]) => Buffer.from(bytes).toString('base64')));
          expect(await collect(body.open())).toBe(expected);
          expect(body.sizeBytes).toBe(Buffer.byteLength(expected));
          // The body can be sent again.
          expect(await collect(body.open())).toBe(expected);
        },
      ),
    );
  });

  it('are sent in small pieces, even if a file is read in one', async () => {
    const bytes = new Uint8Array(1_048_576).fill(7);
    const body = makeQuestionBody('"here"', new Map([['here', anAttachment(bytes)]]));
    let largest = 0;
    for await (const chunk of body.open()) largest = Math.max(largest, chunk.length);
    expect(largest).toBeLessThanOrEqual(65_536);
  });

  it('are read from a file only as far as they are requested', async () => {
    let readBytes = 0;
    const file: Attachment = {
      type: 'image/png',
      sizeBytes: 20 * 1_048_576,
      open: async function* () {
        for (;;) {
          readBytes += 65_536;
          yield new Uint8Array(65_536);
        }
      },
    };
    const body = makeQuestionBody('"here"', new Map([['here', file]]));
    let wanted = 0;
    for await (const chunk of body.open()) {
      wanted += chunk.length;
      expect(readBytes).toBeLessThanOrEqual(wanted + 65_536);
      if (wanted > 1_048_576) break;
    }
  });

  it('are correct even if a file is read into the same buffer each time', async () => {
    const buffer = new Uint8Array(4);
    const file: Attachment = {
      type: 'image/png',
      sizeBytes: 12,
      open: async function* () {
        for (const value of [1, 2, 3]) yield buffer.fill(value);
      },
    };
    const body = makeQuestionBody('"here"', new Map([['here', file]]));
    expect(await collect(body.open())).toBe(
      `"${Buffer.from([1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]).toString('base64')}"`,
    );
  });

  it.each([
    ['shorter', 900],
    ['longer', 1100],
  ])('break off if a file is %s than announced, and are never more than announced', async (_, sizeBytes) => {
    const file = { ...anAttachment(new Uint8Array(1000), [300, 300]), sizeBytes };
    const body = makeQuestionBody('"here"', new Map([['here', file]]));
    let sentBytes = 0;
    const sent = async () => {
      for await (const chunk of body.open()) sentBytes += chunk.length;
    };
    await expect(sent()).rejects.toMatchObject({ name: 'AppError', code: 'internal' });
    expect(sentBytes).toBeLessThanOrEqual(body.sizeBytes);
  });
});
