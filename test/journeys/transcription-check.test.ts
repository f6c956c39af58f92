// POST /transcribe checks its note: an invention is asked for again once, and what remains comes out in a header, and in the body on request.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Language } from '../../src/domain/language.ts';
import { noteCheck, noteResponse } from '../../src/inbound/http/api/response-schemas.ts';
import { type Answer, postForm } from '../support/journey-client.ts';
import {
  CONVERSATION_PATH,
  conversationOf,
  fieldParts,
  NOTE_PATH,
  noteOf,
  openClinic,
  recordingPart,
  sendRecording,
} from '../support/journey-upload.ts';
import type { Behaviour } from '../support/openai-behaviours.ts';
import { openedForFile } from '../support/opened-for-file.ts';

type Texts = { readonly language: Language; readonly faithful: string; readonly invented: string };

const CASES: readonly Texts[] = [
  { language: 'en', faithful: 'Chest pain, no allergies to medication.', invented: 'Takes warfarin 5 mg.' },
  { language: 'es', faithful: 'Dolor en el pecho, sin alergias a medicamentos.', invented: 'Toma warfarina 5 mg.' },
  { language: 'pt', faithful: 'Dor no peito, sem alergias a medicamentos.', invented: 'Toma varfarina 5 mg.' },
];

const clinic = openedForFile(openClinic);

let asked = 0;
beforeEach(() => {
  asked = clinic.model.requests.length;
});
afterEach(() => clinic.calmDown());

/** The questions to the model, without the marks that are new in each. */
const questions = () =>
  clinic.model.requests.slice(asked).map(({ body }) => JSON.stringify(body?.messages).replace(/[0-9a-f]{24}/g, 'mark'));

/** How many claims are unsupported, contradicted and misplaced, by the header. It also counts the supported ones. */
function doubtsOf(answer: { readonly headers: Headers }): readonly number[] {
  const header = answer.headers.get('x-chartwright-check') ?? '';
  expect(header).toMatch(/^supported=\d+, unsupported=\d+, contradicted=\d+, misplaced=\d+, conflict=0$/);
  return ['unsupported', 'contradicted', 'misplaced'].map((verdict) => {
    return Number(new RegExp(`${verdict}=(\\d+)`).exec(header)?.[1]);
  });
}

/** Each section of the note has this text. */
function writes(text: string, utterances = [1, 2, 3, 4, 5]): Behaviour {
  return {
    kind: 'answer',
    content: (usual) => {
      const note = usual as { readonly sections: readonly object[] };
      return {
        ...note,
        sections: note.sections.map((section) => ({ ...section, statements: [{ text, utterances }] })),
      };
    },
  };
}

const transcribe = ({ language }: Texts, prefer?: string): Promise<Answer> => {
  const parts = [...fieldParts({ language, template: 'DAP' }), recordingPart()];
  return postForm(clinic.engine, NOTE_PATH, clinic.key, parts, prefer === undefined ? {} : { prefer });
};

const textsOf = (answer: Answer) => new Set(noteOf(answer).note.sections.map(({ text }) => text));
const checkOf = (answer: Answer) => noteCheck.strict().parse((answer.body as { readonly check: unknown }).check);

