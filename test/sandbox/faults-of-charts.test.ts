import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
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

describe('searches that are behind', () => {
  test('do not show what is new until the time is over', async () => {
    ehr.faults.set([{ mode: 'search-lag', ms: 1_000 }]);
    const { id } = (await call('POST', 'Condition', { body: aCondition('a') })).json;
    await call('POST', '', { body: someConditions(2) });
    expect(await idsOf('Condition?patient=p-1')).toEqual([]);
    expect((await call('GET', `Condition/${id}`)).status).toBe(200);
    monotonicMs = 1_000;
    expect(await idsOf('Condition?patient=p-1')).toHaveLength(3);
  });

  test('do not show what is new until they are let go', async () => {
    ehr.faults.set([{ mode: 'search-lag' }]);
    await call('POST', 'Condition', { body: aCondition('a') });
    expect(await idsOf(`Condition?${withIdentity('a')}`)).toEqual([]);
    ehr.faults.release();
    expect(await idsOf(`Condition?${withIdentity('a')}`)).toHaveLength(1);
  });

  test('hide what was stored also where the answer to it was lost', async () => {
    ehr.faults.set([{ mode: 'search-lag' }, { mode: 'lost-answer', how: 'empty', isStored: true }]);
    await call('POST', 'Condition', { body: aCondition('a') });
    expect(await idsOf(`Condition?${withIdentity('a')}`)).toEqual([]);
    expect(ehr.store.all('Condition')).toHaveLength(1);
  });

  test.each([
    [false, 1],
    [true, 2],
  ])('may fool conditions, too: %s', async (alsoConditions, count) => {
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

  test.each([
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

  test('are ignored in forms, too', async () => {
    ehr.faults.set([{ mode: 'identifier-search', how: 'ignored' }]);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { json } = await call('POST', 'Condition/_search', { body: withIdentity('a'), headers });
    expect(json.entry).toHaveLength(2);
  });

  test('may bring other patients’ resources', async () => {
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

  test('may be refused as if somebody had been faster', async () => {
    ehr.faults.set([{ mode: 'update-conflict', times: 1 }]);
    expect([(await update('Fever')).status, (await update('Fever')).status]).toEqual([412, 200]);
  });

  test('may overwrite what is there, whatever they were made for', async () => {
    ehr.faults.set([{ mode: 'if-match-ignored' }]);
    expect((await update('Fever', { 'if-match': 'W/"77"' })).status).toBe(200);
    const entry = anEntry({ ...aCondition('a'), id: 'a' }, { method: 'PUT', url: 'Condition/a', ifMatch: 'W/"77"' });
    expect((await call('POST', '', { body: aTransaction([entry]) })).status).toBe(200);
  });

  test('may come just after a clinician’s', async () => {
    ehr.faults.set([{ mode: 'edited-in-between', after: 1, times: 1, change: { code: { text: 'Croup' } } }]);
    expect((await update('Fever')).status).toBe(200);
    expect((await update('Rash', { 'if-match': 'W/"2"' })).status).toBe(412);
    expect(ehr.store.get('Condition/a')).toMatchObject({ code: { text: 'Croup' } });
    expect(ehr.store.writes().at(-1)).toMatchObject({ author: 'another-user', version: '3' });
  });

  test('may come just after a clinician’s in transactions, too', async () => {
    ehr.faults.set([{ mode: 'edited-in-between', times: 1 }]);
    const entry = anEntry({ ...aCondition('a'), id: 'a' }, { method: 'PUT', url: 'Condition/a', ifMatch: 'W/"1"' });
    expect((await call('POST', '', { body: aTransaction([entry]) })).status).toBe(412);
  });

  test.each([400, 404] as const)('of what is not there may be refused with %d', async (status) => {
    ehr.faults.set([{ mode: 'update-as-create-refused', status }]);
    const body = { ...aCondition('n'), id: 'n' };
    expect((await call('PUT', 'Condition/n', { body })).status).toBe(status);
    expect((await update('Fever')).status).toBe(200);
  });
});

describe('charts that change while they are worked on', () => {
  const afterwards = () => call('GET', 'metadata');

  test('the patient is merged into another one, with the encounter', async () => {
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

  test('the encounter becomes another patient’s, just before the transaction', async () => {
    ehr.faults.set([{ mode: 'moved-encounter', encounter: 'e-1', to: 'p-2', on: { isTransaction: true } }]);
    await afterwards();
    expect(ehr.store.get('Encounter/e-1')).toMatchObject({ subject: { reference: 'Patient/p-1' } });
    await call('POST', '', { body: someConditions(1) });
    expect(ehr.store.get('Encounter/e-1')).toMatchObject({ subject: { reference: 'Patient/p-2' } });
  });

  test.each([undefined, 'entered-in-error'])('the encounter is cancelled: %s', async (status) => {
    ehr.faults.set([{ mode: 'cancelled-encounter', encounter: 'e-1', ...(status && { status }) }]);
    await afterwards();
    expect(ehr.store.get('Encounter/e-1')).toMatchObject({ status: status ?? 'cancelled' });
  });

  test('a fault about a chart that is not there says so', async () => {
    ehr.faults.set([{ mode: 'cancelled-encounter', encounter: 'nowhere' }]);
    const answer = await call('GET', 'Patient/p-1');
    expect([answer.status, answer.text.includes('not there')]).toEqual([500, true]);
  });

  test('the patient is deleted', async () => {
    ehr.faults.set([{ mode: 'deleted-patient', patient: 'p-1' }]);
    expect((await call('GET', 'Patient/p-1')).status).toBe(410);
  });
});
