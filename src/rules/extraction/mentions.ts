// Finds the findings and cues of one sentence, and drops those that are part of a longer one.

import { FUNCTION_WORDS } from '../../clinical-text/languages/language-words.ts';
import type { Match } from '../../clinical-text/phrases/phrase-tree.ts';
import type { Sentence } from '../../clinical-text/sentences/sentences.ts';
import type { WordToken } from '../../clinical-text/tokens/word-tokens.ts';
import type { Finding } from '../knowledge/knowledge.ts';
import type { CueKind } from './cue-kinds.ts';
import type { History, Stretch } from './history.ts';
import type { Entry, LexiconIndex } from './lexicon-index.ts';
import { NO_TURN, type Turn } from './turn.ts';

export type Cue = {
  readonly kind: CueKind;
  readonly words: readonly number[];
  readonly from: number;
  readonly to: number;
};
export type Mention = {
  readonly finding: Finding;
  readonly words: readonly number[];
  readonly from: number;
  readonly to: number;
};

/** One sentence with its findings and cues. */
export type SentenceView = History & {
  readonly sentence: Sentence;
  /** Who speaks. */
  readonly turn: Turn;
  /** True if the same speaker has begun a plan before. */
  readonly isPlanContinued: boolean;
  readonly mentions: readonly Mention[];
  /** Mentions inside a longer finding with a negation or a relative of its own: they are never present. */
  readonly parts: ReadonlySet<Mention>;
  readonly mentionsAt: ReadonlyMap<number, readonly Mention[]>;
  /** The mentions by the index behind their last word. */
  readonly mentionsTo: ReadonlyMap<number, readonly Mention[]>;
  readonly cues: (kind: CueKind) => readonly Cue[];
  readonly hasCue: (at: number, ...kinds: readonly CueKind[]) => boolean;
  readonly cueAt: (at: number, kind: CueKind) => Cue | undefined;
};

/** These cues stay, even as part of a finding: in "mother had a heart attack" the heart attack is still the mother's. */
const STAYS: ReadonlySet<CueKind> = new Set([
  'relative',
  'other',
  'child',
  'heritage',
  'has',
  'report',
  'over',
  'since',
  'allergy',
  'consider',
  'explain',
  'order',
  'plan',
]);
const PERSONS: ReadonlySet<CueKind> = new Set(['relative', 'other', 'child', 'heritage']);
const NEGATING: ReadonlySet<CueKind> = new Set(['negation', 'denial', 'pseudo', 'absent']);
/** These cues also look back. "No tiene" may end the phrase before it and still negates what follows; "return if" keeps its "if". */
const LOOKS_BACK: ReadonlySet<CueKind> = new Set(['absent', 'doubted', 'no', 'answers-no', 'yes', 'ask', 'advice']);
/** Ways of a clinician to speak: they are beside whatever other cues have the same words. */
const BESIDE: ReadonlySet<CueKind> = new Set(['consider', 'explain', 'order', 'plan']);
const FOREIGN_FROM = 6;

export function viewSentence(parts: {
  readonly index: LexiconIndex;
  readonly history: History;
  readonly literals: readonly (readonly number[])[];
  readonly sentence: Sentence;
  readonly onStep: () => void;
}): { readonly view: SentenceView; readonly work: number } {
  const { index, history, literals, sentence, onStep } = parts;
  const { tokens, words } = history;
  // In Portuguese "no" means "in the", in Spanish "mas" means "more": they may be skipped there.
  const isBarrier = ({ text }: WordToken): boolean =>
    words.has('barrier', text) &&
    !(text === 'no' && sentence.best === 'pt') &&
    !(text === 'mas' && sentence.best !== 'pt');
  const { matches, work } = index.phrases.find({
    tokens,
    literals,
    isBarrier,
    from: sentence.from,
    to: sentence.to,
    onStep,
  });
  const spoken = matches.filter((match) => isSpoken(match, sentence, tokens, index));
  const cues = settleCues(spoken);
  const heritageAt = new Set(
    cues.filter(({ kind, words }) => kind === 'heritage' && words.length === 1).map(({ from }) => from),
  );
  const { mentions, ownCues } = settleMentions(
    spoken.filter((match) => !isForeignHomograph(match, sentence, heritageAt)),
    cues,
  );
  const whole = new Set(withoutParts(mentions, () => false));
  const held = new Set(mentions.filter((mention) => !whole.has(mention)));
  return { view: { ...makeView(history, sentence, mentions, ownCues), parts: held }, work };
}

