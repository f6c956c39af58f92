// The languages that the product understands and writes.

export const LANGUAGES = ['en', 'es', 'pt'] as const;
export type Language = (typeof LANGUAGES)[number];
export const DEFAULT_LANGUAGE: Language = 'en';

export function isLanguage(text: string | undefined): text is Language {
  return LANGUAGES.some((language) => language === text);
}
