// The options of the speech synthesiser espeak-ng for each voice: variant, pitch (0 to 99) and speed (words per minute).
import type { Language } from '../../domain/language.ts';
import type { Voice } from './sandbox-patient.ts';

const LANGUAGE_VOICES = { en: 'en-us', es: 'es-419', pt: 'pt-br' } as const satisfies Record<Language, string>;

type Sound = { readonly variant: string; readonly pitch: number; readonly speed: number };
const SOUNDS: Readonly<Record<Voice, Sound>> = {
  woman: { variant: 'f2', pitch: 52, speed: 172 },
  'older-woman': { variant: 'f5', pitch: 40, speed: 160 },
  man: { variant: 'm3', pitch: 42, speed: 172 },
  'older-man': { variant: 'm7', pitch: 30, speed: 158 },
  child: { variant: 'f4', pitch: 90, speed: 165 },
};

export function espeakOptions(voice: Voice, language: Language): readonly string[] {
  const { variant, pitch, speed } = SOUNDS[voice];
  return ['-v', `${LANGUAGE_VOICES[language]}+${variant}`, '-p', String(pitch), '-s', String(speed)];
}
