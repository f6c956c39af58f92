// Fills the dynamic fields of a template. A field is recognised by its name and description, and stays empty if nothing was said about it.

import type { FamilyWord, FindPhrases } from '../../clinical-text/phrases/family-phrases.ts';
import { LANGUAGES, type Language } from '../../domain/language.ts';
import type { DynamicField } from '../../domain/note/template.ts';
import { type CueFiles, type FieldCue, inAllLanguages } from './cue-files.ts';
import { makeFindFreeField } from './free-fields.ts';
import { findValues, type StatedValue } from './stated-values.ts';
import type { Statement } from './statement.ts';
import { DONE_KINDS } from './statement-kinds.ts';
import { findAny, type ReadWords } from './word-families.ts';

type Finders = {
  readonly near: FindPhrases<string>;
  readonly notGiven: FindPhrases<string>;
  readonly units: FindPhrases<string>;
  readonly between: FindPhrases<string>;
  readonly smallerPart: RegExp;
};
type Search = {
  readonly statements: readonly Statement[];
  readonly cue: FieldCue;
  readonly find: Finders;
  readonly language: Language;
};

const PLAN: ReadonlySet<string> = new Set(['treatment', 'advice', 'decision', 'intervention']);
const AHEAD: ReadonlySet<string> = new Set([
  'followup',
  'return',
  'test-order',
  'advice',
  'decision',
  'referral',
  'treatment',
]);
const DONE: ReadonlySet<string> = new Set(DONE_KINDS);
const REACH_AFTER = 40;
const REACH_BEFORE = 24;
const MAX_SPAN_LEAD = 4;
/** In `three weeks` the cue is `weeks`, and the number is before it. */
const NUMBER_BEFORE = 2;

export function makeFillFields({ fields, speech }: CueFiles, readWords: ReadWords, language: Language) {
  const cues = Object.entries(fields).map(([name, cue]) => ({
    name,
    cue,
    // The template may be in another language than the talk.
    asked: findAny(LANGUAGES.flatMap((one) => cue[one].asked)),
    near: findAny(cue[language].near),
  }));
  const shared = {
    notGiven: findAny(speech['not-given'][language]),
    units: findAny(speech.units[language]),
    between: findAny(speech.between[language]),
    smallerPart: smallerPart(speech),
  };
  const findFree = makeFindFreeField(speech, readWords);
  return (wanted: readonly DynamicField[], statements: readonly Statement[]): Readonly<Record<string, string>> =>
    Object.fromEntries(wanted.map((field) => [field.name, fill(field, statements)]));

  function fill({ name, description }: DynamicField, statements: readonly Statement[]): string {
    const byName = readWords(name.replace(/_/g, ' '));
    const match =
      cues.find(({ asked }) => asked(byName).length > 0) ??
      cues.find(({ asked }) => asked(readWords(description)).length > 0);
    if (match === undefined) return findFree({ name, description }, statements);
    const allowed = statements.filter(({ isClinician }) => match.cue.who === 'anyone' || isClinician);
    const search = { statements: allowed, cue: match.cue, find: { ...shared, near: match.near }, language };
    return FINDERS[match.cue.value](search);
  }
}

/** How the value of a field is found, by its type. */
const FINDERS: Readonly<Record<FieldCue['value'], (search: Search) => string>> = {
  number: findNumber,
  pressure: findPressure,
  drug: findDrugs,
  span: findSpan,
  phone: findPhone,
  words: findWords,
};

/** Behind a unit: `eighteen kilos and a half`, `dezoito quilos e duzentos`. */
function smallerPart({ halves, and, hundreds }: CueFiles['speech']): RegExp {
  const anyOf = (lists: Parameters<typeof inAllLanguages>[0]) => `(?:${inAllLanguages(lists).join('|')})`;
  const hundred = `\\d{3}|\\p{L}{2,}${anyOf(hundreds)}\\p{L}{2,4}`;
  return new RegExp(`^ (?:${anyOf(halves)}|${anyOf(and)} (?:${hundred}))(?![\\p{L}\\d])`, 'iu');
}

/** The last value counts: after a second measurement it is the better one. */
function lastOf(statements: readonly Statement[], look: (statement: Statement) => string | undefined): string {
  for (const statement of statements.toReversed()) {
    const value = look(statement);
    if (value) return value;
  }
  return '';
}

