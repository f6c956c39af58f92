// References, ids and codes are not heard: a text with them and the text without them are the same to the rules.
import { beforeAll, describe, expect, it } from '@jest/globals';
import { LANGUAGES, type Language } from '../../../src/domain/language.ts';
import { buildDiagnosis } from '../../../src/rules/answers/build-diagnosis.ts';
import { makeExtractFacts } from '../../../src/rules/extraction/extract-facts.ts';
import type { ExtractFacts } from '../../../src/rules/extraction/history-facts.ts';
import { makeStripCodes, type StripCodes } from '../../../src/rules/extraction/strip-codes.ts';
import type { Knowledge } from '../../../src/rules/knowledge/knowledge.ts';
import { fc } from '../../support/fast-check.ts';
import { shippedKnowledge } from '../knowledge/shipped-knowledge.ts';

let knowledge: Knowledge;
let stripCodes: StripCodes;
let hear: ExtractFacts;
beforeAll(() => {
  knowledge = shippedKnowledge();
  stripCodes = makeStripCodes(knowledge);
  hear = makeExtractFacts(knowledge);
});

const CHARTS: Readonly<Record<Language, readonly string[]>> = {
  en: [
    'Patient: 61 years, female',
    '- Condition: Asthma, since 2019',
    '- Medication: Salbutamol 100 mcg, as needed',
    '- Vital sign: Body temperature 36.8 Cel',
    '- Allergy: Penicillin, reaction: hives',
    '- Laboratory: Potassium 4.2 mmol/L',
    'She has had a dry cough for 3 days and no chest pain.',
  ],
  es: [
    'Paciente: mujer de 61 años',
    '- Condition: Asma, desde 2019',
    '- Medication: Salbutamol 100 mcg, a demanda',
    '- Vital sign: Temperatura corporal 36,8 °C',
    '- Allergy: Penicilina, reaction: urticaria',
    '- Laboratory: Potasio 4,2 mmol/L',
    'Tiene tos seca desde hace 3 días y no le duele el pecho.',
  ],
  pt: [
    'Paciente: mulher de 61 anos',
    '- Condition: Asma, desde 2019',
    '- Medication: Salbutamol 100 mcg, se necessário',
    '- Vital sign: Temperatura corporal 36,8 °C',
    '- Allergy: Penicilina, reaction: urticária',
    '- Laboratory: Potássio 4,2 mmol/L',
    'Está com tosse seca há 3 dias e não tem dor no peito.',
  ],
};
const TYPES = ['Patient', 'Encounter', 'Condition', 'Observation', 'MedicationRequest', 'AllergyIntolerance'];
/** Words of findings, units and values, so that an id can look like a complaint. */
const ID_WORDS = ['obs', 'enc', 'sob', 'fever', 'hr', 'bp', 'dor', 'tos', 'fc', 'x', 'pat', 'avc'];

const letters = (least: number, most: number) =>
  fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), minLength: least, maxLength: most });
const digits = (least: number, most: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: least, maxLength: most });
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(''));
const upper = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ');

const anId = fc.oneof(
  joined(fc.constantFrom(...ID_WORDS), fc.constant('-'), digits(1, 3), letters(1, 2)),
  joined(fc.constantFrom(...ID_WORDS), fc.constant('-'), digits(1, 4)),
  joined(digits(2, 3), letters(1, 1)),
  letters(3, 12),
  digits(1, 12),
  fc.uuid(),
);
const aReference = joined(fc.constantFrom(...TYPES), fc.constant('/'), anId);
const anIcdCode = joined(upper, digits(2, 2), fc.constantFrom('', '.'), digits(1, 3)).map((code) =>
  code.includes('.') ? code : code.slice(0, 3),
);
const aLoincCode = joined(digits(3, 5), fc.constant('-'), digits(1, 1));
const aMixedWord = joined(letters(1, 3), digits(1, 2), letters(2, 3), digits(1, 2), letters(1, 2));
const aCode = fc.oneof(
  aReference.map((reference) => `[${reference}]`),
  fc.tuple(aReference, aReference).map((both) => `[${both.join(', ')}]`),
  joined(fc.constantFrom(...TYPES), fc.constant('/'), digits(1, 3), letters(1, 1)),
  fc.uuid().map((uuid) => `urn:uuid:${uuid}`),
  fc.uuid(),
  anIcdCode.map((code) => `(${code})`),
  anIcdCode.map((code) => `ICD-10 ${code}`),
  anIcdCode.map((code) => `[CID-10: ${code}]`),
  anIcdCode.filter((code) => code.includes('.') && !/^T[34]/.test(code)),
  aLoincCode,
  aLoincCode.map((code) => `(LOINC ${code})`),
  digits(7, 12),
  aMixedWord,
  joined(fc.constantFrom('obs', 'enc', 'sob', 'pat'), fc.constant('-'), digits(1, 3), fc.constantFrom('c', 'f', 'm')),
  joined(fc.constant('MRN: '), digits(4, 8)),
);

