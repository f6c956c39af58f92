import { describe, expect, it } from '@jest/globals';
import { makePdfText } from '../../../src/platform/file-check/pdf-text.ts';
import { makeProcessorTime } from '../../../src/platform/file-check/processor-time.ts';
import { aFileRequest } from '../../support/file-requests.ts';
import { asFile, makePdf, type PdfParts, pdfStream, slowPdf } from '../../support/file-samples.ts';

const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>';
const RESOURCES = '/Resources << /Font << /F1 1001 0 R >> >>';
const readPdfText = makePdfText();

/** Pages that all have these lines. */
function withText(lines: readonly string[], parts: PdfParts = {}): PdfParts {
  const shown = lines.map((line) => `(${line}) Tj 0 -20 Td`).join(' ');
  const content = pdfStream('', Buffer.from(`BT /F1 12 Tf 50 800 Td ${shown} ET`, 'latin1'));
  return { ...parts, page: `/Contents 1000 0 R ${RESOURCES} ${parts.page ?? ''}`, objects: [content, FONT] };
}

async function textOf(parts: PdfParts) {
  return await readPdfText(asFile(makePdf(parts)), aFileRequest());
}

describe('The text of a PDF', () => {
  it('is the text of its pages, line by line, with accents', async () => {
    expect(await textOf(withText(['Febre h\xe1 3 dias', 'SpO2 91 %']))).toEqual({
      text: 'Febre há 3 dias\nSpO2 91 %',
      isWhole: true,
    });
  });

  it('has all pages, also if the objects are packed', async () => {
    const read = await textOf(withText(['cough'], { pages: 3, packed: true }));
    expect(read).toEqual({ text: 'cough\ncough\ncough', isWhole: true });
  });

  it('has the values of a form', async () => {
    const field = '/Annots [<< /Type /Annot /Subtype /Widget /FT /Tx /T (a) /V (coughing blood) /Rect [0 0 9 9] >>]';
    expect(await textOf(withText(['Complaint:'], { page: field }))).toMatchObject({
      text: expect.stringContaining('coughing blood'),
    });
  });

  it('is empty and incomplete for a scan', async () => {
    expect(await textOf({ pages: 2 })).toEqual({ text: '', isWhole: false });
  });

  it('ends after 50 pages, and reports that there is more', async () => {
    const read = await textOf(withText(['page'], { pages: 51 }));
    expect(read?.isWhole).toBe(false);
    expect(read?.text.match(/page/g)).toHaveLength(50);
  });

  it('ends after 200,000 characters, and reports that there is more', async () => {
    const read = await textOf(
      withText(
        Array.from({ length: 38 }, () => 'l'.repeat(140)),
        { pages: 50 },
      ),
    );
    expect(read?.isWhole).toBe(false);
    expect(read?.text.length).toBeGreaterThan(190_000);
    expect(read?.text.length).toBeLessThanOrEqual(200_000);
  });
});

describe('PDFs without readable text', () => {
  it.each<[string, PdfParts]>([
    ['that is encrypted', { encrypted: true }],
    ['with a recursive page tree', { recursivePages: true }],
    ['with an object-stream bomb', { objectStreamBomb: true }],
    ['with ten million open brackets', { catalog: `/X ${'['.repeat(10_000_000)}` }],
  ])('a PDF %s does no harm', async (_name, parts) => {
    expect(await textOf(parts)).toBeUndefined();
  });

  it('bytes that are no PDF have no text', async () => {
    expect(await readPdfText(asFile(Buffer.from('no PDF at all')), aFileRequest())).toBeUndefined();
  });

  it('a PDF that takes too much processor time has no text, and the others of its request are not read', async () => {
    const request = aFileRequest({ processorTime: makeProcessorTime(100) });
    const reading = [readPdfText(asFile(slowPdf()), request), readPdfText(asFile(makePdf()), request)];
    expect(await Promise.all(reading)).toEqual([undefined, undefined]);
  }, 45_000);

  it('a PDF that takes too long has no text', async () => {
    const read = makePdfText({ timeoutMs: 300 });
    expect(await read(stuckFile(), aFileRequest())).toBeUndefined();
  });
});

describe('The reading of a PDF', () => {
  it('ends when the caller aborts, and the caller gets the reason back', async () => {
    const caller = new AbortController();
    const reason = new Error('the client left');
    const file = stuckFile(() => caller.abort(reason));
    await expect(makePdfText({ timeoutMs: 600_000 })(file, aFileRequest({ signal: caller.signal }))).rejects.toBe(
      reason,
    );
  });

  it('throws the error of its bytes, which is not about the PDF', async () => {
    const broken = new Error('the disk is gone');
    const file = stuckFile(() => {
      throw broken;
    });
    await expect(readPdfText(file, aFileRequest())).rejects.toBe(broken);
  });
});

/** Gives the beginning of a PDF, calls back, and then never goes on. */
function stuckFile(onStuck: () => void = () => undefined) {
  return {
    async *open() {
      yield makePdf().subarray(0, 20);
      onStuck();
      await new Promise<never>(() => undefined);
    },
  };
}
