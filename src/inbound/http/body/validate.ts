// Checks a request against its schema. Messages name the field and what is allowed, and never repeat what was sent: it may be
// clinical text.
import type { z } from 'zod';
import { AppError } from '../../../domain/errors.ts';

/** The value as the schema makes it, or one `invalidRequest` with an entry for each field that breaks a rule. */
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

/** Names only as much of an unknown field as helps to find it. */
function shorten(name: string): string {
  return JSON.stringify(name.slice(0, 40));
}
