// Lists that are read page by page. The next page begins at a row's position, as an opaque text.
import { AppError } from '../../domain/errors.ts';

/** The rows of a page, of which one more was read. `last`: the last row of the page, if there is a further page. */
export function cutPage<Row>(rows: readonly Row[], limit: number) {
  const page = rows.slice(0, limit);
  return { page, last: rows.length > limit ? page.at(-1) : undefined };
}

export function makeCursor(position: number): string {
  return Buffer.from(String(position)).toString('base64url');
}

/** Throws `invalidRequest`. */
export function parseCursor(cursor: string): number {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new AppError('invalidRequest', 'cursor is not one that was given out');
}
