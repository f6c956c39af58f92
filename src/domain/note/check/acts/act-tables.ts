// The tables of acts, as finders: one for notes, and one for talks, which are read with more and vaguer words.
import { stemOf } from '../../../../clinical-text/fold.ts';
import { type FindNamedThings, makeFindNamedThings } from '../../../../clinical-text/phrases/named-things.ts';
import type { Token } from '../../../../clinical-text/tokens/tokens.ts';
import type { StatementKind } from '../../check-report.ts';
import { DISPOSITION_WORDS } from './disposition-words.ts';
import { FOLLOW_UP_WORDS } from './follow-up-words.ts';
import { PREGNANCY_WORDS } from './pregnancy-words.ts';
import { PROCEDURE_WORDS } from './procedure-words.ts';
import { RESUSCITATION_WORDS } from './resuscitation-words.ts';
import { SELF_HARM_WORDS } from './self-harm-words.ts';
import { TEST_WORDS } from './test-words.ts';

export type ActKind = Extract<
  StatementKind,
  'order' | 'procedure' | 'resuscitation' | 'self-harm' | 'pregnancy' | 'follow-up' | 'disposition'
>;

const TABLES: readonly (readonly [ActKind, string])[] = [
  ['order', TEST_WORDS],
  ['procedure', PROCEDURE_WORDS],
  ['resuscitation', RESUSCITATION_WORDS],
  ['self-harm', SELF_HARM_WORDS],
  ['pregnancy', PREGNANCY_WORDS],
  ['follow-up', FOLLOW_UP_WORDS],
  ['disposition', DISPOSITION_WORDS],
];

const START_LETTERS = 4;
/** Words whose answer is kept. A conversation has few different ones. */
const MOST_KEPT = 10_000;
/** Before a vague phrase of a table, and behind the id that it gets. */
const VAGUE = '?';

/** One finder a table: words of two tables may be the same (`no tube`, `intubation`). */
export type ActFinder = { readonly kind: ActKind; readonly find: FindNamedThings };

export const IN_NOTES: readonly ActFinder[] = TABLES.map(([kind, words]) => {
  return { kind, find: makeFindActs(withoutVague(words)) };
});
export const IN_TALKS: readonly ActFinder[] = TABLES.map(([kind, words]) => {
  return { kind, find: makeFindActs(`${withoutVague(words)}\n${vagueAlone(words)}`) };
});

function withoutVague(words: string): string {
  return words.replaceAll(/\?[^,/\n]+/g, '');
}

/** Most utterances have no word that begins a phrase of a table, and need no search. */
function makeFindActs(lines: string): FindNamedThings {
  const find = makeFindNamedThings(lines);
  const firsts = firstWords(lines);
  const known = new Map<string, boolean>();
  const isFirst = ({ kind, word, stem }: Token): boolean => {
    if (kind !== 'word') return false;
    let is = known.get(word);
    if (is === undefined) {
      if (known.size >= MOST_KEPT) known.clear();
      is = firsts.has(stem) || firsts.has(`${word.slice(0, START_LETTERS)}*`);
      known.set(word, is);
    }
    return is;
  };
  return (tokens, language) => (tokens.some(isFirst) ? find(tokens, language) : []);
}

/** Whole words, and the beginnings of those with a star, in any language. */
function firstWords(lines: string): ReadonlySet<string> {
  const phrases = lines.split('\n').flatMap((line) => line.split('=')[1]?.split(/[,/]/) ?? []);
  const firsts = phrases.flatMap((phrase) => phrase.trim().split(/\s+/)[0]?.split('|') ?? []);
  return new Set(firsts.map((word) => (word.endsWith('*') ? `${word.slice(0, START_LETTERS)}*` : stemOf(word))));
}

/** The vague phrases under an id of their own. */
function vagueAlone(words: string): string {
  return words
    .split('\n')
    .filter((line) => line.includes('='))
    .map((line) => {
      const [id = '', forms = ''] = line.split('=');
      const vague = forms
        .split('/')
        .map((part) => [...part.matchAll(/\?([^,]+)/g)].map(([, phrase]) => phrase).join(','));
      return `${id.trim()}${VAGUE} = ${vague.join('/')}`;
    })
    .join('\n');
}

/** The id of an act, and whether only a vague word names it. */
export function readId(id: string): { readonly id: string; readonly isVague: boolean } {
  return id.endsWith(VAGUE) ? { id: id.slice(0, -VAGUE.length), isVague: true } : { id, isVague: false };
}

/** True if what is said of one is also said of the other: an X-ray of the chest is an X-ray. */
export function isSameAct(claimed: string, said: string): boolean {
  if (claimed === said || isFormOf(said, claimed)) return true;
  if (isFormOf(claimed, said)) return !SPECIAL.has(said);
  return GENERAL.get(said)?.has(familyOf(claimed)) === true || GENERAL.get(claimed)?.has(familyOf(said)) === true;
}

export function isFormOf(form: string, general: string): boolean {
  return form.startsWith(`${general}:`);
}

export function familyOf(id: string): string {
  return id.split(':')[0] ?? id;
}

/** Of an X-ray, the part of the body often goes without saying; of these, a form is something else. */
const SPECIAL: ReadonlySet<string> = new Set(['to', 'anaesthetic']);
/** Words for several families. */
const GENERAL: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['imaging', new Set(['ct', 'mri', 'ultrasound'])],
  ['tests', new Set(['blood', 'urine', 'stool', 'sputum', 'swab'])],
  ['excision', new Set(['biopsy'])],
  ['iv-fluids', new Set(['cannula', 'infusion-pump'])],
  ['culture', new Set(['blood', 'urine', 'stool', 'sputum', 'swab'])],
]);
