import { describe, expect, it } from '@jest/globals';
import type { Attachment, AttachmentType } from '../../../src/domain/diagnosis/attachment.ts';
import type { ReadPdfText } from '../../../src/platform/file-check/pdf-text.ts';
import { makeProcessorTime } from '../../../src/platform/file-check/processor-time.ts';
import { readRequestText } from '../../../src/rules/answers/request-text.ts';

const never = new AbortController().signal;

/** A file whose bytes are its text. */
function aFile(type: AttachmentType, text = ''): Attachment {
  return {
    type,
    sizeBytes: text.length,
    open: async function* () {
      yield Buffer.from(text);
    },
  };
}

/** "damaged" cannot be read; "…" after a text means that it is not complete. */
const readPdf: ReadPdfText = async (file) => {
  const pieces: Uint8Array[] = [];
  for await (const piece of file.open()) pieces.push(piece);
  const text = Buffer.concat(pieces).toString();
  return text === 'damaged' ? undefined : { text, isWhole: !text.endsWith('…') };
};

async function sent(attachments: readonly Attachment[], clinicalHistory?: string) {
  return await readRequestText(
    { attachments, language: 'en', ...(clinicalHistory !== undefined && { clinicalHistory }) },
    readPdf,
    never,
  );
}

describe('The text of a request', () => {
  it('is the history, then the text of the PDFs in their order', async () => {
    const pdfs = [aFile('application/pdf', 'first'), aFile('application/pdf', 'second')];
    expect(await sent(pdfs, 'history')).toEqual({
      text: 'history\n\nfirst\n\nsecond',
      unseen: { images: 0, documents: 0, parts: 0 },
    });
    expect(await sent(pdfs)).toMatchObject({ text: 'first\n\nsecond' });
  });

  it('counts images, scans, unreadable PDFs, and PDFs that were read in part', async () => {
    const files = [
      aFile('image/png'),
      aFile('image/jpeg'),
      aFile('application/pdf', ' \n'),
      aFile('application/pdf', 'damaged'),
      aFile('application/pdf', 'a page…'),
    ];
    expect(await sent(files)).toEqual({ text: 'a page…', unseen: { images: 2, documents: 2, parts: 1 } });
  });

  it('is cut at the limit and reports the missing part', async () => {
    const { text, unseen } = await sent([
      aFile('application/pdf', 'a'.repeat(199_000)),
      aFile('application/pdf', 'b'.repeat(3000)),
    ]);
    expect(text).toHaveLength(200_002);
    expect(unseen).toEqual({ images: 0, documents: 0, parts: 1 });
  });

  it('has no invisible characters', async () => {
    expect(await sent([aFile('application/pdf', 'fe\u0000ver\u202e')])).toMatchObject({ text: 'fever' });
  });

  it('is read for the organization that asks, within the processor time that the check of the files has left', async () => {
    const processorTime = makeProcessorTime();
    const given: unknown[] = [];
    const readOne: ReadPdfText = async (_file, request) => {
      given.push([request.owner, request.processorTime]);
      return undefined;
    };
    const attachments = [{ ...aFile('application/pdf'), processorTime }, aFile('application/pdf')];
    await readRequestText({ attachments, language: 'en', organization: 'clinic' }, readOne, never);
    expect(given).toEqual([
      ['clinic', processorTime],
      ['clinic', processorTime],
    ]);
  });

  it('of files without such a time is read within one time for all of them', async () => {
    const times = new Set<unknown>();
    const readOne: ReadPdfText = async (_file, { processorTime }) => {
      times.add(processorTime);
      return undefined;
    };
    const attachments = [aFile('application/pdf'), aFile('application/pdf')];
    await readRequestText({ attachments, language: 'en' }, readOne, never);
    expect(times.size).toBe(1);
  });

  it('stops reading if one of the files cannot be opened', async () => {
    const gone = new Error('the spool is gone');
    let isStopped = false;
    const readOne: ReadPdfText = async (file, { signal }) => {
      if (file === broken) throw gone;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      isStopped = true;
      return undefined;
    };
    const broken = aFile('application/pdf');
    const request = { attachments: [aFile('application/pdf'), broken], language: 'en' } as const;
    await expect(readRequestText(request, readOne, never)).rejects.toBe(gone);
    await Promise.resolve();
    expect(isStopped).toBe(true);
  });
});
