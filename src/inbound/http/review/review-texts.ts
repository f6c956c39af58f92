// The words of the review in each language.
import type { Language } from '../../../domain/language.ts';
import { ENGLISH, type ReviewTexts } from './texts-en.ts';

export const TEXTS: Readonly<Record<Language, ReviewTexts>> = { en: ENGLISH, es: ENGLISH, pt: ENGLISH };
