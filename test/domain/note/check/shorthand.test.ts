// What clinicians write in short forms is found in the plain words that were said, and what belongs to another person is not the patient's.
import { describe, expect, it } from '@jest/globals';
import type { Language } from '../../../../src/domain/language.ts';
import { type Row, statementsOf } from './check-cases.ts';

const ROWS: Readonly<Record<Language, readonly Row[]>> = {
  en: [
    // Times, volumes and rates
    ['She kept me up two nights.', 'Crying 2/7.', '+number 2/7'],
    ['I am nine weeks along.', 'LMP 3 May, approx 9/40.', '-date 3 May', '+number 9/40'],
    ['I get them about six a month.', 'Attacks 16 per month.', '-number 16 per month'],
    ['I have oxygen on all day.', 'O2 24 h.', '+number 24 h'],
    ['I drained two litres three hundred.', 'Drained 2300 ml.', '+number 2300 ml'],
    // Overdoses
    ['I took paracetamol, all of it.', 'OD paracetamol.', '+drug paracetamol'],
    // Sides
    ['It goes down the right one to the heel.', 'R sciatica to heel.', '+laterality R'],
    ['My legs swell up.', 'Bilat leg oedema.', '+laterality Bilat leg'],
    ['It hurts on the right, behind the eye.', 'L-sided headache.', '-laterality L-sided headache'],
    ['Are you right handed? | No, left.', 'Right hand dominant.', '-laterality Right hand'],
    // Consent
    [
      'I would like to put in two stitches. Is that alright? | Yes, go ahead.',
      'Verbal consent.',
      '+attestation consent',
    ],
    [
      'I would like to put in two stitches. Is that alright? | No, leave it.',
      'Verbal consent.',
      '-attestation consent',
    ],
    // Other persons
    ['I came for my knee. | My husband takes ramipril.', 'On ramipril.', '-drug ramipril'],
    ['I came for my knee. | My husband takes ramipril.', "Took husband's ramipril.", '+drug ramipril'],
    ['My wife says I should keep taking ramipril.', 'On ramipril.', '+drug ramipril'],
    [
      'Tell me. | I fell. | Any allergies? | No. My brother is allergic to penicillin.',
      'Allergic to penicillin.',
      '-allergy Allergic to penicillin',
    ],
    ["It's me that is allergic to latex.", 'Allergic to latex.', '-allergy Allergic to latex'],
    ['Has she had a fall? | No. The lady next door fell.', 'No falls.', '+negation falls'],
    ['We gave naproxen, no, sorry, ibuprofen.', 'Naproxen given.', '-drug Naproxen'],
    // Denials
    ['Any vomiting, loose stools? | Just wind.', 'No vomiting.', '+negation vomiting'],
    ['Have you thought of ending it? | No, never.', 'Denies suicidal thoughts.', '+negation suicidal'],
  ],
  es: [
    ['Lleva dos noches sin dormir.', 'Llanto hace 2 días.', '+number 2 días'],
    ['Con tres litros satura bien.', 'O2 a 3 lpm.', '+number 3 lpm'],
    ['Orinó un litro ochocientos.', 'Diuresis 1.800 ml.', '+number 1.800 ml'],
    [
      'Le pongo cefazolina un gramo, cada ocho horas, cinco días.',
      'Cefazolina × 5 días.',
      '+drug Cefazolina',
      '+number 5 días',
    ],
    ['Fumo poco, cuatro al día.', 'Tabaquismo 4 cig/día.', '+number 4 cig'],
    ['El pecho derecho está rojo. El izquierdo, normal.', 'Mama izquierda eritematosa.', '-laterality Mama izquierda'],
    [
      'Le voy a poner unos puntos. ¿Está de acuerdo? | Sí, doctora.',
      'Consentimiento verbal.',
      '+attestation Consentimiento',
    ],
    ['Me duele la rodilla. | Mi marido toma ramipril.', 'En tratamiento con ramipril.', '-drug ramipril'],
    [
      'Me duele la rodilla. | Mi hermana es alérgica a la penicilina.',
      'Alérgica a penicilina.',
      '-allergy Alérgica a penicilina',
    ],
    ['¿Sangre o pus? | Sangre y pus no.', 'Niega sangre.', '+negation sangre'],
    ['¿Ves borroso? | No.', 'Niega visión borrosa.', '+negation visión borrosa'],
  ],
  pt: [
    ['Ele está com vinte dias.', 'RN c/ 20 dias.', '+number 20 dias'],
    ['Saturação boa com três litros.', 'O2 3 L/min.', '+number 3 L/min'],
    ['Começou às sete da manhã.', 'Desde 7h de hoje.', '+number 7h'],
    ['Minhas pernas incham.', 'Edema em ambas as pernas.', '+laterality ambas as pernas'],
    ['Posso tirar a cera? | Pode, doutora.', 'Remoção autorizada pela mãe.', '+attestation autorizada pela mãe'],
    ['Eu vim pelo joelho. | Quem toma ramipril é o meu marido.', 'Em uso de ramipril.', '-drug ramipril'],
    ['Eu é que tenho alergia a penicilina.', 'Alergia a penicilina.', '-allergy Alergia a penicilina'],
    ['Tosse? | Tosse não. Quem está tossindo é o irmão.', 'Nega tosse.', '+negation tosse'],
    ['E vômito? | Isso não teve.', 'Nega vômito.', '+negation vômito'],
    ['Febre, não tem não.', 'Nega febre.', '+negation febre'],
    ['Bebeu hoje? | Hoje não. Bebo no domingo.', 'Nega álcool hoje.', '+negation álcool'],
  ],
};

describe.each(Object.entries(ROWS))('shorthand in %s', (language, rows) => {
  it.each(rows)('spoken “%s”, written “%s”', (said, note, ...statements) => {
    expect(statementsOf(said, note, language as Language)).toEqual(statements);
  });
});
