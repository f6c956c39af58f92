// Refuses files that are no text by their first bytes: archives, spreadsheets, documents.
import { wrongFile } from './code-file.ts';

const UNPACK = 'Unpack it, and import the file with the codes that is in it.';
const SAVE = 'Save it as text in UTF-8.';
const FORMATS: readonly (readonly [head: readonly number[], message: string])[] = [
  [[0x50, 0x4b, 0x03, 0x04], `The file is a zip archive or an Excel workbook. ${UNPACK} Save a workbook as CSV.`],
  [[0x50, 0x4b, 0x05, 0x06], 'The file is an empty zip archive.'],
  [[0x1f, 0x8b], `The file is compressed (gzip). ${UNPACK}`],
  [[0x37, 0x7a, 0xbc, 0xaf], `The file is a 7z archive. ${UNPACK}`],
  [[0x42, 0x5a, 0x68], `The file is compressed (bzip2). ${UNPACK}`],
  [[0xd0, 0xcf, 0x11, 0xe0], 'The file is an Excel or Access file. Save it as CSV.'],
  [[0x25, 0x50, 0x44, 0x46], 'The file is a PDF document, which has no codes to import.'],
  [[0xff, 0xfe], `The file is text in UTF-16. ${SAVE}`],
  [[0xfe, 0xff], `The file is text in UTF-16. ${SAVE}`],
];
const LONGEST = 4;

/** Passes the bytes on. Throws `invalidRequest`. */
export async function* refuseBinary(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head = new Uint8Array(0);
  let isChecked = false;
  for await (const piece of bytes) {
    if (isChecked) {
      yield piece;
      continue;
    }
    head = Buffer.concat([head, piece]);
    if (head.length < LONGEST) continue;
    refuseHead(head);
    isChecked = true;
    yield head;
  }
  if (isChecked) return;
  refuseHead(head);
  if (head.length === 0) throw wrongFile('The file is empty.');
  yield head;
}

function refuseHead(head: Uint8Array): void {
  const found = FORMATS.find(([magic]) => magic.every((byte, index) => head[index] === byte));
  if (found !== undefined) throw wrongFile(found[1]);
}
