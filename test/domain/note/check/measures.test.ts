import { describe, expect, it } from '@jest/globals';
import type { Language } from '../../../../src/domain/language.ts';
import { statementsOf } from './check-cases.ts';

type Row = readonly [language: Language, said: string, note: string, ...statements: string[]];

const ROWS: readonly Row[] = [
  // Halves, two units, and one unit for another
  ['en', 'An hour and a half.', 'Lasted 90 min.', '+number 90 min'],
  ['en', 'Half an hour.', 'Lasted 1 h.', '-number 1 h'],
  ['es', 'Tres cuartos de hora.', 'Duró 45 min.', '+number 45 min'],
  ['es', 'Siete kilos doscientos gramos.', 'Peso 7,2 kg.', '+number 7,2 kg'],
  ['es', 'Mide un metro sesenta y cuatro.', 'Talla 164 cm.', '+number 164 cm'],
  ['es', 'Desde hace dos días.', 'Desde hace 48 h.', '+number 48 h'],
  ['pt', '82 quilos e 300 gramas.', 'Peso 82,3 kg.', '+number 82,3 kg'],
  ['pt', '82 quilos e 300 gramas.', 'Peso 83,2 kg.', '-number 83,2 kg'],
  ['pt', 'Um grama de dipirona.', 'Dipirona 1000 mg.', '+drug Dipirona', '+dose 1000 mg'],
  ['en', 'For a week.', 'For 7 days.', '+number 7 days'],
  ['en', 'For a week.', 'For 9 days.', '-number 9 days'],
  ['es', 'Vuelva en dos semanas.', 'Control en 15 días.', '+number 15 días'],
  ['pt', 'Volta em duas semanas.', 'Retorno em 15 dias.', '+number 15 dias'],
  ['pt', 'Volta em duas semanas.', 'Retorno em 10 dias.', '-number 10 dias'],
  ['en', 'I smoked a pack for thirty years.', 'Ex-smoker, 30 pack-years.'],
  // The sign of a degree, and the ordinal that is written for it
  ['es', 'Tengo 38 con 5 grados.', 'Tª 38,5 ºC.', '+number 38,5 ºC'],
  ['pt', 'Trinta e oito e meio.', 'T 38,5ºC.', '+number 38,5ºC'],
  ['pt', 'Trinta e nove graus.', 'T 38,5 °C.', '-number 38,5 °C'],
  // A word between a number and its unit of time
  ['en', 'Carry on for one more week.', 'Continue 1 more week.', '+number 1 more week'],
  ['en', 'Carry on for one more week.', 'Continue for six more months.', '-number six more months'],
  ['en', 'He slept for two full days.', 'Slept 3 full days.', '-number 3 full days'],
  ['es', 'Siga dos largos meses.', 'Sigue 6 largos meses.', '-number 6 largos meses'],
  ['pt', 'Fique três longas semanas.', 'Fica 3 semanas.', '+number 3 semanas'],
  // Telephone numbers
  ['en', 'Call five five five, zero one four seven.', 'Call 555-0147.', '+number 555-0147'],
  ['en', 'Call five five five, zero one four seven.', 'Call 555-0148.', '-number 555-0148'],
  ['en', 'Rest, and come back.', 'Book at +1 (900) 555 0199.', '-number 1 (900) 555 0199'],
  ['en', 'Rest, and come back.', 'Nurse line: 0900 123 456.', '-number 0900 123 456'],
  [
    'en',
    'My readings were 145, 150 and 160.',
    'Readings 145 150 160, 2019-2021 as before, visits 12-03-2021.',
    '-date 12-03-2021',
  ],
  [
    'es',
    'Llame al seiscientos, ciento veintitrés, cuatro cinco seis.',
    'Llamar al 600 123 456.',
    '+number 600 123 456',
  ],
  ['es', 'Repose y vuelva.', 'Tel. de enfermería: 806-555-147.', '-number 806-555-147'],
  ['pt', 'Meu celular é 95555 0147.', 'Contato: (11) 95555-0147.', '+number 11) 95555-0147'],
  ['pt', 'Repouse e volte.', 'Ligar para 95555 0147.', '-number 95555 0147'],
  ['es', 'Repose y vuelva.', 'Rehabilitación: 91 555 23 45.', '-number 91 555 23 45'],
  ['en', 'For six more days.', 'For a month.', '-number a month'],
  ['en', 'For one month.', 'For a month.', '+number a month'],
  ['en', 'Come back in a fortnight.', 'Review in 2 weeks.', '+number 2 weeks'],
  ['en', 'She is two and a half.', 'Two-and-a-half-year-old.', '+number Two-and-a-half-year-old'],
  ['en', 'Seven days.', 'x 21 d', '-number 21 d'],
  ['en', 'The last one was in July 2025.', 'Last flare 07/2025.', '+date 07/2025'],
  ['en', 'The last one was in May.', 'Last flare 07/2025.', '-date 07/2025'],
  // The sum of a questionnaire
  ['en', 'Your GAD was eighteen.', 'GAD-7: 18/21.', '+number 18/21'],
  ['es', 'Repose y vuelva.', 'GAD-7: 18/21.', '-number 18/21'],
  ['pt', 'O minimental deu vinte e oito.', 'MEEM 28/30.', '+number 28/30'],
  // Every hour, and every few hours
  ['en', 'Salbutamol every hour.', 'Salbutamol hourly.', '+drug Salbutamol', '+dose hourly'],
  ['en', 'Salbutamol every four hours.', 'Salbutamol 4-hourly.', '+drug Salbutamol', '+dose 4-hourly'],
  ['en', 'Salbutamol once a day.', 'Salbutamol hourly.', '+drug Salbutamol', '-dose hourly'],
  ['pt', 'A pressão está em doze por oito.', 'PA 12x8.', '+number 12x8'],
  ['pt', 'A pressão está em doze por oito.', 'PA 12x6.', '-number 12x6'],
  ['es', 'Mide diez por cinco.', 'Herida de 10x5 cm.'],
  ['es', 'Le pongo cinco puntos.', '5 puntos de sutura.', '+number 5 puntos'],
  ['es', 'Le pongo cinco puntos.', '15 puntos de sutura.', '-number 15 puntos'],
  ['en', 'Levothyroxine, seventy-five.', 'Levothyroxine 75 mcg.', '+drug Levothyroxine', '+dose 75 mcg'],
  ['en', 'Levothyroxine, seventy-five.', 'Levothyroxine 75 mg.', '+drug Levothyroxine', '-dose 75 mg'],
  ['en', 'We talked of the weather.', 'Free T4 8 pmol/L.', '-number 8 pmol/L'],
  ['en', 'Come back in a week.', 'Review in a year.', '-number a year'],
  ['en', 'Come back in a week.', 'Review in a week.', '+number a week'],
  ['pt', 'Repouse.', 'Pix 11955550147.', '-number 11955550147'],
  ['en', 'On the fourteenth of February.', 'Bloods 14/02.', '+date 14/02'],
  ['en', 'Come back soon.', 'Bloods 14/02.', '-date 14/02'],
  ['es', 'Venga el catorce de noviembre.', 'Revisión el 14/11.', '+date 14/11'],
  ['en', 'Last September.', 'Last seen Sept 2024.', '-date Sept 2024'],
  ['en', 'Come in three days.', 'Review 3/7.', '+number 3/7'],
  // Short forms of time
  ['en', 'For three days.', 'Cough 3/7.', '+number 3/7'],
  ['en', 'For three days.', 'Cough 5/7.', '-number 5/7'],
  ['en', 'Come back in six weeks.', 'R/v 6/52.', '+number 6/52'],
  ['en', 'Two months ago.', '2/12 hx.', '+number 2/12'],
  ['en', 'I am fifty-eight years old.', '58M.', '+number 58M'],
  ['es', 'Tiene sesenta y tres años.', 'Varón 63 a.', '+number 63 a'],
  ['pt', 'Volte em duas semanas.', 'Retorno 2 sem.', '+number 2 sem'],
  ['pt', 'Frequência vinte e dois.', 'FR 22 sem tiragem.', '+number 22'],
  // Times of day
  ['en', 'At half past three in the afternoon.', 'Fell 15:30.', '+number 15:30'],
  ['en', 'At half past three in the afternoon.', 'Fell 16:30.', '-number 16:30'],
  ['es', 'A la una de la madrugada.', 'Desde la 01:00 h.', '+number 01:00 h'],
  ['es', 'A la una de la madrugada.', 'Desde las 03:00 h.', '-number 03:00 h'],
  ['pt', 'Às seis da tarde.', 'Queda às 18:00 h.', '+number 18:00 h'],
  ['pt', 'Às seis da tarde.', 'Queda às 18 h.', '+number 18 h'],
  // How often
  ['es', 'Enalapril, uno por la mañana.', 'Enalapril 1 comp/24 h.', '+drug Enalapril', '+dose 1 comp', '+dose /24 h'],
  ['es', 'Paracetamol cada ocho.', 'Paracetamol c/8 h.', '+drug Paracetamol', '+dose c/8 h'],
  ['pt', 'Dipirona de seis em seis.', 'Dipirona 6/6 h.', '+drug Dipirona', '+dose 6/6 h'],
  [
    'pt',
    'Prednisona quarenta uma vez ao dia.',
    'Prednisona 40 mg 1x/dia.',
    '+drug Prednisona',
    '+dose 40 mg',
    '+dose 1x/dia',
  ],
  [
    'en',
    'Ibuprofen four hundred three times a day.',
    'Ibuprofen 400 mg TDS.',
    '+drug Ibuprofen',
    '+dose 400 mg',
    '+dose TDS',
  ],
  ['en', 'Cetirizine at night if she is scratching.', 'Cetirizine PRN.', '+drug Cetirizine', '+dose PRN'],
  // Units of blood values are not spoken
  ['pt', 'Potássio quatro vírgula dois.', 'Potássio 4,2 mEq/L.', '+number 4,2 mEq/L'],
  ['pt', 'Potássio quatro vírgula dois.', 'Potássio 5,2 mEq/L.', '-number 5,2 mEq/L'],
  ['es', 'El potasio, cuatro coma cinco.', 'K: potasio 4,5 mmol/L.', '+number 4,5 mmol/L'],
  ['en', 'Sodium was one thirty-eight.', 'Sodium 138 mmol/L.', '+number 138 mmol/L'],
  ['en', 'Vitamin B12 was two hundred.', 'B12 200 pg/mL.', '+number 200 pg/mL'],
  // Parts of names are no amounts
  ['en', 'The ECG shows depression.', 'ST depression V4-V6, T4 normal, L5 root.'],
  // The age of a relative is no age of the patient
  ['en', 'My father died at fifty. | I am forty.', 'Aged 50.', '-number 50'],
  ['es', 'Mi padre murió a los cincuenta. | Yo tengo cuarenta.', 'AF - padre † a los 50 a.', '+number 50 a'],
  [
    'pt',
    'E o pai? | Meu pai infartou com quarenta e oito anos. | Eu tenho trinta anos.',
    'Paciente de 48 anos.',
    '-number 48 anos',
  ],
];

describe('amounts, times and frequencies as they are spoken and written', () => {
  it.each(ROWS)('spoken in %s “%s”, written “%s”', (language, said, note, ...expected) => {
    expect(statementsOf(said, note, language)).toEqual(expected);
  });
});
