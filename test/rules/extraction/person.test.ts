import { describe, expect, it } from '@jest/globals';
import { extract } from './small-lexicon.ts';

type Row = readonly [string, number | undefined, 'female' | 'male' | undefined];

const MONTH = 1 / 12;
const DAY = 1 / 365;

describe('The patient of a history', () => {
  it.each<Row>([
    ['58yo male with cough', 58, 'male'],
    ['58 y/o woman', 58, 'female'],
    ['66F, T2DM', 66, 'female'],
    ['45 M with fever', 45, 'male'],
    ['47-year-old woman', 47, 'female'],
    ['A man aged 30', 30, 'male'],
    ['Female 30. Cough.', 30, 'female'],
    ['Man 76, lives alone', 76, 'male'],
    ['Girl of 5, well at breakfast', 5, 'female'],
    ['Teacher, 41, has a cough', 41, undefined],
    ['Sound engineer, 44, with fever', 44, undefined],
    ['Theatre nurse, 35. Cough.', 35, undefined],
    ['Fever, 39, cough', undefined, undefined],
    ["Repeat prescription for this patient, two months' supply", undefined, undefined],
    ['Smokes forty a day', undefined, undefined],
    ["i'm 18. fever", 18, undefined],
    ['3-week-old boy', 21 * DAY, 'male'],
    ['8 months old girl', 8 * MONTH, 'female'],
    ['14 yo M with dad', 14, 'male'],
    ['Mujer de 45 años', 45, 'female'],
    ['Viejito de 84 años', 84, 'male'],
    ['Señor de ochenta y cuatro años', 84, 'male'],
    ['Senhora de oitenta e quatro anos', 84, 'female'],
    ['Nena de un mes', MONTH, 'female'],
    ['Bebita de mes y medio', 42 * DAY, undefined],
    ['Mujer 71a. DM2 de 20 años', 71, 'female'],
    ['Varón 38 a, tos', 38, 'male'],
    ['Niña de 3 años', 3, 'female'],
    ['V 67a, tos', 67, 'male'],
    ['H 45 años, fiebre', 45, 'male'],
    ['M 34a, tos', 34, undefined],
    ['Costurera de 47 años, tos', 47, undefined],
    ['Sordera de 3 años de evolución', undefined, undefined],
    ['Chavo de 14 años', 14, 'male'],
    ['Lactante varón de 5 semanas, embarazo normal, fiebre', 35 * DAY, 'male'],
    ['no he dormido, tengo moco y fiebre', undefined, undefined],
    ['tengo 26 años', 26, undefined],
    ['lactante de 2 meses', 2 * MONTH, undefined],
    ['Homem de 58a', 58, 'male'],
    ['Masc 58a, tosse', 58, 'male'],
    ['lactente de 2 meses', 2 * MONTH, undefined],
    ['lactente menor de 3 meses', 3 * MONTH - DAY, undefined],
    ['baby under 3 months', 3 * MONTH - DAY, undefined],
    ['embarazada de 8 meses', undefined, 'female'],
    ['grávida de 5 meses', undefined, 'female'],
    ['cefalea desde hace 8 meses, embarazada', undefined, 'female'],
    ['Puérpera de 5 días, fiebre', undefined, 'female'],
    ['Puérpera, 9 dias de cesárea, febre', undefined, 'female'],
    ['Mujer de 28 años, puérpera de 6 días', 28, 'female'],
    ['Recién parida, 12 días, fiebre', undefined, undefined],
    ['operada hace 10 días de vesícula, fiebre', undefined, undefined],
    ['Paciente de 3 días de operada', undefined, undefined],
    ['embarazo de 3 meses con sangrado', undefined, undefined],
    ['gravidez de 3 meses, febre', undefined, undefined],
    ['Doente com 3 dias de pós-parto', undefined, undefined],
    ['Paciente de 10 dias de pós-operatório', undefined, undefined],
    ['Woman 10 days post surgery, fever', undefined, 'female'],
    ['Patient, 4 days out from knee replacement', undefined, undefined],
    ['Patient 2 weeks post partum', undefined, undefined],
    ['Niña de 2 meses operada de hernia', 2 * MONTH, 'female'],
    ['RN de 10 dias, parto normal, febre', 10 * DAY, undefined],
    ['3-week-old boy born by caesarean', 21 * DAY, 'male'],
    ['Mãe traz filho de 2 meses com febre', 2 * MONTH, undefined],
    ['Madre operada de apendicitis trae a su hija de 2 meses', 2 * MONTH, undefined],
    ['Peón rural de 37 años, fiebre', 37, undefined],
    ['Profesor de 54 años, tos', 54, undefined],
    ['Ama de casa de 72 años, tos', 72, 'female'],
    ['Ciática de 3 años', undefined, undefined],
    ['Asmática de 20 años de evolución', undefined, undefined],
    ['RN de 10 dias', 10 * DAY, undefined],
    ['Senhora de 74 anos', 74, 'female'],
    ['Doente de 67 anos, tosse', 67, undefined],
    ['Utente do sexo feminino, 29 anos', 29, 'female'],
    ['Rapariga de 19 anos com febre', 19, 'female'],
    ['miúdo de 6 anos', 6, 'male'],
    ['bb 4m com febre', 4 * MONTH, undefined],
    ['homem 35 dor no peito', 35, 'male'],
    ['mulher 2 filhos, tosse', undefined, 'female'],
    ['criança de 1 ano e 2 meses', 14 * MONTH, undefined],
    ['minha mãe de 80 anos caiu', 80, 'female'],
    ['meu marido tem 50 anos e tosse', 50, 'male'],
    ['my dad is wheezing and has a fever', undefined, 'male'],
    ['tenho 31 anos', 31, undefined],
    ['cough for 3 years', undefined, undefined],
    ['tos desde hace 10 años', undefined, undefined],
    ['fever 102F', undefined, undefined],
    ['My husband, 71, he has a cough', 71, 'male'],
    ['Grandad, 81, has a cough', 81, 'male'],
    ['eighteen months old boy', 18 * MONTH, 'male'],
    ["I'm seventy one, cough", 71, undefined],
    ['My girl friend had flu, i have a cough', undefined, undefined],
    ['embarazada de 32 semanas', undefined, 'female'],
    ['volta em um mês', undefined, undefined],
    ['She has a cough', undefined, 'female'],
    ['he coughs', undefined, 'male'],
    ['Paciente com tosse, ela nega febre', undefined, 'female'],
    ['mother says he has a cough', undefined, 'male'],
  ])('"%s" is about a patient of %s years, sex %s', (text, age, sex) => {
    const { person } = extract(text);
    expect({ text, sex: person.sex }).toEqual({ text, sex });
    if (age === undefined) expect(person.ageYears).toBeUndefined();
    else expect(person.ageYears).toBeCloseTo(age, 3);
  });

  it.each([
    ['45yo woman. Father MI at 50. Her mother is 80 years old.', 45],
    ['Her brother, 12 years old, has flu. She is 8 years old.', 8],
    ['Hermano de 5 años con gripe. Niño de 3 años con tos.', 3],
    ['pai de 60 anos com diabetes. Paciente de 30 anos.', 30],
  ])('ages of relatives are not the patient’s: "%s" gives %s years', (text, age) => {
    expect(extract(text).person.ageYears).toBe(age);
  });
});

