// The forms that the values of settings have.
import { z } from 'zod';

/** The names of OpenTelemetry. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export const text = z.string().trim().min(1);
export const wholeNumber = z.coerce.number().int();
export const url = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });
export const seconds = (from: number, to: number) => wholeNumber.min(from).max(to);

/** 32 or more printable characters, so that the key fits in a header and cannot be guessed. */
export const operatorKey = z
  .string()
  .regex(/^[\x21-\x7e]{32,}$/, 'must be 32 or more printable characters without spaces');
export const masterKey = z
  .string()
  .regex(/^[A-Za-z0-9+/]{43}=$/, 'must be 32 bytes in base64, e.g. from: openssl rand -base64 32')
  .transform((value) => new Uint8Array(Buffer.from(value, 'base64')));

/** Of OpenTelemetry: `name=value,other=value`, with percent-encoded values. */
export const pairs = z.string().transform((value, context): Readonly<Record<string, string>> => {
  const entries = value.split(',').flatMap((entry) => {
    const [, name = '', given = ''] = /^\s*([!-<>-~]+?)\s*=\s*(.*?)\s*$/.exec(entry) ?? [];
    return name === '' && entry.trim() === '' ? [] : [[name, decoded(given)] as const];
  });
  if (entries.some(([name, one]) => name === '' || one === undefined)) {
    context.addIssue({ code: 'custom', message: 'must be a list like name=value,other=value' });
    return z.NEVER;
  }
  return Object.fromEntries(entries.map(([name, one = '']) => [name, one]));
});

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
