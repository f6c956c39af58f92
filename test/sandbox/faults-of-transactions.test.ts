import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startSandboxEhr, type TestEhr } from '../support/sandbox-ehr.ts';
import { until } from '../support/until.ts';
import {
  aCondition,
  anEntry,
  aTransaction,
  type Call,
  callsTo,
  someConditions,
  statusesOf,
  withIdentity,
} from './fhir-calls.ts';

let ehr: TestEhr;
let call: Call;

beforeEach(async () => {
  ehr = await startSandboxEhr();
  call = callsTo(ehr.baseUrl);
});
afterEach(() => ehr.close());

const transact = (count: number, isConditional = false) =>
  call('POST', '', { body: someConditions(count, isConditional) });
const stored = () => ehr.store.all('Condition').length;
const textOf = (answer: { readonly json: Record<string, unknown> }) => JSON.stringify(answer.json['issue']);

describe('an EHR with a limit of eight entries', () => {
  it('refuses nine entries if one has a condition, and accepts nine without conditions', async () => {
    ehr.faults.set([{ mode: 'entry-limit' }]);
    const refused = await transact(9, true);
    expect(refused.status).toBe(400);
    expect(textOf(refused)).toContain('Transaction requires strict isolation but has too many entries');
    expect(stored()).toBe(0);
    expect((await transact(8, true)).status).toBe(200);
    expect((await transact(9)).status).toBe(200);
  });

  it('counts an update by condition as a condition', async () => {
    ehr.faults.set([{ mode: 'entry-limit', maxEntries: 1 }]);
    const update = anEntry(aCondition('u'), { method: 'PUT', url: `Condition?${withIdentity('u')}` });
    expect((await call('POST', '', { body: aTransaction([update, anEntry(aCondition('a'))]) })).status).toBe(400);
  });
});

describe('an EHR whose conditional transactions disturb each other', () => {
  it('stores one of two simultaneous transactions, and the other when it is sent again', async () => {
    ehr.faults.set([{ mode: 'disturbed', takesMs: 600_000 }]);
    const one = { body: aTransaction([anEntry(aCondition('a'), { ifNoneExist: withIdentity('a') })]) };
    const other = { body: aTransaction([anEntry(aCondition('b'), { ifNoneExist: withIdentity('b') })]) };
    const first = call('POST', '', one);
    await until(() => ehr.faults.seen.length === 1);
    const refused = await call('POST', '', other);
    expect([refused.status, stored()]).toEqual([400, 0]);
    expect(textOf(refused)).toContain('Assigned ID is already in use');
    ehr.faults.release();
    expect((await first).status).toBe(200);
    ehr.faults.set([{ mode: 'disturbed' }]);
    expect((await call('POST', '', other)).status).toBe(200);
    expect(stored()).toBe(2);
  });

  it('can refuse the first transactions without a second one', async () => {
    ehr.faults.set([{ mode: 'disturbed', times: 2, status: 409 }]);
    const statuses = [await transact(1, true), await transact(1, true), await transact(1, true)];
    expect(statuses.map(({ status }) => status)).toEqual([409, 409, 200]);
  });

  it('does not disturb transactions without conditions', async () => {
    ehr.faults.set([{ mode: 'disturbed', times: 1 }]);
    expect((await transact(1)).status).toBe(200);
  });
});

describe('an EHR that runs transactions entry by entry', () => {
  const withBad = aTransaction([anEntry(aCondition('a')), anEntry({ resourceType: 'Condition' } as never)]);

  it.each(['batch-response', 'transaction-response'] as const)(
    'stores some of them, and calls it a %s',
    async (says) => {
      ehr.faults.set([{ mode: 'transaction-as-batch', says }]);
      const answer = await call('POST', '', { body: withBad });
      expect([answer.status, answer.json['type'], statusesOf(answer)]).toEqual([200, says, ['201', '400']]);
      expect(stored()).toBe(1);
    },
  );

  it('can stop in the middle', async () => {
    ehr.faults.set([{ mode: 'stops-midway', times: 1 }]);
    const answer = await transact(5);
    expect(statusesOf(answer)).toEqual(['201', '201', '201', '422', '422']);
    expect(stored()).toBe(3);
  });
});

it.each([400, 404, 405] as const)('an EHR without transactions can answer %d', async (status) => {
  ehr.faults.set([{ mode: 'no-transactions', status, isAnnounced: true }]);
  expect((await transact(2)).status).toBe(status);
  expect(stored()).toBe(0);
  const { json } = await call('GET', 'metadata');
  expect(json['rest']).toMatchObject([{ interaction: [{ code: 'batch' }] }]);
});

describe('an EHR without conditional create', () => {
  const create = () =>
    call('POST', 'Condition', { body: aCondition('a'), headers: { 'if-none-exist': withIdentity('a') } });

  it('makes a duplicate if it ignores the condition, alone and in transactions', async () => {
    ehr.faults.set([{ mode: 'no-conditional-create' }]);
    expect([(await create()).status, (await create()).status]).toEqual([201, 201]);
    await transact(1, true);
    await transact(1, true);
    expect(stored()).toBe(4);
  });

  it.each([400, 412, 501] as const)('can refuse it with %d', async (how) => {
    ehr.faults.set([{ mode: 'no-conditional-create', how, isAnnounced: true }]);
    expect([(await create()).status, (await transact(1, true)).status, stored()]).toEqual([how, how, 0]);
    const { json } = await call('GET', 'metadata');
    expect(JSON.stringify(json)).not.toContain('"conditionalCreate":true');
  });

  it('two simultaneous creates both store a resource if the condition is checked too early', async () => {
    ehr.faults.set([{ mode: 'conditional-race' }]);
    const answers = await Promise.all([create(), create()]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(stored()).toBe(2);
  });

  it('two consecutive creates store one resource even if the condition is checked too early', async () => {
    ehr.faults.set([{ mode: 'conditional-race', windowMs: 1 }]);
    expect([(await create()).status, (await create()).status, stored()]).toEqual([201, 200, 1]);
    expect(statusesOf(await transact(1, true))).toEqual(['201']);
    expect(statusesOf(await transact(1, true))).toEqual(['200']);
  });
});
