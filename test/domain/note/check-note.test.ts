import { describe, expect, it } from '@jest/globals';
import { LANGUAGES, type Language } from '../../../src/domain/language.ts';
import { checkNote, markNote } from '../../../src/domain/note/check-note.ts';
import { verdictOf } from '../../../src/domain/note/check-report.ts';
import type { WrittenNote } from '../../../src/domain/note/note.ts';
import { fc } from '../../support/fast-check.ts';
import { aConversation, aNote } from './check/check-cases.ts';

const MARKER = '[not found in the recording]';

function marked(said: string, note: WrittenNote, language: Language = 'en'): WrittenNote {
  const report = checkNote({ note, transcript: aConversation(said, language), language, maxUnsupported: {} });
  return markNote({ note, report, language });
}

function markedText(said: string, text: string, language: Language = 'en'): string | undefined {
  return marked(said, aNote(text), language).note.sections[0]?.text;
}

describe('the report of a note check', () => {
  const transcript = aConversation('I take metformin 500. | Any fever? | No.', 'en');
  const LONG = aConversation('I take metformin 500. | Anything else? | My knee hurts. | I see.', 'en');

  it('names the place of each statement and the utterance that supports it', () => {
    const report = checkNote({
      note: aNote('Metformin 850 mg. No fever.'),
      transcript,
      language: 'en',
      maxUnsupported: {},
    });
    const place = { section: 'SUBJECTIVE' };
    expect(report).toMatchObject({
      statements: [
        { ...place, kind: 'drug', from: 0, to: 9, verdict: 'supported', said: { utterance: 0, startSeconds: 0 } },
        { ...place, kind: 'dose', from: 10, to: 16, verdict: 'unsupported', effect: 'hold' },
        { ...place, kind: 'negation', from: 21, to: 26, verdict: 'supported', said: { utterance: 1, startSeconds: 3 } },
      ],
      evidence: [
        { ...place, id: 'st-1', from: 0, to: 17, verdict: 'unsupported', effect: 'hold', moments: [{ utterance: 0 }] },
        { ...place, id: 'st-2', from: 18, to: 27, polarity: 'denied', verdict: 'supported', effect: 'none' },
      ],
      missing: [],
      unsupported: { dose: 1 },
      exceeded: ['dose'],
      overSilence: [],
    });
  });

  const NONE_HELD = { drug: 9, dose: 9 };
  it.each([
    ['a limit that is passed holds', { ...NONE_HELD, dose: 0 }, {}, ['dose']],
    ['a limit that is not passed holds nothing, whatever the default', NONE_HELD, {}, []],
    ['without a limit the default policy holds drugs and doses', {}, {}, ['drug', 'dose']],
    ['a kind with a limit is counted', { ...NONE_HELD, number: 1 }, {}, ['number']],
    ['a policy holds what its limit would not', NONE_HELD, { drug: { unsupported: 'hold' } }, ['drug']],
    ['what may pass is not held by its limit', { drug: 0, dose: 9 }, { drug: { unsupported: 'pass' } }, []],
    ['what is only marked by the policy is not held', { dose: 9 }, { drug: { unsupported: 'mark' } }, []],
  ] as const)('%s', (_, maxUnsupported, policy, exceeded) => {
    const note = aNote('Losartan 50 mg for 2 weeks, 3 days.');
    expect(checkNote({ note, transcript, language: 'en', maxUnsupported, policy }).exceeded).toEqual(exceeded);
  });

  it('a statement whose writer names other utterances than those that say it is misplaced, and nothing of it is marked', () => {
    const note = aNote('Takes metformin 500 mg.');
    const [first, second] = [[0], [2]].map((cites) => {
      const statements = [{ section: 'SUBJECTIVE', text: 'Takes metformin 500 mg.', cites }];
      return checkNote({ note: { ...note, statements }, transcript: LONG, language: 'en', maxUnsupported: {} });
    });
    expect(first?.evidence?.map(({ verdict }) => verdict)).toEqual(['supported']);
    expect(second?.evidence).toMatchObject([
      { verdict: 'misplaced', effect: 'mark', moments: [{ utterance: 0 }, { utterance: 2 }] },
    ]);
    expect(second && markNote({ note, report: second, language: 'en' })).toEqual(note);
  });

  it('the title and the dynamic fields of a note are checked, too', () => {
    const { note } = aNote('Seen.');
    const dynamicFields = { bmi: '27.4', constructor: 'Losartan' };
    const parts = {
      note: { note: { ...note, title: 'Left knee' }, dynamicFields },
      language: 'en',
      maxUnsupported: {},
    } as const;
    const { statements } = checkNote({ ...parts, transcript });
    expect(statements.map(({ kind, section }) => [kind, section])).toEqual([
      ['laterality', 'title'],
      ['number', 'dynamic_fields.bmi'],
      ['drug', 'dynamic_fields.constructor'],
    ]);
    expect(marked('nothing', parts.note).dynamicFields).toEqual({
      bmi: `27.4 ${MARKER}`,
      constructor: `Losartan ${MARKER}`,
    });
  });

  it('an empty conversation supports no statement, and a note without a statement needs none', () => {
    const silence = { utterances: [], durationSeconds: 3, language: 'en' };
    const parts = { transcript: silence, language: 'en', maxUnsupported: { drug: 0 } } as const;
    expect(checkNote({ ...parts, note: aNote('Losartan.') }).exceeded).toEqual(['drug']);
    expect(checkNote({ ...parts, note: aNote('') }).statements).toEqual([]);
  });

  it('names of JavaScript object members are ordinary words', () => {
    const text = 'constructor toString 5 constructor __proto__ 10 hasOwnProperty. Denies constructor.';
    expect(
      checkNote({ note: aNote(text), transcript, language: 'en', maxUnsupported: { constructor: 0 } }).unsupported,
    ).toEqual({ negation: 1 });
  });

  it('the report names utterances over silence and the covered share of the speech', () => {
    const sound = [{ startSeconds: 0, endSeconds: 5.4 }];
    const report = checkNote({
      note: aNote(''),
      transcript,
      language: 'en',
      sound,
      declaredSeconds: 18,
      maxUnsupported: {},
    });
    expect(report).toMatchObject({ overSilence: [2], coverage: 0.5 });
  });
});

