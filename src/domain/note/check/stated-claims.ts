// The claims that are compared word by word with the talk: drugs, doses, numbers, sides, allergies, dates, denied findings and attestations.

import { cuesOf } from '../../../clinical-text/cues/cues.ts';
import { FUNCTION_WORDS } from '../../../clinical-text/languages/language-words.ts';
import type { Side } from './body-words.ts';
import type { CheckWork, ClaimWithVerdict, NoteText } from './check-work.ts';
import type { ClaimContent } from './claim.ts';
import { readClaims } from './claims.ts';
import { contradictionOf } from './contradictions.ts';
import { supportOf } from './support.ts';

/** They narrow no finding. */
const TIMES =
  /^(?:today|now|current|recent|actual|hoy|ahora|hoje|agora|antes|other|another|otr[oa]s?|outr[oa]s?|history|associated|asociad|associad)/;

type Judgement = Pick<ClaimWithVerdict, 'verdict' | 'said'> | undefined;

export function statedClaims(work: CheckWork): readonly ClaimWithVerdict[] {
  const { texts, language, spoken, transcript } = work;
  const isOpenWhereCited = makeIsOpenWhereCited(work);
  const cache = new Map<string, Judgement>();
  const judge = (content: ClaimContent): Judgement => {
    const key = JSON.stringify(content);
    if (!cache.has(key)) cache.set(key, judgeContent(content));
    return cache.get(key);
  };
  const judgeContent = (content: ClaimContent): Judgement => {
    const support = supportOf(content, spoken, language);
    if (support === 'incomparable') return undefined;
    if (support !== 'unsupported') return { verdict: 'supported', said: momentOf(support) };
    const contradiction = contradictionOf(content, spoken, language);
    if (contradiction === undefined) return { verdict: 'unsupported' };
    return { verdict: 'contradicted', said: momentOf(contradiction) };
  };
  const momentOf = (utterance: number) => {
    return { utterance, startSeconds: transcript.utterances[utterance]?.startSeconds ?? 0 };
  };
  return texts.flatMap((text) =>
    readClaims(text.reading, language).flatMap(({ kind, first, end, content }) => {
      const judgement = judge(content);
      const place = placeOf(text, first, end);
      const isOpen =
        (judgement?.verdict === 'unsupported' && isOpenWhereCited(place, content)) ||
        (judgement?.verdict === 'contradicted' && content.what === 'finding' && isNarrower(text, end));
      return judgement === undefined || isOpen ? [] : [{ kind, ...place, ...judgement }];
    }),
  );
}

/**
 * Words that no list has are often the technical name of what was asked in plain words. If an utterance that the writer names denies
 * something, it may be this. A finding that a list has may be meant if nothing else of the lists was asked there. Parts of
 * the body have more names than any list, too: `R supraorbital` of `above the right eye`.
 */
function makeIsOpenWhereCited({ statements, spoken }: CheckWork) {
  const cues = cuesOf(spoken.language);
  const isDenying = (utterance: number): boolean => {
    const tokens = spoken.readings[utterance]?.tokens ?? [];
    return tokens.some((_, index) => cues.no.lengthAt(tokens, index) > 0 || cues.denies.lengthAt(tokens, index) > 0);
  };
  const namesFinding = (utterance: number): boolean => (spoken.readings[utterance]?.findings.length ?? 0) > 0;
  const namesOnly = (utterance: number, wanted: Side): boolean => {
    const { sided = [], open = [] } = spoken.readings[utterance]?.sides ?? {};
    const named = [...sided, ...open];
    return named.length > 0 && named.every(({ side }) => side === wanted);
  };
  return ({ section, from }: Pick<ClaimWithVerdict, 'section' | 'from'>, content: ClaimContent): boolean => {
    const { what } = content;
    if (what !== 'words' && what !== 'finding' && what !== 'side') return false;
    const own = statements.find((one) => one.section === section && from >= one.from && from < one.to);
    if (what === 'side') return own?.cites?.some((cited) => namesOnly(cited, content.side)) === true;
    const denying = own?.cites?.flatMap((cited) => [cited, cited + 1].filter(isDenying)) ?? [];
    if (what === 'words') return denying.length > 0;
    return denying.some((utterance) => ![utterance - 1, utterance].some(namesFinding));
  };
}

const SHORTEST_WORD = 4;

/** `Sin edema facial`: the edema that was affirmed may be another one. */
function isNarrower({ reading: { tokens, language } }: NoteText, end: number): boolean {
  const cues = cuesOf(language);
  const token = tokens[end];
  if (language === undefined || token?.kind !== 'word' || token.sentence !== tokens[end - 1]?.sentence) return false;
  const isOfLists = [cues.ofDenial, cues.links].some((set) => set.lengthAt(tokens, end) > 0);
  const isShort = token.word.length < SHORTEST_WORD || FUNCTION_WORDS[language].has(token.word);
  return !isShort && !isOfLists && !TIMES.test(token.word);
}

export function placeOf({ name, reading }: NoteText, first: number, end: number) {
  return { section: name, from: reading.tokens[first]?.from ?? 0, to: reading.tokens[end - 1]?.to ?? 0 };
}

/** Words of the note that no lexicon lists, so that they are searched as they are. */
export function stemsOf(texts: readonly NoteText[], language: CheckWork['language']): ReadonlySet<string> {
  return new Set(
    texts.flatMap(({ reading }) =>
      readClaims(reading, language).flatMap(({ content }) => {
        if (content.what === 'words') return content.stems;
        if (content.what !== 'allergy') return [];
        return content.substances.filter((id) => id.startsWith('word:')).map((id) => id.slice('word:'.length));
      }),
    ),
  );
}
