// The hash of a body: the same for the same form with another boundary, and another for any other form, also if not all of it was read.
import { describe, expect, it } from '@jest/globals';
import { BodyPrint } from '../../../../src/inbound/http/body/body-print.ts';
import { splitParts } from '../../../../src/inbound/http/body/form-parts.ts';

type Part = readonly [disposition: string, content: string];

const HISTORY: Part = ['name="clinical_history"', 'fever'];
const FILE: Part = ['name="files"; filename="a.png"', 'picture'.repeat(10_000)];

function formOf(parts: readonly Part[], boundary: string): Buffer {
  const written = parts.map(
    ([disposition, content]) => `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`,
  );
  return Buffer.from(`${written.join('')}--${boundary}--\r\n`);
}

type Reading = 'all' | 'none' | 'some';

async function printOf(parts: readonly Part[], reading: Reading = 'all', boundary = 'one', pieceBytes = 1_000) {
  const body = formOf(parts, boundary);
  let at = 0;
  const next = async () => {
    const piece = body.subarray(at, at + pieceBytes);
    at += pieceBytes;
    return piece.length > 0 ? piece : undefined;
  };
  const print = new BodyPrint();
  expect(print.digest).toBeUndefined();
  for await (const { bytes } of splitParts({ next }, boundary, print)) {
    if (reading === 'some') await bytes.next();
    if (reading === 'all') for await (const _ of bytes);
    expect(print.digest).toBeUndefined();
  }
  return print.digest;
}

describe('the hash of a form', () => {
  it('is the same with another boundary, in other pieces, and if a part is skipped', async () => {
    const digest = await printOf([HISTORY, FILE]);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(await printOf([HISTORY, FILE], 'all', 'another-boundary')).toBe(digest);
    expect(await printOf([HISTORY, FILE], 'all', 'one', 77)).toBe(digest);
    expect(await printOf([HISTORY, FILE], 'none')).toBe(digest);
    expect(await printOf([HISTORY, FILE], 'some')).toBe(digest);
  });

  it.each<[string, readonly Part[]]>([
    ['another text', [['name="clinical_history"', 'Fever'], FILE]],
    ['another name of a field', [['name="language"', 'fever'], FILE]],
    ['another name of the file', [HISTORY, ['name="files"; filename="b.png"', FILE[1]]]],
    ['one byte less', [HISTORY, [FILE[0], FILE[1].slice(1)]]],
    ['another order', [FILE, HISTORY]],
    ['a part more', [HISTORY, FILE, ['name="language"', '']]],
    ['no file', [HISTORY]],
  ])('is another with %s', async (_, parts) => {
    expect(await printOf(parts)).not.toBe(await printOf([HISTORY, FILE]));
  });
});
