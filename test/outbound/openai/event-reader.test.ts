import { describe, expect, it } from '@jest/globals';
import { EventReader, type ServerEvent } from '../../../src/outbound/openai/event-reader.ts';
import { fc } from '../../support/fast-check.ts';

const event = (data: string, name = ''): ServerEvent => ({ name, data });

function readAll(chunks: readonly (string | Uint8Array)[]): readonly ServerEvent[] {
  const reader = new EventReader();
  return chunks.flatMap((chunk) => reader.read(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
}

/** The bytes in pieces that end at these places. */
function cutAt(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

describe('The reader of Server-Sent Events', () => {
  it.each([
    ['one event', 'data: a\n\n', [event('a')]],
    ['two events', 'data: a\n\ndata: b\n\n', [event('a'), event('b')]],
    [
      'an event with a name, and forgets the name',
      'event: error\ndata: a\n\ndata: b\n\n',
      [event('a', 'error'), event('b')],
    ],
    ['several lines of data', 'data: a\ndata:\ndata: b\n\n', [event('a\n\nb')]],
    ['data without a blank behind the colon', 'data:{"a":1}\n\n', [event('{"a":1}')]],
    ['data with blanks of its own', 'data:   a \n\n', [event('  a ')]],
    ['data with colons', 'data: a: b\n\n', [event('a: b')]],
    ['a field without a colon', 'data\n\n', [event('')]],
    ['a name without data', 'event: ping\n\n', [event('', 'ping')]],
    ['comments, unknown fields and empty lines', ': a\n\n\nid: 1\nretry: 2\ndatabase: 3\n\ndata: b\n\n', [event('b')]],
    ['carriage returns with line feeds', 'data: a\r\n\r\ndata: b\r\n\r\n', [event('a'), event('b')]],
    ['carriage returns alone', 'data: a\r\rdata: b\r\r', [event('a'), event('b')]],
    ['line ends of all kinds', 'data: a\r\ndata: b\rdata: c\n\r\ndata: d\n\r', [event('a\nb\nc'), event('d')]],
    ['a byte order mark', '\ufeffdata: a\n\n', [event('a')]],
    ['nothing', '', []],
    ['no event that lacks its empty line', 'data: a\n', []],
    ['no event that lacks its line end', 'data: a\n\ndata: b', [event('a')]],
  ])('reads %s', (_, text, events) => {
    expect(readAll([text])).toEqual(events);
  });

  it('returns an event with the chunk that completes it', () => {
    const reader = new EventReader();
    const chunks = ['data: a', '\n', '\ndata: b\n\ndata:', ' c\n\n', ''];
    expect(chunks.map((chunk) => reader.read(Buffer.from(chunk)))).toEqual([
      [],
      [],
      [event('a'), event('b')],
      [event('c')],
      [],
    ]);
  });

  it('takes a line end that is cut in two for one', () => {
    expect(readAll(['data: a\r', '\ndata: b\r', '\n\r', '\n'])).toEqual([event('a\nb')]);
  });

  it('reads characters that are cut in two, and replaces bytes that are none', () => {
    const bytes = Buffer.from('data: ñ€🫀\n\n');
    expect(readAll(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual([event('ñ€🫀')]);
    expect(readAll([Buffer.from([...Buffer.from('data: '), 0xff, 0xc3, ...Buffer.from('a\n\n')])])).toEqual([
      event('\ufffd\ufffda'),
    ]);
  });

  it('reads the same events wherever the bytes are cut', () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme' }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
      fc.constantFrom('', '', ': comment', 'event: error', 'data', 'id: 1'),
    );
    const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
    const body = fc.array(fc.tuple(line, lineEnd).map(([text, end]) => text + end)).map((lines) => lines.join(''));
    fc.assert(
      fc.property(body, fc.array(fc.nat()), (text, places) => {
        const bytes = Buffer.from(text);
        expect(readAll(cutAt(bytes, places))).toEqual(readAll([bytes]));
      }),
    );
  });

  it('reads a line of megabytes in many pieces', () => {
    const piece = 'a'.repeat(1024);
    const pieces = Array.from({ length: 8 * 1024 }, () => piece);
    const [read, ...others] = readAll(['data: ', ...pieces, '\n\n']);
    expect(others).toEqual([]);
    expect(read?.data.length).toBe(pieces.length * piece.length);
  });
});
