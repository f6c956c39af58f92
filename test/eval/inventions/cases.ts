// The inventions of an obedient model: talks with a faithful note each, and what is put into the note or the diagnosis.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { LANGUAGES, type Language } from '../../../src/domain/language.ts';
import type { Utterance } from '../../../src/domain/recording/transcript.ts';

/** No invention of these kinds may go into a chart unmarked. */
export const GUARDED_KINDS = [
  'drug',
  'dose',
  'frequency',
  'course',
  'allergy',
  'denied allergy',
  'side',
  'denial',
  'number',
  'age',
  'date',
  'consent',
  'signature',
  'review',
  'final status',
  'title',
  'markup',
  'address',
  'telephone',
  'code of another disease',
  'made-up code',
  'link',
  'dosage',
  'markup in the diagnosis',
] as const;
/** These are counted. To mark them, each statement needs its evidence in the talk. */
export const COUNTED_KINDS = ['finding', 'family history', 'history', 'procedure', 'order'] as const;
export const KINDS = [...GUARDED_KINDS, ...COUNTED_KINDS] as const;
export type Kind = (typeof KINDS)[number];

const talk = z.strictObject({
  /** One line a turn; the letter is the speaker. */
  said: z.string(),
  title: z.string(),
  note: z.record(z.string(), z.string()),
});
const anywhere = { talk: z.string(), words: z.string().optional(), code: z.string().optional() };
/** The section is `title`, or the key of a section. */
const inNote = { ...anywhere, section: z.string() };
const invention = z.union([
  z.strictObject({ ...inNote, adds: z.string() }),
  z.strictObject({ ...inNote, turns: z.string(), into: z.string() }),
  z.strictObject({ ...anywhere, candidate: z.record(z.string(), z.unknown()) }),
  z.strictObject({ ...anywhere, triage: z.record(z.string(), z.unknown()) }),
]);
const file = z.strictObject({
  talks: z.record(z.string(), talk),
  cases: z.partialRecord(z.enum(KINDS), z.array(invention).min(1)),
});

export type Talk = Omit<z.output<typeof talk>, 'said'> & {
  readonly name: string;
  readonly language: Language;
  readonly utterances: readonly Utterance[];
};
/** `words` are in nothing that is written if they were taken out; `code` is in nothing in the chart. */
export type Invention = z.output<typeof invention>;
export type Case = {
  readonly set: InventionSet;
  readonly kind: Kind;
  readonly talk: Talk;
  readonly invention: Invention;
};

/** Each was written after the mends that the one before led to. */
export const INVENTION_SETS = ['first', 'late', 'last'] as const;
export type InventionSet = (typeof INVENTION_SETS)[number];
const SUFFIXES: Readonly<Record<InventionSet, string>> = { first: '', late: '-late', last: '-last' };

const FOLDER = new URL('cases/', import.meta.url);
const SECONDS_A_TURN = 5;

export function readInventions(): readonly Case[] {
  return INVENTION_SETS.flatMap((set) => LANGUAGES.flatMap((language) => readSet(set, language)));
}

function readSet(set: InventionSet, language: Language): readonly Case[] {
  const text = readFileSync(new URL(`${language}${SUFFIXES[set]}.yaml`, FOLDER), 'utf8');
  const { talks, cases } = file.parse(parse(text));
  const byName = new Map(Object.entries(talks).map(([name, one]) => [name, { ...toTalk(one, name), language }]));
  return KINDS.flatMap((kind) =>
    (cases[kind] ?? []).map((invention) => ({
      set,
      kind,
      talk: found(byName.get(invention.talk), invention.talk),
      invention,
    })),
  );
}

function toTalk({ said, ...rest }: z.output<typeof talk>, name: string): Omit<Talk, 'language'> {
  const utterances = said
    .trim()
    .split('\n')
    .map((line, turn) => ({
      speaker: line.startsWith('D:') ? 0 : 1,
      text: line.slice(line.indexOf(':') + 1).trim(),
      startSeconds: turn * SECONDS_A_TURN,
      endSeconds: (turn + 1) * SECONDS_A_TURN,
      confidence: 0.9,
    }));
  return { ...rest, name, utterances };
}

function found<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`There is no talk ${name}`);
  return value;
}
