import { execFileSync } from 'node:child_process';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { makeAttachmentCheck } from '../../../src/platform/file-check/attachment-check.ts';
import { makeProcessorTime, type ProcessorTime } from '../../../src/platform/file-check/processor-time.ts';
import { aFileRequest } from '../../support/file-requests.ts';
import { asFile, makePdf, makePng, makeZip, type PdfParts, pdfStream, slowPdf } from '../../support/file-samples.ts';

const MEBIBYTE = 1_048_576;
const ACTIVE = 'the PDF holds scripts, launch actions or embedded files';
const DAMAGED = 'the PDF is cut or damaged';
const REGULAR = 'the PDF has a stream that unpacks to more than 100 times its size';
const SLOW = 'the PDFs take more than 5 seconds of processor time together';
const UNREADABLE = 'the PDF cannot be read';
const UNSUPPORTED = 'unsupported file type; JPG, JPEG, PNG, WEBP, GIF and PDF are taken';

const checkAttachment = makeAttachmentCheck();

async function reasonFor(bytes: Uint8Array): Promise<string> {
  const verdict = await checkAttachment(asFile(bytes), aFileRequest());
  return verdict.ok ? verdict.type : verdict.reason;
}

/** The child processes of this one that read PDFs. */
function childrenAlive(): number {
  const list = execFileSync('ps', ['-A', '-o', 'ppid=,args='], { encoding: 'utf8' });
  return list.split('\n').filter((line) => line.trim().startsWith(`${process.pid} `) && line.includes('pdf-child'))
    .length;
}

/** Packed objects of which one is as told, in an object stream of its own. */
function hiddenIn(
  content: string,
  filter = '/Filter /FlateDecode',
  packed = deflateSync(Buffer.from(content)),
): PdfParts {
  return { objects: [pdfStream(`/Type /ObjStm /N 1 /First 5 ${filter}`, packed)] };
}

describe('PDFs that are accepted', () => {
  it.each<[string, PdfParts]>([
    ['of one page', {}],
    ['of 200 pages', { pages: 200 }],
    ['whose objects are packed', { pages: 5, packed: true }],
    ['of exactly 20 megabytes', { padTo: 20 * MEBIBYTE }],
    ['that opens at a place and has an outline', { catalog: '/OpenAction [3 0 R /Fit] /Outlines << /First 3 0 R >>' }],
    ['with a form', { catalog: '/AcroForm << /Fields [] /XFA [] >>' }],
    ['with a link that has our words in it', { page: link('https://example.org/Launch/JavaScript') }],
    [
      'with pictures that unpack to much',
      { objects: [pdfStream('/Subtype /Image /Filter /FlateDecode', pictureBytes())] },
    ],
  ])('takes a PDF %s', async (_name, parts) => {
    expect(await reasonFor(makePdf(parts))).toBe('application/pdf');
  });

  it('takes a PDF with lines of a printer before it and NULs behind it', async () => {
    const bytes = Buffer.concat([Buffer.from('@PJL ENTER LANGUAGE=PDF\r\n'), makePdf(), Buffer.alloc(9000)]);
    expect(await reasonFor(bytes)).toBe('application/pdf');
  });

  it('has a sample of exactly 20 megabytes', () => {
    expect(makePdf({ padTo: 20 * MEBIBYTE })).toHaveLength(20 * MEBIBYTE);
  });
});

describe('files that only seem to be a PDF', () => {
  it('refuses a Windows program named as a PDF', async () => {
    expect(await reasonFor(Buffer.concat([Buffer.from('MZ\x90\0', 'latin1'), Buffer.alloc(500)]))).toBe(UNSUPPORTED);
  });

  it.each([
    ['a program', 'MZ\x90\0'],
    ['a web page', '<!-- x --><b>'],
    ['an archive', 'PK\x03\x04'],
  ])('refuses a PDF with the beginning of %s before it', async (_name, beginning) => {
    expect(await reasonFor(Buffer.concat([Buffer.from(beginning, 'latin1'), makePdf()]))).toBe(UNSUPPORTED);
  });

  it('refuses a PDF with an image before it', async () => {
    expect(await reasonFor(Buffer.concat([makePng(), makePdf()]))).toBe(
      'the file is more than one kind of file at once',
    );
  });

  it('refuses a PDF that is a ZIP archive as well', async () => {
    const bytes = Buffer.concat([makePdf(), makeZip(), Buffer.from('\n%%EOF\n')]);
    expect(await reasonFor(bytes)).toBe('the file is more than one kind of file at once');
  });

  it('refuses a PDF with JavaScript (PDF and script in one)', async () => {
    expect(await reasonFor(makePdf({ javascript: true }))).toBe(ACTIVE);
  });
});

