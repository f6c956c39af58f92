// Unusual EHRs and machines: clocks that differ, an EHR restored from an old copy, another EHR behind the same name, one that stores
// resources in its own words, one that answers 412 each time.
import { describe, expect, it } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import { makeRetractSession } from '../../../src/flows/chart-writing/retract-session.ts';
import { makeWriteChart } from '../../../src/flows/chart-writing/write-chart.ts';
import type { Ehr } from '../../../src/ports/ehr.ts';
import { isRetired } from '../../support/chart-invariants.ts';
import {
  aHospital,
  aLiveSite,
  aResult,
  DOUBT_MS,
  ENCOUNTER,
  type Hospital,
  PLACE,
} from '../../support/chart-writing.ts';

const NEVER = new AbortController().signal;
const second = (changes: Parameters<typeof aResult>[0] = {}) =>
  aResult({ run: 'run-2', time: '2026-03-02T11:00:00Z', ...changes });
const only = (hospital: Hospital, type: string) => `${type}/${hospital.written(type)[0]?.id}`;

function writeThrough({ parts, site }: Hospital, change: (ehr: Ehr) => Partial<Ehr>, facts = second()) {
  const ehr = parts.ehrs.of(site);
  const ehrs = { ...parts.ehrs, of: () => ({ ...ehr, ...change(ehr) }) };
  return makeWriteChart({ ...parts, ehrs })({ site, facts }, NEVER);
}

it('a machine whose clock is an hour ahead of the database still waits for an uncertain write', async () => {
  const hospital = aHospital({ searchLagMs: 20_000 });
  for (let tries = 0; tries < 3; tries += 1) {
    await hospital.write(aResult({ session: 'earlier' })).catch(() => undefined);
    hospital.runtime.advance(DOUBT_MS);
  }
  hospital.ehr.misbehave({ on: 'transact', nth: 1, does: 'commit-unknown' });
  await expect(hospital.write()).rejects.toMatchObject({ code: 'ehrUncertain' });
  hospital.ehr.behave();
  const now = () => new Date(hospital.runtime.now().getTime() + 3_600_000);
  const write = makeWriteChart({ ...hospital.parts, runtime: { ...hospital.runtime, now } });
  const order = { site: hospital.site, facts: aResult() };
  await expect(write(order, NEVER)).rejects.toMatchObject({ code: 'ehrUncertain' });
  hospital.runtime.advance(DOUBT_MS);
  expect(await write(order, NEVER)).toMatchObject({ status: 'written' });
  expect(hospital.written('Composition')).toHaveLength(2);
});

describe('an EHR that was restored from an old copy and assigned the same ids again', () => {
  const foreign = (reference: string): Resource => {
    const [type = '', id = ''] = reference.split('/');
    const subject = { reference: 'Patient/p-2' };
    const resource = { resourceType: type, id, meta: { versionId: '1' }, subject, code: { text: 'Something else' } };
    return { ...resource, status: 'current', docStatus: 'preliminary' } as unknown as Resource;
  };
  const setBack = (references: readonly string[], updated: string[]) => (ehr: Ehr) => ({
    read: async (reference: string, signal: AbortSignal) =>
      references.includes(reference)
        ? { reference, version: '1', resource: foreign(reference) }
        : ehr.read(reference, signal),
    update: async (order: Parameters<Ehr['update']>[0], signal: AbortSignal) => {
      updated.push(order.reference);
      return ehr.update(order, signal);
    },
  });

  it('gets no new version over another patient’s resource', async () => {
    const hospital = aHospital();
    await hospital.write();
    const updated: string[] = [];
    const others = [only(hospital, 'DocumentReference'), only(hospital, 'Composition')];
    const outcome = await writeThrough(hospital, setBack(others, updated), second({ plan: 'Sputum culture.' }));
    expect(outcome).toMatchObject({ status: 'parked', reason: 'touched' });
    expect(updated).toEqual([]);
  });

  it('keeps another patient’s Condition as it is', async () => {
    const hospital = aHospital();
    await hospital.write();
    const updated: string[] = [];
    const reference = only(hospital, 'Condition');
    const outcome = await writeThrough(hospital, setBack([reference], updated), second({ diseases: ['J20.9'] }));
    expect(outcome).toMatchObject({ status: 'written', left: [{ document: 'condition', reference, why: 'touched' }] });
    expect(updated).not.toContain(reference);
  });

  it('gets nothing of an earlier plan, either', async () => {
    const hospital = aHospital();
    await hospital.write();
    hospital.ehr.misbehave({ on: 'update', does: 'throw-unavailable' });
    const facts = second({ plan: 'Sputum culture.' });
    await expect(hospital.write(facts)).rejects.toMatchObject({ code: 'ehrUnavailable' });
    hospital.ehr.behave();
    hospital.runtime.advance(DOUBT_MS);
    const updated: string[] = [];
    const references = [only(hospital, 'DocumentReference'), only(hospital, 'Composition')];
    const outcome = await writeThrough(hospital, setBack(references, updated), facts);
    expect(outcome).toMatchObject({ status: 'parked' });
    expect(updated).toEqual([]);
  });

  it('is not reported to hold documents that are gone', async () => {
    const hospital = aHospital();
    await hospital.write();
    const reference = only(hospital, 'DocumentReference');
    await hospital.ehr.remove(reference, NEVER);
    const outcome = await hospital.write(second());
    expect(outcome).toMatchObject({ status: 'written', left: [{ reference, why: 'touched' }] });
    expect(outcome.status === 'written' && outcome.resources.map((each) => each.reference)).not.toContain(reference);
  });
});

