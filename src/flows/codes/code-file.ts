// What the readers of official files share: the rows that they make, the form of a code, and their limits. Messages name lines and columns,
// never what is in a line, because a wrong file may hold anything.
import type { OfficialCode } from '../../domain/coding/official-codes.ts';
import { ICD10_PATTERN } from '../../domain/diagnosis/diagnosis.ts';
import { AppError } from '../../domain/errors.ts';

export type CodeFileSummary = {
  /** Undefined if the file does not say it. */
  readonly version?: string;
  /** Chapters, blocks and other rows that are no codes of diseases. */
  readonly skipped: number;
  /** How many further characters (site, activity) that some categories may have are not in the list. */
  readonly ignoredModifiers?: number;
};

/** Yields the codes while the file is read. Throws `invalidRequest` if the file does not have its form. */
export type ReadCodeFile = (bytes: AsyncIterable<Uint8Array>) => AsyncGenerator<OfficialCode, CodeFileSummary>;

const MAX_DISPLAY = 1_000;

export function wrongFile(message: string): AppError {
  return new AppError('invalidRequest', message);
}

export function wrongLine(line: number, message: string): AppError {
  return wrongFile(`Line ${line}: ${message}`);
}

/** With its dot, which some files leave out. Undefined if it is no code of ICD-10. */
export function readCode(text: string): string | undefined {
  const plain = text.trim().toUpperCase();
  const code = plain.length > 3 && !plain.includes('.') ? `${plain.slice(0, 3)}.${plain.slice(3)}` : plain;
  return ICD10_PATTERN.test(code) ? code : undefined;
}

/** One line without doubled blanks. Undefined if it is empty or too long for a name. */
export function readDisplay(text: string): string | undefined {
  const display = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  return display === '' || display.length > MAX_DISPLAY ? undefined : display;
}
