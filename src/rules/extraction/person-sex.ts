// Reads the sex of the patient: by the word beside the age, else by the majority of nouns, else by the majority of pronouns.

import type { Sex } from '../knowledge/knowledge.ts';
import { type History, isWord } from './history.ts';

export function sexOfNoun({ words }: Pick<History, 'words'>, text: string | undefined): Sex | undefined {
  return words.has('female', text) ? 'female' : words.has('male', text) ? 'male' : undefined;
}

export function sexOfPronoun({ words }: Pick<History, 'words'>, text: string | undefined): Sex | undefined {
  return words.has('she', text) ? 'female' : words.has('he', text) ? 'male' : undefined;
}

export function sexByAge(
  history: History,
  age: { readonly at: number; readonly to: number } | undefined,
): Sex | undefined {
  if (age === undefined) return undefined;
  const { tokens } = history;
  for (const at of [age.to, age.to + 1, age.to + 2, age.at - 1, age.at - 2, age.at - 3]) {
    const token = tokens[at];
    if (token === undefined) continue;
    const isCut = at > age.at ? token.before > 1 : (tokens[at + 1]?.before ?? 0) > 1;
    const isLetter = token.text.length === 1;
    const isHombre = token.text === 'h' && at === age.at - 1 && isLetterBefore(history, age.at);
    if (isHombre && token.isCapital) return 'male';
    // The letter of "M 34a" is ambiguous: mujer in Spain, masculino in America.
    const isOpen = token.text === 'm' && at === age.at - 1 && tokens[age.at + 1]?.text === 'a';
    if (isCut || isOpen || (isLetter && (!token.isCapital || token.text === 'h'))) continue;
    const sex = sexOfNoun(history, token.text);
    if (sex !== undefined) return sex;
  }
  return undefined;
}

/** Returns the sex of most nouns that do not mean another person. */
export function sexByNoun(history: History): Sex | undefined {
  const counts = { female: 0, male: 0 };
  for (const [at, { text, before }] of history.tokens.entries()) {
    const sex = text.length < 2 ? undefined : sexOfNoun(history, text);
    if (sex === undefined) continue;
    // "Moço" is a young man, "moco" is snot.
    if (text === 'moco' && !isWord(history, at - 1, 'snot-before')) continue;
    // "My girl friend" is another person.
    if (isWord(history, at, 'girl-or-boy') && isWord(history, at + 1, 'friend')) continue;
    // "Su mujer" and "la mujer insiste" mean the wife of the patient.
    if (before === 0 && isWord(history, at - 1, 'his-wife-before') && isWord(history, at, 'his-wife')) continue;
    counts[sex]++;
  }
  return more(counts);
}

export function sexByPronoun(history: History): Sex | undefined {
  const counts = { female: 0, male: 0 };
  for (const [at, { text }] of history.tokens.entries()) {
    const sex = sexOfPronoun(history, text);
    // In "he tenido" and "no he dormido" the word means "I have".
    const isVerb = text === 'he' && isWord(history, at + 1, 'participle');
    if (sex !== undefined && !isVerb) counts[sex]++;
    // The writer of "I've not seen my monthly, it pains me with him" is female.
    if (text === 'my' && isWord(history, at + 1, 'of-women')) counts.female += 3;
  }
  // If a mother speaks, "she" may be the mother, and "he" cannot.
  const isMotherSpeaking = history.tokens.some(({ text }) => history.words.has('speaking-mother', text));
  return counts.male > 0 && isMotherSpeaking ? 'male' : more(counts);
}

function more({ female, male }: Readonly<Record<Sex, number>>): Sex | undefined {
  if (female === male) return undefined;
  return female > male ? 'female' : 'male';
}

/** True of a letter at the beginning: "V 67a", "H, 58 años". */
export function isLetterBefore(history: History, at: number): boolean {
  const { isCapital, before } = history.tokens[at - 1] ?? {};
  return isWord(history, at - 1, 'sex-letter') && isCapital === true && before === 3;
}
