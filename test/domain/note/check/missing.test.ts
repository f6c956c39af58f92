// What was said and is in no statement of the note: acts and dangers, never a mere mention.
import { describe, expect, it } from '@jest/globals';
import type { Language } from '../../../../src/domain/language.ts';
import { checkNote } from '../../../../src/domain/note/check-note.ts';
import { fc } from '../../../support/fast-check.ts';
import { aConversation } from './check-cases.ts';

/** The first and every second utterance are the clinician's. */
function missingIn(said: string, note: string, language: Language, spoken: string = language): readonly string[] {
  const report = checkNote({
    note: { note: { title: '', sections: [{ key: 'PLAN', title: 'Plan', text: note }] } },
    transcript: aConversation(said, spoken),
    language,
    maxUnsupported: {},
  });
  return (report.missing ?? []).map(({ kind, utterance }) => `${kind} ${utterance}`);
}

const OPEN: Readonly<Record<Language, string>> = {
  en: 'What can I do for you? | I have a cough. |',
  es: '¿Qué le pasa? | Tengo tos. |',
  pt: 'O que aconteceu? | Eu tenho tosse. |',
};

/** What is said behind the opening, the kind, and a note that has it. */
const ACTS: readonly (readonly [Language, string, string, string])[] = [
  ['en', "I'll give you azithromycin, five hundred milligrams.", 'drug', 'Azithromycin 500 mg.'],
  ['en', "We'll stop the ramipril, because of the cough.", 'drug-change', 'Stop ramipril.'],
  ['en', "I'd like a chest X-ray this week.", 'order', 'CXR.'],
  ['en', 'If you bring up blood, come straight back.', 'follow-up', 'Return if haemoptysis: bring up blood.'],
  ['en', "I'll see you in three weeks.", 'follow-up', 'R/v 3/52.'],
  ['en', 'Your creatinine was one hundred and forty.', 'result', 'Creatinine 140.'],
  ['en', "I'll refer you to the cardiologist.", 'follow-up', 'Cardiology referral.'],
  ['es', 'Le doy azitromicina, quinientos miligramos.', 'drug', 'Azitromicina 500 mg.'],
  ['es', 'Suspendemos el ramipril, por la tos.', 'drug-change', 'Se suspende ramipril.'],
  ['es', 'Le pido una radiografía de tórax.', 'order', 'Rx de tórax.'],
  ['es', 'Si escupe sangre, vaya a urgencias.', 'follow-up', 'Acudir a urgencias si escupe sangre.'],
  ['es', 'La veo en tres semanas.', 'follow-up', 'Control en 3 semanas.'],
  ['es', 'La creatinina salió en ciento cuarenta.', 'result', 'Creatinina 140.'],
  ['pt', 'Vou passar azitromicina, quinhentos miligramas.', 'drug', 'Azitromicina 500 mg.'],
  ['pt', 'Vou suspender o ramipril, por causa da tosse.', 'drug-change', 'Suspenso ramipril.'],
  ['pt', 'Vou pedir um raio X de tórax.', 'order', 'Rx de tórax.'],
  ['pt', 'Se sair sangue na tosse, vem no pronto-socorro.', 'follow-up', 'Retorno ao PS se sangue na tosse.'],
  ['pt', 'Volta comigo em três semanas.', 'follow-up', 'Retorno em 3 semanas.'],
  ['pt', 'A creatinina deu cento e quarenta.', 'result', 'Creatinina 140.'],
];

describe('what a clinician has decided or told', () => {
  it.each(ACTS)('%s: “%s” (%s) is listed unless the note has it', (language, said, kind, note) => {
    expect(missingIn(`${OPEN[language]} ${said}`, 'Xyz.', language)).toEqual([`${kind} 2`]);
    expect(missingIn(`${OPEN[language]} ${said}`, note, language)).toEqual([]);
  });

  it.each<[Language, string]>([
    ['en', 'Have you ever taken azithromycin?'],
    ['en', 'Perhaps azithromycin, we can think about it.'],
    ['en', 'If only the weather were better.'],
    ['es', '¿Ha tomado azitromicina alguna vez?'],
    ['es', 'Quizás azitromicina, lo pensamos.'],
    ['pt', 'Já tomou azitromicina alguma vez?'],
    ['pt', 'Talvez azitromicina, quem sabe.'],
  ])('%s: “%s” is no act', (language, said) => {
    expect(missingIn(`${OPEN[language]} ${said}`, 'Xyz.', language)).toEqual([]);
  });
});

