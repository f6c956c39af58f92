import { describe, expect, it } from '@jest/globals';
import type { Language } from '../../../src/domain/language.ts';
import { checkNote } from '../../../src/domain/note/check-note.ts';
import { judgeStatements } from '../../../src/domain/note/check-verdicts.ts';
import { aConversation, aNote } from './check/check-cases.ts';

const LIMITS = { drug: 0, dose: 0, allergy: 0, number: 2 };

function judge(said: string, text: string, language: Language = 'en', spoken: string = language) {
  const [note, transcript] = [aNote(text), aConversation(said, spoken)];
  const report = checkNote({ note, transcript, language, maxUnsupported: LIMITS });
  return judgeStatements({ note, report });
}

/** `contradicted laterality left knee @1`: verdict, kind, words of the note, and the utterance. */
function verdicts(said: string, text: string, language?: Language): readonly string[] {
  return judge(said, text, language).map(
    ({ verdict, kind, text: words, said: where }) =>
      `${verdict} ${kind} ${words}${where ? ` @${where.utterance}` : ''}`,
  );
}

/** The verdicts on one kind of statement. */
function verdictsOn(kind: string, said: string, text: string, language: Language): readonly string[] {
  return judge(said, text, language)
    .filter((statement) => statement.kind === kind)
    .map(({ verdict }) => verdict);
}

type Case = readonly [kind: string, language: Language, said: string, note: string];

const CONTRADICTED: readonly Case[] = [
  ['negation', 'en', 'Any fever? | Yes, since Monday.', 'Denies fever.'],
  ['negation', 'es', '¿Tiene fiebre? | Sí, desde el lunes.', 'Niega fiebre.'],
  ['negation', 'pt', 'Tem febre? | Sim, desde segunda.', 'Nega febre.'],
  ['laterality', 'en', 'Where is it? | My right knee hurts.', 'Pain in the left knee.'],
  ['laterality', 'es', '¿Dónde? | Me duele la rodilla derecha.', 'Dolor en la rodilla izquierda.'],
  ['laterality', 'pt', 'Onde? | Dói o joelho direito.', 'Dor no joelho esquerdo.'],
  ['dose', 'en', 'What do you take? | Metformin 500 milligrams.', 'Metformin 850 mg.'],
  ['dose', 'es', '¿Qué toma? | Metformina de 500 miligramos.', 'Metformina 850 mg.'],
  ['dose', 'pt', 'O que toma? | Metformina de 500 miligramas.', 'Metformina 850 mg.'],
  ['dose', 'en', 'What do you take? | Metformin one gram.', 'Metformin 500 mg.'],
  ['dose', 'en', 'Take the amoxicillin three times a day.', 'Amoxicillin twice daily.'],
  ['dose', 'es', 'Tome la amoxicilina tres veces al día.', 'Amoxicilina dos veces al día.'],
  ['dose', 'pt', 'Tome a amoxicilina três vezes ao dia.', 'Amoxicilina duas vezes ao dia.'],
  ['allergy', 'en', 'Any allergies? | I am allergic to penicillin.', 'No known drug allergies.'],
  ['allergy', 'es', '¿Alergias? | Soy alérgica a la penicilina.', 'Niega alergias.'],
  ['allergy', 'pt', 'Alergias? | Sou alérgica a penicilina.', 'Nega alergias.'],
  ['allergy', 'en', 'Any allergies to medicines? | No, none.', 'Allergic to penicillin.'],
  ['allergy', 'es', '¿Tiene alergia a algún medicamento? | No, ninguna.', 'Alérgica a la penicilina.'],
  ['allergy', 'pt', 'Tem alergia a algum remédio? | Não, nenhuma.', 'Alérgica a penicilina.'],
  ['number', 'en', 'Your blood pressure is 150 over 90.', 'Blood pressure 120/80.'],
  ['number', 'es', 'Su presión es 150 sobre 90.', 'Presión arterial 120/80.'],
  ['number', 'pt', 'Sua pressão é 150 por 90.', 'Pressão arterial 120/80.'],
  ['number', 'en', 'Your saturation is 88 percent.', 'Saturation 97 %.'],
  ['number', 'es', 'La saturación es de 88 por ciento.', 'Saturación 97 %.'],
  ['number', 'pt', 'A saturação é de 88 por cento.', 'Saturação 97 %.'],
];