describe('hostile PDFs', () => {
  it.each<[string, PdfParts, string]>([
    ['that is encrypted', { encrypted: true }, 'the PDF is encrypted'],
    ['of 201 pages', { pages: 201 }, 'the PDF has more than 200 pages'],
    ['of 10,000 pages', { pages: 10_000 }, 'the PDF has more than 200 pages'],
    ['of 10,000 pages that claims one', { pages: 10_000, claimedPages: 1 }, 'the PDF has more than 200 pages'],
    ['of no pages', { pages: 0 }, 'the PDF has no pages'],
    ['with a content stream that unpacks to much', { objects: [flateStream('', MEBIBYTE)] }, REGULAR],
    [
      'with cross-references of 3 GB',
      { packed: true, xrefBombBytes: 3_000_000_000 },
      'the PDF unpacks to more than 128 MB',
    ],
    ['with an object-stream bomb', { objectStreamBomb: true }, 'the PDF unpacks to more than 128 MB'],
    ['with a recursive page tree', { recursivePages: true }, UNREADABLE],
    ['with a packed recursive page tree', { recursivePages: true, packed: true }, UNREADABLE],
    ['with a loop of cross-references', { xrefLoop: true }, DAMAGED],
    ['with /JavaScript that runs when it is opened', { javascript: true }, ACTIVE],
    ['with /JavaScript in an object stream', { javascript: true, packed: true }, ACTIVE],
    ['with /Launch', { launch: true }, ACTIVE],
    ['with /Launch without white space', { catalog: '/OpenAction<</S/Launch/F(a)>>' }, ACTIVE],
    ['with /EmbeddedFiles', { embeddedFile: true }, ACTIVE],
    ['with an /EmbeddedFile stream', { objects: [pdfStream('/Type /EmbeddedFile', Buffer.from('a'))] }, ACTIVE],
    ['with /RichMedia', { page: '/Annots [<< /Type /Annot /Subtype /RichMedia >>]' }, ACTIVE],
    ['with a name in disguise', { catalog: '/OpenAction << /S /J#61va#53cript /#4aS (1) >>' }, ACTIVE],
    ['with a script of a film', { catalog: '/OpenAction << /S /Rendition /JS (1) >>' }, ACTIVE],
    ['with an object stream packed in an unusual way', hiddenIn('9 0 1', '/Filter /LZWDecode'), UNREADABLE],
    ['with an object stream that cannot be unpacked', hiddenIn('', undefined, Buffer.from('xx no zlib')), DAMAGED],
    ['with ten million open brackets', { catalog: `/X ${'['.repeat(10_000_000)}` }, UNREADABLE],
  ])('refuses a PDF %s', async (_name, parts, reason) => {
    expect(await reasonFor(makePdf(parts))).toBe(reason);
  });

  it('refuses a script in an object stream behind a false end of the stream', async () => {
    const falseEnd = deflateSync(Buffer.from('9 0 endstream endobj '.padEnd(60)), { level: 0 }).subarray(0, -4);
    const stored = Buffer.from(falseEnd);
    // Not the last block: the script follows in a packed one.
    stored[2] = 0;
    const script = deflateSync(Buffer.from('<< /S /JavaScript /JS (app.alert) >>')).subarray(2);
    const bytes = makePdf(hiddenIn('', undefined, Buffer.concat([stored, script])));
    expect(bytes.includes('JavaScript')).toBe(false);
    expect(await reasonFor(bytes)).toBe(ACTIVE);
  });

  it('refuses a PDF cut in half, which a reader would repair to fewer pages', async () => {
    const bytes = makePdf({ pages: 100 });
    expect(await reasonFor(bytes.subarray(0, bytes.length / 2))).toBe(DAMAGED);
  });

  it('refuses a PDF of random bytes between its header and its end', async () => {
    const noise = Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919 + 13) % 251));
    const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), noise, Buffer.from('\nstartxref\n9\n%%EOF')]);
    expect(await reasonFor(bytes)).toBe(UNREADABLE);
  });
});

