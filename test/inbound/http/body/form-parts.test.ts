import { describe, expect, it } from '@jest/globals';
import { type ByteSource, splitParts } from '../../../../src/inbound/http/body/form-parts.ts';
import { fc } from '../../../support/fast-check.ts';
import { BOUNDARY, field, file, formBytes, openPart } from './form-bytes.ts';

function sourceOf(bytes: Uint8Array, cuts: readonly number[]): ByteSource {
  const ends = [...new Set([...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].toSorted((a, b) => a - b);
  let start = 0;
  return {
    next: async () => {
      const end = ends.shift();
      if (end === undefined) return undefined;
      const piece = bytes.subarray(start, end);
      start = end;
      return piece;
    },
  };
}

async function readAll(source: ByteSource, boundary: string): Promise<Buffer[]> {
  const bodies: Buffer[] = [];
  for await (const { bytes } of splitParts(source, boundary)) {
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) pieces.push(Uint8Array.from(piece));
    bodies.push(Buffer.concat(pieces));
  }
  return bodies;
}

/** Bytes that often look like a boundary without being one. */
const treacherous = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\r',
        '\n',
        '\r\n',
        '--',
        '-',
        '\r\n-',
        '\r\n--',
        '\r\n--X',
        '\r\n--x',
        '--xy',
        '\r\r\n--x',
        '\0',
      ),
      fc.string({ maxLength: 20 }),
    ),
    { maxLength: 40 },
  )
  .map((pieces) => Buffer.from(pieces.join('')))
  .filter((body) => !body.includes('--xyz'));

describe('splitting a form into parts', () => {
  it('returns every byte of every part, however the network splits the body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(treacherous, { maxLength: 5 }), fc.array(fc.nat(5_000)), async (bodies, cuts) => {
        const form = formBytes(
          bodies.map((body, index) => file(`part${index}`, 'a.bin', body)),
          'xyz',
        );
        expect(await readAll(sourceOf(form, cuts), 'xyz')).toEqual(bodies);
      }),
      { numRuns: 300 },
    );
  });

  it('returns every byte if the bytes arrive one by one', async () => {
    const bodies = ['', 'a', '\r\n', '\r\n--', 'x'.repeat(300)].map((text) => Buffer.from(text));
    const form = formBytes(bodies.map((body) => field('name', body)));
    const cuts = Array.from(form, (_, index) => index);
    expect(await readAll(sourceOf(form, cuts), BOUNDARY)).toEqual(bodies);
  });

  it('discards the rest of a part when the next one is requested', async () => {
    const form = formBytes([file('a', 'a', Buffer.alloc(500_000, 'a')), field('b', 'kept')]);
    const cuts = Array.from({ length: 60 }, (_, index) => index * 10_000);
    const seen: string[] = [];
    for await (const { headers, bytes } of splitParts(sourceOf(form, cuts), BOUNDARY)) {
      for await (const piece of bytes) {
        seen.push(`${headers['content-disposition']} ${piece.length > 0}`);
        break;
      }
    }
    expect(seen).toEqual(['form-data; name="a"; filename="a" true', 'form-data; name="b" true']);
  });

  it('requests no byte before a part is read', async () => {
    let asked = 0;
    const source = sourceOf(formBytes([file('a', 'a', Buffer.alloc(500_000))]), [10_000, 20_000, 30_000]);
    const parts = splitParts({ next: () => source.next().finally(() => (asked += 1)) }, BOUNDARY);
    await parts.next();
    expect(asked).toBe(1);
  });

  const complete = formBytes([field('a', 'text'), file('b', 'b', 'bytes')]);
  it.each([
    ['is empty', Buffer.alloc(0)],
    ['has no boundary in it', Buffer.from('no form at all')],
    ['ends before its closing boundary', complete.subarray(0, -4 - BOUNDARY.length)],
    ['ends within its closing boundary', complete.subarray(0, -6)],
    ['ends within the bytes of a part', complete.subarray(0, complete.indexOf('bytes') + 2)],
    ['ends within the headers of a part', complete.subarray(0, complete.indexOf('filename'))],
    [
      'has a part that ends within its headers',
      Buffer.concat([Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data\r\n`), complete]),
    ],
    [
      'has a last part that ends within its headers',
      Buffer.concat([
        openPart(field('a', 'b')),
        Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data\r\n--${BOUNDARY}--\r\n`),
      ]),
    ],
  ])('refuses a body that %s', async (_title, body) => {
    for (const cuts of [[], Array.from(body, (_, index) => index)]) {
      await expect(readAll(sourceOf(body, cuts), BOUNDARY)).rejects.toMatchObject({ code: 'invalidRequest' });
    }
  });

  it('ignores bytes before the first and after the last boundary', async () => {
    const form = Buffer.concat([
      Buffer.from('before\r\n'),
      formBytes([field('a', 'text')]),
      Buffer.alloc(200_000, 'z'),
    ]);
    expect(await readAll(sourceOf(form, [100_000]), BOUNDARY)).toEqual([Buffer.from('text')]);
  });

  it('throws the error of the source unchanged in the middle of a part', async () => {
    const source = sourceOf(formBytes([file('a', 'a', Buffer.alloc(500_000))]), [1_000]);
    const broken = new Error('gone');
    let calls = 0;
    const next = async () => {
      calls += 1;
      if (calls > 1) throw broken;
      return source.next();
    };
    await expect(readAll({ next }, BOUNDARY)).rejects.toBe(broken);
  });
});
