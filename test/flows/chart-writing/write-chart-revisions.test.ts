import { describe, expect, it } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import type { ChartFacts } from '../../../src/domain/chart/chart.ts';
import { someCapabilities } from '../../fakes/ehr-capabilities.ts';
import { aDisease } from '../../support/chart-facts.ts';
import { isRetired } from '../../support/chart-invariants.ts';
import { aHospital, aLiveSite, aResult, type Hospital } from '../../support/chart-writing.ts';

const NO_TRIAGE = { triage: { triage_level: 'WHITE', triage_justification: '', triage_recommendation: '' } } as const;
const second = (changes: Parameters<typeof aResult>[0] = {}) =>
  aResult({ run: 'run-2', time: '2026-03-02T11:00:00Z', ...changes });
const only = (hospital: Hospital, type: string): string => {
  const [resource] = hospital.written(type);
  return `${type}/${resource?.id}`;
};
const conditionOf = ({ ehr }: Hospital, code: string) =>
  ehr.store
    .all()
    .filter((resource) => resource.resourceType === 'Condition' && resource.code?.text === `Disease ${code}`);
const withProbabilities = (probabilities: Readonly<Record<string, number>>, run = 'run-1'): ChartFacts => {
  const facts = aResult({ run });
  const diseases = Object.entries(probabilities).map(([code, probability]) =>
    aDisease({ name: `Disease ${code}`, icd10_code: code, probability, category: 'expanded' }),
  );
  return { ...facts, diagnosis: { ...NO_TRIAGE, diagnosis: { diseases } } };
};
const sign = (resource: Resource): Resource => {
  if (resource.resourceType === 'Composition') return { ...resource, status: 'final' };
  return resource.resourceType === 'DocumentReference' ? { ...resource, docStatus: 'final' } : resource;
};

