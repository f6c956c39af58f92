// Which runs have a restricted chart.
import { describe, expect, it } from '@jest/globals';
import { isRestrictedRun } from '../../../src/domain/run/restricted-run.ts';
import { aReadChart } from '../../support/restricted-results.ts';

const CONFIDENTIALITY = 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality';
const ACT_CODE = 'http://terminology.hl7.org/CodeSystem/v3-ActCode';
const IMPORTANCE = 'http://hl7.org/fhir/StructureDefinition/patient-importance';
const vip = { coding: [{ code: 'VIP' }] };

describe('The chart of a run', () => {
  it.each([
    ['the facts of the chart are labelled R', { confidentiality: 'R' }],
    ['the facts have a label that no one knows', { confidentiality: 'X' }],
    ['the encounter is labelled V', { encounter: { meta: { security: [{ system: CONFIDENTIALITY, code: 'V' }] } } }],
    ['the patient is labelled VIP', { patient: { meta: { security: [{ system: ACT_CODE, code: 'VIP' }] } } }],
    ['the encounter has the courtesies of a VIP', { encounter: { hospitalization: { specialCourtesy: [vip] } } }],
    ['the patient is recorded as a VIP', { patient: { extension: [{ url: IMPORTANCE, valueCodeableConcept: vip }] } }],
  ])('is restricted if %s', (_title, parts) => {
    expect(isRestrictedRun({}, { 'read-chart': aReadChart(parts) })).toBe(true);
  });

  it('is restricted if a recording is labelled', () => {
    const fetched = { recordings: [], confidentiality: 'R' };
    expect(isRestrictedRun({}, { 'read-chart': aReadChart(), 'fetch-recording': fetched })).toBe(true);
  });

  it.each(['sensitive', 'label'] as const)(
    'is restricted if the run is held for %s, before anything was read',
    (reason) => {
      expect(isRestrictedRun({ reason }, {})).toBe(true);
    },
  );

  it.each([
    ['it has no label', {}],
    ['its label is an ordinary one', { confidentiality: 'N' }],
    [
      'the courtesies are those of staff',
      { encounter: { hospitalization: { specialCourtesy: [{ coding: [{ code: 'STF' }] }] } } },
    ],
    ['another extension has the code', { patient: { extension: [{ url: 'urn:other', valueCodeableConcept: vip }] } }],
  ])('is open if %s', (_title, parts) => {
    expect(isRestrictedRun({ reason: 'review' }, { 'read-chart': aReadChart(parts) })).toBe(false);
    expect(isRestrictedRun({}, {})).toBe(false);
  });
});
