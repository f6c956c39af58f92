import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { openPdf } from '../../../src/platform/file-check/pdf-open.ts';
import { makePdf, type PdfParts, pdfStream } from '../../support/file-samples.ts';

const FILE = '<< /Type /Filespec /F (a.txt) /EF << /F 1000 0 R >> >>';

async function outcomeOf(parts: PdfParts): Promise<string> {
  try {
    await openPdf(new Uint8Array(makePdf(parts)));
    return 'taken';
  } catch (error) {
    return error instanceof Error ? error.message : 'something else';
  }
}

describe('the second look at a PDF, through the parser', () => {
  it.each<[string, PdfParts]>([
    ['of one page', {}],
    ['of 200 packed pages', { pages: 200, packed: true }],
    ['that opens at a place', { catalog: '/OpenAction [3 0 R /Fit]' }],
  ])('takes a PDF %s', async (_name, parts) => {
    expect(await outcomeOf(parts)).toBe('taken');
  });

  it.each<[string, PdfParts]>([
    ['a script when it is opened', { javascript: true }],
    ['a packed script', { javascript: true, packed: true }],
    ['a script when it is closed', { catalog: '/AA << /WC << /S /JavaScript /JS (1) >> >>' }],
    ['a script of a page', { page: '/AA << /O << /S /JavaScript /JS (1) >> >>' }],
    [
      'a script of a field',
      { page: annotation('/Subtype /Widget /FT /Tx /T (a) /AA << /K << /S /JavaScript /JS (1) >> >>') },
    ],
    [
      'a file',
      { catalog: `/Names << /EmbeddedFiles << /Names [(a) ${FILE}] >> >>`, objects: [pdfStream('', Buffer.from('a'))] },
    ],
    [
      'a file on a page',
      { page: annotation(`/Subtype /FileAttachment /FS ${FILE}`), objects: [pdfStream('', Buffer.from('a'))] },
    ],
  ])('refuses a PDF with %s', async (_name, parts) => {
    expect(await outcomeOf(parts)).toBe('the PDF holds scripts, launch actions or embedded files');
  });

  it('refuses a PDF that needs a password', async () => {
    expect(await outcomeOf({ encrypted: true })).toBe('the PDF is encrypted');
  });

  it('refuses a PDF that is encrypted, but opens without a password', async () => {
    expect(await outcomeOf({ trailer: `/Encrypt ${openEncryption()}` })).toBe('the PDF is encrypted');
  });

  it('refuses a PDF of 201 pages and one of none', async () => {
    expect(await outcomeOf({ pages: 201 })).toBe('the PDF has more than 200 pages');
    expect(await outcomeOf({ pages: 0 })).toBe('the PDF has no pages');
  });
});

function annotation(entries: string): string {
  return `/Annots [<< /Type /Annot /Rect [0 0 9 9] ${entries} >>]`;
}

/** RC4 with 40 bits and an empty password: the padding of the standard, encrypted with the key made of it. */
function openEncryption(): string {
  const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
  const owner = Buffer.alloc(32, 0x5a);
  const permissions = Buffer.from([0xd4, 0xff, 0xff, 0xff]);
  const id = Buffer.alloc(16, 0x11);
  const key = createHash('md5').update(padding).update(owner).update(permissions).update(id).digest().subarray(0, 5);
  const user = rc4(key, padding).toString('hex');
  return `<< /Filter /Standard /V 1 /R 2 /P -44 /O <${owner.toString('hex')}> /U <${user}> >>`;
}

function rc4(key: Uint8Array, data: Uint8Array): Buffer {
  const state = Array.from({ length: 256 }, (_, index) => index);
  const at = (index: number) => state[index & 255] ?? 0;
  const swap = (a: number, b: number) => {
    const kept = at(a);
    state[a & 255] = at(b);
    state[b & 255] = kept;
  };
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 255;
    swap(i, j);
  }
  let j = 0;
  return Buffer.from(
    data.map((byte, index) => {
      const i = (index + 1) & 255;
      j = (j + at(i)) & 255;
      swap(i, j);
      return byte ^ at(at(i) + at(j));
    }),
  );
}
