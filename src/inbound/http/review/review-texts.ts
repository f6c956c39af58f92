// The words of the review in each language of the product.
import type { Language } from '../../../domain/language.ts';
import { ENGLISH, type ReviewTexts } from './texts-en.ts';
import { SPANISH } from './texts-es.ts';
import { PORTUGUESE } from './texts-pt.ts';

export const TEXTS: Readonly<Record<Language, ReviewTexts>> = { en: ENGLISH, es: SPANISH, pt: PORTUGUESE };
