// Talks for the tests of the note writer, and readers of their notes.
import type { Language } from '../../../src/domain/language.ts';
import { chooseTemplate, type TemplateName } from '../../../src/domain/note/template.ts';
import type { Transcript } from '../../../src/domain/recording/transcript.ts';
import type { NoteAnswer } from '../../../src/ports/reasoner.ts';
import { makeNoteWriter } from '../../../src/rules/note-writing/note-writer.ts';
import { SHIPPED_LANGUAGES } from '../knowledge/shipped-languages.ts';

export type SpokenTurns = readonly (readonly [speaker: number, text: string])[];

const writeNote = makeNoteWriter(SHIPPED_LANGUAGES);

export function aTranscript(said: SpokenTurns, language = 'en'): Transcript {
  const utterances = said.map(([speaker, text], index) => ({
    speaker,
    text,
    startSeconds: index,
    endSeconds: index + 1,
    confidence: 1,
  }));
  return { utterances, durationSeconds: said.length, language };
}

type Wanted = {
  readonly template?: TemplateName;
  readonly customTemplate?: string;
  readonly language?: Language;
  readonly spoken?: string;
};

export function noteOf(
  said: SpokenTurns,
  { template, customTemplate, language = 'en', spoken = language }: Wanted = {},
): NoteAnswer {
  return writeNote({
    transcript: aTranscript(said, spoken),
    template: chooseTemplate({ template, customTemplate, language }),
    language,
  });
}

/** The texts of the sections by their keys. Throws if the talk was judged as not medical. */
export function sectionsOf(answer: NoteAnswer): Readonly<Record<string, string>> {
  if (!answer.isMedical) throw new Error('not taken for a medical talk');
  return Object.fromEntries(answer.note.sections.map(({ key, text }) => [key, text]));
}

export const BACK_PAIN: SpokenTurns = [
  [0, 'Hi, come in, terrible weather, is it not? What seems to be the trouble?'],
  [1, 'My lower back has been killing me since I lifted a washing machine on Saturday.'],
  [0, 'Does the pain go down the leg?'],
  [1, 'Yes, down the back of the right, no wait, the left leg to the knee.'],
  [0, 'Any numbness around the bottom, any trouble passing water?'],
  [1, 'No.'],
  [0, 'Are you taking anything for it?'],
  [1, 'Um, ibuprofen, uh, four hundred, three times a day.'],
  [0, 'Any drug allergies?'],
  [1, 'Codeine makes me sick.'],
  [0, 'And at work, how is the, er, the desk?'],
  [
    0,
    'Straight leg raise is forty degrees on the left, full on the right. Power is normal. Blood pressure 142 over 88.',
  ],
  [0, 'This is most likely sciatica from a slipped disc.'],
  [1, 'How long does it take?'],
  [
    0,
    'Usually six to eight weeks. I will prescribe naproxen 500 milligrams twice a day with food, and stop the ibuprofen. I will refer you to physiotherapy. If the numbness spreads, go to A and E. See you in four weeks.',
  ],
  [1, 'Thanks very much.'],
];

export const SORE_THROAT_PT: SpokenTurns = [
  [0, 'Boa tarde, em que posso ajudar?'],
  [1, 'Minha garganta dói muito há três dias e tive febre de trinta e nove.'],
  [0, 'Tosse?'],
  [1, 'Não.'],
  [0, 'Tem alergia a algum remédio?'],
  [1, 'Não há nenhuma que eu saiba.'],
  [
    0,
    'Abre a boca. As amígdalas estão vermelhas e com placas. Temperatura trinta e oito e meio. Não há rigidez de nuca.',
  ],
  [
    0,
    'Parece uma amigdalite. Mononucleose é menos provável. Vou receitar amoxicilina quinhentos, de oito em oito horas, por dez dias. Se piorar, volte antes. Retorno em duas semanas.',
  ],
];
