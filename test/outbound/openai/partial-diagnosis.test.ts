import { describe, expect, it } from '@jest/globals';
import { LANGUAGES } from '../../../src/domain/language.ts';
import { readDiagnosis } from '../../../src/outbound/openai/diagnosis-answer.ts';
import { GrowingJson } from '../../../src/outbound/openai/growing-json.ts';
import { isAnyShown, isWebAddress, toPartialDiagnosis } from '../../../src/outbound/openai/partial-diagnosis.ts';
import { isExtension } from '../../contracts/reasoner-contract.ts';
import { fc } from '../../support/fast-check.ts';
import { diagnosisAnswer } from '../../support/openai-answers.ts';

function shownOf(text: string) {
  const json = new GrowingJson();
  json.write(text);
  return toPartialDiagnosis(json.root);
}

describe('A diagnosis that still arrives', () => {
  it('grows piece by piece into the final diagnosis, however it is cut', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...LANGUAGES),
        fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
        (language, sizes) => {
          const text = JSON.stringify(diagnosisAnswer(language));
          const json = new GrowingJson();
          let before = toPartialDiagnosis(undefined);
          for (let start = 0; start < text.length; ) {
            const end = start + (sizes.next().value ?? 1);
            const isShown = isAnyShown(json.write(text.slice(start, end)));
            const after = toPartialDiagnosis(json.root);
            expect(isExtension(before, after)).toBe(true);
            // A change is reported exactly when the shown diagnosis grows.
            expect(isShown).toBe(JSON.stringify(before) !== JSON.stringify(after));
            before = after;
            start = end;
          }
          expect(before).toEqual(readDiagnosis(JSON.parse(text)));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('shows a disease after its name is complete', () => {
    expect(shownOf('{"diagnosis":{"diseases":[{"name":"Pneu')).toEqual({});
    expect(shownOf('{"diagnosis":{"diseases":[{"name":"Pneumonia"')).toEqual({
      diagnosis: { diseases: [{ name: 'Pneumonia' }] },
    });
    expect(shownOf('{"diagnosis":{"diseases":[{"why":"fever","name":"  "}')).toEqual({});
  });

  it('shows no disease after one without a name, because that one could appear later, in the middle', () => {
    expect(shownOf('{"diagnosis":{"diseases":[{"why":"fever"},{"name":"B"}')).toEqual({});
  });

  it('lets explanations grow, but never a code, a dose or a probability', () => {
    const begun = '{"diagnosis":{"diseases":[{"name":"A",';
    expect(shownOf(`${begun}"why":"fever with`)).toEqual({
      diagnosis: { diseases: [{ name: 'A', why: 'fever with' }] },
    });
    expect(shownOf(`${begun}"icd10_code":"J1`)).toEqual({ diagnosis: { diseases: [{ name: 'A' }] } });
    expect(shownOf(`${begun}"probability":0.6`)).toEqual({ diagnosis: { diseases: [{ name: 'A' }] } });
    expect(shownOf(`${begun}"drugs":[{"name":"X","dosage":"5`)).toEqual({
      diagnosis: { diseases: [{ name: 'A', drugs: [{ name: 'X' }] }] },
    });
    expect(shownOf('{"triage":{"triage_level":"RE')).toEqual({});
    expect(shownOf('{"triage":{"triage_level":"RED","triage_justification":"Sh')).toEqual({
      triage: { triage_level: 'RED', triage_justification: 'Sh' },
    });
  });

  it.each([
    ['a probability above one', '"probability":1.7,'],
    ['a negative probability', '"probability":-0.1,'],
    ['a probability in words', '"probability":"high",'],
    ['an unknown category', '"category":"perhaps",'],
    ['a code that is not of ICD-10', '"icd10_code":"pneumonia",'],
    ['an explanation that is not text', '"why":["fever"],'],
    ['tests that are not a list', '"diagnostic_tests":"ECG",'],
    ['an unknown field', '"patient":"somebody",'],
    ['the key __proto__', '"__proto__":{"why":"x"},'],
  ])('leaves out %s', (_, field) => {
    const shown = shownOf(`{"diagnosis":{"diseases":[{"name":"A",${field}`);
    expect(shown).toEqual({ diagnosis: { diseases: [{ name: 'A' }] } });
  });

  it('shows a link after it is complete, and only if it is of the web', () => {
    const care = (url: string) =>
      shownOf(`{"diagnosis":{"diseases":[{"name":"A","standard_care":[{"name":"B","url":${url}`);
    const shown = (entry: object) => ({ diagnosis: { diseases: [{ name: 'A', standard_care: [entry] }] } });
    expect(care('"https://example.org/a')).toEqual(shown({ name: 'B' }));
    expect(care('"https://example.org/a"')).toEqual(shown({ name: 'B', url: 'https://example.org/a' }));
    expect(care('"javascript:alert(1)"')).toEqual(shown({ name: 'B' }));
    expect(isWebAddress('https://')).toBe(false);
    expect(isWebAddress('ftp://example.org')).toBe(false);
  });

  it('shows the empty list if there is no disease, and no list before that is known', () => {
    expect(shownOf('{"diagnosis":{"diseases":[')).toEqual({});
    expect(shownOf('{"diagnosis":{"diseases":[]')).toEqual({ diagnosis: { diseases: [] } });
  });

  it.each(['[]', '"text"', '1 ', '{"diagnosis":[]}', '{"diagnosis":{"diseases":{}}}', '{"triage":null}'])(
    'shows nothing of %s',
    (text) => {
      expect(shownOf(text)).toEqual({});
    },
  );
});
