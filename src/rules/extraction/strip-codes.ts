// Takes references, ids and codes out of a text before it is heard: "obs-43c" is no temperature, and "SOB-2" in an id no breathlessness. What
// is left is exactly the text without them, so that the answer cannot depend on them.
import { foldText } from '../../clinical-text/fold.ts';
import { readWordTokens } from '../../clinical-text/tokens/word-tokens.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { WordFiles, WordListName } from '../knowledge/word-lists.ts';
import { unitYears } from './age-units.ts';
import { makeWordLists, type WordLists } from './history.ts';

export type StripCodes = (text: string) => string;

const ID = '[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?';
const REFERENCE = `[A-Z][A-Za-z]{2,40}/${ID}(?:/_history/${ID})?`;
const ICD = '[A-Z]\\d[0-9A-Z](?:\\.[0-9A-Z]{1,4})?';
const SYSTEMS =
  '(?:ICD|CIE|CID)(?:[- ]?(?:9|10|11))?(?:[- ]?(?:CM|ES))?|LOINC|SNOMED(?:[- ]?CT)?|ATC|RxNorm|CPT|MRN|NHC|SSN|UUID|[Ii][Dd]';
const CODE = `${ICD}|[A-Za-z0-9._-]{0,40}\\d[A-Za-z0-9._-]{1,40}[A-Za-z0-9]`;
/** Dots with one place behind T30 to T43 are temperatures: "T38.5". */
const DOTTED_ICD = '(?!T(?:3\\d|4[0-3])\\.\\d(?![0-9A-Z]))[A-Z]\\d[0-9A-Z]\\.[0-9A-Z]{1,4}';
/** Without a dot: letters that are neither vital signs, vertebrae, vitamins, words nor the sex of a person. */
const BARE_ICD = '[ACIJKNOQUVWXYZ]\\d\\d(?!%)';
const UUID = '[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}';
const BEGIN = '(?<![\\p{L}\\p{N}_/.,-])';
const END = '(?![\\p{L}\\p{N}_])(?![.,/-][\\p{L}\\p{N}])';
const SURE = [
  `\\[${REFERENCE}(?:[,;] ?${REFERENCE})*\\]`,
  `[([](?:${SYSTEMS}):? ?(?:${CODE})[)\\]]`,
  `[([](?:${ICD}(?:[,;] ?${ICD})*|\\d{1,7}-\\d|\\d{6,18})[)\\]]`,
  `${BEGIN}(?:urn:[a-z0-9]{2,16}:[^\\s\\])},;"]{1,200}|https?://[^\\s\\])},;"]{1,500})`,
  `${BEGIN}(?=${REFERENCE})[A-Z][A-Za-z]{2,40}/(?=[A-Za-z._-]{0,62}\\d)${ID}(?:/_history/${ID})?${END}`,
  `${BEGIN}${UUID}${END}`,
  `${BEGIN}(?:${SYSTEMS})(?::|#| )? ?(?:${CODE})${END}`,
  `${BEGIN}(?:${DOTTED_ICD}|${BARE_ICD})${END}`,
  `${BEGIN}\\d{3,7}-\\d${END}`,
  `${BEGIN}\\d+(?:\\.\\d+){3,20}${END}`,
  `${BEGIN}\\d{7,18}${END}`,
];
const SURE_CODE = new RegExp(SURE.join('|'), 'gu');
/** Words, numbers and what joins them in an id. */
const RUN = /(?<![\p{L}\p{N}_/.,])[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)*/gu;
const MIXED = /\p{L}\d|\d\p{L}/u;
/** "G2P1", "E3V4M6", "164x96", "1h30", "37w5d", "L5", "covid19". */
const ORDINARY_FORMS =
  /^(?:(?:[a-z]\d{1,2}){2,6}|\d{1,3}x\d{1,3}|\d{1,2}h\d{2}|\d{1,2}[sw]\d{1,2}d?|[a-z]\d{1,3}|[a-z]{5,12}\d{1,2})$/;
const SHORT_UNITS = new Set(
  'f m y o a h x d w s k p mm th st nd rd am pm id mmhg min mins hs hrs hr mcg ug ui iu kcal dl xdia bid tid'.split(
    ' ',
  ),
);
const UNIT_LISTS: readonly WordListName[] = [
  'degrees',
  'fahrenheit',
  'beats-unit',
  'breaths-unit',
  'weeks-unit',
  'other-unit',
];

