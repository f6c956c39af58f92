import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startSandboxEhr, type TestEhr } from '../support/sandbox-ehr.ts';
import { aCondition, anEntry, aTransaction, type Call, callsTo, someConditions, withIdentity } from './fhir-calls.ts';

let ehr: TestEhr;
let call: Call;
let monotonicMs = 0;

beforeEach(async () => {
  monotonicMs = 0;
  ehr = await startSandboxEhr({ monotonicMs: () => monotonicMs });
  call = callsTo(ehr.baseUrl);
  ehr.store.put({ resourceType: 'Patient', id: 'p-2' });
});
afterEach(() => ehr.close());

const idsOf = async (query: string) =>
  (await call('GET', query)).json.entry?.map(({ resource }) => resource?.id).toSorted() ?? [];

describe('searches with a lag', () => {
  it('do not show new resources until the time is over', async () => {
    ehr.faults.set([{ mode: 'search-lag', ms: 1_000 }]);
    const { id } = (await call('POST', 'Condition', { body: aCondition('a') })).json;
    await call('POST', '', { body: someConditions(2) });
    expect(await idsOf('Condition?patient=p-1')).toEqual([]);
    expect((await call('GET', `Condition/${id}`)).status).toBe(200);
    monotonicMs = 1_000;
    expect(await idsOf('Condition?patient=p-1')).toHaveLength(3);
  });

  it('do not show new resources until they are released', async () => {
    ehr.faults.set([{ mode: 'search-lag' }]);
    await call('POST', 'Condition', { body: aCondition('a') });
    expect(await idsOf(`Condition?${withIdentity('a')}`)).toEqual([]);
    ehr.faults.release();
    expect(await idsOf(`Condition?${withIdentity('a')}`)).toHaveLength(1);
  });

  it('hide a stored resource also if its answer was lost', async () => {
    ehr.faults.set([{ mode: 'search-lag' }, { mode: 'lost-answer', how: 'empty', isStored: true }]);
    await call('POST', 'Condition', { body: aCondition('a') });
    expect(await idsOf(`Condition?${withIdentity('a')}`)).toEqual([]);
    expect(ehr.store.all('Condition')).toHaveLength(1);
  });

  it.each([
    [false, 1],
    [true, 2],
  ])('can affect conditional creates, too: %s', async (alsoConditions, count) => {
    ehr.faults.set([{ mode: 'search-lag', alsoConditions }]);
    const headers = { 'if-none-exist': withIdentity('a') };
    for (let turn = 0; turn < 2; turn += 1) await call('POST', 'Condition', { body: aCondition('a'), headers });
    expect(ehr.store.all('Condition')).toHaveLength(count);
  });
});

describe('searches for identifiers', () => {
  beforeEach(() => {
    for (const value of ['a', 'b']) ehr.store.put({ ...aCondition(value), id: value });
  });

  it.each([
    ['refused', 400, []],
    ['ignored', 200, ['a', 'b']],
    ['nothing', 200, []],
  ] as const)('%s', async (how, status, ids) => {
    ehr.faults.set([{ mode: 'identifier-search', how, isAnnounced: true }]);
    const query = `Condition?${withIdentity('a')}&patient=p-1`;
    expect((await call('GET', query)).status).toBe(status);
    expect(await idsOf(query)).toEqual(ids);
    expect(await idsOf('Condition?patient=p-1')).toEqual(['a', 'b']);
    expect((await call('GET', 'metadata')).text).not.toContain('"name":"identifier"');
  });

  it('are ignored in forms, too', async () => {
    ehr.faults.set([{ mode: 'identifier-search', how: 'ignored' }]);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { json } = await call('POST', 'Condition/_search', { body: withIdentity('a'), headers });
    expect(json.entry).toHaveLength(2);
  });

  it('can return resources of other patients', async () => {
    ehr.store.put({ ...aCondition('foreign', { subject: { reference: 'Patient/p-2' } }), id: 'foreign' });
    ehr.faults.set([{ mode: 'foreign-results' }]);
    expect(await idsOf('Condition?patient=p-1')).toEqual(['a', 'b', 'foreign']);
  });
});

