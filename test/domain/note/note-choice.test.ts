import { describe, expect, test } from '@jest/globals';
import type { Encounter } from '@medplum/fhirtypes';
import { chooseNote } from '../../../src/domain/note/note-choice.ts';
import { isInPilot } from '../../../src/domain/site/pilot.ts';
import type { SiteSettings } from '../../../src/domain/site/site.ts';

const ENCOUNTER: Encounter = {
  resourceType: 'Encounter',
  id: 'e-1',
  status: 'finished',
  class: { code: 'EMER' },
  type: [{ coding: [{ system: 'http://snomed.info/sct', code: '308335008' }] }],
  participant: [{ individual: { reference: 'https://ehr.example.org/fhir/Practitioner/7' } }],
  location: [{ location: { reference: 'Location/3' } }],
  serviceType: { coding: [{ code: '57' }] },
};

function choose(noteType: Record<string, string>, templates: readonly string[] = []) {
  return chooseNote({
    noteType,
    encounter: ENCOUNTER,
    templates: new Map(templates.map((name) => [name, `# Of ${name}`])),
    holds: (expression) => expression === '%patient.exists()',
  });
}

describe('which note is wanted', () => {
  test('the class of the encounter decides', () => {
    expect(choose({ default: 'PROGRESS_NOTE', EMER: 'ED_NOTE' })).toEqual({ noteType: 'ED_NOTE' });
  });

  test('a code of its type decides', () => {
    expect(choose({ default: 'PROGRESS_NOTE', '308335008': 'SBAR' })).toEqual({ template: 'SBAR' });
  });

  test('an expression that is true decides, one that is not does not', () => {
    expect(choose({ default: 'SOAP', '%patient.empty()': 'PIE', '%patient.exists()': 'DAP' })).toEqual({
      template: 'DAP',
    });
  });

  test('the first that fits wins, and otherwise the default', () => {
    expect(choose({ default: 'SOAP', EMER: 'ED_NOTE', '%patient.exists()': 'DAP' })).toEqual({ noteType: 'ED_NOTE' });
    expect(choose({ default: 'CONSULT_NOTE', AMB: 'ED_NOTE' })).toEqual({ noteType: 'CONSULT_NOTE' });
  });

  test('a file is taken with its text', () => {
    expect(choose({ default: 'knee.md' }, ['knee.md'])).toEqual({ customTemplate: '# Of knee.md' });
  });

  test('a name that nobody knows is a progress note', () => {
    expect(choose({ default: 'gone.md' })).toEqual({ noteType: 'PROGRESS_NOTE' });
    expect(choose({})).toEqual({ noteType: 'PROGRESS_NOTE' });
  });
});

describe('the pilot of a site', () => {
  const everybody = { practitioners: [], locations: [], services: [] };
  const isIn = (pilot: Partial<SiteSettings['pilot']>, encounter: Encounter = ENCOUNTER) =>
    isInPilot({ pilot: { ...everybody, ...pilot }, encounter, baseUrl: 'https://ehr.example.org/fhir' });

  test('without lists everybody is in it', () => {
    expect(isIn({})).toBe(true);
    expect(isIn({}, { resourceType: 'Encounter', status: 'finished', class: { code: 'AMB' } })).toBe(true);
  });

  test.each([
    [{ practitioners: ['Practitioner/7'] }, true],
    [{ practitioners: ['7', 'Practitioner/8'] }, true],
    [{ practitioners: ['Practitioner/8'] }, false],
    [{ locations: ['Location/3'] }, true],
    [{ locations: ['Location/4'] }, false],
    [{ services: ['57'] }, true],
    [{ services: ['58'] }, false],
    [{ practitioners: ['Practitioner/7'], locations: ['Location/4'] }, false],
  ])('%j lets the encounter in: %s', (pilot, expected) => {
    expect(isIn(pilot)).toBe(expected);
  });

  test('the same number at another EHR is another person', () => {
    const elsewhere: Encounter = {
      ...ENCOUNTER,
      participant: [{ individual: { reference: 'https://other.example.org/fhir/Practitioner/7' } }],
    };
    expect(isIn({ practitioners: ['Practitioner/7'] }, elsewhere)).toBe(false);
  });
});
