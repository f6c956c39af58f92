// The AuditEvent of a read is sound FHIR in the shape of BALP, and says who, what, why and from where, without a name or text.
import { describe, expect, it } from '@jest/globals';
import { auditEventOf, type ChartRead } from '../../../src/domain/people/chart-read-event.ts';
import { validateResources } from '../../../src/validation/validate-resource.ts';
import { checkWithAll } from '../../support/fhir-checkers.ts';

const URL = 'https://charts.example.org';
const READ: ChartRead = {
  site: 'mercy',
  kind: 'read',
  at: new Date('2026-03-02T10:00:00Z'),
  actor: 'person/00000000000000aa',
  practitioner: 'Practitioner/7',
  purpose: 'TREAT',
  address: '192.0.2.7',
  patient: 'Patient/1',
  encounter: 'Encounter/2',
  run: '0b0e7c52-0000-4000-8000-000000000001',
};
const BARE: ChartRead = { site: 'mercy', kind: 'read', at: READ.at, actor: 'operator', patient: 'Patient/1' };

const codesOf = (read: ChartRead) =>
  auditEventOf(read, URL).agent.map(({ type, network, requestor }) => [
    type?.coding?.[0]?.code,
    network?.address,
    requestor,
  ]);

describe('the AuditEvent of a read', () => {
  it.each([
    ['a person', READ],
    ['a person, by break-glass', { ...READ, purpose: 'BTG' }],
    ['the operator key, of whom nothing else is known', BARE],
    ['a reviewer who decides', { ...READ, kind: 'decision', actor: 'reviewer/ab12' }],
  ] satisfies [string, ChartRead][])('by %s is sound FHIR, by four checkers', (_, read) => {
    const event = auditEventOf(read, URL);
    expect(validateResources([event])).toEqual([]);
    expect(checkWithAll(event)).toEqual([]);
  });

  it('says who read what, why, when and from where', () => {
    const event = auditEventOf(READ, URL);
    expect(event).toMatchObject({
      type: { code: 'rest' },
      subtype: [{ code: 'read' }],
      action: 'R',
      outcome: '0',
      recorded: '2026-03-02T10:00:00.000Z',
      source: { observer: { display: 'Chartwright' } },
    });
    expect(codesOf(READ)).toEqual([
      ['110153', URL, false],
      ['110152', '192.0.2.7', false],
      ['IRCP', undefined, true],
    ]);
    expect(event.agent[2]).toMatchObject({
      who: {
        reference: 'Practitioner/7',
        identifier: { system: 'urn:chartwright:mercy', value: 'person/00000000000000aa' },
      },
      purposeOfUse: [{ coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ActReason', code: 'TREAT' }] }],
    });
    expect(event.entity?.map(({ what, role }) => [what?.reference ?? what?.identifier?.value, role?.code])).toEqual([
      ['Patient/1', '1'],
      ['Encounter/2', '4'],
      [`run/${READ.run}`, '4'],
    ]);
  });

  it('of a decision is an update, from the reader to the engine', () => {
    const event = auditEventOf({ ...READ, kind: 'decision' }, URL);
    expect([event.action, event.subtype?.[0]?.code]).toEqual(['U', 'update']);
    expect(codesOf({ ...READ, kind: 'decision' }).slice(0, 2)).toEqual([
      ['110153', '192.0.2.7', false],
      ['110152', URL, false],
    ]);
  });

  it('leaves out what is not known', () => {
    const event = auditEventOf(BARE, URL);
    expect(event.agent[2]).toEqual({
      type: { coding: [expect.anything()] },
      who: { identifier: { system: 'urn:chartwright:mercy', value: 'operator' } },
      requestor: true,
    });
    expect(event.entity).toHaveLength(1);
    expect(event.agent[1]).not.toHaveProperty('network');
  });
});
