import { describe, expect, it } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import { AI_LABEL, stampResource } from '../../../src/domain/chart/stamp.ts';
import { someFacts } from '../../support/chart-facts.ts';

const identity = { system: 'urn:chartwright:mercy', value: 'e-1/s-1/condition/J18.9' };
const stamp = (resource: object, facts = someFacts()) =>
  stampResource({ resource: resource as Resource, identity, facts }) as unknown as Record<string, unknown>;

describe('the stamp of a document', () => {
  it('has its identity beside others, if the type has a list of identifiers', () => {
    expect(stamp({ resourceType: 'Condition' })['identifier']).toEqual([identity]);
  });

  it('has its identity alone, if the type has one identifier: a mapping cannot remove it', () => {
    const stamped = stamp({ resourceType: 'Composition', identifier: { system: 'x', value: 'y' } });
    expect(stamped['identifier']).toEqual(identity);
  });

  it('identifiers of the mapping stay beside it, but none in the engine’s own system', () => {
    const own = [
      { system: 'urn:oid:1.2', value: '7' },
      { system: identity.system, value: 'another' },
    ];
    expect(stamp({ resourceType: 'Condition', identifier: own })['identifier']).toEqual([identity, own[0]]);
  });

  it('has its identity as a tag, if the type has no identifier', () => {
    const stamped = stamp({ resourceType: 'Provenance' });
    expect(stamped).not.toHaveProperty('identifier');
    expect(stamped['meta']).toMatchObject({ tag: [{ system: identity.system, code: identity.value }] });
  });

  it('has the label for made by a machine, once', () => {
    const twice = stamp(stamp({ resourceType: 'Condition', meta: { profile: ['http://example.org/p'] } }));
    expect(twice['meta']).toEqual({ profile: ['http://example.org/p'], security: [AI_LABEL] });
  });

  it('has the confidentiality of its inputs', () => {
    const { meta } = stamp({ resourceType: 'Condition' }, someFacts({ confidentiality: 'R' }));
    expect(meta).toMatchObject({
      security: [AI_LABEL, { system: 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality', code: 'R' }],
    });
  });

  it('a Device makes no statement about a patient, and has no label', () => {
    expect(stamp({ resourceType: 'Device' }, someFacts({ confidentiality: 'R' }))).toEqual({
      resourceType: 'Device',
      identifier: [identity],
    });
  });

  it('a mapping cannot assign an identity in the engine’s system, in a tag either', () => {
    const forged = { system: identity.system, code: 'other-encounter/session-1/provenance' };
    const own = { system: 'urn:oid:1.2', code: 'kept' };
    const { meta } = stamp({ resourceType: 'Provenance', meta: { tag: [forged, own] } });
    expect(meta).toMatchObject({ tag: [own, { system: identity.system, code: identity.value }] });
  });

  it.each([
    ['meta', { resourceType: 'Condition', meta: null }],
    ['labels', { resourceType: 'Condition', meta: { security: [null], tag: null } }],
    ['identifiers', { resourceType: 'Condition', identifier: [null, 'x'] }],
  ])('%s of nothing are no hindrance', (_, resource) => {
    expect(stamp(resource)).toMatchObject({ identifier: [identity], meta: { security: [AI_LABEL] } });
  });

  it('the input is not changed', () => {
    const given = Object.freeze({ resourceType: 'Condition', meta: Object.freeze({ tag: Object.freeze([]) }) });
    expect(() => stamp(given)).not.toThrow();
  });
});
