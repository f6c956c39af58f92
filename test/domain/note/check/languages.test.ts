import { describe, expect, it } from '@jest/globals';
import type { Language } from '../../../../src/domain/language.ts';
import { statementsOf } from './check-cases.ts';

type CrossRow = readonly [spoken: string, said: string, written: Language, note: string, ...statements: string[]];

const ROWS: readonly CrossRow[] = [
  ['es', 'Tomo amoxicilina quinientos.', 'en', 'Amoxicillin 500 mg.', '+drug Amoxicillin', '+dose 500 mg'],
  ['es', 'Tomo amoxicilina quinientos.', 'en', 'Amoxicillin 875 mg.', '+drug Amoxicillin', '-dose 875 mg'],
  ['es', 'Amoxicilina cada ocho horas.', 'en', 'Amoxicillin TID.', '+drug Amoxicillin', '+dose TID'],
  ['es', 'treinta y ocho y medio', 'en', 'T 38.5 °C.', '+number 38.5 °C'],
  ['es', 'hace tres semanas', 'en', 'For 3 weeks.', '+number 3 weeks'],
  ['es', 'hace tres semanas', 'en', 'For 2 weeks.', '-number 2 weeks'],
  ['es', 'la rodilla izquierda', 'en', 'Left knee.', '+laterality Left knee'],
  ['es', 'la rodilla izquierda', 'en', 'Right knee.', '-laterality Right knee'],
  ['es', '¿Tiene fiebre? | No.', 'en', 'Denies fever.', '+negation fever'],
  ['es', 'Tengo fiebre.', 'en', 'Denies fever.', '-negation fever'],
  ['es', '¿Problemas con el jardín? | No.', 'en', 'Denies gardening problems.'],
  ['es', 'Soy alérgico a la penicilina.', 'en', 'Allergic to penicillin.', '+allergy Allergic to penicillin'],
  ['es', 'Soy alérgico a la piña.', 'en', 'Allergic to pineapple.'],
  ['es', 'Sin alergias.', 'en', 'NKDA.', '+allergy NKDA'],
  ['es', 'el tres de marzo', 'en', 'On March 3rd.', '+date March 3rd'],
  ['es', 'el tres de marzo', 'en', 'On May 3rd.', '-date May 3rd'],
  ['pt', 'dor no joelho direito', 'es', 'Rodilla derecha.', '+laterality Rodilla derecha'],
  ['pt', 'Nega febre.', 'es', 'Niega fiebre.', '+negation fiebre'],
  ['en', 'I take hydroxyzine.', 'pt', 'Hidroxizina.', '+drug Hidroxizina'],
  ['en', 'I take hydroxyzine.', 'pt', 'Hidralazina.', '-drug Hidralazina'],
  // In another language than the three, only names of drugs and digits are read.
  ['de', 'Ich nehme Lisinopril 10 mg.', 'en', 'Lisinopril 10 mg.', '+drug Lisinopril', '+dose 10 mg'],
  ['de', 'Ich nehme Lisinopril zehn.', 'en', 'Losartan 10 mg. Denies fever. Left knee.', '-drug Losartan'],
];

describe('the check of a note in another language than the conversation', () => {
  it.each(ROWS)('spoken in %s “%s”, written in %s “%s”', (spoken, said, written, note, ...expected) => {
    expect(statementsOf(said, note, written, spoken)).toEqual(expected);
  });
});