describe('a model that invents a drug', () => {
  it.each(CASES)(
    'a drug that is invented once is asked for again, and the note is clean ($language)',
    async (texts) => {
      clinic.model.next(writes(`${texts.faithful} ${texts.invented}`), writes(texts.faithful));
      const answer = await transcribe(texts);
      expect(textsOf(answer)).toEqual(new Set([texts.faithful]));
      expect(doubtsOf(answer)).toEqual([0, 0, 0]);
      const [first, second, ...others] = questions().map((question): readonly { content: string }[] =>
        JSON.parse(question),
      );
      expect(others).toEqual([]);
      // The same question once more, with what was not found as data behind it.
      expect(second?.slice(1, 3)).toEqual(first?.slice(1));
      expect(second?.[3]?.content).toMatch(/warfarin|varfarina/);
      expect(second?.[0]?.content).not.toMatch(/warfarin|varfarina/);
    },
  );

  it.each(CASES)(
    'a drug that is invented twice stays in the note, and the header counts it ($language)',
    async (texts) => {
      const text = `${texts.faithful} ${texts.invented}`;
      clinic.model.next(writes(text), writes(text));
      const answer = await transcribe(texts);
      // The body has the note as it was written, without marks, and only the fields of the interface.
      expect(textsOf(answer)).toEqual(new Set([text]));
      expect(() => noteResponse.omit({ check: true }).strict().parse(answer.body)).not.toThrow();
      expect(doubtsOf(answer)).toEqual([6, 0, 0]);
      expect(answer.headers.get('preference-applied')).toBeNull();
      expect(questions()).toHaveLength(2);
    },
  );

  it.each(CASES)('a caller who prefers include=check gets each statement with its place ($language)', async (texts) => {
    const text = `${texts.faithful} ${texts.invented}`;
    clinic.model.next(writes(text), writes(text));
    const answer = await transcribe(texts, 'handling=lenient, include=check');
    expect(answer.headers.get('preference-applied')).toBe('include=check');
    expect(doubtsOf(answer)).toEqual([6, 0, 0]);
    const { statements } = checkOf(answer);
    const [allergy, drug, dose] = statements.filter(({ section }) => section === 'PLAN');
    const { messages } = conversationOf(await sendRecording(clinic, CONVERSATION_PATH, { language: texts.language }));
    const { message = -1, startSeconds } = allergy?.said[0] ?? {};
    expect(allergy).toMatchObject({ kind: 'allergy', verdict: 'supported', effect: 'none' });
    expect(messages[message]).toMatchObject({ start_time: startSeconds, text: expect.stringMatching(/al+erg/) });
    // What was not said comes with the moments that the model named.
    expect(drug).toMatchObject({ kind: 'drug', verdict: 'unsupported', effect: 'hold' });
    expect(dose).toMatchObject({ kind: 'dose', text: '5 mg', verdict: 'unsupported', effect: 'hold' });
    expect([drug, dose].map((one) => one?.said.length)).toEqual([5, 5]);
    expect(statements.length).toBeGreaterThanOrEqual(9);
  });

  const denial = { en: 'No known allergies.', es: 'Sin alergias conocidas.', pt: 'Sem alergias conhecidas.' };

  it.each(CASES)('a statement for which the model names other utterances is misplaced ($language)', async (texts) => {
    clinic.model.next(writes(denial[texts.language], [1]));
    const answer = await transcribe(texts, 'include=check');
    const { statements } = checkOf(answer);
    expect(doubtsOf(answer)).toEqual([0, 0, statements.length]);
    expect(statements[0]).toMatchObject({ kind: 'allergy', verdict: 'misplaced', effect: 'mark' });
  });
});

describe('what the conversation contradicts', () => {
  const denied = { en: 'Denies fever.', es: 'Niega fiebre.', pt: 'Nega febre.' };

  it.each(CASES)('a finding that is denied in the note and was affirmed is contradicted ($language)', async (texts) => {
    clinic.model.next(writes(denied[texts.language]));
    const answer = await transcribe(texts, 'include=check');
    expect(doubtsOf(answer)).toEqual([0, 3, 0]);
    expect(checkOf(answer).statements[0]).toMatchObject({ kind: 'negation', verdict: 'contradicted', effect: 'mark' });
    expect(checkOf(answer).statements[0]?.said).toHaveLength(1);
    // A denied finding is no reason to ask again.
    expect(questions()).toHaveLength(1);
  });
});

describe('a second note that is not to be had', () => {
  const [english = CASES[0] as Texts] = CASES;

  it('the first note is answered, with its counts, if the model fails the second time', async () => {
    const text = `${english.faithful} ${english.invented}`;
    clinic.model.next(writes(text), { kind: 'status', status: 401 });
    const answer = await transcribe(english);
    expect(textsOf(answer)).toEqual(new Set([text]));
    expect(answer.headers.get('x-chartwright-check')).toContain('unsupported=6');
    expect(questions()).toHaveLength(2);
  });

  it('a failed note has no header', async () => {
    clinic.model.next({ kind: 'status', status: 401 });
    const answer = await transcribe(english, 'include=check');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('x-chartwright-check')).toBeNull();
    expect(answer.headers.get('preference-applied')).toBeNull();
  });
});