describe('what a patient affirms', () => {
  it.each<[Language, string, string, string]>([
    ['en', 'And yesterday I passed out in the shop.', 'finding', 'Syncope in shop yesterday.'],
    ['en', 'I came out in a rash with cefalexin.', 'allergy', 'Allergic to cefalexin (rash).'],
    ['en', 'I stopped the ramipril in May.', 'drug-change', 'Stopped ramipril in May.'],
    ['es', 'Ayer me desmayé en la tienda.', 'finding', 'Síncope ayer en la tienda.'],
    ['es', 'Con la cefalexina me salieron ronchas.', 'allergy', 'Alergia a cefalexina (ronchas).'],
    ['pt', 'Ontem eu desmaiei na loja.', 'finding', 'Síncope ontem na loja.'],
    ['pt', 'Com cefalexina eu fiquei com coceira.', 'allergy', 'Alergia a cefalexina (prurido).'],
  ])('%s: “%s” (%s) is listed unless the note has it, also in technical words', (language, said, kind, note) => {
    const talk = `${OPEN[language]} ... | ${said}`;
    expect(missingIn(talk, 'Xyz.', language)).toEqual([`${kind} 3`]);
    expect(missingIn(talk, note, language)).toEqual([]);
  });

  it.each<[Language, string]>([
    ['en', "I haven't passed out."],
    ['en', 'My brother takes ramipril.'],
    ['en', 'My mother came out in a rash with cefalexin.'],
    ['es', 'No me desmayé.'],
    ['es', 'Mi hermano toma ramipril.'],
    ['pt', 'Não desmaiei.'],
    ['pt', 'Meu irmão toma ramipril.'],
  ])('%s: “%s” is not the patient’s', (language, said) => {
    expect(missingIn(`${OPEN[language]} ... | ${said}`, 'Xyz.', language)).toEqual([]);
  });
});

describe('the list of what is missing', () => {
  it('is in the order of the talk, with the sentence and its second, and one of a kind in an utterance', () => {
    const said = `${OPEN.en} I'll give you azithromycin. I'll give you codeine. If it gets worse, ring us. | OK. | I'd like an ECG.`;
    const report = checkNote({
      note: { note: { title: '', sections: [{ key: 'PLAN', title: 'Plan', text: 'Rest.' }] } },
      transcript: aConversation(said, 'en'),
      language: 'en',
      maxUnsupported: {},
    });
    expect(report.missing).toEqual([
      { kind: 'drug', utterance: 2, startSeconds: 6, text: "I'll give you azithromycin." },
      { kind: 'follow-up', utterance: 2, startSeconds: 6, text: 'If it gets worse, ring us.' },
      { kind: 'order', utterance: 4, startSeconds: 12, text: "I'd like an ECG." },
    ]);
  });

  it('is empty if the note is in another language than the talk, or has no statement', () => {
    const said = `${OPEN.en} I'll give you azithromycin.`;
    expect(missingIn(said, 'Reposo.', 'es', 'en')).toEqual([]);
    expect(missingIn(said, 'Rest.', 'en', 'de')).toEqual([]);
    expect(missingIn(said, '', 'en')).toEqual([]);
  });

  it('a note that is a copy of the talk misses nothing of it', () => {
    const lines = ACTS.map(([language, said]) => ({ language, said }));
    fc.assert(
      fc.property(fc.constantFrom('en', 'es', 'pt'), fc.nat(), (language, seed) => {
        const own = lines.filter((line) => line.language === language).map(({ said }) => said);
        const chosen = own.filter((_, index) => (seed >> index) % 2 === 0);
        expect(missingIn(`${OPEN[language]} ${chosen.join(' | ... | ')}`, chosen.join('\n'), language)).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});
