// Intolerances, unknown allergies and clipped names, in the short forms of notes.
import { describe, expect, it } from '@jest/globals';
import type { Language } from '../../../../src/domain/language.ts';
import { statementsOf } from './check-cases.ts';

type Row = readonly [language: Language, said: string, note: string, ...statements: string[]];

const ALLERGIES: readonly Row[] = [
  ['en', 'Rest and come back.', 'Intolerant to NSAIDs.', '-allergy Intolerant to NSAIDs'],
  ['en', 'Ibuprofen upsets my stomach.', 'Intolerant to ibuprofen.', '+allergy Intolerant to ibuprofen'],
  ['en', 'I am allergic to naproxen.', 'NSAID allergy.', '+allergy NSAID allergy'],
  ['en', 'It is worse in the heat.', 'Heat intolerance. No cold intolerance.'],
  ['es', 'Repose y vuelva.', 'Intolerancia a AINE (anafilaxia).', '-allergy Intolerancia a AINE'],
  ['es', 'El ibuprofeno me sienta fatal.', 'Intolerancia al ibuprofeno.', '+allergy Intolerancia al ibuprofeno'],
  ['es', 'Alérgico a los mariscos.', 'No refiere alergias.', '-allergy alergias'],
  ['es', '¿Alguna alergia? | No.', 'No refiere alergias.', '+allergy alergias'],
  ['es', 'Repose y vuelva.', 'No AMC.', '-allergy AMC'],
  ['es', 'Repose y vuelva.', 'Desconoce alergias.', '-allergy alergias'],
  ['pt', 'Repouse e volte.', 'Intolerância a AINEs.', '-allergy Intolerância a AINEs'],
  ['pt', 'Alérgica à dipirona.', 'Não refere alergias.', '-allergy alergias'],
  ['pt', 'Tem alergia? | Não.', 'Não refere alergias.', '+allergy alergias'],
  ['pt', 'Repouse e volte.', 'Desconhece alergias.', '-allergy alergias'],
];

/** What the clinician names behind the answer is no allergy. */
const NAMED_LATER: readonly Row[] = [
  [
    'es',
    '¿Alérgico a algo? | A la amoxicilina, me salieron ronchas. | Le pongo lidocaína.',
    'Alergia a la lidocaína.',
    '-allergy Alergia a la lidocaína',
  ],
  [
    'es',
    '¿Alérgico a algo? | A la amoxicilina, me salieron ronchas. | Le pongo lidocaína.',
    'Alergia a la amoxicilina.',
    '+allergy Alergia a la amoxicilina',
  ],
  [
    'en',
    'Any allergies? | No, just hives once. | I will give you penicillin.',
    'Allergic to penicillin.',
    '-allergy Allergic to penicillin',
  ],
  ['en', 'I am allergic. | To what? | Penicillin.', 'Allergic to penicillin.', '+allergy Allergic to penicillin'],
  [
    'en',
    'What about penicillin? | I get a rash with penicillin.',
    'Allergic to penicillin.',
    '+allergy Allergic to penicillin',
  ],
  [
    'pt',
    'Tem alergia? | À dipirona, fico com urticária. | Vou passar amoxicilina.',
    'Alergia à amoxicilina.',
    '-allergy Alergia à amoxicilina',
  ],
  ['en', 'Rest and come back.', 'Anaphylaxis to ramipril.', '-allergy Anaphylaxis to ramipril'],
];

/** What relatives have is denied, too. */
const RELATIVES: readonly Row[] = [
  ['en', 'Rest and come back.', 'Denies family history of thyroid cancer.', '-negation cancer'],
  [
    'en',
    'Does anyone in your family have cancer? | No.',
    'Denies family history of thyroid cancer.',
    '+negation cancer',
  ],
  ['es', 'Repose y vuelva.', 'Niega cáncer en la familia.', '-negation cáncer'],
  ['pt', 'Alguém na família tem câncer? | Não.', 'Nega câncer na família.', '+negation câncer'],
];

const PAINS: readonly Row[] = [
  [
    'pt',
    'Sente dor no peito, desmaia? | Desmaiar não. Dor também não.',
    'Nega dor torácica.',
    '+negation dor torácica',
  ],
  ['en', 'Any chest pain? | No pain.', 'Denies chest pain.', '+negation chest pain'],
  ['es', '¿Le duele el pecho? | Dolor sí.', 'Niega dolor torácico.', '-negation dolor torácico'],
];

const REPORTS: readonly Row[] = [
  ['en', 'Any fever? | No.', 'Does not report fever.', '+negation fever'],
  ['en', 'I have a fever.', 'Does not report fever.', '-negation fever'],
  ['es', '¿Fiebre? | No.', 'No refiere fiebre ni tos.', '+negation fiebre', '-negation tos'],
  ['es', 'Tengo tos.', 'Niega fiebre, refiere tos.', '-negation fiebre'],
  ['pt', 'Febre? | Não.', 'Não relata febre.', '+negation febre'],
  ['pt', 'Tenho tosse.', 'Nega febre, refere tosse.', '-negation febre'],
  ['es', '¿Alguna bajada de azúcar? | No, ninguna bajada.', 'Niega hipoglucemias.', '+negation hipoglucemias'],
];

const CLIPPED: readonly Row[] = [
  ['en', 'Prednisone, twenty milligrams.', 'Pred 20 mg.', '+drug Pred', '+dose 20 mg'],
  ['en', 'Prednisolone, twenty milligrams.', 'Pred 20 mg.', '+drug Pred', '+dose 20 mg'],
  ['en', 'Prednisolone, twenty milligrams.', 'Pred 40 mg.', '+drug Pred', '-dose 40 mg'],
  ['en', 'Rest and come back.', 'Add pred.', '-drug pred'],
  ['en', 'Pred nisone for five days.', 'Prednisone.', '+drug Prednisone'],
  ['es', 'Amoxicilina cada ocho horas.', 'Amox.', '+drug Amox'],
  ['pt', 'Repouse e volte.', 'Azitro por 3 dias.', '-drug Azitro', '-number 3 dias'],
];

describe('The short forms of a note', () => {
  it.each(ALLERGIES)('in %s after “%s”, “%s” is a statement about allergies', (language, said, note, ...expected) => {
    expect(statementsOf(said, note, language)).toEqual(expected);
  });

  it.each(REPORTS)('in %s after “%s”, the report in “%s” is denied or not', (language, said, note, ...expected) => {
    expect(statementsOf(said, note, language)).toEqual(expected);
  });

  it.each(NAMED_LATER)(
    'in %s after “%s”, “%s” is an allergy that was said, or not',
    (language, said, note, ...expected) => {
      expect(statementsOf(said, note, language)).toEqual(expected);
    },
  );

  it.each(RELATIVES)('in %s after “%s”, “%s” needs talk of the family', (language, said, note, ...expected) => {
    expect(statementsOf(said, note, language)).toEqual(expected);
  });

  it.each(PAINS)(
    'in %s after “%s”, the pain of “%s” is the one that was asked for',
    (language, said, note, ...expected) => {
      expect(statementsOf(said, note, language)).toEqual(expected);
    },
  );

  it.each(CLIPPED)('in %s after “%s”, “%s” names a drug', (language, said, note, ...expected) => {
    expect(statementsOf(said, note, language)).toEqual(expected);
  });
});