describe('the child process that reads PDFs', () => {
  it('ends by itself if a PDF takes too much memory, and the engine lives', async () => {
    const check = makeAttachmentCheck({ pdfTimeoutMs: 600_000 });
    const bytes = makePdf({ packed: true, xrefRunBytes: 1_200_000_000 });
    expect(await check(asFile(bytes), aFileRequest())).toEqual({ ok: false, reason: UNREADABLE });
    expect(childrenAlive()).toBe(0);
  }, 45_000);

  it('is ended as soon as a PDF has used its processor time, although it is small and its deadline is far', async () => {
    const check = makeAttachmentCheck({ pdfTimeoutMs: 600_000 });
    const bytes = slowPdf();
    expect(bytes.length).toBeLessThan(3_072);
    const request = aFileRequest({ processorTime: makeProcessorTime(100) });
    expect(await check(asFile(bytes), request)).toEqual({ ok: false, reason: SLOW });
    expect(childrenAlive()).toBe(0);
  }, 45_000);

  it('is not started for the other PDFs of a request that has used its processor time', async () => {
    const request = aFileRequest({ processorTime: makeProcessorTime(100) });
    const bytes = makePdf();
    let opened = 0;
    const file = {
      sizeBytes: bytes.length,
      async *open() {
        opened += 1;
        yield bytes;
      },
    };
    const verdicts = await Promise.all([
      checkAttachment(asFile(slowPdf()), request),
      checkAttachment(file, request),
      checkAttachment(asFile(makePng()), request),
    ]);
    expect(verdicts).toEqual([
      { ok: false, reason: SLOW },
      { ok: false, reason: SLOW },
      { ok: true, type: 'image/png' },
    ]);
    // Only its beginning was read, which shows its kind.
    expect(opened).toBe(1);
  }, 45_000);

  it('says how much processor time a PDF has taken, and the next one of the request gets the rest', async () => {
    const left: number[] = [];
    const time = makeProcessorTime(60_000);
    const processorTime: ProcessorTime = {
      spend: (work) =>
        time.spend((leftMs) => {
          left.push(leftMs);
          return work(leftMs);
        }),
    };
    for (const pages of [200, 1]) {
      expect((await checkAttachment(asFile(makePdf({ pages })), aFileRequest({ processorTime }))).ok).toBe(true);
    }
    const [first = 0, second = 0] = left;
    expect(first).toBe(60_000);
    expect(second).toBeGreaterThan(30_000);
    expect(second).toBeLessThan(60_000);
  });

  it('is killed at its deadline, also if the bytes never come', async () => {
    const check = makeAttachmentCheck({ pdfTimeoutMs: 300 });
    expect(await check(stuckFile(), aFileRequest())).toEqual({ ok: false, reason: UNREADABLE });
    expect(childrenAlive()).toBe(0);
  });

  it('is killed when the caller aborts, and the caller gets the reason back', async () => {
    const caller = new AbortController();
    const reason = new Error('the client left');
    const check = makeAttachmentCheck({ pdfTimeoutMs: 600_000 });
    const file = stuckFile(() => caller.abort(reason));
    await expect(check(file, aFileRequest({ signal: caller.signal }))).rejects.toBe(reason);
    expect(childrenAlive()).toBe(0);
  }, 45_000);

  it('is killed if the bytes cannot be read, and the caller gets that error', async () => {
    const broken = new Error('the disk is gone');
    const file = stuckFile(() => {
      throw broken;
    });
    await expect(checkAttachment(file, aFileRequest())).rejects.toBe(broken);
    expect(childrenAlive()).toBe(0);
  });

  it('runs at most twice at once, and other PDFs wait for their turn', async () => {
    const bytes = makePdf();
    const seen: number[] = [];
    const file = {
      sizeBytes: bytes.length,
      async *open() {
        seen.push(childrenAlive());
        yield bytes;
      },
    };
    const verdicts = await Promise.all(Array.from({ length: 5 }, () => checkAttachment(file, aFileRequest())));
    expect(verdicts.every((verdict) => verdict.ok)).toBe(true);
    expect(Math.max(...seen)).toBe(2);
    expect(childrenAlive()).toBe(0);
  });

  it('is there for an organization at once while those of another one are all stuck', async () => {
    const hostile = new AbortController();
    const stuck = aFileRequest({ owner: 'hostile', signal: hostile.signal });
    const begun: (() => void)[] = [];
    const bothBegun = Promise.all([1, 2].map(() => new Promise<void>((resolve) => begun.push(resolve))));
    const files = [1, 2, 3, 4].map(() => stuckFile(() => begun.pop()?.()));
    const stuckChecks = files.map((file) => checkAttachment(file, { ...stuck, processorTime: makeProcessorTime() }));
    await bothBegun;
    expect(await checkAttachment(asFile(makePdf()), aFileRequest())).toEqual({ ok: true, type: 'application/pdf' });
    hostile.abort(new Error('the client left'));
    const endings = await Promise.allSettled(stuckChecks);
    expect(endings.every(({ status }) => status === 'rejected')).toBe(true);
    expect(childrenAlive()).toBe(0);
  });

  it('is not needed for other files', async () => {
    const check = makeAttachmentCheck({ maxPdfChildren: 0 });
    expect(await check(asFile(makePng()), aFileRequest())).toEqual({ ok: true, type: 'image/png' });
  });
});

/** Gives the beginning of a PDF; when it is read for the second time, by the child, it calls back and then never goes on. */
function stuckFile(onSecond: () => void = () => undefined) {
  let opened = 0;
  return {
    sizeBytes: 1000,
    async *open() {
      opened += 1;
      yield makePdf().subarray(0, 20);
      if (opened === 1) return;
      onSecond();
      await new Promise<never>(() => undefined);
    },
  };
}

function flateStream(dict: string, unpackedBytes: number): Uint8Array {
  return pdfStream(`${dict} /Filter /FlateDecode`, deflateSync(Buffer.alloc(unpackedBytes, ' ')));
}

function link(address: string): string {
  return `/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (${address}) >> >>]`;
}

function pictureBytes(): Uint8Array {
  return deflateSync(Buffer.alloc(150 * MEBIBYTE, 0xff), { level: 1 });
}