describe('updates', () => {
  const update = (text: string, headers: Record<string, string> = { 'if-match': 'W/"1"' }) =>
    call('PUT', 'Condition/a', { body: { ...aCondition('a', { code: { text } }), id: 'a' }, headers });

  beforeEach(() => {
    ehr.store.put({ ...aCondition('a'), id: 'a' });
  });

  it('can be refused as if another user had been faster', async () => {
    ehr.faults.set([{ mode: 'update-conflict', times: 1 }]);
    expect([(await update('Fever')).status, (await update('Fever')).status]).toEqual([412, 200]);
  });

  it('can overwrite a newer version', async () => {
    ehr.faults.set([{ mode: 'if-match-ignored' }]);
    expect((await update('Fever', { 'if-match': 'W/"77"' })).status).toBe(200);
    const entry = anEntry({ ...aCondition('a'), id: 'a' }, { method: 'PUT', url: 'Condition/a', ifMatch: 'W/"77"' });
    expect((await call('POST', '', { body: aTransaction([entry]) })).status).toBe(200);
  });

  it('can come just after a clinician’s update', async () => {
    ehr.faults.set([{ mode: 'edited-in-between', after: 1, times: 1, change: { code: { text: 'Croup' } } }]);
    expect((await update('Fever')).status).toBe(200);
    expect((await update('Rash', { 'if-match': 'W/"2"' })).status).toBe(412);
    expect(ehr.store.get('Condition/a')).toMatchObject({ code: { text: 'Croup' } });
    expect(ehr.store.writes().at(-1)).toMatchObject({ author: 'another-user', version: '3' });
  });

  it('can come just after a clinician’s update in a transaction, too', async () => {
    ehr.faults.set([{ mode: 'edited-in-between', times: 1 }]);
    const entry = anEntry({ ...aCondition('a'), id: 'a' }, { method: 'PUT', url: 'Condition/a', ifMatch: 'W/"1"' });
    expect((await call('POST', '', { body: aTransaction([entry]) })).status).toBe(412);
  });

  it.each([400, 404] as const)('of a missing resource can be refused with %d', async (status) => {
    ehr.faults.set([{ mode: 'update-as-create-refused', status }]);
    const body = { ...aCondition('n'), id: 'n' };
    expect((await call('PUT', 'Condition/n', { body })).status).toBe(status);
    expect((await update('Fever')).status).toBe(200);
  });
});

describe('charts that change during a run', () => {
  const afterwards = () => call('GET', 'metadata');

  it('the patient is merged into another one, with the encounter', async () => {
    ehr.faults.set([{ mode: 'merged-patient', patient: 'p-1', into: 'p-2', encounter: 'e-1' }]);
    await afterwards();
    expect(ehr.store.get('Patient/p-1')).toMatchObject({
      active: false,
      link: [{ type: 'replaced-by', other: { reference: 'Patient/p-2' } }],
    });
    expect(ehr.store.get('Encounter/e-1')).toMatchObject({ subject: { reference: 'Patient/p-2' } });
    await afterwards();
    expect(ehr.store.writes().filter(({ author }) => author === 'another-user')).toHaveLength(2);
  });

  it('the encounter becomes another patient’s, just before the transaction', async () => {
    ehr.faults.set([{ mode: 'moved-encounter', encounter: 'e-1', to: 'p-2', on: { isTransaction: true } }]);
    await afterwards();
    expect(ehr.store.get('Encounter/e-1')).toMatchObject({ subject: { reference: 'Patient/p-1' } });
    await call('POST', '', { body: someConditions(1) });
    expect(ehr.store.get('Encounter/e-1')).toMatchObject({ subject: { reference: 'Patient/p-2' } });
  });

  it.each([undefined, 'entered-in-error'])('the encounter is cancelled: %s', async (status) => {
    ehr.faults.set([{ mode: 'cancelled-encounter', encounter: 'e-1', ...(status && { status }) }]);
    await afterwards();
    expect(ehr.store.get('Encounter/e-1')).toMatchObject({ status: status ?? 'cancelled' });
  });

  it('a fault for a missing chart answers with the reason', async () => {
    ehr.faults.set([{ mode: 'cancelled-encounter', encounter: 'nowhere' }]);
    const answer = await call('GET', 'Patient/p-1');
    expect([answer.status, answer.text.includes('not there')]).toEqual([500, true]);
  });

  it('the patient is deleted', async () => {
    ehr.faults.set([{ mode: 'deleted-patient', patient: 'p-1' }]);
    expect((await call('GET', 'Patient/p-1')).status).toBe(410);
  });
});
