// The speech model for each language.
import { LANGUAGES, type Language } from '../../domain/language.ts';

/** `detect`: the model if no language was requested. */
export type SpeechModels = Readonly<Record<Language, string>> & { readonly detect?: string };

// Only a general model can tell languages apart: a medical one knows English alone.
const DETECTING_MODEL = 'nova-3';
const DEFAULT_MODELS = { en: 'nova-3-medical', es: 'nova-3', pt: 'nova-3', detect: DETECTING_MODEL } as const;
const NAMES = [...LANGUAGES, 'detect'] as const;

/**
 * Reads the setting DEEPGRAM_MODEL: one model for all, or `en=…,es=…,detect=…` with defaults for what it leaves out.
 */
export function parseDeepgramModels(setting: string): Record<Language | 'detect', string> {
  const entries = setting
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
  const models: Record<Language | 'detect', string> = { ...DEFAULT_MODELS };
  for (const entry of entries) {
    const [left = '', right] = entry.split('=').map((part) => part.trim());
    for (const name of NAMES) {
      if (right === undefined) models[name] = left;
      else if (left === name) models[name] = right;
    }
  }
  return models;
}

export function modelFor(models: SpeechModels, language: Language | 'detect'): string {
  return models[language] ?? DETECTING_MODEL;
}

/** The text for people: each model once. */
export function engineName(models: SpeechModels): string {
  return `deepgram:${[...new Set(NAMES.flatMap((name) => models[name] ?? []))].join(',')}`;
}
