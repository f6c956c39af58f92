// Hostile images and PDFs, sent to a whole engine. All of them are 400 for a diagnosis, with the file and the reason in the message.
import { describe, expect, it } from '@jest/globals';
import { field, file, formBytes } from '../inbound/http/body/form-bytes.ts';
import {
  jpegSegment,
  makeGif,
  makeJpeg,
  makePdf,
  makePng,
  makeWebp,
  makeZip,
  pngChunk,
  slowPdf,
} from '../support/file-samples.ts';
import { FILES_PATHS, formPieces, HISTORY, openTarget } from '../support/journey-hostile.ts';
import { openedForFile } from '../support/opened-for-file.ts';

const target = openedForFile(openTarget);

const MEBIBYTE = 1_048_576;
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const jpeg = makeJpeg({ width: 2_000, height: 1_000 });

const UNSUPPORTED = 'unsupported file type';
const ACTIVE = 'scripts, launch actions or embedded files';

const LIES: readonly (readonly [string, string, Uint8Array | string, string])[] = [
  ['HTML as image/png', 'a.png', '<!doctype html><script>alert(1)</script>', UNSUPPORTED],
  ['a program as PDF', 'a.pdf', Buffer.concat([Buffer.from('MZ\x90\0', 'latin1'), Buffer.alloc(600)]), UNSUPPORTED],
  ['SVG', 'a.svg', SVG, UNSUPPORTED],
  ['SVG as PNG', 'a.png', `<?xml version="1.0"?>${SVG}`, UNSUPPORTED],
  ['a PNG that is a ZIP archive too', 'a.png', Buffer.concat([makePng(), makeZip()]), 'behind its end'],
  ['a JPEG that is a ZIP archive too', 'a.jpg', Buffer.concat([makeJpeg(), makeZip()]), 'more than one kind'],
  ['a PDF with a script', 'a.pdf', makePdf({ javascript: true }), ACTIVE],
  ['a file of 0 bytes', 'a.png', '', 'is empty'],
];

const IMAGES: readonly (readonly [string, Uint8Array, string])[] = [
  ['a PNG of 50,000 by 50,000', makePng({ claims: { width: 50_000, height: 50_000 } }), 'megapixels'],
  ['a GIF of 50,000 by 50,000', makeGif({ width: 50_000, height: 50_000 }), 'megapixels'],
  ['a WebP of 16,000 by 16,000', makeWebp({ width: 16_000, height: 16_000 }), 'megapixels'],
  ['a GIF of 10,000 frames', makeGif({ frames: 10_000 }), 'frames'],
  ['a JPEG cut in half', jpeg.subarray(0, jpeg.length / 2), 'cut or damaged'],
  ['an EXIF bomb', makeJpeg({ segments: Array(70).fill(jpegSegment(0xe1, Buffer.alloc(65_000))) }), 'metadata'],
  ['4 MB of metadata in a PNG', makePng({ chunks: [pngChunk('eXIf', Buffer.alloc(4 * MEBIBYTE))] }), 'metadata'],
];

const PDFS: readonly (readonly [string, Uint8Array, string])[] = [
  ['an encrypted PDF', makePdf({ encrypted: true }), 'encrypted'],
  ['a PDF of 10,000 pages', makePdf({ pages: 10_000 }), '200 pages'],
  ['a PDF of 10,000 pages that claims one', makePdf({ pages: 10_000, claimedPages: 1 }), '200 pages'],
  ['an object-stream bomb', makePdf({ objectStreamBomb: true }), 'unpacks to more'],
  ['a recursive page tree', makePdf({ recursivePages: true }), 'cannot be read'],
  ['a PDF with /JavaScript', makePdf({ javascript: true }), ACTIVE],
  ['a PDF with /Launch', makePdf({ launch: true }), ACTIVE],
  ['a PDF with /EmbeddedFile', makePdf({ embeddedFile: true }), ACTIVE],
  ['a loop of cross-references', makePdf({ xrefLoop: true }), 'cut or damaged'],
  ['a PDF that takes 3 GB to read', makePdf({ packed: true, xrefBombBytes: 3_000_000_000 }), 'unpacks to more'],
];

describe.each(FILES_PATHS)('hostile files at %s', (path) => {
  const refuse = async (name: string, bytes: Uint8Array | string): Promise<string> => {
    const form = formBytes([field('clinical_history', HISTORY), file('files', name, bytes)]);
    const { messages } = await target.expectRefusal(400, ...formPieces({ path, key: target.key }, form));
    expect(messages.split('\n')).toHaveLength(1);
    expect(messages.startsWith(`${name}: `)).toBe(true);
    return messages;
  };

  it.each(LIES)('a file that is %s is 400', async (_title, name, bytes, reason) => {
    expect(await refuse(name, bytes)).toContain(reason);
  });

  it.each(IMAGES)('an image that is %s is 400', async (_title, bytes, reason) => {
    expect(await refuse('scan', bytes)).toContain(reason);
  });

  it.each(PDFS)('a PDF that is %s is 400', async (_title, bytes, reason) => {
    expect(await refuse('letter.pdf', bytes)).toContain(reason);
  });

  it('a PDF of three kilobytes whose pages share thousands of annotations is 400 for its processor time', async () => {
    expect(await refuse('letter.pdf', slowPdf())).toContain('processor time');
  }, 90_000);

  it('a file with one byte more than the limit is 400, and its client gets the answer', async () => {
    const limit = path === '/diagnose' ? 20 : 10;
    expect(await refuse('scan.png', makePng({ padTo: limit * MEBIBYTE + 1 }))).toContain(`${limit} MB`);
  });

  it('a form whose Content-Length is far too large is 400 before a byte of its body has arrived', async () => {
    const [head] = formPieces({ path, key: target.key }, Buffer.alloc(0));
    await target.expectRefusal(400, head.replace('Content-Length: 0', 'Content-Length: 99999999999'));
  });

  it('the error for several invalid files names each of them, and no valid file', async () => {
    const form = formBytes([
      file('files', 'a.pdf', makePdf({ launch: true })),
      file('files', 'good.pdf', makePdf()),
      file('files', 'b.gif', makeGif({ frames: 501 })),
      file('files', 'c.exe', 'MZ'),
    ]);
    const { messages } = await target.expectRefusal(400, ...formPieces({ path, key: target.key }, form));
    expect(messages.split('\n').map((line) => line.split(':')[0])).toEqual(['a.pdf', 'b.gif', 'c.exe']);
  });
});

describe('an engine after hostile files', () => {
  it('an engine is unharmed after all hostile files, and no process that reads PDFs is left', () =>
    target.expectUnharmed());
});