/** A code behind a word, at the beginning of a line, or on a line of its own. */
function withCode(text: string, code: string, at: number): string {
  const places = Array.from(text.matchAll(/(?<=\p{L}|\d)(?= |\n|$)/gu), ({ index }) => index);
  const lines = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  const way = at % 4;
  const line = lines[Math.floor(at / 4) % lines.length] ?? 0;
  if (way === 0) return `${text.slice(0, line)}${code} ${text.slice(line)}`;
  if (way === 1) return `${text.slice(0, line)}${code}\n${text.slice(line)}`;
  const place = places[Math.floor(at / 4) % places.length] ?? 0;
  return `${text.slice(0, place)} ${code}${text.slice(place)}`;
}

function answerOf(text: string, language: Language): string {
  const unseen = { images: 0, documents: 0, parts: 0 };
  return JSON.stringify(buildDiagnosis({ knowledge, facts: hear(text), unseen, language }));
}

const someCodes = fc.array(fc.tuple(aCode, fc.nat(9999)), { minLength: 1, maxLength: 4 });

describe('References, ids and codes in a history', () => {
  it.each(LANGUAGES)('leave exactly the text without them, wherever they are in a chart (%s)', (language) => {
    const chart = CHARTS[language].join('\n');
    expect(stripCodes(chart)).toBe(chart);
    const property = fc.property(fc.tuple(aCode, fc.nat(9999)), ([code, at]) => {
      expect({ code, left: stripCodes(withCode(chart, code, at)) }).toEqual({ code, left: chart });
    });
    fc.assert(property, { numRuns: 1500 });
  });

  it.each(LANGUAGES)('do not change the answer by a byte (%s)', (language) => {
    const chart = CHARTS[language].join('\n');
    const answer = answerOf(chart, language);
    const property = fc.property(someCodes, (codes) => {
      const text = codes.reduce((before, [code, at]) => withCode(before, code, at), chart);
      expect(answerOf(text, language)).toBe(answer);
    });
    fc.assert(property, { numRuns: 60 });
  });

  it.each([
    ['Asthma [Condition/43c] since 2019', 'Asthma since 2019'],
    ['Bed 12b, ref [Observation/obs-43c].', 'Bed, ref.'],
    ['See https://example.org/Patient/39c now', 'See now'],
    ['Patient/family had no questions', 'Patient/family had no questions'],
  ])('are taken out of "%s"', (text, left) => {
    expect(stripCodes(text)).toBe(left);
  });

  it.each([
    'T38.5, FC118, FR 24, TA 164x96, SpO2 91%, Sat-93%',
    '58yo F, 3d of cough, 2x/day, 10mg bid, G2P1, 37w5d, HbA1c 9, DM2, T2DM, T12-L1',
    'Niña de 3a, fiebre de 39ºC, 36sem, 110lpm, covid19, 1h30',
    'Menina de 8m, febre de 38,5°C, 12h, 3º dia, 70kg, vitamina B12',
    'Glasgow E3V4M6, PHQ9 of 20, temp-38c, 36-year-old, 24-48h, since 2019',
  ])('are not seen in what is no code: %s', (text) => {
    expect(stripCodes(text)).toBe(text);
  });
});

describe('The unit of a temperature', () => {
  it.each([
    ['He is well, 43c', undefined],
    ['The patient of 39c feels well', undefined],
    ['La paciente de la 39c está bien', undefined],
    ['A paciente do 39c está bem', undefined],
    ['38 C-reactive protein', undefined],
    ['She measured 38 C', 38],
    ['Midió 38,5 °C', 38.5],
    ['Mediu 38,5ºC', 38.5],
    ['Fever of 39c', 39],
    ['103F at home', 39.4],
  ])('is whole, with a boundary behind it: "%s"', (text, value) => {
    expect(hear(text).values.get('temperature')).toBe(value);
  });
});