describe('the marks of unsupported statements in a draft', () => {
  it.each([
    ['en', 'Losartan 50 mg daily.', `Losartan ${MARKER} 50 mg ${MARKER} daily ${MARKER}.`],
    ['es', 'Losartán.', 'Losartán [no se encontró en la grabación].'],
    ['pt', 'Losartana.', 'Losartana [não encontrado na gravação].'],
  ] as const)('follow each unsupported statement, in the language of the note (%s)', (language, text, expected) => {
    expect(markedText('hello', text, language)).toBe(expected);
  });

  it('two statements that end at the same place share one mark', () => {
    expect(markedText('hello', 'Right knee pain, allergic to penicillin.')).toBe(
      `Right knee ${MARKER} pain, allergic to penicillin ${MARKER}.`,
    );
  });

  it('a mark is never set within a word, and no other character changes', () => {
    const text = 'Losartan-50mgx, 38.5°Cx and a 54-year-oldish 🙂 Losartan🙂.';
    expect(markedText('hello', text)).toBe(
      `Losartan ${MARKER}-50mgx, 38.5°Cx ${MARKER} and a 54-year ${MARKER}-oldish 🙂 Losartan ${MARKER}🙂.`,
    );
  });

  it('a note with only supported statements stays unchanged', () => {
    const note = aNote('Takes metformin 500 mg twice daily. No fever.');
    expect(marked('Metformin 500 twice a day. | Any fever? | No.', note)).toEqual(note);
  });
});

// Spoken sentences, each with its sentence in a note. No two of them contradict each other.
const SAID: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'Takes metformin 500 mg twice daily.',
    'Lisinopril ten milligrams once a day.',
    'Albuterol 2 puffs every 6 hours as needed.',
    'Blood pressure 120/80 mmHg, pulse 88 bpm.',
    'Temperature 38.5 °C since March 3rd, 2024.',
    'Pain in the left knee for 3 weeks.',
    'No right hip pain.',
    'No fever, chills or night sweats.',
    'Allergic to penicillin.',
    'A 54-year-old man of 82 kg.',
    'Denies smoking, gardening problems.',
  ],
  es: [
    'Toma metformina 500 mg dos veces al día.',
    'Enalapril diez miligramos cada 12 horas.',
    'Presión 120/80 mmHg, pulso 88 lpm.',
    'Temperatura 38,5 °C desde el 3 de marzo de 2024.',
    'Dolor en la rodilla izquierda desde hace 3 semanas.',
    'Niega fiebre, escalofríos y tos.',
    'Alérgica a la penicilina.',
    'Paciente de 54 años y 82 kg.',
  ],
  pt: [
    'Toma metformina 500 mg duas vezes ao dia.',
    'Enalapril dez miligramas de 12 em 12 horas.',
    'Pressão 120/80 mmHg, pulso 88 bpm.',
    'Temperatura 38,5 °C desde 3 de março de 2024.',
    'Dor no joelho esquerdo há 3 semanas.',
    'Nega febre, calafrios e tosse.',
    'Alérgica a dipirona.',
    'Paciente de 54 anos e 82 kg.',
  ],
};

