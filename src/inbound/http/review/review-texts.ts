// The words of the review in each language that has a file of them.
import { ENGLISH, type ReviewTexts } from './texts-en.ts';

export const TEXT_LANGUAGES = ['en'] as const;
export type TextLanguage = (typeof TEXT_LANGUAGES)[number];

export const TEXTS: Readonly<Record<TextLanguage, ReviewTexts>> = { en: ENGLISH };
