import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { scanPdf } from '../../../src/platform/file-check/pdf-scan.ts';
import { makePdf, type PdfParts, pdfStream } from '../../support/file-samples.ts';

const MEBIBYTE = 1_048_576;
const RATIO = 'the PDF has a stream that unpacks to more than 100 times its size';
const UNPACKED = 'the PDF unpacks to more than 128 MB';

function outcomeOf(...objects: readonly (string | Uint8Array)[]): string {
  try {
    scanPdf(makePdf({ objects } satisfies PdfParts));
    return 'taken';
  } catch (error) {
    return error instanceof Error ? error.message : 'something else';
  }
}

const spaces = (count: number): Buffer => Buffer.alloc(count, ' ');
const packed = deflateSync(spaces(MEBIBYTE));

/** The bytes of a base-85 text, as writers of PDFs make it. */
function toBase85(bytes: Buffer): Buffer {
  const groups: string[] = [];
  for (let at = 0; at < bytes.length; at += 4) {
    const group = Buffer.alloc(4);
    bytes.copy(group, 0, at, at + 4);
    let value = group.readUInt32BE(0);
    const digits = Array.from({ length: 5 }, () => {
      const digit = String.fromCharCode(33 + (value % 85));
      value = Math.floor(value / 85);
      return digit;
    });
    groups.push(
      digits
        .toReversed()
        .join('')
        .slice(0, Math.min(4, bytes.length - at) + 1),
    );
  }
  return Buffer.from(`${groups.join('')}~>`);
}

describe('streams that are taken', () => {
  it.each<[string, Uint8Array]>([
    ['of at most 64 kB, however regular', pdfStream('/Filter /FlateDecode', deflateSync(spaces(65_536)))],
    ['of less than 100 times its size', pdfStream('/Filter /FlateDecode', plainlyPacked(MEBIBYTE))],
    ['of a picture of white paper', pdfStream('/Type /XObject /Subtype /Image /Filter /FlateDecode', packed)],
    ['of a table of references', pdfStream('/Type /XRef /Filter /FlateDecode', deflateSync(spaces(500_000)))],
    ['that is not packed', pdfStream('', spaces(MEBIBYTE))],
    ['that only begins as if it were packed', pdfStream('', Buffer.from(`x\x9c${'no zlib'.repeat(99)}`, 'latin1'))],
  ])('a stream %s', (_name, stream) => {
    expect(outcomeOf(stream)).toBe('taken');
  });
});

describe('streams that unpack to more than 100 times their size', () => {
  it.each<[string, readonly (string | Uint8Array)[]]>([
    ['as the content of a page', [pdfStream('/Filter /FlateDecode', packed)]],
    ['as a form', [pdfStream('/Type /XObject /Subtype /Form /Filter [/FlateDecode]', packed)]],
    ['of objects', [pdfStream('/Type /ObjStm /N 1 /First 5 /Filter /FlateDecode', packed)]],
    ['of references, more than a megabyte', [pdfStream('/Type /XRef /Filter /Fl', deflateSync(spaces(2 * MEBIBYTE)))]],
    ['of references, called a picture', [pdfStream('/Type /XRef /Subtype /Image', deflateSync(spaces(2 * MEBIBYTE)))]],
    ['packed twice', [pdfStream('/Filter [/FlateDecode /FlateDecode]', deflateSync(deflateSync(spaces(MEBIBYTE))))]],
    ['written as base 85', [pdfStream('/Filter [/ASCII85Decode /FlateDecode]', toBase85(packed))]],
    ['written as hexadecimal digits', [pdfStream('/Filter [/AHx /Fl]', Buffer.from(`${packed.toString('hex')}>`))]],
    ['whose filter is in another object', [pdfStream('/Filter 1001 0 R', packed), '/FlateDecode']],
    ['after white space behind the keyword', [afterKeyword(' \t \n')]],
    ['after a comment behind the keyword', [afterKeyword('%stream\r')]],
    ['behind the word in a comment', ['(a)\n%stream\n', pdfStream('/Filter /FlateDecode', packed)]],
    ['with a damaged end', [pdfStream('/Filter /FlateDecode', damagedEnd())]],
  ])('are refused %s', (_name, objects) => {
    expect(outcomeOf(...objects)).toBe(RATIO);
  });

  it('are not refused for their regularity if all of them together are too much', () => {
    const stream = pdfStream('/Filter /FlateDecode', plainlyPacked(44 * MEBIBYTE));
    expect(outcomeOf(stream, stream)).toBe('taken');
    expect(outcomeOf(stream, stream, stream)).toBe(UNPACKED);
  });
});

/** Packed eight times smaller: letter by letter, without repetitions. */
function plainlyPacked(length: number): Buffer {
  return deflateSync(spaces(length), { strategy: constants.Z_HUFFMAN_ONLY });
}

function afterKeyword(gap: string): Buffer {
  const stream = pdfStream('/Filter /FlateDecode', packed).toString('latin1');
  return Buffer.from(stream.replace('stream\n', `stream${gap}`), 'latin1');
}

/** Much good data, then a block of a kind that there is not. */
function damagedEnd(): Buffer {
  const good = deflateRawSync(spaces(MEBIBYTE), { finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([Buffer.from([0x78, 0x9c]), good, Buffer.alloc(50, 0xff)]);
}
