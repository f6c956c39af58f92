// A dry replay says of each document in the chart what a real replay then does, also of documents that a person signed, changed or removed.
import { describe, expect, it } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import type { Diagnosis } from '../../src/domain/diagnosis/diagnosis.ts';
import type { Run } from '../../src/domain/run/run.ts';
import type { ChartDifference } from '../../src/domain/run/step-results.ts';
import { aRunTestbed } from '../support/run-testbed.ts';

type Testbed = ReturnType<typeof aRunTestbed>;

const NEVER = new AbortController().signal;

/** Replays the only run from `write-note` or `diagnose`, first dry and then for good. */
async function replayTwice(testbed: Testbed) {
  const { id } = await testbed.onlyRun();
  const dry = await testbed.runs.replay({ id, from: 'write-note', isDry: true });
  await testbed.work();
  const sent = testbed.ehr.sent.length;
  const real = await testbed.runs.replay({ id, from: 'write-note', isDry: false });
  await testbed.work();
  const run = await testbed.runs.find(real.id, 'all');
  if (run === undefined) throw new Error('the replay is gone');
  const { map } = await testbed.runs.results(dry.id);
  return { differences: map?.differences ?? [], run, wasWritten: testbed.ehr.sent.length > sent };
}

async function written(): Promise<Testbed> {
  const testbed = aRunTestbed();
  await testbed.accept();
  await testbed.work();
  return testbed;
}

const referenceOf = (testbed: Testbed, type: string) => {
  const found = testbed.hospital.written().find(({ resourceType }) => resourceType === type);
  return `${type}/${found?.id}`;
};

function changeNote(testbed: Testbed): void {
  const { note } = testbed.reasoner.script;
  testbed.reasoner.script.note = (request) => {
    const answer = note(request);
    const sections = [{ key: 'PLAN', title: 'Plan', text: 'Come back in a week.' }];
    return answer.isMedical ? { ...answer, note: { ...answer.note, sections } } : answer;
  };
}

type Diseases = Diagnosis['diagnosis']['diseases'];

function changeDiseases(testbed: Testbed, change: (diseases: Diseases) => Diseases): void {
  const { diagnosis } = testbed.reasoner.script;
  testbed.reasoner.script.diagnosis = (request) => {
    const answer = diagnosis(request) as Diagnosis;
    return { ...answer, diagnosis: { ...answer.diagnosis, diseases: change(answer.diagnosis.diseases) } };
  };
}

function changeDiagnosis(testbed: Testbed): void {
  changeDiseases(testbed, (diseases) =>
    diseases.map((one) => ({ ...one, name: `${one.name}, suspected`, why: 'Other reasons.', probability: 0.6 })),
  );
}

const of = (differences: readonly ChartDifference[], document: string) => {
  const { would, why } = differences.find((one) => one.document === document) ?? {};
  return why === undefined ? would : `${would}: ${why}`;
};

/** What the real replay did with a document that was in the chart before. */
function doneWith(run: Run, reference: string): string {
  const left = run.left.find((one) => one.reference === reference);
  if (left !== undefined) return `kept: ${left.why}`;
  return run.resources.find((one) => one.reference === reference)?.status ?? run.status;
}

const sign = (resource: Resource): Resource => ({ ...resource, docStatus: 'final' }) as Resource;
const confirm = (resource: Resource): Resource =>
  ({ ...resource, verificationStatus: { coding: [{ code: 'confirmed' }] } }) as Resource;
const correct = (resource: Resource): Resource => ({ ...resource, language: 'es' }) as Resource;