function findNumber({ statements, cue, find, language }: Search): string {
  const measured = statements.filter(({ kind }) => !DONE.has(kind));
  const asked = new Map(
    measured.flatMap(({ question, exchange, isClinician }) =>
      question && !isClinician ? [[exchange, question.words] as const] : [],
    ),
  );
  return lastOf(measured, ({ text, words, exchange, question }) => {
    const values = findValues(text, language).filter(
      ({ value }) => value >= (cue.from ?? 0) && value <= (cue.to ?? Number.POSITIVE_INFINITY),
    );
    const inQuestion = find.near(question?.words ?? asked.get(exchange) ?? []).length > 0;
    for (const { first, end } of find.near(words)) {
      const [from, to] = [words[first]?.from ?? 0, words[end - 1]?.to ?? 0];
      const after = values.find((value) => value.from >= to && value.from - to < REACH_AFTER);
      const before = values.findLast((value) => value.to <= from && from - value.to < REACH_BEFORE);
      const touching = before && from - before.to <= 1 ? before : undefined;
      const value = touching ?? after ?? before;
      if (value) return withUnit(text, words, value, find);
    }
    const [only] = values;
    return inQuestion && only ? withUnit(text, words, only, find) : undefined;
  });
}

function withUnit(text: string, words: readonly FamilyWord[], value: StatedValue, find: Finders): string {
  const next = words.findIndex(({ from }) => from >= value.to);
  const behind = next < 0 ? [] : words.slice(next, next + 3);
  const unit = find.units(behind).find(({ first }) => first === 0);
  const end = unit ? behind[unit.end - 1]?.to : text.charAt(value.to) === '%' ? value.to + 1 : value.to;
  const rest = text.slice(end ?? value.to);
  const smaller = unit ? (find.smallerPart.exec(rest)?.[0] ?? '') : '';
  return value.text + text.slice(value.to, end ?? value.to) + smaller;
}

/** `128 over 76`, `110/70`. Two numbers side by side count only directly after the cue. */
function findPressure({ statements, find, language }: Search): string {
  return lastOf(statements, ({ text, words }) => {
    const values = findValues(text, language);
    const near = find.near(words).map(({ end }) => words[end - 1]?.to ?? 0);
    for (const [place, first] of values.entries()) {
      const second = values[place + 1];
      if (second === undefined) continue;
      const gap = text.slice(first.to, second.from);
      const isJoined =
        /^\s?[/x]\s?$/.test(gap) ||
        find.between(words.filter(({ from, to }) => from >= first.to && to <= second.from)).length > 0;
      const isPair = isJoined && gap.length < 10;
      if (isPair && first.value > second.value && second.value > 2) return `${first.text}${gap}${second.text}`;
      const isBeside = /^\s$/.test(gap) && near.some((to) => first.from >= to && first.from - to < 4);
      if (isBeside && first.value > second.value && second.value > 20) return `${first.text}${gap}${second.text}`;
    }
    return undefined;
  });
}

function findDrugs({ statements, cue, find }: Search): string {
  const ordered = statements.filter(({ kind, isClinician }) =>
    cue.who === 'clinician' ? isClinician && PLAN.has(kind) : kind === 'medication',
  );
  const names = ordered.flatMap(({ text, words }) => {
    const refused = new Set(find.notGiven(words).map(({ end }) => end - 1));
    return words.flatMap(({ families, from, to }, index) =>
      families.has('drug') && !refused.has(index) ? [text.slice(from, to)] : [],
    );
  });
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()].join(', ');
}

/** `In six weeks`, `Thursday at ten`: from the number or day to the end of the time, with the short word before it. */
function findSpan({ statements, find }: Search): string {
  const ahead = statements.filter(({ kind }) => AHEAD.has(kind));
  const look = (statement: Statement, needsCue: boolean): string | undefined => {
    const { text, words } = statement;
    const hit = find.near(words).at(-1);
    if (hit === undefined && needsCue) return undefined;
    const start = words.findIndex(
      ({ families }, index) =>
        index >= (hit?.first ?? 0) - NUMBER_BEFORE && (families.has('number') || families.has('weekday')),
    );
    if (start < 0) return undefined;
    const ends = words
      .slice(start, start + MAX_SPAN_LEAD)
      .findLastIndex(({ families }) => families.has('time') || families.has('number'));
    const isTime = words.slice(start, start + ends + 1).some(({ families }) => families.has('time'));
    if (!isTime) return undefined;
    const lead = words[start - 1];
    const from = lead && lead.word.length < 6 && !lead.families.has('body') ? lead.from : (words[start]?.from ?? 0);
    return text.slice(from, words[start + ends]?.to);
  };
  return (
    lastOf(ahead, (statement) => look(statement, true)) ||
    lastOf(
      ahead.filter(({ kind }) => kind === 'followup'),
      (statement) => look(statement, false),
    )
  );
}

function findPhone({ statements }: Search): string {
  return lastOf(statements, ({ text }) => /(?<!\d)\+?\d(?:[ .-]?\d){6,14}(?!\d)/.exec(text)?.[0]);
}

/** The answer to the question with the cue, else the first statement with it. */
function findWords({ statements, find }: Search): string {
  const answer = statements.find(({ question }) => question && find.near(question.words).length > 0);
  const found = answer ?? statements.find(({ words }) => find.near(words).length > 0);
  return found?.text.replace(/[.]$/, '') ?? '';
}
