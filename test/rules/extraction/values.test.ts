import { describe, expect, it } from '@jest/globals';
import type { ValueName } from '../../../src/rules/knowledge/knowledge.ts';
import { VALUE_NAMES } from '../../../src/rules/knowledge/knowledge-schema.ts';
import { extract } from './small-lexicon.ts';

function valuesOf(text: string): Partial<Record<ValueName, number>> {
  const { values } = extract(text);
  return Object.fromEntries(
    VALUE_NAMES.filter((name) => name !== 'age').flatMap((name) =>
      values.has(name) ? [[name, values.get(name)]] : [],
    ),
  );
}

describe('The measured values of a history', () => {
  it.each([
    ['T 38,5ºC', { temperature: 38.5 }],
    ['Tª 37,9', { temperature: 37.9 }],
    ['temp 38.6 at 2am', { temperature: 38.6 }],
    ['Temperature 101.3 F', { temperature: 38.5 }],
    ['fever of 102F', { temperature: 38.9 }],
    ['febre de 39 graus', { temperature: 39 }],
    ['fiebre de 39 y tos', { temperature: 39 }],
    ['T 38.6 at night, T 37.2 now', { temperature: 38.6 }],
    ['HR 104', { 'heart-rate': 104 }],
    ['FC: 118', { 'heart-rate': 118 }],
    ['pulse is 96', { 'heart-rate': 96 }],
    ['110 bpm', { 'heart-rate': 110 }],
    ['P 104', { 'heart-rate': 104 }],
    ['RR 24', { 'respiratory-rate': 24 }],
    ['FR 26 irpm', { 'respiratory-rate': 26 }],
    ['BP 180/110', { systolic: 180, diastolic: 110 }],
    ['TA 104/62', { systolic: 104, diastolic: 62 }],
    ['PA 14 x 9', { systolic: 140, diastolic: 90 }],
    ['pressão 12 por 8', { systolic: 120, diastolic: 80 }],
    ['PA 164x96', { systolic: 164, diastolic: 96 }],
    ['tensión 120 por 80', { systolic: 120, diastolic: 80 }],
    ['128/76 mmHg', { systolic: 128, diastolic: 76 }],
    ['Blood pressure 98 over 58', { systolic: 98, diastolic: 58 }],
    ['with her machine: 98 over 58', { systolic: 98, diastolic: 58 }],
    ['BP one sixty over one ten', { systolic: 160, diastolic: 110 }],
    ['temp of thirty-eight point five', { temperature: 38.5 }],
    ['temp a hundred and two', { temperature: 38.9 }],
    ['HR one hundred and twenty', { 'heart-rate': 120 }],
    ['GCS E3 V4 M6', { 'coma-scale': 13 }],
    ['Urine dip: glucose 4+, ketones 4+', {}],
    ['Finger prick at random 17.6 mmol/L', { glucose: 317 }],
    ['potassium 5.6 mmol/L', {}],
    ['it was worse last week, 37.8 this morning', { temperature: 37.8 }],
    ['28/40, headache', { gestation: 28 }],
    ['cough for months', { 'symptom-days': 90 }],
    ['BP 104/62 (usual 145/80)', { systolic: 104, diastolic: 62 }],
    ['SpO2 91%', { 'oxygen-saturation': 91 }],
    ['SatO2: 94%', { 'oxygen-saturation': 94 }],
    ['sats 88 RA', { 'oxygen-saturation': 88 }],
    ['Finger reading 90% then 91', { 'oxygen-saturation': 90 }],
    ['Saturación de oxígeno de 84 por ciento', { 'oxygen-saturation': 84 }],
    ['la saturación le bajó a 84', { 'oxygen-saturation': 84 }],
    ['El oxímetro de la vecina le dio 83', { 'oxygen-saturation': 83 }],
    ['oxígeno al 50 %', {}],
    ['la presión le dio 8 y 5', { systolic: 80, diastolic: 50 }],
    ['140 latidos por minuto', { 'heart-rate': 140 }],
    ['FCF 145 lpm, FC 84', { 'heart-rate': 84 }],
    ['Fetal heart rate 150 bpm', {}],
    ['respira 36 veces por minuto', { 'respiratory-rate': 36 }],
    ['el glucómetro marca 480', { glucose: 480 }],
    ['fiebre de cuarenta', { temperature: 40 }],
    ['39 y medio de fiebre', { temperature: 39.5 }],
    ['glucemia 231', { glucose: 231 }],
    ['glucose 14 mmol/L', { glucose: 252 }],
    ['BM 14.8', { glucose: 266 }],
    ['HGT 54 mg/dL', { glucose: 54 }],
    ['glicemia jejum 91', { glucose: 91 }],
    ['GCS 14/15', { 'coma-scale': 14 }],
    ['Glasgow de 13', { 'coma-scale': 13 }],
    ['ECG 15', { 'coma-scale': 15 }],
    ['ECG normal', {}],
    ['pain 8/10', { 'pain-scale': 8 }],
    ['EVA 7', { 'pain-scale': 7 }],
    ['8 out of 10', { 'pain-scale': 8 }],
    ['32 weeks pregnant', { gestation: 32 }],
    ['embarazada de 20 semanas', { gestation: 20 }],
    ['gestante de 38 semanas', { gestation: 38 }],
    ['on 3/10 she came', {}],
    ['power 4/5', {}],
    ['room 38', {}],
    ['FR 96 UI', {}],
    ['pressão alta 22 por 13', { systolic: 220, diastolic: 130 }],
    ['pressão alta 58 anos', {}],
    ['pressão tava 18x11', { systolic: 180, diastolic: 110 }],
  ])('"%s" has the values %j', (text, expected) => {
    expect({ text, values: valuesOf(text) }).toEqual({ text, values: expected });
  });

  it.each([
    ['cough for 3 days', 3],
    ['cough x3 days', 3],
    ['cough 3d', 3],
    ['3 day history of cough', 3],
    ['cough since yesterday', 1],
    ['cough for two weeks', 14],
    ['cough 3/52', 21],
    ['3/12 h/o cough', 90],
    ['tos desde hace 2 semanas', 14],
    ['tos de 5 días de evolución', 5],
    ['tosse há 5 dias', 5],
    ['tosse faz umas seis semanas', 42],
    ['cough for 3 days, headache for 2 weeks', 14],
    ['cough every 6 hours', undefined],
    ['58 years old, cough', undefined],
    ['senhora de 71 anos com tosse', undefined],
    ['diabetes for 20 years. Cough for 2 days.', 2],
    ['No cough for 3 days', undefined],
    ['antibiotics for 7 days', undefined],
  ])('the complaint of "%s" has lasted %s days', (text, days) => {
    expect(extract(text).values.get('symptom-days')).toBe(days);
  });
});

