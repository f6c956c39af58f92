import { describe, expect, it } from '@jest/globals';
import type { AnsweringModel } from '../../../src/domain/answering-model.ts';
import { diseaseVariable } from '../../../src/domain/chart/chart.ts';
import { deviceIdentity, diseaseParts, documentIdentity, documentUrn } from '../../../src/domain/chart/identity.ts';
import { aDisease, someFacts } from '../../support/chart-facts.ts';

const place = { site: 'mercy', encounter: 'e-1', session: 's-1', document: 'composition' };

describe('the identity of a document', () => {
  it('comes from its site, encounter, session and name', () => {
    expect(documentIdentity(place)).toEqual({ system: 'urn:chartwright:mercy', value: 'e-1/s-1/composition' });
  });

  it('ends with the code of the disease if there is one document for each', () => {
    const { value } = documentIdentity({ ...place, document: 'condition', part: 'J18.9' });
    expect(value).toBe('e-1/s-1/condition/J18.9');
  });

  // Fixed values: an upgrade with other identities would write every note a second time.
  it.each([
    ['composition', 'urn:uuid:f30b40ee-44d2-55ce-9b15-aca28b313759'],
    ['document-reference', 'urn:uuid:982cb9c7-ccc1-5de3-b7d3-20c111c2fb4a'],
    ['provenance', 'urn:uuid:ecec72e3-9756-5031-b4d4-4895c2a54a23'],
  ])('%s keeps its name in a set for ever', (document, urn) => {
    expect(documentUrn(documentIdentity({ ...place, document }))).toBe(urn);
  });

  it('two sites, encounters or sessions never share an identity', () => {
    const names = [
      place,
      { ...place, site: 'grace' },
      { ...place, encounter: 'e-2' },
      { ...place, session: 's-2' },
      { ...place, document: 'flag' },
    ].map((parts) => documentUrn(documentIdentity(parts)));
    expect(new Set(names).size).toBe(names.length);
  });

  it('is a UUID of version 5', () => {
    expect(documentUrn(documentIdentity(place))).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  it('two diseases with one code are distinguished by their order', () => {
    const diseases = ['J18.9', 'I20.0', 'J18.9'].map((icd10_code, index) =>
      diseaseVariable(aDisease({ icd10_code }), index),
    );
    expect(diseaseParts(diseases)).toEqual(['J18.9', 'I20.0', 'J18.9#2']);
  });

  it('diseases without a code are distinguished by their order, never by their names', () => {
    const partsOf = (...names: readonly string[]) =>
      diseaseParts(names.map((name, index) => diseaseVariable(aDisease({ name, icd10_code: '' }), index)));
    expect(partsOf('Migraine', 'Tension headache')).toEqual(['uncoded', 'uncoded#2']);
    expect(partsOf('Headache', 'Migraine')).toEqual(['uncoded', 'uncoded#2']);
  });

  it('each model that answers under another name has a Device of its own, whatever its fingerprint', () => {
    const deviceOf = (answeredBy: readonly AnsweringModel[]) => {
      const { run } = someFacts({ run: { model: { name: 'gpt-5.4' }, answeredBy } });
      return deviceIdentity({ site: 'mercy', run }).value;
    };
    const model = 'gpt-5.4-2026-03-05';
    expect(deviceOf([{ model }])).toBe('device/Chartwright@0.0.0/gpt-5.4;gpt-5.4-2026-03-05');
    expect(
      deviceOf([
        { model, fingerprint: 'fp_1' },
        { model, fingerprint: 'fp_2' },
      ]),
    ).toBe(deviceOf([{ model }]));
    expect(deviceOf([{ model: 'gpt-5.4' }])).toBe('device/Chartwright@0.0.0/gpt-5.4');
  });

  it('each engine and model has one Device, whatever the encounter', () => {
    const { run } = someFacts({ run: { model: { name: 'gpt-5.4', version: '2026-09' } } });
    expect(deviceIdentity({ site: 'mercy', run })).toEqual({
      system: 'urn:chartwright:mercy',
      value: 'device/Chartwright@0.0.0/gpt-5.4@2026-09',
    });
  });
});
