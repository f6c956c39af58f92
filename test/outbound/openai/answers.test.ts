import { describe, expect, it } from '@jest/globals';
import type { Language } from '../../../src/domain/language.ts';
import { chooseTemplate, parseCustomTemplate, type Template } from '../../../src/domain/note/template.ts';
import { BrokenAnswer } from '../../../src/outbound/openai/broken-answer.ts';
import { DIAGNOSIS_SCHEMA, readDiagnosis } from '../../../src/outbound/openai/diagnosis-answer.ts';
import { noteSchema, readNote } from '../../../src/outbound/openai/note-answer.ts';
import { diagnosisAnswer } from '../../support/openai-answers.ts';

const answer = diagnosisAnswer('en');
const [pneumonia] = answer.diagnosis.diseases;

function withDisease(change: object): unknown {
  return { ...answer, diagnosis: { diseases: [{ ...pneumonia, ...change }] } };
}

/** Finds objects of a strict schema that do not require all their properties, or that allow others. */
function looseObjects(schema: unknown): unknown[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const below = Object.values(schema).flatMap(looseObjects);
  if (!('properties' in schema) || !('type' in schema)) return below;
  const { properties, required, additionalProperties } = schema as Record<string, unknown>;
  const isStrict =
    additionalProperties === false && JSON.stringify(required) === JSON.stringify(Object.keys(properties as object));
  return isStrict ? below : [schema, ...below];
}

describe('A diagnosis of the model', () => {
  it('is requested with the field names of the API, all of them required and no others', () => {
    expect(looseObjects(DIAGNOSIS_SCHEMA)).toEqual([]);
    const disease = DIAGNOSIS_SCHEMA.properties?.['diagnosis'];
    expect(JSON.stringify(disease)).toContain('"icd10_code"');
    expect(Object.keys(DIAGNOSIS_SCHEMA.properties ?? {})).toEqual(['diagnosis', 'triage']);
  });

  it('is passed on unchanged, except for null values, which are left out', () => {
    const { diagnosis, triage } = readDiagnosis(answer);
    expect(triage).toEqual(answer.triage);
    expect(diagnosis.diseases[0]).toEqual(pneumonia);
    expect(diagnosis.diseases[2]).not.toHaveProperty('drugs');
    expect(diagnosis.diseases[2]?.standard_care).toEqual([{ name: 'Assess severity with CRB-65' }]);
  });

  it.each([0, 1, 0.123456789, 5e-324])('keeps the probability %d unchanged', (probability) => {
    expect(readDiagnosis(withDisease({ probability })).diagnosis.diseases[0]?.probability).toBe(probability);
  });

  it('loses fields that were not requested', () => {
    const read = readDiagnosis({ ...(withDisease({ patient: 'somebody' }) as object), model: 'x' });
    expect(JSON.stringify(read)).not.toMatch(/somebody|"model"/);
  });

  it.each(['javascript:alert(1)', 'example.org', '', 'https://', 'ftp://example.org/a'])('loses the link %j', (url) => {
    const read = readDiagnosis(withDisease({ standard_care: [{ name: 'Care', url }] }));
    expect(read.diagnosis.diseases[0]?.standard_care).toEqual([{ name: 'Care' }]);
  });

  it.each([
    ['a probability above one', { probability: 1.7 }],
    ['a negative probability', { probability: -0.1 }],
    ['a probability in words', { probability: '0.5' }],
    ['an unknown category', { category: 'perhaps' }],
    ['a code that is not of ICD-10', { icd10_code: 'pneumonia' }],
    ['a code in lower case', { icd10_code: 'j18.9' }],
    ['no name', { name: ' ' }],
    ['a missing explanation', { why: undefined }],
    ['tests that are not a list', { diagnostic_tests: 'ECG' }],
    ['a drug without its dosage', { drugs: [{ name: 'A', class: 'B', considerations: 'C', first_line: true }] }],
  ])('is refused with %s, and the error quotes nothing of it', (_, change) => {
    const refused = () => readDiagnosis(withDisease(change));
    expect(refused).toThrow(BrokenAnswer);
    expect(refused).toThrow(/^the diagnosis breaks its form at diagnosis\.diseases\.0\./);
  });

  it.each([
    [undefined],
    [null],
    [[]],
    ['text'],
    [{ diagnosis: answer.diagnosis }],
    [{ ...answer, triage: { ...answer.triage, triage_level: 'GREEN' } }],
  ])('is refused if it is %j', (value) => {
    expect(() => readDiagnosis(value)).toThrow(BrokenAnswer);
  });
});

/** Of a talk with four utterances. */
const readAs = (value: unknown, template: Template, language: Language) =>
  readNote(value, { template, language, utterances: 4 });

