// Replaces words that mean something else together with the words behind them: to die of shame is no wish to die, and in "dor no pé da
// barriga" no foot hurts, but the lower abdomen. The first word is replaced by a word with the meaning of the whole.
import type { RawWord } from './raw-word.ts';

/** The first word, the words behind it, and the replacement of the first word. */
const EXPRESSIONS: readonly (readonly [string, RegExp, string])[] = [
  ['pe', /^d[ao] barriga$/, 'hipogastrio'],
  ['barriga', /^das? pernas?$/, 'panturrilha'],
  ['peito', /^d[oe]s? pes?$/, 'dorso'],
  ['bolas', /^d[oe]s? pes?$/, 'plantas'],
  ['bola', /^d[oe]s? pes?$/, 'planta'],
  ['costas', /^das? maos?$/, 'dorso'],
  ['cabeca', /^do (femur|umero|radio|dedo|dedao)$/, 'ponta'],
  ['olho', /^de peixe$/, 'verruga'],
  ['murphy', /^renal/, 'giordano'],
  // "No respira rápido" does not mean that the patient has stopped breathing.
  ['respira', /^(rapid|agitad|acelerad|fatigad|cansad|entrecortad)/, 'respirando'],
  ['die', /^of (shame|embarrassment|boredom)$/, 'blush'],
  ['morir', /^de (verguenza|risa|aburrimiento)$/, 'sonrojo'],
  ['morirme', /^de (verguenza|risa|aburrimiento)$/, 'sonrojo'],
  ['morir', /^de la (verguenza|risa)$/, 'sonrojo'],
  ['morirme', /^de la (verguenza|risa)$/, 'sonrojo'],
  ['morrer', /^de (vergonha|rir|tedio)$/, 'corar'],
];
const BY_FIRST = Map.groupBy(EXPRESSIONS, ([first]) => first);

export function readFixedExpressions(words: readonly RawWord[]): RawWord[] {
  return words.map((word, at) => {
    const two = `${words[at + 1]?.text ?? ''} ${words[at + 2]?.text ?? ''}`;
    const three = `${two} ${words[at + 3]?.text ?? ''}`;
    const meant = BY_FIRST.get(word.text)?.find(([, rest]) => rest.test(two) || rest.test(three))?.[2];
    return meant === undefined ? word : { ...word, text: meant };
  });
}