export function makeStripCodes({ findings, cues, words }: Pick<Knowledge, 'findings' | 'cues' | 'words'>): StripCodes {
  const written = [
    ...[...findings.values()].flatMap(({ phrases }) => Object.values(phrases).flat()),
    ...Object.values(cues).flatMap((kinds) => Object.values(kinds).flat()),
  ];
  const known = new Set(written.flatMap((phrase) => foldText(phrase).match(/[a-z0-9]+/g) ?? []).filter(isMixed));
  const lists = makeWordLists(words);
  const names = valueNames(words);
  const isCode = (run: string): boolean => isIdOrCode(foldText(run), { known, names, lists });
  return (text) => (/\d/.test(text) || text.includes('[') || text.includes(':') ? strip(text, isCode) : text);
}

type Ordinary = {
  readonly known: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  readonly lists: WordLists;
};

function isIdOrCode(run: string, ordinary: Ordinary): boolean {
  if (!isMixed(run)) return /^[a-z]+[-_]\d{5,}$/.test(run);
  if (ordinary.known.has(run)) return false;
  const parts = run.split(/[-_]/);
  return parts.some((part, at) => {
    if (!isMixed(part)) return false;
    if (!isOrdinary(part, ordinary)) return true;
    // In "obs-43c" the number is no measure; in "temp-38c" it is.
    return at > 0 && /^\d/.test(part) && isWordOfId(parts[at - 1] ?? '', ordinary);
  });
}

function isWordOfId(part: string, { names }: Ordinary): boolean {
  return /[a-z]/.test(part) && !names.has(part);
}

function isOrdinary(part: string, { known, names, lists }: Ordinary): boolean {
  if (known.has(part) || ORDINARY_FORMS.test(part)) return true;
  const [, number = '', unit = ''] = /^(\d{1,4})([ºª]?[a-zºª]+)$/.exec(part) ?? [];
  if (number !== '') return isUnit(unit.replace(/[ºª]/g, ''), lists);
  const [, name = ''] = /^([a-zºª]+)\d{1,3}$/.exec(part) ?? [];
  return names.has(name.replace(/[ºª]/g, ''));
}

function isUnit(unit: string, words: WordLists): boolean {
  if (unit === '' || SHORT_UNITS.has(unit) || UNIT_LISTS.some((list) => words.has(list, unit))) return true;
  return unitYears({ tokens: readWordTokens(unit), words }, 0) !== undefined;
}

function valueNames({ 'value-names': names }: WordFiles): ReadonlySet<string> {
  return new Set(['t', 'p', ...Object.values(names).flatMap((list) => list.map((name) => name.split(' ')[0] ?? ''))]);
}

function isMixed(word: string): boolean {
  return MIXED.test(word);
}

type Place = { readonly from: number; readonly to: number };

function strip(text: string, isCode: (run: string) => boolean): string {
  const sure = Array.from(text.matchAll(SURE_CODE), placeOf);
  const left = blank(text, sure);
  const runs = Array.from(left.matchAll(RUN)).filter(([run]) => isCode(run));
  const places = [...sure, ...runs.map(placeOf)].sort((one, other) => one.from - other.from);
  let said = '';
  let end = 0;
  for (const place of places) {
    const { from, to } = withBlanks(text, place, end);
    said += text.slice(end, from);
    end = to;
  }
  return said + text.slice(end);
}

function placeOf({ 0: { length }, index }: RegExpExecArray): Place {
  return { from: index, to: index + length };
}

function blank(text: string, places: readonly Place[]): string {
  let left = '';
  let end = 0;
  for (const { from, to } of places) {
    left += text.slice(end, from) + ' '.repeat(to - from);
    end = to;
  }
  return left + text.slice(end);
}

/** With the blank before it; at the beginning of a line with the blank behind it, or with the whole line. */
function withBlanks(text: string, { from, to }: Place, least: number): Place {
  if (text[from - 1] === ' ' && from - 1 >= least) return { from: from - 1, to };
  if (text[to] === ' ') return { from, to: to + 1 };
  const isLine = (from === 0 || text[from - 1] === '\n') && text[to] === '\n';
  return isLine ? { from, to: to + 1 } : { from, to };
}
