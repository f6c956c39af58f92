// A diagnosis by docs/service-interface.md: what the service does with a history, and each field of its answer.
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { diagnosisResponse } from '../../src/wire/diagnosis.ts';
import type { Engine } from '../support/engine.ts';
import { makePdf, makePng } from '../support/file-samples.ts';
import { postForm, postJson, readEvents, sendJson } from '../support/journey-client.ts';
import {
  expectDiagnosis,
  expectError,
  expectedDiagnosis,
  filePart,
  finalEventOf,
  HISTORIES,
  HISTORY,
  historyPart,
  openDiagnosisSetup,
  usageOf,
} from '../support/journey-diagnosis.ts';
import { diagnosisAnswer, nothingFoundAnswer } from '../support/openai-answers.ts';
import { FAULTS } from '../support/openai-server.ts';
import { openedForFile } from '../support/opened-for-file.ts';

type Language = keyof typeof HISTORIES;
type Sent = ReturnType<typeof diagnosisAnswer>;
type SentDisease = Sent['diagnosis']['diseases'][number];
type Shown = { readonly diagnosis: { readonly diseases: readonly Fields[] }; readonly triage: Fields };
type Fields = Readonly<Record<string, unknown>>;

const LANGUAGES = Object.keys(HISTORIES) as readonly Language[];

const setup = openedForFile(openDiagnosisSetup);
let engine: Engine;
let key: string;
let shown: Shown;

beforeAll(async () => {
  engine = await setup.startEngine();
  key = await engine.makeKey();
  shown = (await postJson(engine, '/diagnose', key, { clinical_history: HISTORY })).body as Shown;
});
afterEach(() => setup.model.behave({ kind: 'answer' }));

/** Lets the model answer with these changes in each of its diseases, and returns the diagnosis. */
async function answerWith(change: Partial<Record<keyof SentDisease, unknown>>) {
  const { diagnosis, triage } = diagnosisAnswer('en');
  const diseases = diagnosis.diseases.map((disease) => ({ ...disease, ...change }));
  setup.model.behave({ kind: 'answer', content: () => ({ diagnosis: { diseases }, triage }) });
  return postJson(engine, '/diagnose', key, { clinical_history: HISTORY });
}

describe('what the service does', () => {
  it('a clinical history is answered with a differential diagnosis and a triage', async () => {
    expectDiagnosis(await postJson(engine, '/diagnose', key, { clinical_history: HISTORY }));
    expect(setup.model.requests.at(-1)?.rawBody).toContain(HISTORY);
  });

  it('images and PDF files go to the model together with the history, byte for byte', async () => {
    const files = [makePng(), makePdf()] as const;
    const parts = [historyPart, filePart('x-ray.png', files[0]), filePart('letter.pdf', files[1])];
    expectDiagnosis(await postForm(engine, '/diagnose', key, parts));
    const asked = setup.model.requests.at(-1)?.rawBody ?? '';
    expect(asked).toContain(HISTORY);
    for (const file of files) expect(asked).toContain(file.toString('base64'));
    expect(asked).not.toMatch(/x-ray|letter/);
  });

  it('the same diagnosis is delivered whole, and as a stream that ends with it', async () => {
    const whole = await postJson(engine, '/diagnose', key, { clinical_history: HISTORY });
    const events = await readEvents(await sendJson(engine, '/diagnose/stream', key, { clinical_history: HISTORY }));
    expect(events.at(-1)).toEqual(finalEventOf(whole.body as object));
  });

  it.each(LANGUAGES.flatMap((from) => LANGUAGES.map((to) => [from, to] as const)))(
    'a history in %s is answered in %s if that language is requested',
    async (from, to) => {
      expectDiagnosis(
        await postJson(engine, '/diagnose', key, { clinical_history: HISTORIES[from], language: to }),
        to,
      );
      expect(setup.model.requests.at(-1)?.rawBody).toContain(HISTORIES[from]);
    },
  );

  it.each(LANGUAGES)('a history in %s is answered in English if no language is requested', async (from) => {
    expectDiagnosis(await postJson(engine, '/diagnose', key, { clinical_history: HISTORIES[from] }), 'en');
  });

  it('each request is counted for its key and organization, with its times and its outcome', async () => {
    const counted = await engine.makeKey({ organization: 'counted' });
    await postJson(engine, '/diagnose', counted, { clinical_history: HISTORY });
    const [line, ...others] = await usageOf(engine, 'counted');
    expect(others).toEqual([]);
    expect(line).toMatchObject({ operation: 'diagnose', requests: 1, failures: 0, cancelled: 0, audioSeconds: 0 });
    expect(line?.durationMs).toBeGreaterThan(0);
  });
});

