// Reads the order file of ICD-10-CM that CMS publishes each year (icd10cm_order_2026.txt). Its columns are fixed: a number, the code without
// its dot, 0 for a category or 1 for a billable code, a short title and, from column 78 on, the official title.
import type { OfficialCode } from '../../domain/coding/official-codes.ts';
import { type CodeFileSummary, readCode, readDisplay, wrongLine } from './code-file.ts';
import { readLines } from './read-lines.ts';

const COLUMNS = /^\d{5} ([A-Z0-9]{3,7}) {1,5}([01]) (.*)$/;
/** Of the code, its blanks and the flag. */
const FLAG_AT = 14;
/** The last column of the short title, which is always blank, and the first of the long one. */
const TITLE_AT = 76;
const FORM = 'it does not have the columns of the order file (icd10cm_order_<year>.txt, not icd10cm_codes_<year>.txt).';

export async function* readOrderFile(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<OfficialCode, CodeFileSummary> {
  for await (const { text, number } of readLines(bytes)) {
    if (text.trim() === '') continue;
    yield readLine(text, number);
  }
  return { skipped: 0 };
}

function readLine(text: string, number: number): OfficialCode {
  const [, written = '', flag] = COLUMNS.exec(text) ?? [];
  const code = readCode(written);
  const display = readDisplay(longTitle(text));
  const isInPlace = text[FLAG_AT] === flag;
  if (code === undefined || display === undefined || !isInPlace) throw wrongLine(number, FORM);
  return { code, display, isBillable: flag === '1' };
}

/** In files that count columns in bytes, a letter with an accent moves the long title to the left. */
function longTitle(text: string): string {
  if (text[TITLE_AT] === ' ') return text.slice(TITLE_AT);
  return text[TITLE_AT - 1] === ' ' ? text.slice(TITLE_AT) : '';
}