describe('The language of a history', () => {
  it.each([
    ['The patient has had a cough since yesterday', 'en'],
    ['fever, cough 3d', 'en'],
    ['El paciente refiere tos desde ayer', 'es'],
    ['fiebre y tos 3 días', 'es'],
    ['Paciente refere tosse desde ontem', 'pt'],
    ['febre e tosse há 3 dias', 'pt'],
    ['dor no peito', 'pt'],
    ["J'ai de la fièvre et je tousse beaucoup depuis trois jours", undefined],
    ['Ich habe seit drei Tagen Fieber und Husten', undefined],
    ['zxq wvk prrt', undefined],
  ])('"%s" is in the language %s', (text, language) => {
    expect(extract(text).language).toBe(language);
  });

  it.each([
    ['The patient has had a cough since yesterday', true],
    ['fever', true],
    ['The weather was nice and we went to the beach with our friends', true],
    ['', true],
    ['?!', true],
    ['Ich habe seit drei Tagen sehr hohes Fieber und starken Husten', false],
    ['zxq wvk prrt blorf gnarl', false],
    ['发烧三天 咳嗽', false],
    ['У меня болит голова', false],
  ])('"%s" is understood: %s', (text, isUnderstood) => {
    expect(extract(text).isUnderstood).toBe(isUnderstood);
  });

  const chatter =
    'Neighbours talked about gardens, bridges, curtains, sandwiches, tickets, umbrellas and old bicycles. ';
  it('a short text can be hardly recognised, a long one cannot', () => {
    expect(extract(`Chest pain. ${chatter.repeat(3)}`).isHardlyRecognised).toBe(true);
    expect(extract('Chest pain and fever.').isHardlyRecognised).toBe(false);
    expect(extract(`Chest pain. ${chatter.repeat(40)}`).isHardlyRecognised).toBe(false);
    expect(extract('').isHardlyRecognised).toBe(false);
  });

  it('a text about health differs from a text about other matters', () => {
    expect(extract('No fever').isHealth).toBe(true);
    expect(extract('My doctor is nice').isHealth).toBe(true);
    expect(extract('The weather was nice and we went to the beach').isHealth).toBe(false);
  });
});
