// The bad-input list, part F, against a whole engine: images and PDFs that are not what they seem (80, 84 to 87). All of it
// is 400 for a diagnosis, with the file and the reason in the message.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
} from '../support/file-samples.ts';
import { FILES_PATHS, formPieces, HISTORY, openTarget, type Target } from '../support/journey-hostile.ts';

let target: Target;

beforeAll(async () => {
  target = await openTarget();
});
afterAll(() => target?.close());

const MEBIBYTE = 1_048_576;
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const jpeg = makeJpeg({ width: 2_000, height: 1_000 });

const UNSUPPORTED = 'unsupported file type';
const ACTIVE = 'scripts, launch actions or embedded files';

const LIES: readonly (readonly [string, string, Uint8Array | string, string])[] = [
  ['F84 HTML as image/png', 'a.png', '<!doctype html><script>alert(1)</script>', UNSUPPORTED],
  ['F84 a program as PDF', 'a.pdf', Buffer.concat([Buffer.from('MZ\x90\0', 'latin1'), Buffer.alloc(600)]), UNSUPPORTED],
  ['F84 SVG', 'a.svg', SVG, UNSUPPORTED],
  ['F84 SVG as PNG', 'a.png', `<?xml version="1.0"?>${SVG}`, UNSUPPORTED],
  ['F84 a PNG that is a ZIP archive too', 'a.png', Buffer.concat([makePng(), makeZip()]), 'behind its end'],
  ['F84 a JPEG that is a ZIP archive too', 'a.jpg', Buffer.concat([makeJpeg(), makeZip()]), 'more than one kind'],
  ['F84 a PDF with a script', 'a.pdf', makePdf({ javascript: true }), ACTIVE],
  ['F85 a file of 0 bytes', 'a.png', '', 'is empty'],
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
  ['a PDF that takes 3 GB to read', makePdf({ packed: true, xrefBombBytes: 3_000_000_000 }), 'PDF'],
];

describe.each(FILES_PATHS)('F. files at %s', (path) => {
  const refuse = async (name: string, bytes: Uint8Array | string): Promise<string> => {
    const form = formBytes([field('clinical_history', HISTORY), file('files', name, bytes)]);
    const { messages } = await target.expectRefusal(400, ...formPieces({ path, key: target.key }, form));
    expect(messages.split('\n')).toHaveLength(1);
    expect(messages.startsWith(`${name}: `)).toBe(true);
    return messages;
  };

  it.each(LIES)('%s is 400', async (_title, name, bytes, reason) => {
    expect(await refuse(name, bytes)).toContain(reason);
  });

  it.each(IMAGES)('F86 %s is 400', async (_title, bytes, reason) => {
    expect(await refuse('scan', bytes)).toContain(reason);
  });

  it.each(PDFS)('F87 %s is 400', async (_title, bytes, reason) => {
    expect(await refuse('letter.pdf', bytes)).toContain(reason);
  });

  it('F80 a file of one byte too many is 400, and the client gets its answer', async () => {
    const limit = path === '/diagnose' ? 20 : 10;
    expect(await refuse('scan.png', makePng({ padTo: limit * MEBIBYTE + 1 }))).toContain(`${limit} MB`);
  });

  it('F80 a body that says beforehand that it is far too large is 400 before a byte of it has come', async () => {
    const [head] = formPieces({ path, key: target.key }, Buffer.alloc(0));
    await target.expectRefusal(400, head.replace('Content-Length: 0', 'Content-Length: 99999999999'));
  });

  it('F84 F87 where several files are bad, each is named, and a good one is not', async () => {
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

describe('after all of it', () => {
  it('the engine is as it was, and no process that reads PDFs is left', () => target.expectUnharmed());
});
