// Joins the history and the text of the PDFs of a request. Counts the content that cannot be read, so that the answer reports it.

import { cleanText } from '../../domain/clean-text.ts';
import type { Attachment } from '../../domain/diagnosis/attachment.ts';
import type { PdfText, ReadPdfText } from '../../platform/file-check/pdf-text.ts';
import type { DiagnosisRequest } from '../../ports/reasoner.ts';
import type { UnseenContent } from './unseen-content.ts';

/** Limit for all PDFs together, in UTF-16 units. */
const MAX_DOCUMENTS_LENGTH = 200_000;

export type RequestText = { readonly text: string; readonly unseen: UnseenContent };

/** Throws the abort reason, or the error of an attachment whose bytes cannot be read. */
export async function readRequestText(
  { clinicalHistory = '', attachments }: DiagnosisRequest,
  readPdfText: ReadPdfText,
  signal: AbortSignal,
): Promise<RequestText> {
  const pdfs = attachments.filter(({ type }) => type === 'application/pdf');
  const read = await readAll(pdfs, readPdfText, signal);
  const texts = read.filter((pdf) => pdf !== undefined && pdf.text.trim() !== '') as readonly PdfText[];
  const documents = takeUpTo(texts, MAX_DOCUMENTS_LENGTH);
  return {
    text: cleanText([clinicalHistory, ...documents.map(({ text }) => text)].join('\n\n')).trim(),
    unseen: {
      images: attachments.length - pdfs.length,
      documents: pdfs.length - texts.length,
      parts: documents.filter(({ isWhole }) => !isWhole).length,
    },
  };
}

/** If one fails, the others are cancelled. */
async function readAll(
  pdfs: readonly Attachment[],
  readPdfText: ReadPdfText,
  signal: AbortSignal,
): Promise<readonly (PdfText | undefined)[]> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  try {
    return await Promise.all(pdfs.map((pdf) => readPdfText(pdf, either)));
  } finally {
    failed.abort();
  }
}

function takeUpTo(texts: readonly PdfText[], maxLength: number): readonly PdfText[] {
  let left = maxLength;
  return texts.map(({ text, isWhole }) => {
    const taken = text.slice(0, left);
    left -= taken.length;
    return { text: taken, isWhole: isWhole && taken.length === text.length };
  });
}
