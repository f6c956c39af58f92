// Opens a PDF with a parser and asks what it holds. Only for the child process: a hostile PDF may take any time and memory.
import { getDocument, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { Refusal } from './refusal.ts';

const MAX_PAGES = 200;

/** Takes the bytes over. Throws a Refusal, or the parser's error for a PDF that it cannot read. */
export async function openPdf(bytes: Uint8Array): Promise<void> {
  await withPdf(bytes, checkDocument);
}

/** Takes the bytes over. The document is there only until `use` has ended. */
export async function withPdf<T>(bytes: Uint8Array, use: (document: PDFDocumentProxy) => Promise<T>): Promise<T> {
  const task = getDocument({
    data: bytes,
    verbosity: 0,
    stopAtErrors: true,
    disableFontFace: true,
    useSystemFonts: false,
    useWasm: false,
    enableXfa: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
  });
  try {
    return await use(await task.promise);
  } catch (error) {
    const isLocked = error instanceof Error && error.name === 'PasswordException';
    throw isLocked ? new Refusal('pdfEncrypted') : error;
  } finally {
    await task.destroy();
  }
}

async function checkDocument(document: PDFDocumentProxy): Promise<void> {
  // Only an encrypted PDF has permissions, also if it opens without a password.
  if ((await document.getPermissions()) !== null) throw new Refusal('pdfEncrypted');
  if (document.numPages > MAX_PAGES) throw new Refusal('pdfPages');
  if (document.numPages < 1) throw new Refusal('pdfNoPages');
  const found = await Promise.all([document.hasJSActions(), document.getJSActions(), document.getAttachments()]);
  if (found.some(isSomething)) throw new Refusal('pdfActive');
  for (let number = 1; number <= document.numPages; number += 1) await checkPage(document, number);
}

async function checkPage(document: PDFDocumentProxy, number: number): Promise<void> {
  const page = await document.getPage(number);
  if (isSomething(await page.getJSActions())) throw new Refusal('pdfActive');
  for (const annotation of await page.getAnnotations()) {
    const { actions, attachment, file } = annotation;
    if ([actions, attachment, file].some(isSomething)) throw new Refusal('pdfActive');
  }
  page.cleanup();
}

function isSomething(found: unknown): boolean {
  return found !== null && found !== undefined && found !== false;
}