const UNSUPPORTED: readonly Case[] = [
  ['drug', 'en', 'My knee hurts.', 'Takes warfarin.'],
  ['negation', 'en', 'My knee hurts.', 'Denies fever.'],
  ['negation', 'en', 'Any fever? | Let me think about it.', 'Denies fever.'],
  ['laterality', 'en', 'My right knee hurts.', 'Pain in the left shoulder.'],
  ['dose', 'en', 'I take metformin.', 'Metformin 850 mg.'],
  ['dose', 'en', 'I take metformin, and lisinopril 10 milligrams.', 'Metformin 850 mg.'],
  ['dose', 'en', 'I have taken metformin for 10 years.', 'Metformin 850 mg.'],
  ['allergy', 'en', 'I take lisinopril. | And how is your knee?', 'Allergic to penicillin.'],
  ['allergy', 'es', 'Tomo lisinopril. | ¿Y la rodilla?', 'Niega alergias.'],
  ['number', 'en', 'I have smoked for 30 years.', 'A 58-year-old.'],
  ['number', 'en', 'The wound is 3 centimeters.', 'Height 170 cm.'],
  ['number', 'en', 'Your temperature is 101 Fahrenheit.', 'Temperature 36.5 Celsius.'],
];

describe('the verdict contradicted', () => {
  it.each(CONTRADICTED)(
    'a statement is contradicted if the conversation says another %s (%s): “%s” against “%s”',
    (kind, language, said, note) => {
      expect(verdictsOn(kind, said, note, language)).toEqual(['contradicted']);
    },
  );

  it('a contradicted statement names the utterance that says the other thing', () => {
    expect(verdicts('Hello. | My right knee hurts. | I see.', 'Pain in the left knee. No fever.')).toEqual([
      'contradicted laterality left knee @1',
      'unsupported negation fever',
    ]);
  });
});

describe('the verdict unsupported', () => {
  it.each(UNSUPPORTED)(
    'a statement is only unsupported if no other %s was said (%s): “%s” against “%s”',
    (kind, language, said, note) => {
      expect(verdictsOn(kind, said, note, language)).toEqual(['unsupported']);
    },
  );
});

describe('what is done about a statement', () => {
  it('nothing is done about a supported statement, which names its utterance', () => {
    expect(judge('Hello. | I take metformin.', 'Takes metformin.')).toEqual([
      {
        kind: 'drug',
        section: 'SUBJECTIVE',
        from: 6,
        to: 15,
        text: 'metformin',
        verdict: 'supported',
        effect: 'none',
        said: { utterance: 1, startSeconds: 3 },
        moments: [{ utterance: 1, startSeconds: 3 }],
      },
    ]);
  });

  it('an unsupported statement holds the run if there are more of its kind than the limit, and is marked otherwise', () => {
    const effects = judge('Hello.', 'Takes warfarin. Denies fever. Pulse 70.').map(({ kind, effect }) => [
      kind,
      effect,
    ]);
    expect(effects).toEqual([
      ['drug', 'hold'],
      ['negation', 'mark'],
      ['number', 'mark'],
    ]);
  });

  it('statements of the title and of dynamic fields have the names of the report, and their words', () => {
    const note = { ...aNote('', { dose: 'ibuprofen 400 mg' }), note: { title: 'Takes warfarin', sections: [] } };
    const transcript = aConversation('Ibuprofen 600 milligrams.', 'en');
    const report = checkNote({ note, transcript, language: 'en', maxUnsupported: {} });
    expect(judgeStatements({ note, report })).toMatchObject([
      { section: 'title', text: 'warfarin', verdict: 'unsupported' },
      { section: 'dynamic_fields.dose', text: 'ibuprofen', verdict: 'supported' },
      { section: 'dynamic_fields.dose', text: '400 mg', verdict: 'contradicted', said: { utterance: 0 } },
    ]);
  });
});