describe('another result of the same session', () => {
  it('makes a new version of an unsigned document, on the version that was written', async () => {
    const hospital = aHospital();
    await hospital.write();
    const reference = only(hospital, 'DocumentReference');
    const outcome = await hospital.write(second({ plan: 'Sputum culture.' }));
    expect(outcome).toMatchObject({ status: 'written' });
    expect(hospital.written('DocumentReference')).toHaveLength(1);
    expect(hospital.ehr.store.history(reference).map(({ version }) => version)).toEqual(['1', '2']);
    expect(JSON.stringify(hospital.ehr.store.get(reference)?.resource)).toContain('Sputum culture.');
    expect(outcome.status === 'written' && outcome.resources).toContainEqual({
      document: 'document-reference',
      reference,
      status: 'updated',
    });
  });

  it('never changes a Condition in place: the old one is retired and a new one made', async () => {
    const hospital = aHospital();
    await hospital.write();
    await hospital.write(second({ diseases: ['J18.9', 'J44.1'] }));
    const [old] = conditionOf(hospital, 'J20.9');
    expect(old).toMatchObject({ verificationStatus: { coding: [{ code: 'entered-in-error' }] } });
    expect(old).not.toHaveProperty('clinicalStatus');
    expect(conditionOf(hospital, 'J44.1')).toHaveLength(1);
    expect(conditionOf(hospital, 'J18.9').filter((one) => !isRetired(one))).toHaveLength(1);
  });

  it('leaves unchanged documents as they are', async () => {
    const hospital = aHospital();
    await hospital.write();
    const [kept] = conditionOf(hospital, 'J18.9');
    await hospital.write(second({ plan: 'Sputum culture.' }));
    expect(hospital.ehr.store.history(`Condition/${kept?.id}`)).toHaveLength(1);
    expect(hospital.written('Condition')).toHaveLength(2);
  });

  it('comes with a Provenance of its own', async () => {
    const hospital = aHospital();
    await hospital.write();
    await hospital.write(second({ plan: 'Sputum culture.' }));
    expect(hospital.written('Provenance')).toHaveLength(2);
    expect(JSON.stringify(hospital.written('Provenance'))).not.toContain('urn:uuid:');
  });

  it('retires Conditions that the site does not want any more, unless a person has changed them', async () => {
    const likelyOnly = aLiveSite({ write: { conditions: { least: 0.5, most: 5 } } });
    const hospital = aHospital();
    await hospital.write(withProbabilities({ 'J18.9': 0.62, 'J20.9': 0.21, 'J44.1': 0.02 }));
    const [touched] = conditionOf(hospital, 'J44.1');
    const reference = `Condition/${touched?.id}`;
    hospital.ehr.edit(reference, (condition) => ({ ...condition, language: 'pt' }));
    const again = withProbabilities({ 'J18.9': 0.62, 'J20.9': 0.21, 'J44.1': 0.02 }, 'run-2');
    const outcome = await hospital.write(again, likelyOnly);
    expect(outcome).toMatchObject({ status: 'written', left: [{ document: 'condition', reference, why: 'touched' }] });
    const isGone = (code: string) => conditionOf(hospital, code).map(isRetired);
    expect([isGone('J18.9'), isGone('J20.9'), isGone('J44.1')]).toEqual([[false], [true], [false]]);
    const [assessment] = hospital.written('RiskAssessment').filter((one) => !isRetired(one));
    expect(JSON.stringify(assessment)).not.toContain(conditionOf(hospital, 'J20.9')[0]?.id);
  });

  it('writes a disease that returns after it was retired under a new identity', async () => {
    const hospital = aHospital();
    await hospital.write();
    await hospital.write(second({ diseases: ['J18.9'] }));
    const third = aResult({ run: 'run-3', time: '2026-03-02T12:00:00Z' });
    expect(await hospital.write(third)).toMatchObject({ status: 'written' });
    const both = conditionOf(hospital, 'J20.9');
    expect(both.map(isRetired)).toEqual([true, false]);
    const names = both.map((one) => 'identifier' in one && JSON.stringify(one.identifier));
    expect(new Set(names).size).toBe(2);
  });

  it('leaves a Condition that a person changed, and reports it', async () => {
    const hospital = aHospital();
    await hospital.write();
    const [touched] = conditionOf(hospital, 'J20.9');
    const reference = `Condition/${touched?.id}`;
    hospital.ehr.edit(reference, (condition) => ({ ...condition, language: 'pt' }));
    const outcome = await hospital.write(second({ diseases: ['J18.9'] }));
    expect(outcome).toMatchObject({ status: 'written', left: [{ document: 'condition', reference, why: 'touched' }] });
    expect(hospital.ehr.store.history(reference).map(({ by }) => by)).toEqual(['engine', 'person']);
  });

  it('parks a document that a person changed, and overwrites nothing', async () => {
    const hospital = aHospital();
    await hospital.write();
    const reference = only(hospital, 'Composition');
    hospital.ehr.edit(reference, (composition) => ({ ...composition, language: 'pt' }));
    const before = hospital.ehr.sent.length;
    expect(await hospital.write(second({ plan: 'Sputum culture.' }))).toMatchObject({
      status: 'parked',
      reason: 'touched',
      references: [reference],
    });
    expect(hospital.ehr.sent).toHaveLength(before);
  });

  it('parks a document that a person changes at the same moment, and overwrites nothing', async () => {
    const hospital = aHospital();
    await hospital.write();
    const reference = only(hospital, 'Composition');
    hospital.ehr.misbehave({
      on: 'update',
      type: 'Composition',
      nth: 1,
      before: (ehr) => ehr.edit(reference, (composition) => ({ ...composition, language: 'pt' })),
    });
    expect(await hospital.write(second({ plan: 'Sputum culture.' }))).toMatchObject({
      status: 'parked',
      reason: 'touched',
    });
    expect(hospital.ehr.store.history(reference).map(({ by }) => by)).toEqual(['engine', 'person']);
  });

  it('appends to a signed document, and never changes it', async () => {
    const hospital = aHospital();
    await hospital.write();
    const reference = only(hospital, 'DocumentReference');
    hospital.ehr.edit(reference, sign);
    expect(await hospital.write(second({ plan: 'Sputum culture.' }))).toMatchObject({ status: 'written' });
    expect(hospital.ehr.store.history(reference).map(({ by }) => by)).toEqual(['engine', 'person']);
    const [, addition] = hospital.written('DocumentReference');
    expect(addition).toMatchObject({ relatesTo: [{ code: 'appends', target: { reference } }] });
  });

  it('replaces a document if the EHR accepts no updates', async () => {
    const hospital = aHospital({
      capabilities: someCapabilities({ types: { DocumentReference: { canUpdate: false } } }),
    });
    await hospital.write();
    const reference = only(hospital, 'DocumentReference');
    await hospital.write(second({ plan: 'Sputum culture.' }));
    expect(hospital.written('DocumentReference')[1]).toMatchObject({
      relatesTo: [{ code: 'replaces', target: { reference } }],
    });
  });

  it('does not write again what a person has removed', async () => {
    const hospital = aHospital();
    await hospital.write();
    const [gone] = conditionOf(hospital, 'J18.9');
    const reference = `Condition/${gone?.id}`;
    hospital.ehr.edit(reference, (condition) =>
      condition.resourceType === 'Condition'
        ? { ...condition, verificationStatus: { coding: [{ code: 'entered-in-error' }] } }
        : condition,
    );
    const outcome = await hospital.write(second({ plan: 'Sputum culture.' }));
    expect(outcome).toMatchObject({ status: 'written', left: [{ reference, why: 'touched' }] });
    expect(conditionOf(hospital, 'J18.9')).toHaveLength(1);
  });

  it('waits until uncertain writes of the earlier result are resolved', async () => {
    const hospital = aHospital({ misbehaviours: [{ on: 'transact', nth: 2, does: 'drop-unknown' }] });
    await expect(hospital.write()).rejects.toMatchObject({ code: 'ehrUncertain' });
    await expect(hospital.write(second({ plan: 'Sputum culture.' }))).rejects.toMatchObject({ code: 'ehrUncertain' });
    hospital.runtime.advance(150_000);
    expect(await hospital.write(second({ plan: 'Sputum culture.' }))).toMatchObject({ status: 'written' });
    expect(hospital.written('DocumentReference')).toHaveLength(1);
    expect(JSON.stringify(hospital.written('DocumentReference'))).toContain('Sputum culture.');
  });

  it('finds an update whose answer was lost', async () => {
    const hospital = aHospital();
    await hospital.write();
    hospital.ehr.misbehave({ on: 'update', does: 'commit-unknown' });
    expect(await hospital.write(second({ plan: 'Sputum culture.' }))).toMatchObject({ status: 'written' });
    const reference = only(hospital, 'DocumentReference');
    expect(hospital.ehr.store.history(reference)).toHaveLength(2);
  });

  it('retires what a process that died had not retired yet', async () => {
    const hospital = aHospital();
    await hospital.write();
    hospital.ehr.misbehave({ on: 'update', type: 'Condition', does: 'throw-unavailable' });
    await expect(hospital.write(second({ diseases: ['J18.9', 'J44.1'] }))).rejects.toMatchObject({
      code: 'ehrUnavailable',
    });
    hospital.ehr.behave();
    hospital.runtime.advance(150_000);
    const third = aResult({ run: 'run-3', time: '2026-03-02T12:00:00Z', diseases: ['J18.9', 'J44.1'] });
    expect(await hospital.write(third)).toMatchObject({ status: 'written' });
    const live = hospital.written('Condition').filter((one) => !isRetired(one));
    expect(live.map((one) => one.resourceType === 'Condition' && one.code?.text)).toEqual([
      'Disease J18.9',
      'Disease J44.1',
    ]);
    expect(hospital.written('RiskAssessment').filter((one) => !isRetired(one))).toHaveLength(1);
  });

  it('tells its own update, whose answer was lost, from a person’s', async () => {
    const hospital = aHospital();
    await hospital.write();
    hospital.ehr.misbehave(
      { on: 'update', type: 'DocumentReference', does: 'commit-unknown' },
      { on: 'read', type: 'DocumentReference', nth: 3, does: 'throw-unavailable' },
    );
    await expect(hospital.write(second({ plan: 'Sputum culture.' }))).rejects.toMatchObject({ code: 'ehrUnavailable' });
    hospital.ehr.behave();
    hospital.runtime.advance(150_000);
    const third = aResult({ run: 'run-3', time: '2026-03-02T12:00:00Z', plan: 'Nothing else.' });
    expect(await hospital.write(third)).toMatchObject({ status: 'written' });
    expect(hospital.ehr.store.history(only(hospital, 'DocumentReference'))).toHaveLength(3);
  });

  it('notices a person’s change right after the write, before it was counted', async () => {
    const hospital = aHospital({
      misbehaviours: [
        {
          on: 'find',
          type: 'Composition',
          nth: 2,
          before: (ehr) => {
            const reference = ehr.store.references().find((each) => each.startsWith('Composition/')) ?? '';
            ehr.edit(reference, (composition) => ({ ...composition, language: 'pt' }));
          },
        },
      ],
    });
    expect(await hospital.write()).toMatchObject({ status: 'written' });
    expect(await hospital.write(second({ plan: 'Sputum culture.' }))).toMatchObject({
      status: 'parked',
      reason: 'touched',
    });
    const history = hospital.ehr.store.history(only(hospital, 'Composition'));
    expect(history.map(({ by }) => by)).toEqual(['engine', 'person']);
  });
});
