// What is known of each statement: whose words it rests on, whether it affirms, and its moments where its writer names none.
import { describe, expect, it } from '@jest/globals';
import type { Language } from '../../../../src/domain/language.ts';
import { checkNote } from '../../../../src/domain/note/check-note.ts';
import type { StatementEvidence } from '../../../../src/domain/note/check-report.ts';
import type { Transcript } from '../../../../src/domain/recording/transcript.ts';
import { fc } from '../../../support/fast-check.ts';

/** `D: Any pain? | P: No.`: each letter is a voice. */
function aTalk(lines: string, language: string): Transcript {
  const utterances = lines.split('|').map((line, index) => {
    const [voice = '', text = ''] = line.trim().split(': ');
    const startSeconds = 5 * index;
    return { speaker: voice.charCodeAt(0), text, startSeconds, endSeconds: startSeconds + 4, confidence: 0.9 };
  });
  return { language, durationSeconds: 5 * utterances.length, utterances };
}

function evidenceOf(
  lines: string,
  note: string,
  language: Language,
  section = 'SUBJECTIVE',
): readonly StatementEvidence[] {
  const report = checkNote({
    note: { note: { title: '', sections: [{ key: section, title: section, text: note }] } },
    transcript: aTalk(lines, language),
    language,
    maxUnsupported: {},
  });
  return report.evidence ?? [];
}

const TALKS: Readonly<Record<Language, string>> = {
  en: "D: What brings you in today? | P: I've had a burning tummy for ten days. | D: Any vomiting? | P: No. My knees are fine. | W: He hardly sleeps, doctor, he groans all night. | D: Let me feel your tummy. It's tender on top. | D: I'll give you omeprazole, twenty milligrams.",
  es: 'D: ¿Qué le pasa? | P: Tengo ardor de estómago hace diez días. | D: ¿Ha vomitado? | P: No. Las rodillas me las siento bien. | W: Él casi no duerme, doctora, se queja toda la noche. | D: Vamos a ver el abdomen. Duele arriba. | D: Le doy omeprazol, veinte miligramos.',
  pt: 'D: O que aconteceu? | P: Tenho queimação no estômago há dez dias. | D: Vomitou? | P: Não. Meus joelhos estão bons. | W: Ele quase não dorme, doutora, ele geme a noite toda. | D: Vamos ver a barriga. Dói em cima. | D: Vou passar omeprazol, vinte miligramas.',
};

describe('whose words a statement rests on', () => {
  it.each<[Language, string, string, string, StatementEvidence['whose']]>([
    ['en', 'SUBJECTIVE', 'Burning for ten days.', 'the patient tells', 'patient'],
    ['en', 'SUBJECTIVE', 'Groans all night.', 'the wife tells', 'relative'],
    ['en', 'SUBJECTIVE', 'Per wife burning for ten days.', 'the note names the reporter', 'relative'],
    ['en', 'PLAN', 'Omeprazole 20 mg.', 'the clinician orders', 'clinician'],
    ['es', 'SUBJECTIVE', 'Ardor de diez días.', 'the patient tells', 'patient'],
    ['es', 'SUBJECTIVE', 'Se queja toda la noche.', 'the wife tells', 'relative'],
    ['es', 'SUBJECTIVE', 'Refiere la esposa ardor.', 'the note names the reporter', 'relative'],
    ['es', 'PLAN', 'Omeprazol 20 mg.', 'the clinician orders', 'clinician'],
    ['pt', 'SUBJECTIVE', 'Queimação há dez dias.', 'the patient tells', 'patient'],
    ['pt', 'SUBJECTIVE', 'Geme a noite toda.', 'the wife tells', 'relative'],
    ['pt', 'SUBJECTIVE', 'Segundo a esposa, queimação.', 'the note names the reporter', 'relative'],
    ['pt', 'PLAN', 'Omeprazol 20 mg.', 'the clinician orders', 'clinician'],
  ])('%s, %s “%s”: %s', (language, section, note, _, whose) => {
    expect(evidenceOf(TALKS[language], note, language, section)).toMatchObject([{ whose }]);
  });

  it('is not known if the recognition has told no voices apart', () => {
    const [statement] = evidenceOf(TALKS.en.replaceAll(/[PW]: /g, 'D: '), 'Burning for ten days.', 'en');
    expect(statement).not.toHaveProperty('whose');
  });
});

describe('the polarity of a statement', () => {
  it.each<[Language, string, StatementEvidence['polarity']]>([
    ['en', 'Denies melaena.', 'denied'],
    ['en', 'Allergies: none.', 'denied'],
    ['en', 'Epigastric burning, no melaena.', 'affirmed'],
    ['en', 'Likely gastritis.', 'uncertain'],
    ['en', '?gastritis', 'uncertain'],
    ['es', 'Sin melena.', 'denied'],
    ['es', 'Ardor epigástrico sin melena.', 'affirmed'],
    ['es', 'Probable gastritis.', 'uncertain'],
    ['es', 'Descartar úlcera.', 'uncertain'],
    ['pt', 'Nega melena.', 'denied'],
    ['pt', 'Queimação epigástrica, nega melena.', 'affirmed'],
    ['pt', 'Provável gastrite.', 'uncertain'],
    ['pt', 'HD: gastrite.', 'uncertain'],
  ])('%s: “%s” is %s', (language, note, polarity) => {
    expect(evidenceOf(TALKS[language], note, language)).toMatchObject([{ polarity }]);
  });
});

describe('the moments of a statement whose writer names none', () => {
  it.each<[Language, string, number[]]>([
    ['en', 'Groaning at night, hardly sleeping.', [4]],
    ['en', 'Tender on palpation of the tummy.', [5]],
    ['es', 'Se queja por la noche.', [4]],
    ['pt', 'Geme à noite.', [4]],
  ])('%s: “%s” is found by the words that it shares', (language, note, utterances) => {
    const [statement] = evidenceOf(TALKS[language], note, language);
    expect(statement?.moments.map(({ utterance }) => utterance)).toEqual(expect.arrayContaining(utterances));
  });

  it('a statement that shares nothing with the talk has none', () => {
    expect(evidenceOf(TALKS.en, 'Xylophone.', 'en')).toMatchObject([{ moments: [] }]);
  });

  it('each statement has its own number, whatever the text is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.constantFrom('en', 'es', 'pt'),
        (note, language) => {
          const statements = evidenceOf(TALKS[language], note, language);
          expect(statements.map(({ id }) => id)).toEqual(statements.map((_, index) => `st-${index + 1}`));
        },
      ),
      { numRuns: 50 },
    );
  });
});
