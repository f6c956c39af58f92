import { describe, expect, it } from '@jest/globals';
import type { Encounter, Patient } from '@medplum/fhirtypes';
import type { Permission } from '../../../src/domain/history/chart-context.ts';
import { makeWriteChart } from '../../../src/flows/chart-writing/write-chart.ts';
import type { Ehr } from '../../../src/ports/ehr.ts';
import type { Ledger } from '../../../src/ports/ledger.ts';
import { isRetired } from '../../support/chart-invariants.ts';
import {
  aHospital,
  aLiveSite,
  aResult,
  ENCOUNTER,
  type Hospital,
  OTHER_PATIENT,
  PATIENT,
} from '../../support/chart-writing.ts';

const DOCUMENTS = ['Composition', 'DocumentReference', 'Condition', 'RiskAssessment', 'Provenance'];
const documentsOf = (hospital: Hospital) =>
  hospital.written().filter(({ resourceType }) => DOCUMENTS.includes(resourceType));
const cancelled: Encounter = { ...ENCOUNTER, status: 'cancelled' };
const moved: Encounter = { ...ENCOUNTER, subject: { reference: 'Patient/p-2' } };
const merged: Patient = { ...PATIENT, link: [{ type: 'replaced-by', other: { reference: 'Patient/p-2' } }] };
const refusal = (then: 'hold' | 'skip'): Permission => ({
  isGranted: false,
  then,
  reason: 'consent',
  message: 'the patient does not want it.',
});

describe('right before the write', () => {
  it('an encounter that has another patient now parks, and nothing is written', async () => {
    const hospital = aHospital();
    hospital.ehr.put(moved);
    expect(await hospital.write()).toMatchObject({
      status: 'parked',
      reason: 'identity',
      references: ['Encounter/e-1'],
    });
    expect(documentsOf(hospital)).toEqual([]);
  });

  it('an encounter that moves to another patient while the documents are mapped parks, too', async () => {
    const hospital = aHospital({
      misbehaviours: [{ on: 'transact', nth: 1, before: (ehr) => ehr.put(moved) }],
    });
    expect(await hospital.write()).toMatchObject({ status: 'parked', reason: 'identity' });
    expect(documentsOf(hospital)).toEqual([]);
  });

  it('an encounter that is not in the EHR any more parks', async () => {
    const hospital = aHospital({ resources: [PATIENT] });
    expect(await hospital.write()).toMatchObject({ status: 'parked', reason: 'identity' });
    expect(documentsOf(hospital)).toEqual([]);
  });

  it('a patient with another date of birth parks', async () => {
    const hospital = aHospital();
    hospital.ehr.put({ ...PATIENT, birthDate: '1971-01-01' });
    expect(await hospital.write()).toMatchObject({ status: 'parked', reason: 'identity' });
    expect(documentsOf(hospital)).toEqual([]);
  });

  it('a patient who was merged into the encounter’s present one: the write continues with that one', async () => {
    const hospital = aHospital();
    hospital.ehr.put(moved);
    hospital.ehr.put(merged);
    expect(await hospital.write()).toMatchObject({ status: 'written', patient: 'Patient/p-2' });
    const subjects = documentsOf(hospital).flatMap((one) => ('subject' in one && one.subject ? [one.subject] : []));
    expect(new Set(subjects.map((subject) => JSON.stringify(subject)))).toEqual(
      new Set(['{"reference":"Patient/p-2"}']),
    );
    expect(OTHER_PATIENT.id).toBe('p-2');
  });

  it('a cancelled encounter: nothing is written, and unsigned documents are retracted', async () => {
    const hospital = aHospital();
    await hospital.write();
    hospital.ehr.put(cancelled);
    const outcome = await hospital.write(aResult({ run: 'run-2', plan: 'Something else.' }));
    expect(outcome).toMatchObject({ status: 'retracted' });
    const statements = documentsOf(hospital).filter(({ resourceType }) => resourceType !== 'Provenance');
    expect(statements.filter((one) => !isRetired(one))).toEqual([]);
    expect(JSON.stringify(statements)).not.toContain('Something else.');
  });

  it('a cancelled encounter without documents: nothing is written', async () => {
    const hospital = aHospital();
    hospital.ehr.put(cancelled);
    expect(await hospital.write()).toMatchObject({ status: 'retracted', resources: [], left: [] });
    expect(documentsOf(hospital)).toEqual([]);
  });

  it.each([
    ['hold', 'held'],
    ['skip', 'skipped'],
  ] as const)('consent that was withdrawn meanwhile (%s): nothing is written', async (then, status) => {
    const hospital = aHospital({ permission: () => refusal(then) });
    expect(await hospital.write()).toMatchObject({ status, reason: 'consent' });
    expect(documentsOf(hospital)).toEqual([]);
  });

  it('consent that is withdrawn between two tries: the second sends nothing', async () => {
    let permission: Permission = { isGranted: true };
    const hospital = aHospital({
      permission: () => permission,
      misbehaviours: [{ on: 'transact', nth: 2, does: 'drop-unknown' }],
    });
    await hospital.write().catch(() => undefined);
    permission = refusal('hold');
    hospital.runtime.advance(60_000);
    expect(await hospital.write()).toMatchObject({ status: 'held', reason: 'consent' });
    expect(documentsOf(hospital)).toEqual([]);
  });
});

