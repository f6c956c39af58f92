// Lists that are read page by page, by the number of the last row of the page before.
import { AppError } from '../../../domain/errors.ts';

/** Throws `invalidRequest` if the cursor is not from an earlier page. */
export function pageStart(cursor: string): number {
  const start = Number(cursor);
  if (/^\d{1,16}$/.test(cursor) && Number.isSafeInteger(start)) return start;
  throw new AppError('invalidRequest', 'cursor is not what an earlier page gave as next');
}