it('nothing is retracted in another EHR than the one that was written to', async () => {
  const hospital = aHospital();
  await hospital.write();
  const site = aLiveSite({ baseUrl: 'https://other.example.org/fhir' });
  const order = { site, place: PLACE, reason: 'Recalled.', run: { id: 'run-9', time: '2026-03-02T12:00:00Z' } };
  expect(await makeRetractSession(hospital.parts)(order, NEVER)).toMatchObject({
    status: 'parked',
    reason: 'other-ehr',
  });
  expect(hospital.written().filter(isRetired)).toEqual([]);
});

it('an update that the EHR stores in its own words counts as written', async () => {
  const hospital = aHospital();
  await hospital.write();
  const inItsOwnWay = (ehr: Ehr) => ({
    update: (order: Parameters<Ehr['update']>[0], signal: AbortSignal) => {
      const body = JSON.stringify({ ...JSON.parse(order.body), description: 'TIDIED BY THE EHR' });
      return ehr.update({ ...order, body }, signal);
    },
  });
  const outcome = await writeThrough(hospital, inItsOwnWay, second({ plan: 'Sputum culture.' }));
  expect(outcome).toMatchObject({ status: 'written', left: [] });
  const third = aResult({ run: 'run-3', time: '2026-03-02T12:00:00Z', plan: 'Nothing else.' });
  expect(await hospital.write(third)).toMatchObject({ status: 'written', left: [] });
});

describe('an EHR that answers 412 each time', () => {
  it.each([true, false])('parks a new document for a person (transactions: %s)', async (has) => {
    const hospital = aHospital({ hasTransaction: has });
    hospital.ehr.misbehave(
      { on: 'create', type: 'Composition', does: 'conflict' },
      { on: 'transact', does: 'conflict' },
    );
    expect(await hospital.write()).toMatchObject({ status: 'parked', reason: 'refused' });
  });

  it('parks a further version for a person', async () => {
    const hospital = aHospital();
    await hospital.write();
    hospital.ehr.misbehave({ on: 'update', type: 'Composition', does: 'conflict' });
    const reference = only(hospital, 'Composition');
    expect(await hospital.write(second({ plan: 'Sputum culture.' }))).toMatchObject({
      status: 'parked',
      reason: 'refused',
      references: [reference],
    });
    hospital.ehr.behave();
    expect(await hospital.write(second({ plan: 'Sputum culture.' }))).toMatchObject({ status: 'written' });
  });
});

it('an EHR that accepts drafts of notes but not of assessments counts as one that accepts drafts', async () => {
  const why = 'invalid at RiskAssessment.status';
  const misbehaviours = [{ on: 'create', type: 'RiskAssessment', does: 'refused', why }] as const;
  const hospital = aHospital({ hasTransaction: false, misbehaviours });
  expect(await hospital.write()).toMatchObject({ status: 'parked', reason: 'refused' });
});

describe('a result with nothing to write', () => {
  it('a cancelled encounter is retracted all the same', async () => {
    const hospital = aHospital();
    await hospital.write();
    hospital.ehr.put({ ...ENCOUNTER, status: 'cancelled' });
    expect(await hospital.write(second())).toMatchObject({ status: 'retracted' });
  });

  it('an encounter of another patient parks all the same', async () => {
    const hospital = aHospital();
    await hospital.write();
    hospital.ehr.put({ ...ENCOUNTER, subject: { reference: 'Patient/p-2' } });
    expect(await hospital.write(second())).toMatchObject({ status: 'parked', reason: 'identity' });
  });

  it('a statement that the new result lacks is retired', async () => {
    const site = aLiveSite({ write: { note: [], diagnosis: ['condition'], provenance: false } });
    const hospital = aHospital({ site });
    await hospital.write();
    expect(await hospital.write(second({ diseases: [] }))).toMatchObject({ status: 'written' });
    expect(hospital.written('Condition').map(isRetired)).toEqual([true, true]);
  });
});

it('documents that the EHR does not let the engine retire are all named, and the others are retired', async () => {
  const hospital = aHospital({ misbehaviours: [{ on: 'update', type: 'Condition', does: 'refused' }] });
  await hospital.write();
  const conditions = hospital.written('Condition').map(({ id }) => `Condition/${id}`);
  expect(await hospital.retract()).toMatchObject({
    status: 'parked',
    reason: 'retract-by-hand',
    references: conditions,
  });
  const inForce = hospital.written().filter((one) => !isRetired(one));
  expect(inForce.map(({ resourceType }) => resourceType)).toEqual([
    'Device',
    'Condition',
    'Condition',
    'Provenance',
    'Provenance',
  ]);
});
