// Tells kinds of files apart by their first bytes, and finds a second kind of file in one that seems to be an image or a PDF.

export const FILE_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'application/pdf'] as const;
export type FileType = (typeof FILE_TYPES)[number];

/** How much of a file `fileTypeOf` and `isAlsoPdf` look at: PDF readers find their header anywhere in it. */
export const HEAD_BYTES = 1024;

const PDF_HEADER = '%PDF-';
/** Only at the very start. */
const LEADING = ['MZ', '\x7fELF', '#!', '\xca\xfe\xba\xbe', 'BM', '\x1f\x8b', 'ID3', 'OggS', 'fLaC', 'RIFF', 'SQLite'];
/** Searched in all bytes before or after a file; upper and lower case are the same. */
const FOREIGN = [
  PDF_HEADER,
  'PK\x03\x04',
  'PK\x05\x06',
  'Rar!\x1a',
  '7z\xbc\xaf\x27\x1c',
  '<!doctype',
  '<html',
  '<head',
  '<body',
  '<script',
  '<svg',
  '<?php',
].map((signature) => signature.toLowerCase());

/** The kind of a file by its first `HEAD_BYTES`; undefined for kinds that are not accepted. */
export function fileTypeOf(head: Buffer): FileType | undefined {
  const text = head.toString('latin1', 0, HEAD_BYTES);
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (text.startsWith('RIFF') && text.startsWith('WEBP', 8)) return 'image/webp';
  if (/^GIF8[79]a/.test(text)) return 'image/gif';
  const start = text.indexOf(PDF_HEADER);
  // Printers and scanners put lines of their own before the header; a browser or a system loader must not know them.
  return start >= 0 && !looksForeign(head.subarray(0, start)) && !text.slice(0, start).includes('<')
    ? 'application/pdf'
    : undefined;
}

export function isAlsoPdf(head: Buffer): boolean {
  return head.subarray(0, HEAD_BYTES).includes(PDF_HEADER);
}

export function looksForeign(part: Buffer): boolean {
  const text = part.toString('latin1');
  const start = text.replace(/^[\0\s]+/, '');
  const lowerCase = text.toLowerCase();
  return (
    LEADING.some((signature) => start.startsWith(signature)) ||
    FOREIGN.some((signature) => lowerCase.includes(signature))
  );
}

const ZIP_END = 'PK\x05\x06';
const ZIP_END_BYTES = 22;

/** Whether an archive reader, which begins at the end of a file, would find a ZIP in it. */
export function isAlsoZip(tail: Buffer): boolean {
  for (let at = tail.indexOf(ZIP_END); at >= 0; at = tail.indexOf(ZIP_END, at + 1)) {
    if (isZipEnd(tail.subarray(at, at + ZIP_END_BYTES))) return true;
  }
  return false;
}

/** An archive on a single disk with at least one entry: random bytes do not look like that. */
function isZipEnd(record: Buffer): boolean {
  if (record.length < ZIP_END_BYTES || record.readUInt32LE(4) !== 0) return false;
  return record.readUInt16LE(8) > 0 && record.readUInt16LE(8) === record.readUInt16LE(10);
}
