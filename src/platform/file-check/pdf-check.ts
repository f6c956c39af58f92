// Checks in a child process that a PDF may be passed on; a few at once, and the organizations share them.
import { makeFairSlots } from '../fair-slots.ts';
import { askChild, type Ending, type PdfFile } from './pdf-process.ts';
import type { ProcessorTime } from './processor-time.ts';
import { isRefusalCode, Refusal } from './refusal.ts';

const MAX_ANSWER_LENGTH = 1024;

type PdfCheckParts = { readonly timeoutMs: number; readonly maxChildren: number };

/** Whose files they are, and what they may use. */
export type FileRequest = {
  /** The organization. */
  readonly owner: string;
  /** Shared by the files of a request. */
  readonly processorTime: ProcessorTime;
  readonly signal: AbortSignal;
};

/** Throws a Refusal for a PDF that is not accepted; any other error is not about the PDF. */
export type PdfCheck = (file: PdfFile, request: FileRequest) => Promise<void>;

export function makePdfCheck({ timeoutMs, maxChildren }: PdfCheckParts): PdfCheck {
  const slots = makeFairSlots({ shared: maxChildren, most: 2 * maxChildren });
  return async (file, { owner, processorTime, signal }) => {
    const ending = await processorTime.spend(async (processorMs) => {
      if (processorMs <= 0) throw new Refusal('pdfTime');
      const giveBack = await slots.take(owner, signal);
      try {
        return await askChild(file, {
          job: 'check',
          maxAnswerLength: MAX_ANSWER_LENGTH,
          processorMs,
          timeoutMs,
          signal,
        });
      } finally {
        giveBack();
      }
    });
    judge(ending);
  };
}

function judge({ answer, killedBy }: Ending): void {
  const word = answer.trim();
  if (word === 'ok') return;
  // Only these words are accepted as an answer: a PDF may have taken the child over.
  if (isRefusalCode(word)) throw new Refusal(word);
  if (killedBy !== null) throw new Refusal('pdfUnreadable');
  throw new Error('the child process that reads PDFs does not work');
}
