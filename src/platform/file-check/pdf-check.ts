// Checks in a child process that a PDF may be passed on; a few at once.
import { askChild, type Ending, type PdfFile } from './pdf-process.ts';
import { isRefusalCode, Refusal } from './refusal.ts';
import { makeSlots } from './slots.ts';

const MAX_ANSWER_LENGTH = 1024;

type PdfCheckParts = { readonly timeoutMs: number; readonly maxChildren: number };

/** Throws a Refusal for a PDF that is not accepted; any other error is not about the PDF. */
export type PdfCheck = (file: PdfFile, signal: AbortSignal) => Promise<void>;

export function makePdfCheck({ timeoutMs, maxChildren }: PdfCheckParts): PdfCheck {
  const slots = makeSlots(maxChildren);
  return async (file, signal) => {
    const giveBack = await slots.take(signal);
    try {
      judge(await askChild(file, { job: 'check', maxAnswerLength: MAX_ANSWER_LENGTH, timeoutMs, signal }));
    } finally {
      giveBack();
    }
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