describe('a dry replay', () => {
  it('of the same result says that nothing would be done, and nothing is', async () => {
    const testbed = await written();
    const { differences, run, wasWritten } = await replayTwice(testbed);
    expect(differences.map(({ would, why, change }) => [would, why, change])).toEqual(
      differences.map(() => ['keep', undefined, 'same']),
    );
    expect(run.resources.map(({ status }) => status)).toEqual(run.resources.map(() => 'unchanged'));
    expect(wasWritten).toBe(false);
  });

  it('of a new note says that the unsigned one would be updated', async () => {
    const testbed = await written();
    const reference = referenceOf(testbed, 'DocumentReference');
    changeNote(testbed);
    const { differences, run } = await replayTwice(testbed);
    expect(of(differences, 'document-reference')).toBe('update');
    expect(doneWith(run, reference)).toBe('updated');
  });

  it('of a new note says that one that was signed in the EHR stays, and a new one would be added', async () => {
    const testbed = await written();
    const reference = referenceOf(testbed, 'DocumentReference');
    testbed.ehr.edit(reference, sign);
    changeNote(testbed);
    const { differences, run } = await replayTwice(testbed);
    expect(of(differences, 'document-reference')).toBe('append');
    const added = run.resources.filter(({ document }) => document === 'document-reference');
    expect(added.filter(({ status }) => status === 'created')).toHaveLength(1);
    expect(added.map((one) => one.reference)).not.toEqual([reference]);
  });

  it('of a new note says that it would be parked, and write nothing, if a person changed the old one', async () => {
    const testbed = await written();
    testbed.ehr.edit(referenceOf(testbed, 'DocumentReference'), correct);
    changeNote(testbed);
    changeDiagnosis(testbed);
    const { differences, run, wasWritten } = await replayTwice(testbed);
    expect(of(differences, 'document-reference')).toBe('park: touched');
    expect(of(differences, 'risk-assessment')).toBe('keep: parked');
    expect([run.status, run.reason, wasWritten]).toEqual(['parked', 'touched', false]);
  });

  it.each([
    ['removed', (testbed: Testbed, reference: string) => void testbed.ehr.remove(reference, NEVER)],
    [
      'set entered-in-error',
      (testbed: Testbed, reference: string) =>
        void testbed.ehr.edit(reference, (one) => ({ ...one, status: 'entered-in-error' }) as Resource),
    ],
  ])('of a new note says that one that a person has %s would not be written again', async (_, act) => {
    const testbed = await written();
    const reference = referenceOf(testbed, 'DocumentReference');
    act(testbed, reference);
    changeNote(testbed);
    const { differences, run } = await replayTwice(testbed);
    expect(of(differences, 'document-reference')).toBe('keep: removed');
    expect(doneWith(run, reference)).toBe('kept: touched');
    expect(run.resources.filter(({ document }) => document === 'document-reference')).toEqual([]);
  });

  it('of a new diagnosis says that the old statements would be replaced, and those that a person confirmed or changed kept', async () => {
    const testbed = await written();
    const [condition, risk] = [referenceOf(testbed, 'Condition'), referenceOf(testbed, 'RiskAssessment')];
    testbed.ehr.edit(risk, correct);
    changeDiagnosis(testbed);
    const { differences, run } = await replayTwice(testbed);
    expect(of(differences, 'condition')).toBe('replace');
    expect(doneWith(run, condition)).toBe('retired');
    expect(of(differences, 'risk-assessment')).toBe('keep: touched');
    expect(doneWith(run, risk)).toBe('kept: touched');
  });

  it('of a new diagnosis says that a confirmed Condition would be kept', async () => {
    const testbed = await written();
    const condition = referenceOf(testbed, 'Condition');
    testbed.ehr.edit(condition, confirm);
    changeDiagnosis(testbed);
    const { differences, run } = await replayTwice(testbed);
    expect(of(differences, 'condition')).toMatch(/^keep: (signed|touched)$/);
    expect(doneWith(run, condition)).toMatch(/^kept: (signed|touched)$/);
  });

  it('of a diagnosis without a candidate says that its Condition would be retracted', async () => {
    const testbed = await written();
    const condition = referenceOf(testbed, 'Condition');
    changeDiseases(testbed, () => []);
    const { differences, run } = await replayTwice(testbed);
    expect(of(differences, 'condition')).toBe('retract');
    expect(doneWith(run, condition)).toBe('retired');
  });

  it('of the same result by another version of the model says that nothing would be done, and nothing is', async () => {
    const testbed = await written();
    testbed.reasoner.script.answeredBy = { model: 'fake-2026-03' };
    const { differences, run } = await replayTwice(testbed);
    expect(differences.map(({ would }) => would)).toEqual(differences.map(() => 'keep'));
    expect(run.resources.map(({ status }) => status)).toEqual(run.resources.map(() => 'unchanged'));
  });
});