describe('several writers', () => {
  it('a writer that finds the chart leased is asked to come later', async () => {
    const hospital = aHospital();
    await hospital.ledger.acquire('mercy/Patient/p-1', 'somebody', 30_000);
    await expect(hospital.write()).rejects.toMatchObject({ code: 'inUse' });
    expect(hospital.ehr.sent).toEqual([]);
    hospital.runtime.advance(31_000);
    expect(await hospital.write()).toMatchObject({ status: 'written' });
  });

  it('the chart is free again at once after a write and after a failed one', async () => {
    const hospital = aHospital({ misbehaviours: [{ on: 'read', nth: 1, does: 'throw-unavailable' }] });
    await expect(hospital.write()).rejects.toMatchObject({ code: 'ehrUnavailable' });
    await hospital.write();
    expect(await hospital.ledger.acquire('mercy/Patient/p-1', 'somebody', 30_000)).toBeDefined();
  });

  it('ten sessions of ten patients at once make one Device', async () => {
    const numbers = Array.from({ length: 10 }, (_, index) => index);
    const people = numbers.map((n): Patient => ({ resourceType: 'Patient', id: `many-${n}` }));
    const visits = numbers.map(
      (n): Encounter => ({ ...ENCOUNTER, id: `visit-${n}`, subject: { reference: `Patient/many-${n}` } }),
    );
    const hospital = aHospital({ resources: [...people, ...visits], searchLagMs: 3_000 });
    const outcomes = await Promise.all(
      visits.map((encounter, n) =>
        hospital.write(aResult({ run: `run-${n}`, encounter, patient: people[n] ?? PATIENT })),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(Array(10).fill('written'));
    expect(hospital.written('Device')).toHaveLength(1);
    expect(hospital.written('Composition')).toHaveLength(10);
  });

  it('a process that slept longer than its lease sends nothing any more', async () => {
    const hospital = aHospital();
    const { ehr, runtime, site } = hospital;
    const sleepy: Ehr = {
      ...ehr,
      find: async (order, signal) => {
        const answer = await ehr.find(order, signal);
        runtime.advance(31_000);
        return answer;
      },
    };
    const write = makeWriteChart({ ...hospital.parts, ehrs: { ...ehr.ehrs, of: () => sleepy } });
    const { signal } = new AbortController();
    await expect(write({ site, facts: aResult() }, signal)).rejects.toMatchObject({ code: 'inUse' });
    expect(ehr.sent).toEqual([]);
  });

  it('new documents are looked for together with the people, once, and again after the write', async () => {
    const hospital = aHospital();
    await hospital.write();
    const { ehr } = hospital;
    const sent = ehr.calls.findIndex(({ call, about }) => call === 'transact' && about.includes('"Composition"'));
    const people = ehr.calls.findIndex(({ about }) => about === 'Encounter/e-1');
    const typesOf = (calls: typeof ehr.calls) => calls.filter(({ call }) => call === 'find').map(({ type }) => type);
    expect(typesOf(ehr.calls.slice(people, sent)).toSorted()).toEqual(DOCUMENTS.toSorted());
    expect(typesOf(ehr.calls.slice(sent)).toSorted()).toEqual(DOCUMENTS.toSorted());
  });

  it('they are looked for again if it took long until they could be frozen', async () => {
    const hospital = aHospital();
    const { ehr, ledger, runtime, site } = hospital;
    const slow: Ledger = {
      ...ledger,
      freeze: async (lease, place, revision) => {
        const frozen = await ledger.freeze(lease, place, revision);
        // Another client has stored a copy in the meantime.
        if (revision.kind === 'documents') {
          const [composition] = revision.writes.filter(({ type }) => type === 'Composition');
          ehr.put({ ...JSON.parse(composition?.body ?? ''), id: 'foreign', title: 'another one' });
          runtime.advance(5_000);
        }
        return frozen;
      },
    };
    const write = makeWriteChart({ ...hospital.parts, ledger: slow });
    const outcome = await write({ site, facts: aResult() }, new AbortController().signal);
    expect(outcome).toMatchObject({ status: 'parked', reason: 'ambiguous', references: ['Composition/foreign'] });
    expect(hospital.written('Condition')).toEqual([]);
  });

  it('nothing is sent under a lease that was confirmed too long ago', async () => {
    const hospital = aHospital();
    const { ehr, ledger, runtime, site } = hospital;
    const confirmedAtMs: number[] = [];
    const slow: Ledger = {
      ...ledger,
      beginSending: async (...sending) => {
        confirmedAtMs.push(runtime.monotonicMs());
        const sentAt = await ledger.beginSending(...sending);
        if (confirmedAtMs.length === 1) runtime.advance(6_000);
        return sentAt;
      },
    };
    const write = makeWriteChart({ ...hospital.parts, ledger: slow });
    await write({ site, facts: aResult() }, new AbortController().signal);
    const [first] = ehr.calls.filter(({ call }) => call === 'transact');
    expect(confirmedAtMs.slice(0, 2)).toEqual([0, 6_000]);
    expect(first?.atMs).toBe(6_000);
  });

  it('another model gets another Device', async () => {
    const hospital = aHospital();
    await hospital.write();
    await hospital.write(aResult({ run: 'run-2', session: 'session-2', model: 'newer-model' }));
    expect(hospital.written('Device')).toHaveLength(2);
  });
});

describe('a site whose EHR has changed', () => {
  it('is not written to', async () => {
    const hospital = aHospital();
    await hospital.write();
    const before = hospital.ehr.sent.length;
    const elsewhere = aLiveSite({ baseUrl: 'https://other.example.org/fhir' });
    expect(await hospital.write(aResult({ run: 'run-2', session: 'session-2' }), elsewhere)).toMatchObject({
      status: 'parked',
      reason: 'other-ehr',
    });
    expect(hospital.ehr.sent).toHaveLength(before);
  });
});