/** True of phrases in the sentence's languages, and of long words of another one that mean nothing in them: medicine borrows words. */
function isSpoken(
  { what, words }: Match<Entry>,
  { languages, best }: Sentence,
  tokens: readonly WordToken[],
  { languagesOf }: LexiconIndex,
): boolean {
  const isOurs = languages.includes(what.language);
  if (what.cue !== undefined) return isOurs && !isEverydayWord(what.language, words, tokens, best);
  if (isOurs) return !(words.length === 1 && isEverydayWord(what.language, words, tokens, best));
  return words.every((at) => {
    const token = tokens[at];
    return (
      token !== undefined &&
      token.text.length >= FOREIGN_FROM &&
      !languagesOf(token).some((one) => languages.includes(one))
    );
  });
}

/** "AF" means family history in Spanish, and an arrhythmia in English. */
function isForeignHomograph(
  { what, words }: Match<Entry>,
  { best }: Sentence,
  heritageAt: ReadonlySet<number>,
): boolean {
  if (what.finding === undefined || best === undefined || what.language === best || words.length > 1) return false;
  return heritageAt.has(words[0] ?? -1);
}

/** True of a word that is a function word in the language of the sentence. */
function isEverydayWord(
  language: Entry['language'],
  words: readonly number[],
  tokens: readonly WordToken[],
  best: Sentence['best'],
): boolean {
  if (best === undefined || language === best) return false;
  return words.every((at) => FUNCTION_WORDS[best].has(tokens[at]?.text ?? ''));
}

/** The longer of two cues wins: "no longer" is no "no". */
function settleCues(matches: readonly Match<Entry>[]): Cue[] {
  const cues = matches.flatMap(({ what, words }): Cue[] =>
    what.cue === undefined ? [] : [{ kind: what.cue, words, from: words[0] ?? 0, to: (words.at(-1) ?? 0) + 1 }],
  );
  const longest = longestAt(cues.filter(({ kind }) => !LOOKS_BACK.has(kind) && !BESIDE.has(kind)));
  return cues.filter(
    ({ kind, words }) => BESIDE.has(kind) || !words.every((at) => (longest.get(at) ?? 0) > words.length),
  );
}

function longestAt(spans: readonly { readonly words: readonly number[] }[]): Map<number, number> {
  const longest = new Map<number, number>();
  for (const { words } of spans) {
    for (const at of words) longest.set(at, Math.max(longest.get(at) ?? 0, words.length));
  }
  return longest;
}

/**
 * A phrase that contains its negation ("cannot walk", "no urine since") is one finding: shorter findings in it are dropped, and its "no"
 * negates nothing else. If it is only "no" and another finding, both stay, and the "no" may reach further over a list.
 */
function settleMentions(matches: readonly Match<Entry>[], cues: readonly Cue[]) {
  const found = matches.flatMap(({ what, words }): Mention[] =>
    what.finding === undefined
      ? []
      : [{ finding: what.finding, words, from: words[0] ?? 0, to: (words.at(-1) ?? 0) + 1 }],
  );
  const negating = new Set(cues.filter(({ kind }) => NEGATING.has(kind)).flatMap(({ words }) => words));
  const persons = new Set(cues.filter(({ kind }) => PERSONS.has(kind)).flatMap(({ words }) => words));
  const all = withoutParts(withoutIdioms(found, cues), (at) => negating.has(at) || persons.has(at));
  const owner = new Map<number, Mention>();
  for (const mention of all) {
    if (!mention.words.some((at) => negating.has(at))) continue;
    for (const at of mention.words)
      if ((owner.get(at)?.words.length ?? 0) < mention.words.length) owner.set(at, mention);
  }
  const isInside = (words: readonly number[], by: Mention): boolean => words.every((at) => by.words.includes(at));
  const holders = new Map<Mention, boolean>();
  for (const mention of all) {
    const by = owner.get(mention.from);
    if (by === undefined || by === mention || mention.words.length >= by.words.length || !isInside(mention.words, by))
      continue;
    const rest = by.words.filter((at) => !mention.words.includes(at));
    const [only] = rest;
    if (rest.length === 1 && only !== undefined && negating.has(only) && (only === by.from || only === by.to - 1))
      holders.set(by, true);
  }
  const mentions = all.filter((mention) => {
    const by = owner.get(mention.from);
    if (by === undefined || by === mention || mention.words.length >= by.words.length) return true;
    return holders.get(by) === true || !isInside(mention.words, by);
  });
  const covering = new Map<number, Mention[]>();
  for (const mention of mentions) {
    for (const at of mention.words) covering.set(at, [...(covering.get(at) ?? []), mention]);
  }
  const ownCues = cues.filter(
    (cue) =>
      !(covering.get(cue.from) ?? []).some(
        (mention) => isInside(cue.words, mention) && holders.get(mention) !== true && !STAYS.has(cue.kind),
      ),
  );
  return { mentions, ownCues };
}

