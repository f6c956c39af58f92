import { describe, expect, it } from '@jest/globals';
import { LANGUAGES, type Language } from '../../../src/domain/language.ts';
import { noteOf, type SpokenTurns, sectionsOf } from './talks.ts';

/** The whole note as one text. */
const textOf = (talk: SpokenTurns, language: Language): string =>
  Object.values(sectionsOf(noteOf(talk, { language }))).join('\n');

describe('A relative who is with the patient', () => {
  it.each<[Language, string, SpokenTurns]>([
    [
      'en',
      'Son: “I take ramipril myself.”',
      [
        [0, 'What brings you in today?'],
        [1, 'I get dizzy when I stand up, doctor.'],
        [2, "I'm her son. She fell on Sunday."],
        [0, 'Which tablets do you take?'],
        [1, 'I take amlodipine.'],
        [2, 'I take ramipril myself.'],
      ],
    ],
    [
      'es',
      'Esposa: “Yo tengo prediabetes.”',
      [
        [0, '¿Qué lo trae por aquí?'],
        [1, 'Me arden los pies de noche, doctora.'],
        [2, 'Soy su esposa. El domingo se cayó.'],
        [0, '¿Toma algún medicamento?'],
        [1, 'Tomo metformina.'],
        [2, 'Yo tengo prediabetes.'],
      ],
    ],
    [
      'pt',
      'Filha: “Eu tenho trombofilia.”',
      [
        [0, 'O que traz o senhor aqui?'],
        [1, 'Estou com dor na perna esquerda, doutora.'],
        [2, 'Eu sou a filha. Ele caiu no domingo.'],
        [0, 'Toma algum remédio?'],
        [1, 'Tomo omeprazol.'],
        [2, 'Eu tenho trombofilia.'],
      ],
    ],
  ])('is named in the note after what he says of himself (%s)', (language, line, talk) => {
    expect(textOf(talk, language)).toContain(line);
  });

  it.each<[Language, string, SpokenTurns]>([
    [
      'en',
      'Daughter: “He takes six a day.”',
      [
        [0, 'And you are the daughter?'],
        [2, 'Yes, I drove him here.'],
        [0, 'What do you take for the knee?'],
        [1, 'I take ibuprofen, doctor.'],
        [2, 'He takes six a day.'],
      ],
    ],
    [
      'pt',
      'Avó: “Ela teve febre no domingo.”',
      [
        [0, 'A senhora é a avó?'],
        [2, 'Sou.'],
        [0, 'O que aconteceu com ela?'],
        [1, 'Me preocupa a tosse dela, doutor, eu dei xarope.'],
        [2, 'Ela teve febre no domingo.'],
      ],
    ],
    [
      'es',
      'Hijo o hija: “Fumó treinta años.”',
      [
        [0, '¿Qué le pasa?'],
        [1, 'Tengo tos desde ayer, doctora.'],
        [2, 'Papá, desde ayer no. Empezó el lunes y tosió toda la noche.'],
        [0, '¿Fuma?'],
        [1, 'No, nunca, yo no fumo, a mí no me gusta.'],
        [2, 'Fumó treinta años.'],
      ],
    ],
  ])('is named after a question of the clinician, or after what he calls the patient (%s)', (language, line, talk) => {
    expect(textOf(talk, language)).toContain(line);
  });

  it('is named also in a handover of two clinicians', () => {
    const talk: SpokenTurns = [
      [0, 'The lady in bed twelve is confused since four. Blood pressure 104 over 58.'],
      [1, 'Is the family there?'],
      [2, "Yes, I'm her daughter. My father had dementia, she never had it."],
      [1, 'Stop the morphine.'],
    ];
    const text = Object.values(sectionsOf(noteOf(talk, { template: 'SBAR' }))).join('\n');
    expect(text).toContain('Daughter: “');
    expect(text).not.toMatch(/(?<!Daughter: )“My father had dementia/);
  });
});

describe('The patient', () => {
  it.each<[Language, string, string]>([
    ['en', 'This is my daughter, she drove me. My knee hurts, I have had it for two months.', 'I take ibuprofen.'],
    ['es', 'Mi hermana me trajo. Me duele la rodilla, tengo dos meses así.', 'Tomo ibuprofeno.'],
    ['pt', 'É, minha irmã me trouxe. Estou com dor no joelho, tenho isso há dois meses.', 'Tomo ibuprofeno.'],
  ])('is never called a relative of the one who came along (%s)', (language, first, second) => {
    const talk: SpokenTurns = [
      [0, { en: 'What brings you in?', es: '¿Qué le pasa?', pt: 'O que houve?' }[language]],
      [1, first],
      [0, { en: 'What do you take?', es: '¿Qué toma?', pt: 'Que remédio toma?' }[language]],
      [1, second],
    ];
    expect(textOf(talk, language)).toContain(`“${second}”`);
    expect(textOf(talk, language)).not.toContain(': “');
  });

  it('is never called a relative after a relative whom he has', () => {
    for (const language of LANGUAGES) {
      const [asked, answer] = {
        en: ['Anyone in your family with heart disease?', 'My father had a heart attack at sixty.'],
        es: ['¿Alguien en la familia con problemas del corazón?', 'Mi padre tuvo un infarto a los sesenta.'],
        pt: ['Alguém na família com problema de coração?', 'Meu pai teve um infarto aos sessenta.'],
      }[language] as [string, string];
      const talk: SpokenTurns = [
        [0, asked],
        [1, answer],
        [0, 'Ibuprofen, ibuprofeno, 400 mg. 130/80 mmHg.'],
      ];
      expect(textOf(talk, language)).toContain(`${asked} “${answer}”`);
    }
  });
});
