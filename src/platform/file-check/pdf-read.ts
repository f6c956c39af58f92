// Extracts the text of a PDF page by page, with the values of its forms. Only for the child process: a hostile PDF may take any
// time and memory.
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { withPdf } from './pdf-open.ts';
import { MAX_TEXT_LENGTH, PART, WHOLE } from './pdf-words.ts';

const MAX_PAGES = 50;

type Reading = { readonly pages: string[]; length: number };

/** As pdf-words.ts says. Takes the bytes over, and throws as `withPdf` does. */
export async function readPdfText(bytes: Uint8Array): Promise<string> {
  return await withPdf(bytes, readDocument);
}

async function readDocument(document: PDFDocumentProxy): Promise<string> {
  const reading: Reading = { pages: [], length: 0 };
  const pages = Math.min(document.numPages, MAX_PAGES);
  for (let number = 1; number <= pages && reading.length < MAX_TEXT_LENGTH; number += 1) {
    const page = await document.getPage(number);
    const text = await readPage(page, MAX_TEXT_LENGTH - reading.length);
    page.cleanup();
    reading.pages.push(text);
    reading.length += text.length + 1;
  }
  const isAll = reading.pages.length === document.numPages && reading.length < MAX_TEXT_LENGTH;
  // A page without text may be a scan, whose text is unknown.
  const isWhole = isAll && reading.pages.every((text) => text.trim() !== '');
  return `${isWhole ? WHOLE : PART}${reading.pages.join('\n').slice(0, MAX_TEXT_LENGTH)}`;
}

/** Stops at the limit: a page may hold any amount of text. */
async function readPage(page: PDFPageProxy, maxLength: number): Promise<string> {
  let text = '';
  const reader: ReadableStreamDefaultReader<unknown> = page.streamTextContent().getReader();
  while (text.length < maxLength) {
    const { done, value } = await reader.read();
    if (done) break;
    text += itemsOf(value).join('');
  }
  await reader.cancel(new Error('enough'));
  return [text, ...(await filledIn(page))].join('\n').slice(0, maxLength);
}

function itemsOf(chunk: unknown): readonly string[] {
  const { items } = chunk as { readonly items: readonly { readonly str?: string; readonly hasEOL?: boolean }[] };
  return items.map(({ str = '', hasEOL = false }) => (hasEOL ? `${str}\n` : str));
}

/** Text that a person typed into a form, or wrote over the page. */
async function filledIn(page: PDFPageProxy): Promise<readonly string[]> {
  const found: readonly { readonly fieldValue?: unknown; readonly contentsObj?: { readonly str?: unknown } }[] =
    await page.getAnnotations();
  return found
    .flatMap(({ fieldValue, contentsObj }) => [fieldValue, contentsObj?.str])
    .filter((text) => typeof text === 'string' && text.trim() !== '') as string[];
}
