// Validates a request with its schema. Messages name the field and the rule, and never repeat the value, which can be clinical
// text.
import type { z } from 'zod';
import { AppError } from '../../../domain/errors.ts';

/** Returns the parsed value. Throws one `invalidRequest` with an entry for each field that breaks a rule. */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new AppError('invalidRequest', 'The request is not valid', { details: result.error.issues.map(sentence) });
}

function sentence(issue: z.core.$ZodIssue): string {
  const field = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') return `unknown fields: ${issue.keys.slice(0, 5).map(shorten).join(', ')}`;
  if (field === '') return 'the body must be a JSON object';
  return `${field} ${issue.message}`;
}

/** Shows only the beginning of an unknown field, which is enough to find it. */
function shorten(name: string): string {
  return JSON.stringify(name.slice(0, 40));
}