describe('the answer', () => {
  it('the answer has the fields of the interface and no others, at every depth', () => {
    expect(shown).toEqual(expectedDiagnosis('en'));
    expect(diagnosisResponse.parse(shown)).toEqual(shown);
  });

  it('diagnosis of the answer is an object', () => expect(shown.diagnosis).toEqual(expect.any(Object)));

  it('triage of the answer is an object', () => expect(shown.triage).toEqual(expect.any(Object)));

  it('diseases is an array of the potential diagnoses, in the order of the model', () => {
    expect(shown.diagnosis.diseases.map(({ name }) => name)).toEqual(
      diagnosisAnswer('en').diagnosis.diseases.map(({ name }) => name),
    );
  });

  it('a text without health content is answered with no diseases and WHITE', async () => {
    setup.model.behave({ kind: 'answer', content: (_, { language }) => nothingFoundAnswer(language) });
    const answer = await postJson(engine, '/diagnose', key, { clinical_history: 'A recipe for bread.' });
    expect([answer.status, answer.body]).toEqual([200, nothingFoundAnswer('en')]);
    expect(answer.body).toMatchObject({ diagnosis: { diseases: [] }, triage: { triage_level: 'WHITE' } });
  });

  it.each(['name', 'icd10_code', 'why', 'category'])('the field %s of a disease is a text', (field) => {
    for (const disease of shown.diagnosis.diseases) expect(disease[field]).toMatch(/\S/);
  });

  it('probability of a disease is a number, as the model gave it', () => {
    expect(shown.diagnosis.diseases.map(({ probability }) => probability)).toEqual([0.62, 0.25, 0.07]);
  });

  it.each([0, 1, 0.123456])('a probability of %d is returned unchanged', async (probability) => {
    expect((await answerWith({ probability })).body).toMatchObject({
      diagnosis: { diseases: [{ probability }, {}, {}] },
    });
  });

  it.each([-0.01, 1.01, 62, '0.5', null])('a probability of %p is never returned', async (probability) => {
    expectError(await answerWith({ probability }), 500);
  });

  it('diagnostic_tests of a disease is an array of texts', () => {
    for (const { diagnostic_tests } of shown.diagnosis.diseases) {
      expect(diagnostic_tests).toEqual(['Chest radiograph', 'C-reactive protein']);
    }
  });

  it('standard_care of a disease is an array, which may be empty', () => {
    expect(shown.diagnosis.diseases.map(({ standard_care }) => Array.isArray(standard_care))).toEqual([
      true,
      true,
      true,
    ]);
    expect(shown.diagnosis.diseases[1]).toMatchObject({ standard_care: [] });
  });

  it('drugs of a disease is optional: without content the field is absent, and it is never null', () => {
    expect(shown.diagnosis.diseases.map((disease) => 'drugs' in disease)).toEqual([true, true, false]);
  });

  it.each(['most-likely', 'expanded', 'cant-miss'])('category of a disease may be %s', async (category) => {
    expect((await answerWith({ category })).body).toMatchObject({ diagnosis: { diseases: [{ category }, {}, {}] } });
  });

  it('a category that the interface does not have is never returned', async () => {
    setup.model.behave(FAULTS.badCategory);
    expectError(await postJson(engine, '/diagnose', key, { clinical_history: HISTORY }), 500);
  });

  it('name of a standard of care is a text, and url is a link', () => {
    const [{ standard_care } = { standard_care: [] }] = shown.diagnosis.diseases;
    expect(standard_care).toEqual([
      { name: 'Assess severity with CRB-65', url: 'https://www.nice.org.uk/guidance/cg191' },
    ]);
  });

  it('url of a standard of care is optional: without a source the field is absent, and it is never null', () => {
    expect(shown.diagnosis.diseases[2]).toMatchObject({ standard_care: [{ name: 'Assess severity with CRB-65' }] });
    expect(JSON.stringify(shown)).not.toContain('null');
  });

  it('a url that is not a web address is left out', async () => {
    const answer = await answerWith({ standard_care: [{ name: 'Rest', url: 'javascript:alert(1)' }] });
    const care = { standard_care: [{ name: 'Rest' }] };
    expect(answer.body).toMatchObject({ diagnosis: { diseases: [care, care, care] } });
    expect(answer.text).not.toContain('javascript');
  });

  it.each([
    ['name', 'Amoxicillin'],
    ['class', 'Aminopenicillin'],
    ['dosage', '500 mg to 1 g three times a day'],
    ['considerations', 'Not with penicillin allergy; adjust in renal failure.'],
    ['first_line', true],
  ])('the field %s of a drug is present, with its type', (field, value) => {
    expect(shown.diagnosis.diseases[0]).toMatchObject({ drugs: [{ [field]: value }] });
  });

  it('first_line is false if the drug is not a first-line treatment', async () => {
    const [drug] = diagnosisAnswer('en').diagnosis.diseases[0]?.drugs ?? [];
    const answer = await answerWith({ drugs: [{ ...drug, first_line: false }] });
    expect(answer.body).toMatchObject({ diagnosis: { diseases: [{ drugs: [{ first_line: false }] }, {}, {}] } });
  });

  it.each(['RED', 'WHITE'])('triage_level may be %s', async (level) => {
    const { diagnosis, triage } = diagnosisAnswer('en');
    setup.model.behave({
      kind: 'answer',
      content: () => ({ diagnosis, triage: { ...triage, triage_level: level } }),
    });
    const answer = await postJson(engine, '/diagnose', key, { clinical_history: HISTORY });
    expect(answer.body).toMatchObject({ triage: { triage_level: level } });
  });

  it('a triage level that the interface does not have is never returned', async () => {
    const { diagnosis, triage } = diagnosisAnswer('en');
    setup.model.behave({
      kind: 'answer',
      content: () => ({ diagnosis, triage: { ...triage, triage_level: 'YELLOW' } }),
    });
    expectError(await postJson(engine, '/diagnose', key, { clinical_history: HISTORY }), 500);
  });

  it.each(['triage_justification', 'triage_recommendation'])('the field %s of the triage is a text', (field) => {
    expect(shown.triage[field]).toMatch(/\S/);
  });
});
