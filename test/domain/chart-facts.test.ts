import { describe, expect, test } from '@jest/globals';
import { parseChartFacts } from '../../src/domain/chart-facts.ts';
import { AppError } from '../../src/domain/errors.ts';
import { aDisease } from '../support/chart-facts.ts';

const detailsOf = (input: unknown): readonly string[] => {
  try {
    parseChartFacts(input);
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown.details ?? [];
    throw thrown;
  }
  return [];
};

describe('facts that somebody wrote by hand', () => {
  test('nothing at all is a session with a patient, an encounter and no results', () => {
    expect(parseChartFacts(null)).toMatchObject({
      language: 'en',
      recordings: [],
      encounter: { resourceType: 'Encounter', id: 'example' },
      patient: { resourceType: 'Patient', id: 'example' },
      run: { status: 'preliminary', time: '2026-01-15T10:30:00Z' },
    });
  });

  test('what was left out is absent, so that no mapping sees an undefined', () => {
    const facts = parseChartFacts({ note: { title: 'T', sections: [] }, diagnosis: { diseases: [aDisease()] } });
    expect(Object.keys(facts)).not.toContain('noteType');
    expect(Object.keys(facts.diagnosis?.diagnosis.diseases[0] ?? {})).not.toContain('drugs');
  });

  test('a diagnosis without a triage is WHITE', () => {
    expect(parseChartFacts({ diagnosis: { diseases: [] } }).diagnosis?.triage.triage_level).toBe('WHITE');
  });

  test('dynamic fields come by name', () => {
    const facts = parseChartFacts({ note: { title: 'T', sections: [], fields: [{ name: 'bp', value: '120/80' }] } });
    expect(facts.note?.dynamicFields).toEqual({ bp: '120/80' });
  });

  test.each([
    ['a name that is not known', { nota: {} }, 'the input: nota is not known here'],
    ['a member that is not known', { note: { title: 'T', sections: [], txt: 'x' } }, 'note: txt is not known here'],
    [
      'a probability in percent',
      { diagnosis: { diseases: [aDisease({ probability: 62 })] } },
      'diagnosis.diseases[0].probability: ',
    ],
    ['another resource', { patient: { resourceType: 'Encounter' } }, 'patient: must be a resource of type Patient'],
    ['a triage of nothing', { triage: { triage_level: 'RED' } }, 'triage: needs a diagnosis beside it'],
    ['a list', [], 'the input: '],
    ['a text', 'Cough', 'the input: '],
  ])('%s is refused with its place', (_, input, expected) => {
    expect(detailsOf(input)[0]).toContain(expected);
  });

  test('no message repeats what was written', () => {
    const input = { note: { title: 5, sections: 'SECRETWORD' }, language: 'SECRETWORD', confidentiality: 'SECRETWORD' };
    expect(detailsOf(input).join()).not.toContain('SECRETWORD');
  });
});
