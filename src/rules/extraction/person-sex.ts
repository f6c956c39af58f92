// Reads the sex of the patient: by the word beside the age, else by the majority of nouns, else by the majority of pronouns.

import type { WordToken } from '../../clinical-text/tokens/word-tokens.ts';
import type { Sex } from '../knowledge/knowledge.ts';
import { PRONOUNS, SEX_WORDS } from './person-words.ts';

export function sexByAge(
  tokens: readonly WordToken[],
  age: { readonly at: number; readonly to: number } | undefined,
): Sex | undefined {
  if (age === undefined) return undefined;
  for (const at of [age.to, age.to + 1, age.to + 2, age.at - 1, age.at - 2, age.at - 3]) {
    const token = tokens[at];
    if (token === undefined) continue;
    const isCut = at > age.at ? token.before > 1 : (tokens[at + 1]?.before ?? 0) > 1;
    const isLetter = token.text.length === 1;
    const isHombre = token.text === 'h' && at === age.at - 1 && isLetterBefore(tokens, age.at);
    if (isHombre && token.isCapital) return 'male';
    // The letter of "M 34a" is ambiguous: mujer in Spain, masculino in America.
    const isOpen = token.text === 'm' && at === age.at - 1 && tokens[age.at + 1]?.text === 'a';
    if (isCut || isOpen || (isLetter && (!token.isCapital || token.text === 'h'))) continue;
    const sex = SEX_WORDS[token.text];
    if (sex !== undefined) return sex;
  }
  return undefined;
}

/** Returns the sex of most nouns that do not mean another person. */
export function sexByNoun(tokens: readonly WordToken[]): Sex | undefined {
  const counts = { female: 0, male: 0 };
  for (const [at, { text, before }] of tokens.entries()) {
    const sex = text.length < 2 ? undefined : SEX_WORDS[text];
    if (sex === undefined) continue;
    const own = tokens[at - 1]?.text ?? '';
    // "Moço" is a young man, "moco" is snot.
    if (text === 'moco' && !/^(o|um|esse|este|do|ao)$/.test(own)) continue;
    // "My girl friend" is another person.
    if (/^(girl|boy)$/.test(text) && /^friends?$/.test(tokens[at + 1]?.text ?? '')) continue;
    // "Su mujer" and "la mujer insiste" mean the wife of the patient.
    if (/^(su|mi|la|sua|minha)$/.test(own) && before === 0 && /^(mujer|mulher|senora|senhora)$/.test(text)) continue;
    counts[sex]++;
  }
  return more(counts);
}

export function sexByPronoun(tokens: readonly WordToken[]): Sex | undefined {
  const counts = { female: 0, male: 0 };
  for (const [at, { text }] of tokens.entries()) {
    const sex = PRONOUNS[text];
    // In "he tenido" and "no he dormido" the word means "I have".
    const isVerb = text === 'he' && /(ado|ido|sto|cho|rto)$/.test(tokens[at + 1]?.text ?? '');
    if (sex !== undefined && !isVerb) counts[sex]++;
    // The writer of "I've not seen my monthly, it pains me with him" is female.
    if (text === 'my' && /^(periods?|monthly|monthlies|boobs?|bra)$/.test(tokens[at + 1]?.text ?? ''))
      counts.female += 3;
  }
  // If a mother speaks, "she" may be the mother, and "he" cannot.
  if (
    counts.male > 0 &&
    tokens.some(({ text }) => /^(mother|mum|mom|madre|mae|mama|mamae|grandmother|nan)$/.test(text))
  )
    return 'male';
  return more(counts);
}

function more({ female, male }: Readonly<Record<Sex, number>>): Sex | undefined {
  if (female === male) return undefined;
  return female > male ? 'female' : 'male';
}

/** True of a letter at the beginning: "V 67a", "H, 58 años". */
export function isLetterBefore(tokens: readonly WordToken[], at: number): boolean {
  const { text = '', isCapital, before } = tokens[at - 1] ?? {};
  return /^[vhmf]$/.test(text) && isCapital === true && before === 3;
}
