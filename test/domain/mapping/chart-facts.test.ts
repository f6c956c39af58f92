import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { factProblems, parseChartFacts } from '../../../src/domain/mapping/chart-facts.ts';
import { suggest } from '../../../src/mapping/mapping.ts';
import { aDisease } from '../../support/chart-facts.ts';

const detailsOf = (input: unknown): readonly string[] => {
  try {
    parseChartFacts(input);
  } catch (thrown) {
    if (thrown instanceof AppError) return thrown.details ?? [];
    throw thrown;
  }
  return [];
};

describe('hand-written facts', () => {
  it('empty facts are a session with a patient, an encounter and no results', () => {
    expect(parseChartFacts(null)).toMatchObject({
      language: 'en',
      recordings: [],
      encounter: { resourceType: 'Encounter', id: 'example' },
      patient: { resourceType: 'Patient', id: 'example' },
      run: { status: 'preliminary', time: '2026-01-15T10:30:00Z' },
    });
  });

  it('omitted facts are absent, not undefined', () => {
    const facts = parseChartFacts({ note: { title: 'T', sections: [] }, diagnosis: { diseases: [aDisease()] } });
    expect(Object.keys(facts)).not.toContain('noteType');
    expect(Object.keys(facts.diagnosis?.diagnosis.diseases[0] ?? {})).not.toContain('drugs');
  });

  it('a diagnosis without a triage is WHITE', () => {
    expect(parseChartFacts({ diagnosis: { diseases: [] } }).diagnosis?.triage.triage_level).toBe('WHITE');
  });

  it('a disease may have no code', () => {
    const { icd10_code: _, ...uncoded } = aDisease();
    const given = [uncoded, { ...uncoded, icd10_code: '' }];
    const diseases = parseChartFacts({ diagnosis: { diseases: given } }).diagnosis?.diagnosis.diseases;
    expect(diseases?.map(({ icd10_code }) => icd10_code)).toEqual(['', '']);
  });

  it('dynamic fields are passed by name', () => {
    const facts = parseChartFacts({ note: { title: 'T', sections: [], fields: [{ name: 'bp', value: '120/80' }] } });
    expect(facts.note?.dynamicFields).toEqual({ bp: '120/80' });
  });

  const section = { key: 'PLAN', title: 'Plan', text: 'Rest.' };
  const note = { title: 'T', sections: [section] };

  it.each([
    ['a name that is not known', { nota: {} }, 'nota is not known here; did you mean note?'],
    ['one that is like no other', { weather: {} }, 'weather is not known here'],
    ['a member that is not known', { note: { ...note, tpye: 'x' } }, 'note.tpye is not known here; did you mean type?'],
    ['text in the place of a name', { note: { ...note, 'Ann Lee had a': 1 } }, 'a key of note is not known here'],
    ['what is needed and not there', { note: { title: 'T' } }, 'note.sections is missing'],
    ['a choice that is not there', { review: { time: 'x', reviewer: 'y' } }, 'review.decision is missing'],
    ['a number for a text', { note: { ...note, title: 5 } }, 'note.title must be a text; write it in quotes'],
    ['nothing for a text', { note: { ...note, title: null } }, 'note.title must be a text'],
    ['a text for a list', { recordings: 'x' }, 'recordings must be a list'],
    ['a text for a group', { session: 'x' }, 'session must be a group of key'],
    [
      'a text in a list of groups',
      { note: { title: 'T', sections: ['x'] } },
      'note.sections[0] must be a group of key, title, text',
    ],
    [
      'a text for a number',
      { transcript: { utterances: [], durationSeconds: '5' } },
      'transcript.durationSeconds must be a number',
    ],
    [
      'half of a speaker',
      { transcript: { utterances: [{ speaker: 0.5, text: '' }] } },
      'transcript.utterances[0].speaker must be a whole number',
    ],
    [
      'a speaker below nothing',
      { transcript: { utterances: [{ speaker: -1, text: '' }] } },
      'transcript.utterances[0].speaker must be 0 or more',
    ],
    [
      'a text for a truth value',
      {
        diagnosis: {
          diseases: [
            { ...aDisease(), drugs: [{ name: '', class: '', dosage: '', considerations: '', first_line: 'yes' }] },
          ],
        },
      },
      'diagnosis.diseases[0].drugs[0].first_line must be true or false',
    ],
    [
      'a choice with a slip',
      { note: { ...note, type: 'ED_NOT' } },
      'note.type must be one of PROGRESS_NOTE, ADMISSION_NOTE, ED_NOTE, DISCHARGE_SUMMARY, CONSULT_NOTE, NURSING_NOTE, BEHAVIORAL_HEALTH_NOTE, DIETITIAN_NOTE; did you mean ED_NOTE?',
    ],
    ['a choice like no other', { language: 'Klingon' }, 'language must be one of en, es, pt'],
    [
      'a probability in percent',
      { diagnosis: { diseases: [aDisease({ probability: 62 })] } },
      'diagnosis.diseases[0].probability must be a number from 0 to 1',
    ],
    [
      'a code of another kind',
      { diagnosis: { diseases: [aDisease({ icd10_code: 'pneumonia' })] } },
      'diagnosis.diseases[0].icd10_code must be an ICD-10 code, as in J18.9',
    ],
    [
      'a time of no place',
      { run: { time: '2026-01-15T10:30' } },
      'run.time must be a time with its offset, as in 2026-01-15T10:30:00Z',
    ],
    ['another resource', { patient: { resourceType: 'Encounter' } }, 'patient must be a resource of type Patient'],
    ['no resource', { chart: { conditions: ['x'] } }, 'chart.conditions[0] must be a resource'],
    ['a triage of nothing', { triage: { triage_level: 'RED' } }, 'triage needs a diagnosis beside it'],
  ])('%s is refused with its place and in plain words', (_, input, expected) => {
    expect(factProblems(input, suggest).map(({ message }) => message)).toEqual([expected]);
  });

  it.each([
    ['a list', []],
    ['a text', 'Cough'],
  ])('%s is not a session', (_, input) => {
    expect(detailsOf(input)).toEqual([expect.stringMatching(/^the input must be a group of language, note, /)]);
  });

  it('a misspelled name is reported once, and not as missing too', () => {
    const input = { note: { titel: 'T', sections: [{ key: 'PLAN', title: 'Plan', txt: 'Rest.' }] } };
    expect(factProblems(input, suggest)).toEqual([
      { path: ['note', 'sections', 0, 'txt'], message: 'note.sections[0].txt is not known here; did you mean text?' },
      { path: ['note', 'titel'], message: 'note.titel is not known here; did you mean title?' },
    ]);
  });

  it('a name that is missing elsewhere is still reported', () => {
    const input = { note: { titel: 'T', sections: [{ key: 'PLAN', text: 'Rest.' }] } };
    expect(factProblems(input, suggest).map(({ message }) => message)).toEqual([
      'note.titel is not known here; did you mean title?',
      'note.sections[0].title is missing',
    ]);
  });

  it('a path leads to each problem, also to a missing fact', () => {
    expect(factProblems({ note: { title: 'T', sections: [{ key: 'PLAN', title: 5 }] } })).toEqual([
      { path: ['note', 'sections', 0, 'title'], message: expect.any(String) },
      { path: ['note', 'sections', 0, 'text'], message: 'note.sections[0].text is missing' },
    ]);
  });

  it('valid facts have no problems', () => {
    expect(factProblems({ note })).toEqual([]);
  });

  it('one error has all problems', () => {
    expect(detailsOf({ note: { sections: [] }, recordings: 5 })).toEqual([
      'note.title is missing',
      'recordings must be a list',
    ]);
  });

  it('no message repeats a value', () => {
    const input = { note: { title: 5, sections: 'SECRETWORD' }, language: 'SECRETWORD', confidentiality: 'SECRETWORD' };
    expect(detailsOf(input).join()).not.toContain('SECRETWORD');
  });
});
