// The cue words of each language, in the notation of phrases.
import type { Language } from '../../domain/language.ts';
import type { CueWords } from './cue-kinds.ts';
import { CUE_WORDS_EN } from './cue-words-en.ts';
import { CUE_WORDS_ES } from './cue-words-es.ts';
import { CUE_WORDS_PT } from './cue-words-pt.ts';

export const CUE_WORDS: Readonly<Record<Language, CueWords>> = {
  en: CUE_WORDS_EN,
  es: CUE_WORDS_ES,
  pt: CUE_WORDS_PT,
};
