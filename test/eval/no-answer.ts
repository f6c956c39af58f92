// A case to which a reasoner gave no answer. It counts as an empty answer, and has a column of its own in the tables.
import { asAppError, type ErrorCode } from '../../src/domain/errors.ts';

export type NoAnswer = { readonly error: ErrorCode };

/** What was thrown in place of an answer; thrown on where the whole evaluation was stopped. */
export function toNoAnswer(thrown: unknown, { aborted }: AbortSignal): NoAnswer {
  if (aborted) throw thrown;
  return { error: asAppError(thrown).code };
}