/**
 * The longest finding wins: "hay fever" is no fever, and a word inside a longer finding is not heard by itself, unless the lexicon says
 * that the longer one implies it. "No" with a finding stays beside the finding, which it denies, and "mother had a heart attack" beside
 * the mother's heart attack.
 */
function withoutParts(mentions: readonly Mention[], isKeeping: (at: number) => boolean): Mention[] {
  const covering = new Map<number, Mention[]>();
  for (const mention of mentions) {
    for (const at of mention.words) {
      const others = covering.get(at);
      if (others === undefined) covering.set(at, [mention]);
      else others.push(mention);
    }
  }
  return mentions.filter((mention) => {
    const longer = (covering.get(mention.from) ?? []).filter((other) => isPartOf(mention, other));
    return longer.every(({ words }) => words.some((at) => isKeeping(at) && !mention.words.includes(at)));
  });
}

function isPartOf({ finding, words }: Mention, longer: Mention): boolean {
  if (longer.words.length <= words.length || longer.finding.id === finding.id) return false;
  return !longer.finding.implies.includes(finding.id) && words.every((at) => longer.words.includes(at));
}

/** Drops words of findings that are part of an idiom: "pale yellow", "fell asleep", "like glass". */
function withoutIdioms(mentions: readonly Mention[], cues: readonly Cue[]): readonly Mention[] {
  const idioms = cues.filter(({ kind }) => kind === 'idiom');
  if (idioms.length === 0) return mentions;
  const owner = longestAt(idioms);
  const isWithin = new Set(idioms.flatMap(({ words }) => words));
  return mentions.filter(({ words }) => !words.every((at) => isWithin.has(at) && (owner.get(at) ?? 0) > words.length));
}

function makeView(
  history: History,
  sentence: Sentence,
  mentions: readonly Mention[],
  cues: readonly Cue[],
): Omit<SentenceView, 'parts'> {
  const byKind = Map.groupBy(cues, ({ kind }) => kind);
  const byStart = Map.groupBy(cues, ({ from }) => from);
  return {
    ...history,
    sentence,
    turn: NO_TURN,
    isPlanContinued: false,
    mentions,
    mentionsAt: Map.groupBy(mentions, ({ from }) => from),
    mentionsTo: Map.groupBy(mentions, ({ to }) => to),
    cues: (kind) => byKind.get(kind) ?? [],
    hasCue: (at, ...kinds) => byStart.get(at)?.some(({ kind }) => kinds.includes(kind)) ?? false,
    cueAt: (at, kind) =>
      byStart
        .get(at)
        ?.filter((cue) => cue.kind === kind)
        .sort((a, b) => b.to - a.to)[0],
  };
}

/** Returns the mentions that begin there. */
export function mentionsIn({ mentionsAt }: SentenceView, { from, to }: Stretch): Mention[] {
  const found: Mention[] = [];
  for (let at = from; at < to; at++) found.push(...(mentionsAt.get(at) ?? []));
  return found;
}

/** True if the cue is part of the finding's own words. */
export function isOwnCue(mention: Mention, cue: { readonly words: readonly number[] }): boolean {
  return cue.words.every((at) => mention.words.includes(at));
}

/** The rest of a sentence that begins with an answer: the "no" of the answer negates nothing in it. */
export function behindAnswer(view: SentenceView, to: number): SentenceView {
  return {
    ...view,
    cues: (kind) => view.cues(kind).filter(({ from }) => from >= to),
    hasCue: (at, ...kinds) => at >= to && view.hasCue(at, ...kinds),
    cueAt: (at, kind) => (at >= to ? view.cueAt(at, kind) : undefined),
  };
}
