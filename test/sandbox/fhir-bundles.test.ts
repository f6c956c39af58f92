import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openSandboxEhr, type SandboxEhr } from '../../src/sandbox/fhir/sandbox-ehr.ts';
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

let ehr: SandboxEhr;
let call: Call;

beforeEach(async () => {
  ehr = await openSandboxEhr();
  call = callsTo(ehr.baseUrl);
});
afterEach(() => ehr.close());

const bad = anEntry({ ...aCondition('bad'), subject: undefined } as never);

describe('a transaction', () => {
  it('is stored completely, with answers in the order of its entries', async () => {
    const answer = await call('POST', '', { body: someConditions(3) });
    expect(answer.json['type']).toBe('transaction-response');
    expect(statusesOf(answer)).toEqual(['201', '201', '201']);
    const [first] = answer.json.entry ?? [];
    expect(first?.response?.location).toBe(`Condition/${first?.resource?.id}`);
    expect(ehr.store.all('Condition').map(({ identifier }) => identifier?.[0]?.value)).toEqual(['c-1', 'c-2', 'c-3']);
  });

  it('is not stored at all if one of its entries is refused', async () => {
    ehr.store.put({ ...aCondition('old'), id: 'old' });
    const before = [ehr.store.counts(), ehr.store.writes()];
    const update = anEntry({ ...aCondition('new'), id: 'old' }, { method: 'PUT', url: 'Condition/old' });
    const gone = { request: { method: 'PUT' as const, url: 'Condition/nowhere' }, resource: aCondition('x') };
    for (const last of [bad, gone]) {
      const { status } = await call('POST', '', { body: aTransaction([update, anEntry(aCondition('a')), last]) });
      expect(status).toBeGreaterThanOrEqual(400);
      expect([ehr.store.counts(), ehr.store.writes()]).toEqual(before);
      expect((await call('GET', `Condition?${withIdentity('a')}`)).json.entry).toBeUndefined();
      expect((await call('GET', `Condition?${withIdentity('old')}`)).json.entry).toHaveLength(1);
      expect((await call('GET', 'Condition/old')).headers.get('etag')).toBe('W/"1"');
    }
  });

  it('resolves references between its entries in both directions, also in texts', async () => {
    const [one, two] = [
      'urn:uuid:0f9c9b1e-0000-4000-8000-000000000001',
      'urn:uuid:0f9c9b1e-0000-4000-8000-000000000002',
    ];
    const first = aCondition('a', {
      evidence: [{ detail: [{ reference: two }] }],
      text: { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml"><a href="${two}">b</a></div>` },
    });
    const second = aCondition('b', { evidence: [{ detail: [{ reference: one }] }] });
    const body = aTransaction([
      { ...anEntry(first), fullUrl: one ?? '' },
      { ...anEntry(second), fullUrl: two ?? '' },
    ]);
    const { json } = await call('POST', '', { body });
    const [a, b] = (json.entry ?? []).map(({ resource }) => `Condition/${resource?.id}`);
    expect(ehr.store.get(a ?? '')).toMatchObject({
      evidence: [{ detail: [{ reference: b }] }],
      text: { div: expect.stringContaining(`href="${b}"`) },
    });
    expect(ehr.store.get(b ?? '')).toMatchObject({ evidence: [{ detail: [{ reference: a }] }] });
  });

  it('resolves references to existing resources', async () => {
    ehr.store.put({ ...aCondition('a'), id: 'old' });
    const urn = 'urn:uuid:0f9c9b1e-0000-4000-8000-000000000001';
    const body = aTransaction([
      anEntry(aCondition('b', { evidence: [{ detail: [{ reference: urn }] }] })),
      { ...anEntry(aCondition('a'), { ifNoneExist: withIdentity('a') }), fullUrl: urn },
    ]);
    const answer = await call('POST', '', { body });
    expect(statusesOf(answer)).toEqual(['201', '200']);
    expect(answer.json.entry?.[1]?.response?.location).toBe('Condition/old');
    expect(answer.json.entry?.[0]?.resource).toMatchObject({
      evidence: [{ detail: [{ reference: 'Condition/old' }] }],
    });
  });

  it('stores nothing more if it is sent again with conditions, and returns the same locations', async () => {
    const body = someConditions(3, true);
    const [first, second] = [await call('POST', '', { body }), await call('POST', '', { body })];
    expect(statusesOf(second)).toEqual(['200', '200', '200']);
    const placesOf = (answer: typeof first) => answer.json.entry?.map(({ response }) => response?.location);
    expect(placesOf(second)).toEqual(placesOf(first));
    expect(ehr.store.all('Condition')).toHaveLength(3);
  });

  it('checks the versions of its updates', async () => {
    ehr.store.put({ ...aCondition('a'), id: 'old' });
    const update = (etag: string) =>
      aTransaction([
        anEntry(aCondition('b')),
        anEntry(
          { ...aCondition('a', { code: { text: 'Fever' } }), id: 'old' },
          { method: 'PUT', url: 'Condition/old', ifMatch: etag },
        ),
      ]);
    expect((await call('POST', '', { body: update('W/"7"') })).status).toBe(412);
    expect(ehr.store.all('Condition')).toHaveLength(1);
    expect(statusesOf(await call('POST', '', { body: update('W/"1"') }))).toEqual(['201', '200']);
  });

  it('is refused if several resources match one condition', async () => {
    for (const id of ['one', 'two']) ehr.store.put({ ...aCondition('c-2'), id });
    expect((await call('POST', '', { body: someConditions(3, true) })).status).toBe(412);
    expect(ehr.store.all('Condition')).toHaveLength(2);
  });

  it('must not have two entries for one resource', async () => {
    const twice = anEntry(aCondition('a'), { ifNoneExist: withIdentity('a') });
    expect((await call('POST', '', { body: aTransaction([twice, twice]) })).status).toBe(400);
    expect(ehr.store.counts()).toEqual({});
  });

  it('of three hundred entries passes', async () => {
    expect((await call('POST', '', { body: someConditions(300) })).status).toBe(200);
    expect(ehr.store.counts()).toEqual({ Condition: 300 });
  });

  it('has an answer without resources if the client prefers that', async () => {
    const answer = await call('POST', '', { body: someConditions(2), headers: { prefer: 'return=minimal' } });
    expect([answer.status, answer.text, ehr.store.counts()]).toEqual([200, '', { Condition: 2 }]);
  });
});

describe('a batch', () => {
  it('is stored entry by entry', async () => {
    const body = { ...aTransaction([anEntry(aCondition('a')), bad, anEntry(aCondition('b'))]), type: 'batch' };
    const answer = await call('POST', '', { body });
    expect([answer.json['type'], statusesOf(answer)]).toEqual(['batch-response', ['201', '400', '201']]);
    expect(ehr.store.counts()).toEqual({ Condition: 2 });
  });

  it('can read and search', async () => {
    ehr.store.put({ ...aCondition('a'), id: 'old' });
    const urls = ['Condition/old', `Condition?${withIdentity('a')}`, 'Condition/nowhere'];
    const entry = urls.map((url) => ({ request: { method: 'GET', url } }));
    const answer = await call('POST', '', { body: { resourceType: 'Bundle', type: 'batch', entry } });
    expect(statusesOf(answer)).toEqual(['200', '200', '404']);
    expect(answer.json.entry?.[1]?.resource).toMatchObject({ entry: [{ resource: { id: 'old' } }] });
  });

  it('has the same page of a search as the search alone, with the link to the next page', async () => {
    for (const id of ['1', '2', '3']) ehr.store.put({ ...aCondition(id), id });
    const url = 'Condition?_count=2';
    const body = { resourceType: 'Bundle', type: 'batch', entry: [{ request: { method: 'GET', url } }] };
    const [alone, batch] = [await call('GET', url), await call('POST', '', { body })];
    expect(batch.json.entry?.[0]?.resource).toEqual(alone.json);
    expect(JSON.stringify(alone.json)).toContain('"next"');
  });
});

it.each([
  ['that is empty', aTransaction([])],
  ['that is a document', { ...someConditions(1), type: 'document' }],
  ['that is no Bundle', aCondition('a')],
])('a Bundle %s is refused', async (_, body) => {
  expect((await call('POST', '', { body })).status).toBe(400);
  expect(ehr.store.counts()).toEqual({});
});