describe('the check of any conversation', () => {
  const dialogue = fc.constantFrom(...LANGUAGES).chain((language) =>
    fc.record({
      language: fc.constant(language),
      said: fc.shuffledSubarray([...SAID[language]], { minLength: 1 }),
      fillers: fc.array(fc.constantFrom('Okay.', 'Mm.', 'Hola.', 'Let me see.'), { maxLength: 3 }),
    }),
  );

  it('a note that is copied from the conversation has no unsupported statement', () => {
    fc.assert(
      fc.property(dialogue, fc.nat(), ({ language, said, fillers }, seed) => {
        const utterances = [...fillers, ...said];
        const transcript = aConversation(utterances.join('|'), language);
        const copied = said.filter((_, index) => (seed >> index) % 2 === 0).join(seed % 2 === 0 ? ' ' : '\n');
        const { unsupported } = checkNote({ note: aNote(copied), transcript, language, maxUnsupported: {} });
        expect(unsupported).toEqual({});
      }),
    );
  });

  it('marking adds marks and changes no other character', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.constantFrom(
        ...LANGUAGES.flatMap((language) => SAID[language]),
        '[not found in the recording]',
        '5mg',
        '½ tablet',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.constantFrom(...LANGUAGES), (pieces, language) => {
        const text = pieces.join('');
        const note = aNote(text, { field: text });
        const report = checkNote({ note, transcript: aConversation('Hello.', language), language, maxUnsupported: {} });
        const again = checkNote({ note, transcript: aConversation('Hello.', language), language, maxUnsupported: {} });
        expect(again).toEqual(report);
        const written = markNote({ note, report, language }).note.sections[0]?.text ?? '';
        const marker =
          markNote({ note: aNote('Losartan'), report: LOSARTAN, language }).note.sections[0]?.text.slice(8) ?? '';
        const ends = new Set(
          report.statements.filter((statement) => verdictOf(statement) !== 'supported').map(({ to }) => to),
        );
        expect(written.length).toBeGreaterThanOrEqual(text.length);
        expect((written.length - text.length) % marker.length).toBe(0);
        expect((written.length - text.length) / marker.length).toBeLessThanOrEqual(2 * ends.size);
        expect(withoutNew(written, text, marker)).toBe(text);
      }),
    );
  });
});

const LOSARTAN = { statements: [{ kind: 'drug', section: 'SUBJECTIVE', from: 0, to: 8 }] } as const;

/** Returns the marked text without the added marks. */
function withoutNew(written: string, text: string, marker: string): string {
  let [out, rest] = ['', written];
  while (rest !== '') {
    const isNew = rest.startsWith(marker) && !text.startsWith(marker, out.length);
    if (isNew) rest = rest.slice(marker.length);
    else [out, rest] = [out + rest[0], rest.slice(1)];
  }
  return out;
}

describe('the check of texts that are built to be slow', () => {
  it.each([
    '1 ',
    '1,',
    'one ',
    'one-',
    'left knee ',
    'denies a ',
    'no fever ',
    'any pain? ',
    'a.',
    '(',
    '\n',
    'allergic to penicillin and ',
    'march 3 ',
    '1/2/',
    'zolgliptin ',
    'lisinopril 10 mg ',
    'amoxi cillin ',
    'every 4 to ',
    'é',
    '🙂',
  ])('a long text of %j is read in time', (piece) => {
    const text = piece.repeat(60_000 / piece.length);
    const note = aNote(text.slice(0, 30_000));
    const transcript = aConversation(text, 'en');
    expect(checkNote({ note, transcript, language: 'en', maxUnsupported: {} }).unsupported.drug ?? 0).toBe(0);
  });

  it('a megabyte of denials is read in time', () => {
    const transcript = aConversation('no fever '.repeat(111_111), 'en');
    const report = checkNote({ note: aNote('No fever. No cough.'), transcript, language: 'en', maxUnsupported: {} });
    expect(report.unsupported).toEqual({ negation: 1 });
  });
});
