import { describe, expect, it } from '@jest/globals';
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

describe('the choice of a note', () => {
  it('the class of the encounter decides', () => {
    expect(choose({ default: 'PROGRESS_NOTE', EMER: 'ED_NOTE' })).toEqual({ noteType: 'ED_NOTE' });
  });

  it('a code of its type decides', () => {
    expect(choose({ default: 'PROGRESS_NOTE', '308335008': 'SBAR' })).toEqual({ template: 'SBAR' });
  });

  it('an expression that is true decides; another one does not', () => {
    expect(choose({ default: 'SOAP', '%patient.empty()': 'PIE', '%patient.exists()': 'DAP' })).toEqual({
      template: 'DAP',
    });
  });

  it('the first match decides, otherwise the default', () => {
    expect(choose({ default: 'SOAP', EMER: 'ED_NOTE', '%patient.exists()': 'DAP' })).toEqual({ noteType: 'ED_NOTE' });
    expect(choose({ default: 'CONSULT_NOTE', AMB: 'ED_NOTE' })).toEqual({ noteType: 'CONSULT_NOTE' });
  });

  it('a file is used with its text', () => {
    expect(choose({ default: 'knee.md' }, ['knee.md'])).toEqual({ customTemplate: '# Of knee.md' });
  });

  it('an unknown name gives a progress note', () => {
    expect(choose({ default: 'gone.md' })).toEqual({ noteType: 'PROGRESS_NOTE' });
    expect(choose({})).toEqual({ noteType: 'PROGRESS_NOTE' });
  });
});

describe('the pilot of a site', () => {
  const everybody = { practitioners: [], locations: [], services: [] };
  const isIn = (pilot: Partial<SiteSettings['pilot']>, encounter: Encounter = ENCOUNTER) =>
    isInPilot({ pilot: { ...everybody, ...pilot }, encounter, baseUrl: 'https://ehr.example.org/fhir' });

  it('empty lists accept every encounter', () => {
    expect(isIn({})).toBe(true);
    expect(isIn({}, { resourceType: 'Encounter', status: 'finished', class: { code: 'AMB' } })).toBe(true);
  });

  it.each([
    [{ practitioners: ['Practitioner/7'] }, true],
    [{ practitioners: ['7', 'Practitioner/8'] }, true],
    [{ practitioners: ['Practitioner/8'] }, false],
    [{ locations: ['Location/3'] }, true],
    [{ locations: ['Location/4'] }, false],
    [{ services: ['57'] }, true],
    [{ services: ['58'] }, false],
    [{ practitioners: ['Practitioner/7'], locations: ['Location/4'] }, false],
  ])('%j accepts the encounter: %s', (pilot, expected) => {
    expect(isIn(pilot)).toBe(expected);
  });

  it('the same id in another EHR is another person', () => {
    const elsewhere: Encounter = {
      ...ENCOUNTER,
      participant: [{ individual: { reference: 'https://other.example.org/fhir/Practitioner/7' } }],
    };
    expect(isIn({ practitioners: ['Practitioner/7'] }, elsewhere)).toBe(false);
  });
});
