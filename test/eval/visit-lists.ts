// Reads what must not appear in the chart of a visit of the sandbox: `visits/<id>.yaml`, described in `visits/README.md`.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const KINDS = [
  'not-said',
  'denied',
  'relative',
  'considered',
  'planned',
  'warned',
  'past',
  'side',
  'number',
  'drug',
  'person',
  'danger',
  'small-talk',
  'order',
] as const;

const text = z.string().min(1);
const kind = z.enum(KINDS);
const ofWords = z.strictObject({
  in: z.enum(['facts', 'flag', 'note']),
  kind,
  words: text,
  unless: text.exactOptional(),
  near: text.exactOptional(),
});
const ofCodes = z.strictObject({
  in: z.enum(['candidates', 'conditions']),
  kind,
  codes: z.string().regex(/^(any|[A-Z][0-9A-Z.]*(\|[A-Z][0-9A-Z.]*)*)$/),
});
const absent = z.array(z.union([ofWords, ofCodes]));
const list = z.strictObject({
  id: text,
  discussed: z.array(text),
  absent,
  /** Found later, when the charts were read. */
  read: absent.default([]),
  /** What the built-in rules still misread, as the evaluation names it behind the kind. */
  notYet: z.array(z.strictObject({ what: text, why: text })).default([]),
});

export type AbsentWords = z.output<typeof ofWords>;
export type AbsentCodes = z.output<typeof ofCodes>;
export type VisitList = z.output<typeof list>;

const FOLDER = path.join(import.meta.dirname, 'visits');

/** Throws if there is none, or if it is wrong. */
export function readVisitList(id: string, folder = FOLDER): VisitList {
  const read = list.safeParse(parse(readFileSync(path.join(folder, `${id}.yaml`), 'utf8')));
  if (!read.success) throw new Error(`visits/${id}.yaml:\n${z.prettifyError(read.error)}`);
  if (read.data.id !== id) throw new Error(`visits/${id}.yaml: the id is ${read.data.id}`);
  return read.data;
}
