// Checks that a file really is an image or a PDF that may be passed on, by its content alone, never by its name or the client's
// claim. Constant memory; images are walked and not decoded; PDFs are read in a child process.
import { ByteReader } from './byte-reader.ts';
import { walkGif } from './gif.ts';
import { walkJpeg } from './jpeg.ts';
import { type FileRequest, makePdfCheck } from './pdf-check.ts';
import { walkPng } from './png.ts';
import { REFUSALS, Refusal } from './refusal.ts';
import { type FileType, fileTypeOf, HEAD_BYTES, isAlsoPdf, isAlsoZip } from './signatures.ts';
import { walkWebp } from './webp.ts';

export type CheckedFile = {
  readonly sizeBytes: number;
  /** Opens the bytes from the start, as often as it is called. */
  readonly open: () => AsyncIterable<Uint8Array>;
};

export type AttachmentVerdict =
  | { readonly ok: true; readonly type: FileType }
  | { readonly ok: false; readonly reason: string };

/**
 * A throw is never about the file: the signal was aborted, its bytes could not be read, or no child process could be
 * started.
 */
export type AttachmentCheck = (file: CheckedFile, request: FileRequest) => Promise<AttachmentVerdict>;

export type AttachmentCheckOptions = {
  /** The last resort, for one PDF from the start of its child process; then it is killed. */
  readonly pdfTimeoutMs?: number;
  /** Child processes at once, or twice as many if organizations without one ask; further PDFs wait for their turn. */
  readonly maxPdfChildren?: number;
};

const WALKERS = {
  'image/jpeg': walkJpeg,
  'image/png': walkPng,
  'image/webp': walkWebp,
  'image/gif': walkGif,
} as const;

export function makeAttachmentCheck(options: AttachmentCheckOptions = {}): AttachmentCheck {
  const checkPdf = makePdfCheck({
    timeoutMs: options.pdfTimeoutMs ?? 60_000,
    maxChildren: options.maxPdfChildren ?? 2,
  });
  return async (file, request) => {
    const { signal } = request;
    try {
      const head = await readHead(file, signal);
      if (head.length === 0) throw new Refusal('empty');
      const type = fileTypeOf(head);
      if (type === undefined) throw new Refusal('kind');
      if (type === 'application/pdf') await checkPdf(file, request);
      else await checkImage(file, type, { head, signal });
      return { ok: true, type };
    } catch (error) {
      if (error instanceof Refusal) return { ok: false, reason: REFUSALS[error.code] };
      throw error;
    }
  };
}

async function readHead(file: CheckedFile, signal: AbortSignal): Promise<Buffer> {
  const reader = new ByteReader(file.open(), signal);
  try {
    return await reader.takeUpTo(HEAD_BYTES);
  } finally {
    await reader.close();
  }
}

type ImageParts = { readonly head: Buffer; readonly signal: AbortSignal };

async function checkImage(file: CheckedFile, type: keyof typeof WALKERS, { head, signal }: ImageParts): Promise<void> {
  if (isAlsoPdf(head)) throw new Refusal('twoKinds');
  const reader = new ByteReader(file.open(), signal);
  try {
    await WALKERS[type](reader);
    if (isAlsoZip(await reader.drain())) throw new Refusal('twoKinds');
  } finally {
    await reader.close();
  }
}
