// Fills a dynamic field of unknown type, only if a statement uses the words of its name.
import { stemOf } from '../../clinical-text/fold.ts';
import type { DynamicField } from '../../domain/note/template.ts';
import { type CueFiles, inAllLanguages } from './cue-files.ts';
import type { Statement } from './statement.ts';
import type { ReadWords } from './word-families.ts';

const MIN_LETTERS = 5;
/** Long enough to tell words apart, short enough for the forms of `nacimiento`. */
const STEM_LETTERS = 7;

export function makeFindFreeField({ 'field-words': general }: CueFiles['speech'], readWords: ReadWords) {
  const isGeneral = new Set(inAllLanguages(general));
  const stems = (words: ReturnType<ReadWords>): readonly string[] =>
    words.filter(({ word }) => !isGeneral.has(word)).map(({ word }) => stemOf(word).slice(0, STEM_LETTERS));
  return ({ name }: DynamicField, statements: readonly Statement[]): string => {
    const wanted = stems(readWords(name.replace(/_/g, ' '))).filter((stem) => stem.length >= MIN_LETTERS);
    if (wanted.length === 0) return '';
    const about = statements.filter(({ words, question }) => {
      const stated = new Set(stems([...words, ...(question?.words ?? [])]));
      return wanted.every((stem) => stated.has(stem));
    });
    const found = about.findLast(({ isClinician }) => isClinician) ?? about.at(-1);
    return found?.text.replace(/[.]$/, '') ?? '';
  };
}
