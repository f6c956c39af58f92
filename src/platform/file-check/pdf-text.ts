// Reads the text of a PDF in a child process, a few at once, with limits on processor time, pages and length. The text is untrusted,
// like the PDF itself.
import { makeFairSlots } from '../fair-slots.ts';
import type { FileRequest } from './pdf-check.ts';
import { askChild, type Ending, type PdfFile } from './pdf-process.ts';
import { MAX_TEXT_LENGTH, PART, WHOLE } from './pdf-words.ts';
import { isRefusalCode } from './refusal.ts';

export type PdfText = {
  /** Empty for a scan. */
  readonly text: string;
  /** False: there are pages without text, or more pages or more text than are read. */
  readonly isWhole: boolean;
};

/** Undefined: it cannot be read, or not in time. A throw is never about the PDF. */
export type ReadPdfText = (file: PdfFile, request: FileRequest) => Promise<PdfText | undefined>;

const NOT_READ: Ending = { answer: 'pdfTime', killedBy: null, usedMs: 0 };

export type PdfTextOptions = {
  /** The last resort, for one PDF from the start of its child process; then it is killed. */
  readonly timeoutMs?: number;
  /** Child processes at once, or twice as many if organizations without one ask; further PDFs wait for their turn. */
  readonly maxChildren?: number;
};

export function makePdfText({ timeoutMs = 60_000, maxChildren = 2 }: PdfTextOptions = {}): ReadPdfText {
  const slots = makeFairSlots({ shared: maxChildren, most: 2 * maxChildren });
  const maxAnswerLength = MAX_TEXT_LENGTH + Math.max(WHOLE.length, PART.length);
  return async (file, { owner, processorTime, signal }) => {
    const ending = await processorTime.spend(async (processorMs) => {
      if (processorMs <= 0) return NOT_READ;
      const giveBack = await slots.take(owner, signal);
      try {
        return await askChild(file, { job: 'text', maxAnswerLength, processorMs, timeoutMs, signal });
      } finally {
        giveBack();
      }
    });
    return toText(ending);
  };
}

function toText({ answer, killedBy }: Ending): PdfText | undefined {
  for (const head of [WHOLE, PART]) {
    if (answer.startsWith(head) && killedBy === null) return { text: bodyOf(answer, head), isWhole: head === WHOLE };
  }
  if (killedBy !== null || isRefusalCode(answer.trim())) return undefined;
  throw new Error('the child process that reads PDFs does not work');
}

function bodyOf(answer: string, head: string): string {
  return answer.slice(head.length).toWellFormed().trim();
}
