// Signs of danger that the patient, or who speaks for the patient, affirms.
import { type Cues, cuesOf } from '../../../../clinical-text/cues/cues.ts';
import type { NamedThing } from '../../../../clinical-text/phrases/named-things.ts';
import type { Token } from '../../../../clinical-text/tokens/tokens.ts';
import { isOfRelative } from '../relatives.ts';
import { alarmsIn } from './alarm-signs.ts';
import { hasMostWords, type Noted } from './noted.ts';
import { isAboutSelf, isByOther, type SaidAct, saidAs, type Talk } from './talk.ts';

export function missingAlarms({ spoken, language, sentences }: Talk, noted: Noted): readonly SaidAct[] {
  const cues = cuesOf(language);
  const byPlace = new Map(sentences.map((one) => [`${one.utterance} ${one.sentence}`, one]));
  return spoken.readings.flatMap(({ tokens, polarity }, utterance) => {
    const found = alarmsIn(tokens, language);
    if (found.length === 0) return [];
    const denied = polarity.findDenied(found);
    return found.flatMap((sign, index): readonly SaidAct[] => {
      const sentence = byPlace.get(`${utterance} ${tokens[sign.first]?.sentence ?? 0}`);
      if (sentence === undefined || !isByOther(sentence) || denied[index] === true) return [];
      if (noted.alarms.has(sign.id) || hasMostWords(sentence.tokens, noted)) return [];
      if (sentence.isQuestion && !isBeforeTag(tokens, sign)) return [];
      if (isSupposed(tokens, sign, cues) || isOfRelative(tokens, sign.first, cues)) return [];
      return isAboutSelf(sentence, language) && sentence.role === 'relative' ? [] : [saidAs('finding', sentence)];
    });
  });
}

/** `I had a nosebleed, does that count?` tells before it asks. */
function isBeforeTag(tokens: readonly Token[], { end, first }: NamedThing): boolean {
  return tokens.slice(end).some(({ word, sentence }) => word === ',' && sentence === tokens[first]?.sentence);
}

/** In its own clause: `I do not know if it matters, it feels odd` supposes nothing. */
function isSupposed(tokens: readonly Token[], { first }: NamedThing, cues: Cues): boolean {
  for (let index = first - 1; index >= 0; index -= 1) {
    const token = tokens[index];
    if (token?.sentence !== tokens[first]?.sentence || token?.word === ',') return false;
    if (cues.supposed.lengthAt(tokens, index) > 0) return true;
  }
  return false;
}
