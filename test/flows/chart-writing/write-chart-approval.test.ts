// An approval after its draft was written: it becomes the next version of the same documents, and never contradicts what the clinician
// made of them in the EHR.
import { describe, expect, it } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import type { ChartFacts } from '../../../src/domain/chart/chart.ts';
import { isRetired } from '../../support/chart-invariants.ts';
import { aHospital, aLiveSite, aResult, type Hospital } from '../../support/chart-writing.ts';

type Approval = Parameters<typeof aResult>[0] & { readonly decision?: 'approve' | 'edit' };

function approved({ decision = 'approve', ...changes }: Approval = {}): ChartFacts {
  const facts = aResult({ run: 'run-2', ...changes });
  const review = { decision, time: '2026-03-02T11:00:00Z', reviewer: 'Practitioner/dr-grey' };
  return { ...facts, run: { ...facts.run, status: decision === 'edit' ? 'amended' : 'final' }, review };
}

const note = (hospital: Hospital): string => `DocumentReference/${hospital.written('DocumentReference')[0]?.id}`;
const statusOf = (hospital: Hospital, type: string) =>
  hospital
    .written(type)
    .filter((one) => !isRetired(one))
    .map((one) => ('docStatus' in one ? one.docStatus : 'status' in one && one.status));
const sign = (resource: Resource): Resource =>
  resource.resourceType === 'DocumentReference' ? { ...resource, docStatus: 'final' } : resource;

const putRight = (resource: Resource): Resource =>
  resource.resourceType === 'DocumentReference' ? { ...resource, description: 'No X-ray: she is pregnant.' } : resource;

describe('an approval', () => {
  it('makes the drafts final, as further versions of the same documents', async () => {
    const hospital = aHospital();
    await hospital.write();
    expect(await hospital.write(approved())).toMatchObject({ status: 'written', left: [] });
    expect(statusOf(hospital, 'DocumentReference')).toEqual(['final']);
    expect(statusOf(hospital, 'Composition')).toEqual(['final']);
    expect(statusOf(hospital, 'RiskAssessment')).toEqual(['final']);
    expect(hospital.ehr.store.history(note(hospital))).toHaveLength(2);
  });

  it('updates an unchanged statement instead of making a new one', async () => {
    const hospital = aHospital();
    await hospital.write();
    const assessment = `RiskAssessment/${hospital.written('RiskAssessment')[0]?.id}`;
    await hospital.write(approved());
    expect(hospital.written('RiskAssessment')).toMatchObject([{ status: 'final', meta: { versionId: '2' } }]);
    expect(hospital.ehr.store.history(assessment)).toHaveLength(2);
    expect(hospital.written('Condition')).toHaveLength(2);
  });

  it('that is changed later replaces the result that it had approved', async () => {
    const hospital = aHospital();
    await hospital.write(approved());
    const outcome = await hospital.write(approved({ run: 'run-3', decision: 'edit', diseases: ['J18.9'] }));
    expect(outcome).toMatchObject({ status: 'written', left: [] });
    expect(statusOf(hospital, 'RiskAssessment')).toEqual(['amended']);
    expect(hospital.written('Condition').map(isRetired)).toEqual([false, true]);
  });

  it('stays in force beside the draft of a later run', async () => {
    const hospital = aHospital();
    await hospital.write(approved());
    const outcome = await hospital.write(aResult({ run: 'run-3', diseases: ['J18.9'] }));
    expect(outcome).toMatchObject({ status: 'written', left: [{ document: 'risk-assessment', why: 'signed' }] });
    expect(statusOf(hospital, 'RiskAssessment')).toEqual(['final']);
  });

  it('that arrives again writes nothing', async () => {
    const hospital = aHospital();
    await hospital.write();
    await hospital.write(approved());
    const before = hospital.ehr.sent.length;
    expect(await hospital.write(approved({ run: 'run-3' }))).toMatchObject({ status: 'written', left: [] });
    expect(hospital.ehr.sent).toHaveLength(before);
  });

  it('leaves a note that the clinician has corrected and signed in the EHR, and signs no other beside it', async () => {
    const hospital = aHospital();
    await hospital.write();
    hospital.ehr.edit(note(hospital), (resource) => putRight(sign(resource)));
    expect(await hospital.write(approved())).toMatchObject({
      status: 'written',
      left: [{ document: 'document-reference', reference: note(hospital), why: 'signed' }],
    });
    expect(hospital.written('DocumentReference')).toMatchObject([{ description: 'No X-ray: she is pregnant.' }]);
  });

  it('with other words than the note that was signed in the EHR needs a person', async () => {
    const hospital = aHospital();
    await hospital.write();
    hospital.ehr.edit(note(hospital), sign);
    expect(await hospital.write(approved({ decision: 'edit', plan: 'No X-ray.' }))).toMatchObject({
      status: 'parked',
      reason: 'touched',
      references: [note(hospital)],
    });
    expect(hospital.written('DocumentReference')).toHaveLength(1);
  });

  it('that is changed later is appended to the signed document', async () => {
    const hospital = aHospital();
    await hospital.write(approved());
    await hospital.write(approved({ run: 'run-3', decision: 'edit', plan: 'No X-ray.' }));
    expect(hospital.written('DocumentReference')).toMatchObject([
      { docStatus: 'final' },
      { docStatus: 'amended', relatesTo: [{ code: 'appends', target: { reference: note(hospital) } }] },
    ]);
  });

  it('of the same run is written even if the draft was not finished', async () => {
    const hospital = aHospital();
    hospital.ehr.misbehave({ on: 'transact', nth: 2, does: 'busy' }, { on: 'find', nth: 7, does: 'throw-unavailable' });
    await expect(hospital.write()).rejects.toMatchObject({ code: 'ehrUnavailable' });
    hospital.ehr.behave();
    expect(await hospital.write(approved({ run: 'run-1' }))).toMatchObject({ status: 'written' });
    expect(statusOf(hospital, 'DocumentReference')).toEqual(['final']);
  });
});

describe('a site with conditions: accepted', () => {
  const site = aLiveSite({ write: { conditions: 'accepted' } });

  it('a draft has none, and its approval has them', async () => {
    const hospital = aHospital({ site });
    await hospital.write();
    expect(hospital.written('Condition')).toEqual([]);
    await hospital.write(approved());
    expect(hospital.written('Condition')).toHaveLength(2);
  });

  it('a later draft retires no Condition that a clinician has accepted', async () => {
    const hospital = aHospital({ site });
    await hospital.write(approved());
    const outcome = await hospital.write(aResult({ run: 'run-3', plan: 'Sputum culture.', diseases: ['J44.1'] }));
    expect(outcome).toMatchObject({ status: 'written' });
    expect(outcome.status === 'written' && outcome.left.map(({ document, why }) => `${document} ${why}`)).toEqual(
      expect.arrayContaining(['condition signed', 'condition signed']),
    );
    expect(hospital.written('Condition').filter(isRetired)).toEqual([]);
  });
});
