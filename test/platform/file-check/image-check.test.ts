import { deflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { ATTACHMENT_TYPES } from '../../../src/domain/diagnosis/attachment.ts';
import { makeAttachmentCheck } from '../../../src/platform/file-check/attachment-check.ts';
import { FILE_TYPES } from '../../../src/platform/file-check/signatures.ts';
import { fc } from '../../support/fast-check.ts';
import { aFileRequest } from '../../support/file-requests.ts';
import {
  asFile,
  jpegSegment,
  makeGif,
  makeJpeg,
  makePng,
  makeWebp,
  makeZip,
  pngChunk,
  riffChunk,
} from '../../support/file-samples.ts';

const MEBIBYTE = 1_048_576;
const UNSUPPORTED = 'unsupported file type; JPG, JPEG, PNG, WEBP, GIF and PDF are taken';
const DAMAGED = 'the image is cut or damaged';
const TWO_KINDS = 'the file is more than one kind of file at once';
const TRAILER = 'the image has other data behind its end';
const METADATA = 'the image has more than 4 MB of metadata';

const checkAttachment = makeAttachmentCheck();

async function reasonFor(bytes: Uint8Array, pieceBytes?: number): Promise<string> {
  const verdict = await checkAttachment(asFile(bytes, pieceBytes), aFileRequest());
  return verdict.ok ? verdict.type : verdict.reason;
}

const VALID = {
  'image/png': makePng({ width: 20, height: 10 }),
  'image/jpeg': makeJpeg({ width: 60, height: 40, scans: 2 }),
  'image/gif': makeGif({ frames: 3, comment: Buffer.from('made up') }),
  'image/webp': makeWebp({ frames: 2, metadata: Buffer.from('made up') }),
} as const;

describe('images that are accepted', () => {
  it('knows the same kinds of files as the interface', () => {
    expect(FILE_TYPES).toEqual(ATTACHMENT_TYPES);
  });

  it.each(Object.entries(VALID))('takes a valid %s by its content', async (type, bytes) => {
    expect(await reasonFor(bytes)).toBe(type);
  });

  it.each(Object.entries(VALID))('takes a valid %s that arrives byte by byte', async (type, bytes) => {
    expect(await reasonFor(bytes, 1)).toBe(type);
  });

  it('takes plain WebP, a WebP with metadata, and a JPEG with a progressive look of ten scans', async () => {
    expect(await reasonFor(makeWebp({ width: 9999, height: 3000 }))).toBe('image/webp');
    expect(await reasonFor(makeWebp({ metadata: Buffer.from('abc') }))).toBe('image/webp');
    expect(await reasonFor(makeJpeg({ scans: 10 }))).toBe('image/jpeg');
  });

  it('takes images of exactly 10 and 20 megabytes', async () => {
    const png = makePng({ padTo: 20 * MEBIBYTE });
    const jpeg = makeJpeg({ padTo: 10 * MEBIBYTE });
    expect([png.length, jpeg.length]).toEqual([20 * MEBIBYTE, 10 * MEBIBYTE]);
    expect(await reasonFor(png)).toBe('image/png');
    expect(await reasonFor(jpeg)).toBe('image/jpeg');
  });

  it('takes an image at the limits: 40 megapixels, 12,000 pixels a side, 500 frames', async () => {
    expect(await reasonFor(makePng({ claims: { width: 8000, height: 5000 } }))).toBe('image/png');
    expect(await reasonFor(makePng({ claims: { width: 12_000, height: 3333 } }))).toBe('image/png');
    expect(await reasonFor(makeGif({ frames: 500 }))).toBe('image/gif');
    expect(await reasonFor(makePng({ frames: 500 }))).toBe('image/png');
    expect(await reasonFor(makeWebp({ frames: 500 }))).toBe('image/webp');
  });

  it('takes NULs behind an image, as storage in blocks leaves them, also many', async () => {
    for (const [type, bytes] of Object.entries(VALID)) {
      expect(await reasonFor(Buffer.concat([bytes, Buffer.alloc(300_000)]))).toBe(type);
    }
  });

  it('takes a JPEG with a second picture or a short film of a phone after it', async () => {
    const film = Buffer.concat([Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0isommp42', 'latin1'), Buffer.alloc(9000, 7)]);
    expect(await reasonFor(Buffer.concat([makeJpeg(), makeJpeg()]))).toBe('image/jpeg');
    expect(await reasonFor(Buffer.concat([makeJpeg(), film]))).toBe('image/jpeg');
  });

  it('takes metadata that unpacks to little', async () => {
    const profile = pngChunk('iCCP', Buffer.concat([Buffer.from('p\0\0', 'latin1'), deflateSync(Buffer.alloc(3000))]));
    const text = pngChunk('iTXt', Buffer.from('Comment\0\0\0en\0\0made up', 'latin1'));
    expect(await reasonFor(makePng({ chunks: [profile, text] }))).toBe('image/png');
  });
});

describe('files whose type is a lie', () => {
  it.each([
    ['HTML named as an image', Buffer.from('<!doctype html><html><body>no image</body></html>')],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>')],
    ['an XML prologue with an SVG', Buffer.from('<?xml version="1.0"?><svg></svg>')],
    ['a Windows program', Buffer.concat([Buffer.from('MZ\x90\0', 'latin1'), Buffer.alloc(500)])],
    ['a Linux program', Buffer.concat([Buffer.from('\x7fELF', 'latin1'), Buffer.alloc(500)])],
    ['a ZIP archive', makeZip()],
    ['a BMP', Buffer.concat([Buffer.from('BM'), Buffer.alloc(100)])],
    ['a TIFF', Buffer.from('II*\0\x08\0\0\0', 'latin1')],
    ['a HEIC', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1')],
    ['plain text', Buffer.from('a history of headache')],
    ['a WAV', Buffer.from('RIFF\x24\0\0\0WAVEfmt ', 'latin1')],
  ])('refuses %s', async (_name, bytes) => {
    expect(await reasonFor(bytes)).toBe(UNSUPPORTED);
  });

  it('refuses a PNG with a ZIP archive behind it', async () => {
    expect(await reasonFor(Buffer.concat([makePng(), makeZip()]))).toBe(TRAILER);
  });

  it.each([
    ['PNG', makePng({ chunks: [pngChunk('teXt', makeZip())] })],
    ['JPEG', makeJpeg({ segments: [jpegSegment(0xfe, makeZip())] })],
    ['GIF', makeGif({ comment: makeZip() })],
    ['WebP', makeWebp({ metadata: makeZip() })],
  ])('refuses a %s that holds a ZIP archive where images hold notes', async (_name, bytes) => {
    expect(await reasonFor(bytes)).toBe(TWO_KINDS);
    expect(await reasonFor(bytes, 7)).toBe(TWO_KINDS);
  });

  it.each([
    ['a ZIP archive', makeZip()],
    ['a web page', Buffer.from('\n<HTML><script>1</script>')],
    ['a PDF', Buffer.from('%PDF-1.7\n')],
    ['a program', Buffer.concat([Buffer.from('MZ'), Buffer.alloc(200)])],
  ])('refuses a JPEG with %s behind it', async (_name, bytes) => {
    expect(await reasonFor(Buffer.concat([makeJpeg(), Buffer.alloc(5), bytes]))).toBe(TWO_KINDS);
  });

  it('refuses a ZIP archive far behind the end of a JPEG', async () => {
    expect(await reasonFor(Buffer.concat([makeJpeg(), Buffer.alloc(200_000, 1), makeZip()]))).toBe(TWO_KINDS);
  });

  it('refuses a ZIP archive wherever in the last 64 KiB of a long file its end record lies', async () => {
    const zip = makeZip();
    for (let length = 131_000; length < 131_040; length += 1) {
      const padding = Buffer.alloc(length - makeJpeg().length, 1);
      expect(await reasonFor(Buffer.concat([makeJpeg(), padding, zip, Buffer.alloc(100)]))).toBe(TWO_KINDS);
    }
  });

  it('takes an image that has the four letters of an archive by chance', async () => {
    const chance = Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(40, 0x21)]);
    expect(await reasonFor(makeJpeg({ segments: [jpegSegment(0xfe, chance)] }))).toBe('image/jpeg');
  });

  it('refuses an image that a PDF reader would open', async () => {
    const bytes = makeJpeg({ segments: [jpegSegment(0xfe, Buffer.from('%PDF-1.4 hello'))] });
    expect(await reasonFor(bytes)).toBe(TWO_KINDS);
  });

  it.each([
    ['PNG', VALID['image/png']],
    ['GIF', VALID['image/gif']],
    ['WebP', VALID['image/webp']],
  ])('refuses a %s with a script behind it, also behind much padding', async (_name, bytes) => {
    expect(await reasonFor(Buffer.concat([bytes, Buffer.from('alert(1)')]))).toBe(TRAILER);
    expect(await reasonFor(Buffer.concat([bytes, Buffer.alloc(70_000), Buffer.from('x')]))).toBe(TRAILER);
  });
});

describe('files that are empty, cut or damaged', () => {
  it('refuses a file of 0 bytes', async () => {
    expect(await reasonFor(Buffer.alloc(0))).toBe('the file is empty');
  });

  it('refuses a JPEG cut in half', async () => {
    const bytes = makeJpeg({ width: 2000, height: 1000 });
    expect(await reasonFor(bytes.subarray(0, bytes.length / 2))).toBe(DAMAGED);
  });

  it.each(Object.entries(VALID))('refuses every beginning of a valid %s', async (_type, bytes) => {
    for (let length = 0; length < bytes.length; length += 1) {
      expect((await checkAttachment(asFile(bytes.subarray(0, length)), aFileRequest())).ok).toBe(false);
    }
  });

  it.each(['IHDR', 'IDAT', 'IEND'])('refuses a PNG with one bit changed in its %s', async (chunk) => {
    const bytes = Buffer.from(makePng());
    const at = bytes.indexOf(chunk) + 6;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    expect(await reasonFor(bytes)).toBe(DAMAGED);
  });

  it.each([
    ['a PNG without pixels', Buffer.concat([makePng().subarray(0, 33), pngChunk('IEND', Buffer.alloc(0))])],
    ['a PNG with an unknown chunk that must be understood', makePng({ chunks: [pngChunk('EVIL', Buffer.alloc(4))] })],
    ['a PNG with two headers', makePng({ chunks: [makePng().subarray(8, 33)] })],
    ['a PNG without a header', Buffer.concat([makePng().subarray(0, 8), makePng().subarray(33)])],
    ['a JPEG without pixels', Buffer.from([0xff, 0xd8, 0xff, 0xd9])],
    ['a JPEG with 501 scans', makeJpeg({ scans: 501 })],
    ['a GIF without a frame', makeGif({ frames: 0 })],
    ['a GIF of no width', makeGif({ frame: { width: 0, height: 1 } })],
    ['a WebP that goes on behind the length that it claims', shorterClaim(makeWebp())],
    ['a WebP with a second picture', withRiffLength(makeWebp(), makeWebp().subarray(12))],
    [
      'a WebP without a picture',
      withRiffLength(Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'), riffChunk('EXIF', Buffer.alloc(9))),
    ],
  ])('refuses %s', async (_name, bytes) => {
    expect(await reasonFor(bytes)).toBe(DAMAGED);
  });

  it('never fails on random bytes, also behind the beginning of an image', async () => {
    const beginnings = Object.values(VALID).flatMap((bytes) =>
      [0, 8, 16, 40].map((length) => bytes.subarray(0, length)),
    );
    const files = fc.tuple(fc.constantFrom(...beginnings), fc.uint8Array({ maxLength: 400 }));
    await fc.assert(
      fc.asyncProperty(files, async (parts) => {
        const verdict = await checkAttachment(asFile(Buffer.concat(parts), 50), aFileRequest());
        expect(verdict.ok).toBe(false);
      }),
      { seed: 20_261_121, numRuns: 500 },
    );
  });
});

describe('images that need too much memory or time', () => {
  it.each([
    ['PNG', makePng({ claims: { width: 50_000, height: 50_000 } })],
    ['JPEG', withJpegSize(makeJpeg(), 50_000)],
    ['GIF', makeGif({ width: 50_000, height: 50_000 })],
    ['GIF in one of its frames', makeGif({ frame: { width: 50_000, height: 50_000 } })],
    ['WebP', makeWebp({ width: 16_000, height: 16_000 })],
  ])('refuses a pixel flood in a %s', async (_name, bytes) => {
    expect(await reasonFor(bytes)).toBe('the image has more than 40 megapixels');
  });

  it('refuses an image of more than 12,000 pixels on a side', async () => {
    const reason = 'the image has more than 12,000 pixels on a side';
    expect(await reasonFor(makePng({ claims: { width: 12_001, height: 10 } }))).toBe(reason);
    expect(await reasonFor(makeWebp({ width: 10, height: 12_001 }))).toBe(reason);
  });

  it.each([
    ['a GIF of 10,000 frames', makeGif({ frames: 10_000 })],
    ['a PNG of 501 frames', makePng({ frames: 501 })],
    ['a WebP of 501 frames', makeWebp({ frames: 501 })],
  ])('refuses %s', async (_name, bytes) => {
    expect(await reasonFor(bytes)).toBe('the image has more than 500 frames');
  });

  it('refuses few frames with very many pixels together', async () => {
    const bytes = makeGif({ width: 6000, height: 6000, frames: 30, frame: { width: 6000, height: 6000 } });
    expect(await reasonFor(bytes)).toBe('the frames of the image have more than 1,000 megapixels together');
  });

  it.each([
    [
      'EXIF in a JPEG',
      makeJpeg({ segments: Array.from({ length: 70 }, () => jpegSegment(0xe1, Buffer.alloc(65_000))) }),
    ],
    ['a note in a PNG', makePng({ chunks: [pngChunk('eXIf', Buffer.alloc(4 * MEBIBYTE))] })],
    ['a comment in a GIF', makeGif({ comment: Buffer.alloc(5 * MEBIBYTE, 1) })],
    ['EXIF in a WebP', makeWebp({ metadata: Buffer.alloc(5 * MEBIBYTE) })],
    [
      'a million empty chunks in a PNG',
      makePng({ chunks: [Buffer.alloc(12_000_000, pngChunk('teSt', Buffer.alloc(0)))] }),
    ],
  ])('refuses too much metadata: %s', async (_name, bytes) => {
    expect(await reasonFor(bytes)).toBe(METADATA);
  });

  it.each(['iCCP', 'zTXt', 'iTXt'])('refuses a PNG whose %s unpacks to 40 MB', async (type) => {
    const bomb = deflateSync(Buffer.alloc(40 * MEBIBYTE));
    const head = type === 'iTXt' ? 'x\0\x01\0en\0\0' : 'x\0\0';
    const bytes = makePng({ chunks: [pngChunk(type, Buffer.concat([Buffer.from(head, 'latin1'), bomb]))] });
    expect(await reasonFor(bytes)).toBe(METADATA);
  });
});

describe('errors that are not about the file', () => {
  it('throws the reason of an abort instead of judging the file', async () => {
    const reason = new Error('the client left');
    await expect(checkAttachment(asFile(makePng()), aFileRequest({ signal: AbortSignal.abort(reason) }))).rejects.toBe(
      reason,
    );
  });

  it('throws the error of its bytes, and closes them', async () => {
    const broken = new Error('the disk is gone');
    let closed = 0;
    async function* open() {
      try {
        yield makePng().subarray(0, 40);
        throw broken;
      } finally {
        closed += 1;
      }
    }
    await expect(checkAttachment({ sizeBytes: 100, open }, aFileRequest())).rejects.toBe(broken);
    expect(closed).toBe(1);
  });

  it('closes the bytes of a file that it refuses early', async () => {
    let open = 0;
    async function* bytes() {
      open += 1;
      try {
        for (;;) yield makePng({ claims: { width: 50_000, height: 50_000 } });
      } finally {
        open -= 1;
      }
    }
    expect((await checkAttachment({ sizeBytes: 1e9, open: bytes }, aFileRequest())).ok).toBe(false);
    expect(open).toBe(0);
  });
});

function shorterClaim(webp: Uint8Array): Buffer {
  const bytes = Buffer.from(webp);
  bytes.writeUInt32LE(bytes.length - 12, 4);
  return bytes;
}

function withRiffLength(...parts: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(parts);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  return bytes;
}

function withJpegSize(bytes: Uint8Array, side: number): Buffer {
  const changed = Buffer.from(bytes);
  const at = changed.indexOf(Buffer.from([0xff, 0xc0]));
  changed.writeUInt16BE(side, at + 5);
  changed.writeUInt16BE(side, at + 7);
  return changed;
}
