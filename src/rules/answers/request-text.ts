// Joins the history and the text of the PDFs of a request. Counts the content that cannot be read, so that the answer reports it.

import { cleanText } from '../../domain/clean-text.ts';
import type { Attachment } from '../../domain/diagnosis/attachment.ts';
import type { PdfText, ReadPdfText } from '../../platform/file-check/pdf-text.ts';
import { makeProcessorTime } from '../../platform/file-check/processor-time.ts';
import type { DiagnosisRequest } from '../../ports/reasoner.ts';
import type { UnseenContent } from './unseen-content.ts';

/** Limit for all PDFs together, in UTF-16 units. */
const MAX_DOCUMENTS_LENGTH = 200_000;

export type RequestText = { readonly text: string; readonly unseen: UnseenContent };

/** Throws the abort reason, or the error of an attachment whose bytes cannot be read. */
export async function readRequestText(
  { clinicalHistory = '', attachments, organization = '' }: DiagnosisRequest,
  readPdfText: ReadPdfText,
  signal: AbortSignal,
): Promise<RequestText> {
  const pdfs = attachments.filter(({ type }) => type === 'application/pdf');
  // The check of the same files has used a part of it, if they have just arrived.
  const processorTime = pdfs.find((pdf) => pdf.processorTime !== undefined)?.processorTime ?? makeProcessorTime();
  const read = await readAll(
    pdfs,
    (pdf, given) => readPdfText(pdf, { owner: organization, processorTime, signal: given }),
    signal,
  );
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
  readOne: (pdf: Attachment, signal: AbortSignal) => Promise<PdfText | undefined>,
  signal: AbortSignal,
): Promise<readonly (PdfText | undefined)[]> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  try {
    return await Promise.all(pdfs.map((pdf) => readOne(pdf, either)));
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