describe('Findings from measured values', () => {
  const told = (text: string, id: string): string | undefined => extract(text).findings.get(id)?.presence;

  it('a high temperature is fever, and a normal temperature denies fever', () => {
    expect(told('T 38.4', 'fever')).toBe('present');
    expect(told('T 36.8', 'fever')).toBe('absent');
    expect(told('BP 120/80', 'fever')).toBeUndefined();
  });

  it('a stated fever stays present, even if a normal temperature follows', () => {
    expect(told('Fever last night. T 36.8', 'fever')).toBe('present');
  });

  it('a range for an age applies only to patients of that age', () => {
    expect(told('45yo, HR 120', 'tachycardia')).toBe('present');
    expect(told('HR 120', 'tachycardia')).toBe('present');
    expect(told('3-year-old, HR 120', 'tachycardia')).toBe('absent');
    expect(told('8-year-old, HR 120', 'tachycardia')).toBeUndefined();
  });

  it('a finding that is an age follows the age of the patient, not of a child in the text', () => {
    expect(told('8 month old with cough', 'infant')).toBe('present');
    expect(told('45yo woman with an infant at home, cough', 'infant')).toBeUndefined();
  });

  it('a short duration denies no finding', () => {
    expect(told('cough for 3 days', 'chronic')).toBeUndefined();
    expect(told('cough for 3 months', 'chronic')).toBe('present');
  });
});
