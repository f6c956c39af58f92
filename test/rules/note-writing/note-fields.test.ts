import { describe, expect, it } from '@jest/globals';
import type { Language } from '../../../src/domain/language.ts';
import { noteOf, type SpokenTurns } from './talks.ts';

const TALK: SpokenTurns = [
  [0, 'What brings you in?'],
  [1, 'My stomach hurts, and I had 38.9 at home. My pressure was 180 over 100 yesterday.'],
  [0, 'Out of ten, how bad is the pain?'],
  [1, 'A seven.'],
  [0, 'Any allergies?'],
  [1, 'Penicillin, I get a rash.'],
  [
    0,
    'Hop on the scales. 87.4 kilos. Blood pressure 146 over 92. I will do it again. 138 over 80. Temperature 37.6, pulse is 92, sats 97 percent.',
  ],
  [
    0,
    'I think it is gastritis. Because of the penicillin we take no amoxicillin. Take omeprazole 20 milligrams once a day, and stop the ibuprofen.',
  ],
  [0, 'I will see you in six weeks. My number is 555 123 4567.'],
];

function fieldsOf(said: SpokenTurns, fields: Readonly<Record<string, string>>, language: Language = 'en') {
  const lines = Object.entries(fields).map(([name, description]) => `- ${name}: ${description}`);
  const answer = noteOf(said, { customTemplate: ['# Note', '## Dynamic Fields', ...lines].join('\n'), language });
  if (!answer.isMedical) throw new Error('not taken for a medical talk');
  return answer.dynamicFields;
}

describe('Dynamic fields of a note', () => {
  it('hold the value of this visit, and of two measurements the second', () => {
    expect(
      fieldsOf(TALK, {
        blood_pressure: 'Blood pressure today',
        temperature: 'Temperature in the visit',
        weight: 'Weight today',
        pulse: '',
        oxygen: 'Oxygen saturation',
      }),
    ).toEqual({
      blood_pressure: '138 over 80',
      temperature: '37.6',
      weight: '87.4 kilos',
      pulse: '92',
      oxygen: '97 percent',
    });
  });

  it('are recognised by their description if the name is unknown', () => {
    expect(fieldsOf(TALK, { f1: 'blood pressure', f2: 'when is the next visit' })).toEqual({
      f1: '138 over 80',
      f2: 'in six weeks',
    });
  });

  it('name the drug that was ordered, not the one that was stopped or avoided', () => {
    expect(fieldsOf(TALK, { prescribed_drug: 'Drug that was prescribed' })).toEqual({ prescribed_drug: 'omeprazole' });
  });

  it('hold allergies, the pain scale and the telephone', () => {
    expect(fieldsOf(TALK, { allergies: '', pain_scale: 'Pain scale', phone: 'Telephone' })).toEqual({
      allergies: 'Penicillin, I get a rash',
      pain_scale: '7',
      phone: '555 123 4567',
    });
  });

  it('are empty if their topic was not mentioned', () => {
    const none = {
      height: 'Height',
      hba1c: 'HbA1c',
      blood_group: 'Blood group',
      insurance_number: 'Number of the insurance',
    };
    expect(fieldsOf(TALK, none)).toEqual({ height: '', hba1c: '', blood_group: '', insurance_number: '' });
  });

  it('have spoken numbers in digits', () => {
    const talk: SpokenTurns = [
      [0, 'O que a traz aqui?'],
      [1, 'Estou com febre desde ontem.'],
      [
        0,
        'Sobe na balança. Dezoito quilos e meio. Temperatura trinta e oito vírgula um. Pressão cento e vinte por oitenta.',
      ],
      [0, 'Retorno em duas semanas.'],
    ];
    const fields = { peso: 'peso em kg', temperatura: '', pressao_arterial: '', proxima_consulta: '' };
    expect(fieldsOf(talk, fields, 'pt')).toEqual({
      peso: '18 quilos e meio',
      temperatura: '38,1',
      pressao_arterial: '120 por 80',
      proxima_consulta: 'em duas semanas',
    });
  });
});
