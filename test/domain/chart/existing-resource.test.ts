import { describe, expect, it } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import {
  asRetired,
  isRetired,
  isSameContent,
  isSigned,
  literalOf,
  patientOf,
} from '../../../src/domain/chart/existing-resource.ts';
import { openReferences, renderBody, sha256 } from '../../../src/domain/chart/frozen-body.ts';

const as = (resource: object) => resource as Resource;

describe('a resource in a chart', () => {
  it.each([
    [{ resourceType: 'DocumentReference', status: 'current', docStatus: 'final' }, true],
    [{ resourceType: 'DocumentReference', status: 'current', docStatus: 'preliminary' }, false],
    [
      { resourceType: 'DocumentReference', docStatus: 'preliminary', authenticator: { reference: 'Practitioner/1' } },
      true,
    ],
    [{ resourceType: 'Composition', status: 'amended' }, true],
    [{ resourceType: 'Composition', status: 'preliminary', attester: [{ mode: 'legal' }] }, true],
    [{ resourceType: 'Composition', status: 'preliminary', attester: [] }, false],
    [{ resourceType: 'Condition', verificationStatus: { coding: [{ code: 'confirmed' }] } }, true],
    [{ resourceType: 'Condition', verificationStatus: { coding: [{ code: 'differential' }] } }, false],
    [{ resourceType: 'Flag', status: 'active' }, false],
  ])('whether a person signed it: %j', (resource, isIt) => {
    expect(isSigned(as(resource))).toBe(isIt);
  });

  it('a type with the status entered-in-error is retired by it, and another type cannot be retired', () => {
    expect(asRetired(as({ resourceType: 'Flag', status: 'active' }))).toMatchObject({ status: 'entered-in-error' });
    expect(asRetired(as({ resourceType: 'Provenance' }))).toBeUndefined();
    expect(isRetired(as({ resourceType: 'RiskAssessment', status: 'entered-in-error' }))).toBe(true);
    expect(isRetired(as({ resourceType: 'RiskAssessment', status: 'preliminary' }))).toBe(false);
  });

  const sent = as({
    resourceType: 'DocumentReference',
    meta: { tag: [{ code: 'ours' }] },
    status: 'current',
    subject: { reference: 'Patient/p-1' },
    content: [{ attachment: { contentType: 'text/plain', data: 'aGk=' } }],
  });
  const attachment = { contentType: 'text/plain', url: 'https://ehr.example.org/Binary/9' };

  it('what a server adds, and an attachment that it stores elsewhere, is no change', () => {
    const standing = {
      ...sent,
      id: '7',
      meta: { versionId: '3' },
      text: { status: 'generated' },
      subject: { reference: 'https://ehr.example.org/fhir/Patient/p-1', display: 'Made up' },
      content: [{ attachment }],
    };
    expect(isSameContent(sent, as(standing))).toBe(true);
  });

  it.each([
    ['another status', { ...sent, status: 'superseded' }],
    ['another patient', { ...sent, subject: { reference: 'Patient/p-10' } }],
    ['one attachment more', { ...sent, content: [{ attachment }, { attachment }] }],
    ['less than was sent', { resourceType: 'DocumentReference', status: 'current' }],
    ['another type', { ...sent, resourceType: 'Media' }],
  ])('%s is a change', (_, standing) => {
    expect(isSameContent(sent, as(standing))).toBe(false);
  });

  it('a patient is recognised by the reference, with any address in front and any version', () => {
    const subject = { reference: 'https://ehr.example.org/fhir/Patient/p-1/_history/4' };
    expect(patientOf(as({ resourceType: 'Flag', subject }))).toBe('Patient/p-1');
    expect(patientOf(as({ resourceType: 'Task', for: { reference: 'Patient/p-2' } }))).toBe('Patient/p-2');
    expect(patientOf(as({ resourceType: 'Device' }))).toBeUndefined();
    expect(literalOf({ reference: 'urn:uuid:1' })).toBeUndefined();
  });
});

describe('frozen bytes', () => {
  const body = JSON.stringify({
    resourceType: 'Condition',
    note: [{ text: 'a text may say "reference":"urn:uuid:a" and stays as it is' }],
    evidence: [{ detail: [{ reference: 'urn:uuid:a' }, { reference: 'urn:uuid:b' }] }],
  });

  it('only references are replaced, and only those that are known', () => {
    const rendered = renderBody(body, new Map([['urn:uuid:a', 'Composition/1']]));
    expect(JSON.parse(rendered)).toEqual({
      resourceType: 'Condition',
      note: [{ text: 'a text may say "reference":"urn:uuid:a" and stays as it is' }],
      evidence: [{ detail: [{ reference: 'Composition/1' }, { reference: 'urn:uuid:b' }] }],
    });
    expect(openReferences(rendered, new Map())).toEqual(['urn:uuid:b']);
  });

  it('rendering gives the same bytes each time', () => {
    const known = new Map([['urn:uuid:b', 'Device/2']]);
    expect(sha256(renderBody(body, known))).toBe(sha256(renderBody(body, known)));
    expect(renderBody(body, new Map())).toBe(body);
  });
});