describe('A note of the model', () => {
  const soap = chooseTemplate({ language: 'en' });
  const custom = parseCustomTemplate(
    '# Chief Complaint\nWhy\n## Dynamic Fields\n- pulse: rate\n- smoker: yes or no\n- toString: odd\n- Presión (mmHg): as said',
  );
  const said = (template: Template, more: object = {}) => ({
    is_medical: true,
    title: 'Visit',
    sections: template.sections.map(({ key }) => ({ key, text: `Text of ${key}` })),
    ...more,
  });

  it('is requested with a strict schema', () => {
    expect(looseObjects(noteSchema(custom))).toEqual([]);
    expect(looseObjects(noteSchema(soap))).toEqual([]);
  });

  it('has the sections in the order of the template, with its titles', () => {
    const answered = said(soap);
    const note = readAs({ ...answered, sections: answered.sections.toReversed() }, soap, 'en');
    expect(note).toEqual({
      isMedical: true,
      note: {
        title: 'Visit',
        sections: soap.sections.map(({ key, title }) => ({ key, title, text: `Text of ${key}` })),
      },
    });
  });

  it('is its statements, each a line of its section with the utterances that the model names', () => {
    const [first, second, ...rest] = soap.sections.map(({ key }) => ({ key, statements: [] as unknown[] }));
    first?.statements.push(
      { text: ' Cough for three days. ', utterances: [1, 2] },
      { text: '', utterances: [3] },
      { text: 'No fever. [3, 4]', utterances: [4, 3, 4] },
    );
    second?.statements.push({ text: 'Chest clear, score [2].', utterances: [0, -1, 5, 1.5, 3] });
    const note = readAs(said(soap, { sections: [first, second, ...rest] }), soap, 'en');
    expect(note).toMatchObject({
      note: {
        sections: [
          { text: 'Cough for three days.\nNo fever.' },
          { text: 'Chest clear, score [2].' },
          { text: 'Not discussed.' },
          { text: 'Not discussed.' },
        ],
      },
      statements: [
        { section: first?.key, text: 'Cough for three days.', cites: [0, 1] },
        { section: first?.key, text: 'No fever.', cites: [3, 2] },
        { section: second?.key, text: 'Chest clear, score [2].', cites: [2] },
      ],
    });
  });

  it('names at most twenty utterances for a statement', () => {
    const utterances = Array.from({ length: 500 }, (_, index) => index + 1);
    const sections = soap.sections.map(({ key }) => ({ key, statements: [{ text: 'All of it.', utterances }] }));
    const note = readNote(said(soap, { sections }), { template: soap, language: 'en', utterances: 500 });
    expect(note.isMedical && note.statements?.map(({ cites }) => cites.length)).toEqual([20, 20, 20, 20]);
  });

  it.each([
    ['en', 'Not discussed.'],
    ['es', 'No se mencionó.'],
    ['pt', 'Não foi mencionado.'],
  ] as const)('says which section was not discussed (%s)', (language, statement) => {
    const sections = soap.sections.map(({ key }, index) => ({ key, text: index === 1 ? ' \n' : 'Text' }));
    const note = readAs(said(soap, { sections }), soap, language);
    expect(note).toMatchObject({
      note: { sections: [{ text: 'Text' }, { text: statement }, { text: 'Text' }, { text: 'Text' }] },
    });
  });

  it('has a default title if the model gave none', () => {
    expect(readAs(said(soap, { title: ' ' }), soap, 'es')).toMatchObject({ note: { title: 'Nota clínica' } });
  });

  it('is reported as not medical if the model says so, whatever else is in the answer', () => {
    expect(readAs({ is_medical: false }, soap, 'en')).toEqual({ isMedical: false });
    expect(readAs({ is_medical: false, title: 7, sections: 'none', dynamic_fields: [] }, custom, 'en')).toEqual({
      isMedical: false,
    });
  });

  it('has exactly the dynamic fields of the template, in order, as text', () => {
    const fields = { 'Presión (mmHg)': ' 120/80 ', smoker: false, pulse: 72, other: 'x' };
    const note = readAs(said(custom, { dynamic_fields: fields }), custom, 'en');
    if (!note.isMedical) throw new Error('it is medical');
    expect(Object.entries(note.dynamicFields ?? {})).toEqual([
      ['pulse', '72'],
      ['smoker', 'false'],
      ['toString', ''],
      ['Presión (mmHg)', '120/80'],
    ]);
  });

  it.each([[undefined], [null], [{}], [{ pulse: null }]])('has empty dynamic fields if the model gave %j', (fields) => {
    const note = readAs(said(custom, { dynamic_fields: fields }), custom, 'en');
    expect(note).toMatchObject({ dynamicFields: { pulse: '', smoker: '' } });
  });

  it('treats a dynamic field with the name __proto__ as a field', () => {
    const hostile = { ...custom, dynamicFields: [{ name: '__proto__', description: '' }] };
    const fields = JSON.parse('{"__proto__":"said"}') as object;
    const note = readAs(said(hostile, { dynamic_fields: fields }), hostile, 'en');
    if (!note.isMedical) throw new Error('it is medical');
    expect(Object.entries(note.dynamicFields ?? {})).toEqual([['__proto__', 'said']]);
    expect(JSON.stringify(noteSchema(hostile))).toContain('"__proto__"');
  });

  it.each([
    ['a missing section', { sections: said(soap).sections.slice(1) }],
    ['a repeated section', { sections: [...said(soap).sections.slice(1), said(soap).sections[1]] }],
    ['an additional section', { sections: [...said(soap).sections, { key: 'EXTRA', text: 'x' }] }],
    ['an unknown section', { sections: [...said(soap).sections.slice(1), { key: 'EXTRA', text: 'x' }] }],
    ['sections that are not a list', { sections: { SUBJECTIVE: 'x' } }],
    ['a text that is not a string', { sections: said(soap).sections.map(({ key }) => ({ key, text: 7 })) }],
    ['no title', { title: undefined }],
    ['no is_medical', { is_medical: undefined }],
    ['is_medical as a string', { is_medical: 'true' }],
  ])('is refused with %s', (_, change) => {
    expect(() => readAs(said(soap, change), soap, 'en')).toThrow(BrokenAnswer);
  });

  it.each([[[]], ['text'], [{ pulse: { value: 72 } }], [{ pulse: [72] }]])(
    'is refused with the dynamic fields %j',
    (fields) => {
      expect(() => readAs(said(custom, { dynamic_fields: fields }), custom, 'en')).toThrow(BrokenAnswer);
    },
  );
});
