// The talk by sentences, with the role of who speaks, as the search for what is missing needs it.
import { cuesOf } from '../../../../clinical-text/cues/cues.ts';
import type { Token } from '../../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../../language.ts';
import type { SpeakerRole, StatementKind } from '../../check-report.ts';
import type { CheckWork } from '../check-work.ts';
import { memberAt } from '../relatives.ts';
import { speakerRoles } from '../speaker-roles.ts';
import type { SpokenFacts } from '../spoken-facts.ts';
import type { TextFacts } from '../text-facts.ts';

export type SpokenSentence = {
  readonly utterance: number;
  readonly sentence: number;
  readonly tokens: readonly Token[];
  /** The index of its first token in its utterance. */
  readonly start: number;
  /** Its words: without accents, in lower case, with blanks between them. */
  readonly words: string;
  readonly isQuestion: boolean;
  /** Undefined if there is only one voice. */
  readonly role: SpeakerRole | undefined;
  readonly reading: TextFacts;
};

export type Talk = {
  readonly sentences: readonly SpokenSentence[];
  readonly spoken: SpokenFacts;
  readonly language: Language;
};

/** Something that was said. `isNoted`: a statement of the note has it. */
export type SaidAct = {
  readonly kind: StatementKind;
  readonly utterance: number;
  readonly sentence: number;
};

export function readTalk({ spoken }: Pick<CheckWork, 'spoken'>, language: Language): Talk {
  const roles = speakerRoles(spoken);
  const sentences = spoken.readings.flatMap((reading, utterance) => {
    const role = roles.get(spoken.speakers[utterance] ?? -1);
    const starts = startsOf(reading.tokens);
    return starts.map((start, index): SpokenSentence => {
      const tokens = reading.tokens.slice(start, starts[index + 1] ?? reading.tokens.length);
      const isQuestion = tokens.some(({ word }) => word === '?' || word === '¿');
      const words = tokens.map(({ word }) => word).join(' ');
      return { utterance, sentence: tokens[0]?.sentence ?? 0, tokens, start, words, isQuestion, role, reading };
    });
  });
  return { sentences, spoken, language };
}

function startsOf(tokens: readonly Token[]): readonly number[] {
  return tokens.flatMap(({ sentence }, index) => (sentence === tokens[index - 1]?.sentence ? [] : [index]));
}

/** Of whom it is not known, it may be. */
export function isByClinician({ role }: Pick<SpokenSentence, 'role'>): boolean {
  return role === undefined || role === 'clinician';
}

export function isByOther({ role }: Pick<SpokenSentence, 'role'>): boolean {
  return role !== 'clinician';
}

/** The sentence, as a said act. */
export function saidAs(kind: StatementKind, { utterance, sentence }: SpokenSentence): SaidAct {
  return { kind, utterance, sentence };
}

const SELF: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:i|im|ive|me|my|myself)\b/,
  es: /\b(?:yo|me|tengo|tomo|tuve|soy|estoy|mi)\b/,
  pt: /\b(?:eu|me|tenho|tomo|tive|sou|estou|meu|minha)\b/,
};

/** Who comes with the patient may speak of themselves. */
export function isAboutSelf({ words }: Pick<SpokenSentence, 'words'>, language: Language): boolean {
  return SELF[language].test(words);
}

/** The sentence names a relative, or is a companion's own. */
export function isOfAnother(sentence: SpokenSentence, language: Language): boolean {
  if (sentence.role === 'clinician') return false;
  if (sentence.role === 'relative' && isAboutSelf(sentence, language)) return true;
  const cues = cuesOf(language);
  return sentence.tokens.some((_, index) => memberAt(sentence.tokens, index, cues) !== undefined);
}
