// Finds findings that are denied by what is behind them: "fever absent", "fiebre: no", "tosse (-)", "HIV, negativo", "vomiting 0".

import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import { isWord } from './history.ts';
import type { Mention, SentenceView } from './mentions.ts';

/** Lower ketones, in mmol/L of blood, are normal. */
const KETONES_FROM = 0.6;
const LONGEST_LIST = 14;

/** True of "fever absent", "fiebre: no", "tosse (-)", "fever N". */
export function isDeniedBehind(view: SentenceView, mention: Mention): boolean {
  const { tokens, sentence } = view;
  const { to } = mention;
  const isAtEnd = to >= sentence.to;
  const marks = (isAtEnd ? sentence.tail : tokens[to]?.marks) ?? '';
  if (/^\([-−–]\)|^[-−–][,;.]/.test(marks) || (isAtEnd && /^[-−–]$/.test(marks))) return true;
  if (isFormNo(view, to) || isNone(view, to) || isPainless(view, mention) || isAnsweredNo(view, mention)) return true;
  if (isResultBehind(view, to)) return true;
  let at = to;
  for (let skipped = 0; skipped < 2 && isWord(view, at, 'copula'); skipped++) at++;
  const token = tokens[at];
  if (token === undefined || at >= sentence.to || !/^[:=?–→"“«-]*$/.test(token.marks)) return false;
  const absent = view.cueAt(at, 'absent');
  const cue =
    absent ??
    view.cueAt(at, 'negation') ??
    view.cueAt(at, 'answers-no') ??
    view.cueAt(at, 'no') ??
    view.cueAt(at, 'denial');
  if (cue === undefined || (token.text === 'n' && !token.isCapital)) return false;
  const next = tokens[cue.to];
  return (
    cue.to >= sentence.to ||
    next === undefined ||
    next.before >= BREAKS.comma ||
    isAside(view, cue.to) ||
    (absent !== undefined && !isFollowed(view, cue.to))
  );
}

/** True of "Fever, no.": a finding with its "no" is the whole sentence. */
function isAnsweredNo(view: SentenceView, { from, to }: Mention): boolean {
  const { sentence, tokens } = view;
  if (sentence.isQuestion || from - sentence.from > 1 || tokens[to]?.before !== BREAKS.comma) return false;
  return to < sentence.to && (view.cueAt(to, 'negation') ?? view.cueAt(to, 'no'))?.to === sentence.to;
}

/** True of a negative test without another one behind it: "HIV, negativo", "sífilis e HIV hoje não reagentes". */
function isResultBehind(view: SentenceView, to: number): boolean {
  if (isListOfResults(view, to)) return true;
  const behind = view.tokens.slice(to, Math.min(to + 6, view.sentence.to));
  const cut = behind.findIndex(({ before }, at) => before > BREAKS.comma || (at > 1 && before === BREAKS.comma));
  const words = behind.slice(0, cut < 0 ? behind.length : cut);
  const text = words.map(({ text: word, before }) => (before === BREAKS.comma ? `,${word}` : word)).join(' ');
  if (!view.words.patterns['negative-result'].test(text)) return false;
  const end = to + words.findIndex(({ text: word }) => view.words.has('negative', word)) + 1;
  return !isFollowed(view, end) && !isWord(view, end, 'result-for');
}

/** True of one result for a list of tests: "HIV, sífilis, hepatite B e C, tudo não reagente". */
function isListOfResults({ tokens, sentence, words }: SentenceView, to: number): boolean {
  const behind = tokens.slice(to, Math.min(to + LONGEST_LIST, sentence.to));
  const cut = behind.findIndex(({ before }) => before > BREAKS.comma);
  const text = (cut < 0 ? behind : behind.slice(0, cut)).map((token) => token.text).join(' ');
  return words.patterns['results-of-list'].test(text);
}

/** True of a restriction behind the "no": "fiebre no cuando me la he tomado", "embarazada no que yo sepa". */
function isAside({ tokens, words }: SentenceView, at: number): boolean {
  return words.patterns.aside.test(`${tokens[at]?.text} ${tokens[at + 1]?.text}`);
}

/** "La puñopercusión no duele" denies the sign, because it is a test for pain. A lump that does not hurt is present. */
function isPainless(view: SentenceView, { words, to }: Mention): boolean {
  const { tokens, sentence } = view;
  if (!words.some((at) => isWord(view, at, 'pressed'))) return false;
  const behind: string[] = [];
  for (let at = to; at < Math.min(sentence.to, to + 6); at++) {
    const { before = BREAKS.none, text = '' } = tokens[at] ?? {};
    if (before >= BREAKS.comma) break;
    behind.push(text);
  }
  return view.words.patterns.painless.test(behind.join(' '));
}

/** True of "vomiting 0" and of normal ketones: "ketones 0.2". */
function isNone(view: SentenceView, to: number): boolean {
  const { tokens, sentence } = view;
  const token = tokens[to];
  if (to >= sentence.to || token?.number === undefined || token.before > BREAKS.comma) return false;
  if (/^\/?[./]/.test(token.marks)) return false;
  return token.number === 0 || (isWord(view, to - 1, 'ketone') && token.number < KETONES_FROM);
}

/** True of the "N" of a form: "back or loin pain N;", "vaginal discharge or itch N". */
function isFormNo({ tokens, sentence, mentionsAt }: SentenceView, from: number): boolean {
  for (let at = from; at < Math.min(from + 4, sentence.to); at++) {
    const token = tokens[at];
    if (token === undefined || token.before >= BREAKS.comma) return false;
    const next = tokens[at + 1];
    const isEnd = next === undefined || at + 1 >= sentence.to || next.before >= BREAKS.comma;
    if (token.text === 'n' && token.isCapital) return isEnd;
    if (mentionsAt.has(at)) return false;
  }
  return false;
}

/** True if the cue is about findings behind it: "negative for", "denied fever". */
function isFollowed(view: SentenceView, from: number): boolean {
  for (let at = from; at < Math.min(from + 4, view.sentence.to); at++) {
    if (at > from && (view.tokens[at]?.before ?? 0) >= BREAKS.comma) return false;
    if (view.mentionsAt.has(at)) return true;
  }
  return false;
}

/** Returns the mention with those joined to it by "and" or a slash: "fever/chills absent". */
export function joinedBefore(view: SentenceView, last: Mention): Mention[] {
  const joined = [last];
  let from = last.from;
  for (let steps = 0; steps < 6; steps++) {
    const isSlash = view.tokens[from]?.marks === '/';
    const end = isWord(view, from - 1, 'conjunction') ? from - 1 : isSlash ? from : undefined;
    if (end === undefined || (view.tokens[from]?.before ?? 0) >= BREAKS.comma) break;
    const before = view.mentionsTo.get(end) ?? [];
    if (before.length === 0) break;
    joined.push(...before);
    from = Math.min(...before.map((mention) => mention.from));
  }
  return joined;
}
