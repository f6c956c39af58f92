// Parts of the schemas of several knowledge files.
import { z } from 'zod';

export const text = z.string('is a text').trim().min(1, 'is empty');
/** Long lists of words are separated by blanks. */
export const listed = text.transform((words) => words.split(/\s+/));

export function inLanguages<T extends z.ZodType>(of: T) {
  return z.strictObject({ en: of, es: of, pt: of });
}

/** `findProblem` returns what is wrong with a phrase. */
export function phrase(findProblem: (written: string) => string | undefined) {
  return z.string('is a text in quotes').superRefine((written, context) => {
    const problem = findProblem(written);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: `"${written}" ${problem}` });
  });
}
