// The few words of a note that are not from the conversation.
import type { Language } from '../../domain/language.ts';

type Words = Readonly<Record<Language, string>>;

export const NOT_SAID: Words = { en: 'Not discussed.', es: 'No se trató.', pt: 'Não abordado.' };
export const PLAIN_TITLE: Words = { en: 'Clinical note', es: 'Nota clínica', pt: 'Nota clínica' };
export const VISIT: Words = { en: 'Visit', es: 'Consulta', pt: 'Consulta' };
/** The relation is unknown: it may be a mother, a son or a carer. */
export const COMPANION: Words = { en: 'Companion', es: 'Acompañante', pt: 'Acompanhante' };

const NAMES: Readonly<Record<Language, Words>> = {
  en: { en: 'English', es: 'Spanish', pt: 'Portuguese' },
  es: { en: 'inglés', es: 'español', pt: 'portugués' },
  pt: { en: 'inglês', es: 'espanhol', pt: 'português' },
};

/** The first line of a note whose statements are in another language. */
export function untranslated(note: Language, talk: Language): string {
  const name = NAMES[note][talk];
  return {
    en: `[What was said stands in ${name}, as it was said; nothing is translated.]`,
    es: `[Lo dicho figura en ${name}, tal como se dijo; no se ha traducido nada.]`,
    pt: `[O que foi dito está em ${name}, tal como foi dito; nada foi traduzido.]`,
  }[note];
}
