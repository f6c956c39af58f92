import { describe, expect, it } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import { isRetired } from '../../support/chart-invariants.ts';
import { aHospital, aResult, type Hospital, PLACE } from '../../support/chart-writing.ts';

const statementsOf = (hospital: Hospital) =>
  hospital.written().filter(({ resourceType }) => resourceType !== 'Provenance' && resourceType !== 'Device');
const referenceOf = ({ resourceType, id }: Resource) => `${resourceType}/${id}`;
const sign = (resource: Resource): Resource =>
  resource.resourceType === 'Composition' ? { ...resource, status: 'final' } : resource;

describe('a retracted session', () => {
  it('has no unsigned document in force any more', async () => {
    const hospital = aHospital();
    await hospital.write();
    const outcome = await hospital.retract();
    expect(outcome).toMatchObject({ status: 'retracted', left: [] });
    expect(statementsOf(hospital)).toHaveLength(5);
    expect(statementsOf(hospital).every(isRetired)).toBe(true);
    const resources = outcome.status === 'retracted' ? outcome.resources : [];
    expect(resources.map(({ reference }) => reference).toSorted()).toEqual(
      statementsOf(hospital).map(referenceOf).toSorted(),
    );
  });

  it('has a Provenance of the retracted documents', async () => {
    const hospital = aHospital();
    await hospital.write();
    await hospital.retract();
    const [, record] = hospital.written('Provenance');
    const targets = record?.resourceType === 'Provenance' ? record.target.map(({ reference }) => reference) : [];
    expect(targets.toSorted()).toEqual(statementsOf(hospital).map(referenceOf).toSorted());
    expect(record).toMatchObject({ activity: { coding: [{ code: 'NULLIFY' }] } });
  });

  it('retires a Condition by its verificationStatus, without a clinicalStatus', async () => {
    const hospital = aHospital();
    await hospital.write();
    await hospital.retract();
    for (const condition of hospital.written('Condition')) {
      expect(condition).toMatchObject({ verificationStatus: { coding: [{ code: 'entered-in-error' }] } });
      expect(condition).not.toHaveProperty('clinicalStatus');
    }
  });

  it('keeps signed documents, and parks for a person', async () => {
    const hospital = aHospital();
    await hospital.write();
    const [composition] = hospital.written('Composition');
    const reference = composition ? referenceOf(composition) : '';
    hospital.ehr.edit(reference, sign);
    expect(await hospital.retract()).toMatchObject({
      status: 'parked',
      reason: 'retract-by-hand',
      references: [reference],
    });
    expect(hospital.ehr.store.history(reference).map(({ by }) => by)).toEqual(['engine', 'person']);
    const others = statementsOf(hospital).filter((one) => referenceOf(one) !== reference);
    expect(others.every(isRetired)).toBe(true);
  });

  it('is retracted once: a second retraction changes nothing', async () => {
    const hospital = aHospital();
    await hospital.write();
    await hospital.retract();
    const sent = hospital.ehr.sent.length;
    expect(await hospital.retract()).toMatchObject({ status: 'retracted', left: [] });
    expect(hospital.ehr.sent).toHaveLength(sent);
  });

  it('needs nothing if nothing was written', async () => {
    const hospital = aHospital();
    expect(await hospital.retract()).toEqual({ status: 'retracted', resources: [], left: [] });
    expect(hospital.ehr.calls).toEqual([]);
  });

  it('leaves other sessions of the encounter as they are', async () => {
    const hospital = aHospital();
    await hospital.write();
    await hospital.write(aResult({ run: 'run-2', session: 'session-2' }));
    await hospital.retract({ ...PLACE, session: 'session-2' });
    expect(statementsOf(hospital).filter((one) => !isRetired(one))).toHaveLength(5);
  });

  it('is continued after an interruption', async () => {
    const hospital = aHospital();
    await hospital.write();
    hospital.ehr.misbehave({ on: 'update', nth: 3, does: 'throw-unavailable' });
    await hospital.retract().catch(() => undefined);
    hospital.runtime.advance(60_000);
    expect(await hospital.retract()).toMatchObject({ status: 'retracted' });
    expect(statementsOf(hospital).every(isRetired)).toBe(true);
    expect(hospital.ehr.store.references().every((each) => hospital.ehr.store.history(each).length <= 2)).toBe(true);
  });

  it('includes a write whose answer was lost', async () => {
    const hospital = aHospital({ misbehaviours: [{ on: 'transact', nth: 2, does: 'commit-unknown' }] });
    hospital.ehr.misbehave({ on: 'find', does: 'throw-unavailable' });
    await hospital.write().catch(() => undefined);
    hospital.ehr.behave();
    await hospital.retract().catch(() => undefined);
    hospital.runtime.advance(60_000);
    await hospital.retract();
    expect(statementsOf(hospital).every(isRetired)).toBe(true);
  });

  it('names the documents that it had to leave, also after an interruption', async () => {
    const hospital = aHospital();
    await hospital.write();
    const [condition] = hospital.written('Condition');
    const reference = condition ? referenceOf(condition) : '';
    hospital.ehr.edit(reference, (touched) => ({ ...touched, language: 'pt' }));
    hospital.ehr.misbehave({ on: 'update', nth: 1, does: 'throw-unavailable' });
    await expect(hospital.retract()).rejects.toMatchObject({ code: 'ehrUnavailable' });
    hospital.runtime.advance(60_000);
    expect(await hospital.retract()).toMatchObject({
      status: 'parked',
      reason: 'retract-by-hand',
      references: [reference],
    });
  });

  it('names what the EHR refuses to change and what a person has changed as left in the chart', async () => {
    const hospital = aHospital();
    await hospital.write();
    const [condition] = hospital.written('Condition');
    const touched = condition ? referenceOf(condition) : '';
    hospital.ehr.edit(touched, (resource) => ({ ...resource, language: 'pt' }));
    hospital.ehr.misbehave({ on: 'update', type: 'RiskAssessment', does: 'refused' });
    const refused = hospital.written('RiskAssessment').map(referenceOf)[0] ?? '';
    const outcome = await hospital.retract();
    expect(outcome).toMatchObject({ status: 'parked', reason: 'retract-by-hand', references: [refused, touched] });
    expect(outcome).toHaveProperty('left', [
      { document: 'risk-assessment', reference: refused, why: 'unchangeable' },
      { document: expect.stringContaining('condition'), reference: touched, why: 'touched' },
    ]);
  });

  it('is not reported as retracted while an uncertain write cannot be searched for', async () => {
    const hospital = aHospital({
      cannotFind: ['Condition'],
      knows: [{ name: 'conditional', value: 'passed' }],
      misbehaviours: [{ on: 'transact', nth: 2, does: 'commit-unknown' }],
    });
    hospital.ehr.misbehave({ on: 'find', type: 'Composition', nth: 2, does: 'throw-unavailable' });
    await expect(hospital.write()).rejects.toMatchObject({ code: 'ehrUnavailable' });
    hospital.runtime.advance(60_000);
    const outcome = await hospital.retract();
    const isTakenBack = hospital.written('Condition').every(isRetired);
    expect(outcome.status).toBe(isTakenBack ? 'retracted' : 'parked');
  });
});
