// Allergies that were affirmed, or denied as a whole.
import { cuesOf } from '../../../../clinical-text/cues/cues.ts';
import { isOfRelative } from '../relatives.ts';
import type { Noted } from './noted.ts';
import { isByOther, isOfAnother, type SaidAct, type SpokenSentence, saidAs, type Talk } from './talk.ts';

/** What a drug did to the patient. */
const REACTION =
  /\b(?:allerg\w+|alerg\w+|itch\w*|rash|hives|bumps|swell\w*|swollen|swelled|wheez\w+|anaphyl\w+|came out in|came up in|came up|reaction|roncha\w*|sarpullid\w*|picazon|hinch\w+|brot\w+|urticaria|me cae mal|manch\w+|coceira|inch\w+|vermelh\w+|empol\w+|urticaria|bolinhas)\b/;

export function missingAllergies(talk: Talk, noted: Noted): readonly SaidAct[] {
  const { sentences, spoken, language } = talk;
  const cues = cuesOf(language);
  const affirmed = sentences.filter((sentence) => {
    if (!isByOther(sentence) || sentence.isQuestion || !REACTION.test(sentence.words)) return false;
    const { tokens, start, reading, utterance } = sentence;
    if (isOfAnother(sentence, language)) return false;
    const own = reading.substances.filter(({ first }) => first >= start && first < start + tokens.length);
    const meant = own.filter(
      ({ first }) =>
        !isOfRelative(reading.tokens, first, cues) &&
        spoken.polarityAt(utterance, first, reading.polarity.findDenied([{ first, end: first + 1 }])[0] === true) ===
          'affirmed',
    );
    return meant.length > 0 && !meant.some(({ id }) => noted.allergens.has(id));
  });
  return [...affirmed.map((sentence) => saidAs('allergy', sentence)), ...missingDenial(talk, noted)];
}

/** That there are none. */
function missingDenial({ sentences, spoken }: Talk, { hasAllergies }: Noted): readonly SaidAct[] {
  const at = spoken.noAllergy;
  if (at === undefined || hasAllergies) return [];
  const asked = sentences.findLast(({ utterance }) => utterance === at);
  const answer = sentences.find(({ utterance }) => utterance === at + 1);
  const said: SpokenSentence | undefined = asked?.isQuestion === true ? (answer ?? asked) : asked;
  return said === undefined ? [] : [saidAs('allergy', said)];
}
