// Which speech model listens in which language.
import { LANGUAGES, type Language } from '../../domain/language.ts';

export type SpeechModels = Readonly<Record<Language, string>>;

const DEFAULT_MODELS: SpeechModels = { en: 'nova-3-medical', es: 'nova-3', pt: 'nova-3' };

/** Reads the setting DEEPGRAM_MODEL: one model for all languages, or `en=…,es=…` with defaults for the languages that it leaves out. */
export function parseDeepgramModels(setting: string): Record<Language, string> {
  const entries = setting
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
  const models: Record<Language, string> = { ...DEFAULT_MODELS };
  for (const entry of entries) {
    const [left = '', right] = entry.split('=').map((part) => part.trim());
    for (const language of LANGUAGES) {
      if (right === undefined) models[language] = left;
      else if (left === language) models[language] = right;
    }
  }
  return models;
}

/** For people: each model once. */
export function engineName(models: SpeechModels): string {
  return `deepgram:${[...new Set(LANGUAGES.map((language) => models[language]))].join(',')}`;
}
