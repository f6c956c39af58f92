// Where the next page of a list begins: a row's position, as an opaque text.
import { AppError } from '../../domain/errors.ts';

export function makeCursor(position: number): string {
  return Buffer.from(String(position)).toString('base64url');
}

/** Throws `invalidRequest`. */
export function parseCursor(cursor: string): number {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new AppError('invalidRequest', 'cursor is not one that was given out');
}
