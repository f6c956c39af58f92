import { describe, expect, it } from '@jest/globals';
import type { Language } from '../../../../src/domain/language.ts';
import { checkNote } from '../../../../src/domain/note/check-note.ts';
import { aConversation, aNote } from './check-cases.ts';

/** The verdicts on the claims of one statement that names these utterances. */
function verdictsOn(said: string, text: string, language: Language, cites?: readonly number[]): readonly string[] {
  const all = said.split('|').map((_, index) => index);
  const statements = [{ section: 'SUBJECTIVE', text, cites: cites ?? all }];
  const parts = { note: { ...aNote(text), statements }, transcript: aConversation(said, language), language };
  return checkNote({ ...parts, maxUnsupported: {} }).statements.map(({ kind, verdict }) => `${kind} ${verdict}`);
}

const PREGNANT = {
  en: ['Could you be pregnant? Any discharge?', 'No. I take the pill, um, I never forget it. No discharge.'],
  es: ['¿Puede estar embarazada? ¿Tiene flujo?', 'No. Tomo la píldora, este, no la olvido nunca. Flujo no.'],
  pt: ['Pode estar grávida? Tem corrimento?', 'Não. Tomo a pílula, hum, não esqueço nunca. Corrimento não.'],
} as const;
const LANGUAGES = ['en', 'es', 'pt'] as const;

describe('A statement that repeats what was said', () => {
  it.each(LANGUAGES)('is supported, with its question and without hesitations (%s)', (language) => {
    const [question, answer] = PREGNANT[language];
    const text = `${question} “${answer.replace(/, (?:um|este|hum)/, '')}”`;
    const verdicts = verdictsOn(`${question} | ${answer}`, text, language);
    expect(verdicts.length).toBeGreaterThan(0);
    expect(verdicts.filter((verdict) => !verdict.endsWith(' supported'))).toEqual([]);
  });

  it.each(LANGUAGES)('is supported behind the name of a companion (%s)', (language) => {
    const said = { en: 'He fell on Sunday.', es: 'Se cayó el domingo.', pt: 'Ele caiu no domingo.' }[language];
    expect(verdictsOn(said, `Mother: “${said}”`, language).filter((one) => !one.endsWith(' supported'))).toEqual([]);
  });

  it.each([
    ['without its denial', 'I do not take warfarin.', 'I take warfarin.'],
    ['without its number', 'I take warfarin 5 mg.', 'I take warfarin 3 mg.'],
    ['with another answer', 'Do you take warfarin? | No. | Do you smoke? | Yes.', 'Do you take warfarin? “Yes.”'],
    ['as a statement, of a question', 'Do you have a DNAR in place?', 'You do have a DNAR in place.'],
    ['in other utterances than it names', 'My left knee hurts. | Hello. | Hello. | Hello.', 'My right knee hurts.'],
  ])('is judged like any other if it is repeated %s', (_, said, text) => {
    const copied = verdictsOn(said, text, 'en');
    const free = verdictsOn(said, text, 'en', []);
    expect(copied).toEqual(free);
  });

  it('is judged like any other if its side is left out', () => {
    const said = 'We will operate on the left hip on Monday.';
    expect(verdictsOn(said, 'We will operate on the right hip on Monday.', 'en')).toContain('laterality contradicted');
  });
});
