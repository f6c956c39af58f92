import { describe, expect, test } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import { isRetired } from '../../support/chart-invariants.ts';
import { aHospital, aResult, type Hospital, PLACE } from '../../support/chart-writing.ts';

const statementsOf = (hospital: Hospital) =>
  hospital.written().filter(({ resourceType }) => resourceType !== 'Provenance' && resourceType !== 'Device');
const referenceOf = ({ resourceType, id }: Resource) => `${resourceType}/${id}`;
const sign = (resource: Resource): Resource =>
  resource.resourceType === 'Composition' ? { ...resource, status: 'final' } : resource;

describe('a session that is taken back', () => {
  test('leaves nothing in force of what nobody had signed', async () => {
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

  test('says so in a Provenance of what was taken back', async () => {
    const hospital = aHospital();
    await hospital.write();
    await hospital.retract();
    const [, record] = hospital.written('Provenance');
    const targets = record?.resourceType === 'Provenance' ? record.target.map(({ reference }) => reference) : [];
    expect(targets.toSorted()).toEqual(statementsOf(hospital).map(referenceOf).toSorted());
    expect(record).toMatchObject({ activity: { coding: [{ code: 'NULLIFY' }] } });
  });

  test('takes a Condition back by its verificationStatus, without a clinicalStatus', async () => {
    const hospital = aHospital();
    await hospital.write();
    await hospital.retract();
    for (const condition of hospital.written('Condition')) {
      expect(condition).toMatchObject({ verificationStatus: { coding: [{ code: 'entered-in-error' }] } });
      expect(condition).not.toHaveProperty('clinicalStatus');
    }
  });

  test('keeps what was signed, and asks for a person', async () => {
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

  test('is taken back once: the second time changes nothing', async () => {
    const hospital = aHospital();
    await hospital.write();
    await hospital.retract();
    const sent = hospital.ehr.sent.length;
    expect(await hospital.retract()).toMatchObject({ status: 'retracted', left: [] });
    expect(hospital.ehr.sent).toHaveLength(sent);
  });

  test('is nothing to do where nothing was written', async () => {
    const hospital = aHospital();
    expect(await hospital.retract()).toEqual({ status: 'retracted', resources: [], left: [] });
    expect(hospital.ehr.calls).toEqual([]);
  });

  test('leaves other sessions of the encounter as they are', async () => {
    const hospital = aHospital();
    await hospital.write();
    await hospital.write(aResult({ run: 'run-2', session: 'session-2' }));
    await hospital.retract({ ...PLACE, session: 'session-2' });
    expect(statementsOf(hospital).filter((one) => !isRetired(one))).toHaveLength(5);
  });

  test('goes on where it was broken off', async () => {
    const hospital = aHospital();
    await hospital.write();
    hospital.ehr.misbehave({ on: 'update', nth: 3, does: 'throw-unavailable' });
    await hospital.retract().catch(() => undefined);
    hospital.runtime.advance(60_000);
    expect(await hospital.retract()).toMatchObject({ status: 'retracted' });
    expect(statementsOf(hospital).every(isRetired)).toBe(true);
    expect(hospital.ehr.store.references().every((each) => hospital.ehr.store.history(each).length <= 2)).toBe(true);
  });

  test('finds what was written without a word before it is taken back', async () => {
    const hospital = aHospital({ misbehaviours: [{ on: 'transact', nth: 2, does: 'commit-unknown' }] });
    hospital.ehr.misbehave({ on: 'find', does: 'throw-unavailable' });
    await hospital.write().catch(() => undefined);
    hospital.ehr.behave();
    await hospital.retract().catch(() => undefined);
    hospital.runtime.advance(60_000);
    await hospital.retract();
    expect(statementsOf(hospital).every(isRetired)).toBe(true);
  });

  test('still names what it had to leave when it is taken up again', async () => {
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

  test('never calls taken back what may be there and cannot be looked for', async () => {
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
