// Fields that several endpoints of /ops share, and the type of what a schema describes.
import { z } from 'zod';

/** The type of an answer. It is read-only, and its optional fields are absent rather than `undefined`, as in JSON. */
export type Answer<Schema extends z.ZodType> = ReadonlyDeep<z.output<Schema>>;

type ReadonlyDeep<T> = T extends readonly (infer Item)[]
  ? readonly ReadonlyDeep<Item>[]
  : T extends object
    ? { readonly [Name in keyof T]: ReadonlyDeep<Exclude<T[Name], undefined>> }
    : T;

/** Makes the message for a field that is absent, and the one for any other problem with it. */
export function required(rule: string) {
  return (issue: { readonly input?: unknown }) => (issue.input === undefined ? `is required and ${rule}` : rule);
}

/** An empty form field was not filled in, and `null` in JSON means the same. */
export function emptyAsAbsent<Inner extends z.ZodType>(inner: Inner) {
  return z.preprocess((value) => (value === '' || value === null ? undefined : value), inner);
}

export const ONCE_RULE = 'must be given once';

const NAME_RULE = 'must be 1 to 200 characters without control characters';

export function lineOfText(description: string) {
  return z
    .string({ error: required(NAME_RULE) })
    .trim()
    .min(1, { error: NAME_RULE })
    .max(200, { error: NAME_RULE })
    .refine((value) => !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(value), { error: NAME_RULE })
    .meta({ description });
}

export const optionalLine = (description: string, example: string) =>
  emptyAsAbsent(
    lineOfText(description)
      .optional()
      .meta({ examples: [example] }),
  );

const dayOrTime = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);
const YEARS = { first: 1970, last: 9998 } as const;

/** A day means its beginning in UTC. */
export function moment(description: string) {
  return z
    .string({ error: 'must be text' })
    .refine((value) => dayOrTime.safeParse(value).success && isUsableYear(value), {
      error: 'must be a day like 2027-01-31 (from 00:00 UTC) or a time like 2027-01-31T08:00:00Z',
    })
    .transform((value) => new Date(value))
    .meta({
      description: `${description} A day (from 00:00 UTC) or a time with its offset.`,
      examples: ['2027-01-31'],
    });
}

export const optionalMoment = (description: string) => emptyAsAbsent(moment(description).optional());

function isUsableYear(value: string): boolean {
  const year = new Date(value).getUTCFullYear();
  return year >= YEARS.first && year <= YEARS.last;
}

/** A query parameter. */
export const yesOrNo = (description: string) =>
  emptyAsAbsent(
    z
      .enum(['true', 'false'], { error: 'must be true or false' })
      .optional()
      .meta({ description, examples: ['true'] }),
  );

export const timestamp = (description: string) => z.string().meta({ description, format: 'date-time' });

export const PAGE_SIZE = { defaultLimit: 50, maxLimit: 500 } as const;

const limitRule = `must be a whole number from 1 to ${PAGE_SIZE.maxLimit}`;

/** Every list takes these query parameters. */
export const pageFields = {
  limit: emptyAsAbsent(
    z
      .string({ error: ONCE_RULE })
      .regex(/^\d{1,4}$/, { error: limitRule })
      .transform(Number)
      .refine((limit) => limit >= 1 && limit <= PAGE_SIZE.maxLimit, { error: limitRule })
      .optional()
      .meta({
        description: `Maximum number of items: ${PAGE_SIZE.defaultLimit} by default, ${PAGE_SIZE.maxLimit} at most.`,
        examples: ['20'],
      }),
  ),
  cursor: emptyAsAbsent(
    z
      .string({ error: ONCE_RULE })
      .max(300, { error: 'must be the `next` of an earlier answer' })
      .optional()
      .meta({
        description: 'The `next` of the previous page.',
        examples: ['MTIz'],
      }),
  ),
};

export const nextCursor = z
  .string()
  .optional()
  .meta({ description: 'The `cursor` of the next page; absent on the last.' });
