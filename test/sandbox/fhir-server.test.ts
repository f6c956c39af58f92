import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openSandboxEhr, type SandboxEhr } from '../../src/sandbox/fhir/sandbox-ehr.ts';
import { aCondition, type Call, callsTo, SYSTEM, withIdentity } from './fhir-calls.ts';

let ehr: SandboxEhr;
let call: Call;

beforeEach(async () => {
  ehr = await openSandboxEhr();
  call = callsTo(ehr.baseUrl);
  ehr.store.put({ resourceType: 'Patient', id: 'p-1' });
});
afterEach(() => ehr.close());

describe('the sandbox’s EHR stores resources', () => {
  it('a created resource can be read, and the answer has its location and version', async () => {
    const made = await call('POST', 'Condition', { body: aCondition('a') });
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`${ehr.baseUrl}/Condition/${made.json.id}/_history/1`);
    expect(made.headers.get('etag')).toBe('W/"1"');
    const read = await call('GET', `Condition/${made.json.id}`);
    expect([read.status, read.json['identifier']]).toEqual([200, [{ system: SYSTEM, value: 'a' }]]);
  });

  it('the server chooses the ids of created resources', async () => {
    const made = await call('POST', 'Condition', { body: { ...aCondition('a'), id: 'mine' } });
    expect(made.json.id).not.toBe('mine');
    expect((await call('GET', 'Condition/mine')).status).toBe(404);
  });

  it('an update of a missing resource is refused and creates nothing', async () => {
    const { status } = await call('PUT', 'Condition/mine', { body: { ...aCondition('a'), id: 'mine' } });
    expect([status, ehr.store.counts()['Condition']]).toEqual([405, undefined]);
  });

  it('an update makes a new version, and one without a change does not', async () => {
    const { id = '' } = (await call('POST', 'Condition', { body: aCondition('a') })).json;
    const changed = { ...aCondition('a', { code: { text: 'Fever' } }), id };
    expect((await call('PUT', `Condition/${id}`, { body: changed })).headers.get('etag')).toBe('W/"2"');
    expect((await call('PUT', `Condition/${id}`, { body: changed })).headers.get('etag')).toBe('W/"2"');
    const history = await call('GET', `Condition/${id}/_history`);
    expect(history.json.entry?.map(({ resource }) => resource?.meta?.versionId)).toEqual(['2', '1']);
    expect((await call('GET', `Condition/${id}/_history/1`)).json['code']).toEqual({ text: 'Cough' });
  });

  it('an update of a version that is no longer the latest is refused', async () => {
    const { id = '' } = (await call('POST', 'Condition', { body: aCondition('a') })).json;
    const change = (text: string, etag: string) =>
      call('PUT', `Condition/${id}`, {
        body: { ...aCondition('a', { code: { text } }), id },
        headers: { 'if-match': etag },
      });
    expect((await change('Fever', 'W/"1"')).status).toBe(200);
    expect((await change('Rash', 'W/"1"')).status).toBe(412);
    expect((await change('Rash', '2')).status).toBe(400);
    expect(ehr.store.get(`Condition/${id}`)).toMatchObject({ code: { text: 'Fever' } });
  });

  it('a deleted resource is gone, and its history stays', async () => {
    const { id = '' } = (await call('POST', 'Condition', { body: aCondition('a') })).json;
    expect((await call('DELETE', `Condition/${id}`)).status).toBe(200);
    expect((await call('GET', `Condition/${id}`)).status).toBe(410);
    expect((await call('GET', `Condition?${withIdentity('a')}`)).json.entry).toBeUndefined();
    expect((await call('GET', `Condition/${id}/_history`)).json.entry).toHaveLength(2);
  });

  it('the log has the accepted writes in order with their authors', async () => {
    const { id = '' } = (await call('POST', 'Condition', { body: aCondition('a') })).json;
    await call('POST', 'Condition', { body: { resourceType: 'Condition' } });
    await call('PUT', `Condition/${id}`, { body: { ...aCondition('a', { code: { text: 'Fever' } }), id } });
    expect(ehr.store.writes()).toEqual([
      { method: 'POST', type: 'Patient', id: 'p-1', version: '1', identities: [], author: 'store' },
      { method: 'POST', type: 'Condition', id, version: '1', identities: ['a'], author: 'client' },
      { method: 'PUT', type: 'Condition', id, version: '2', identities: ['a'], author: 'client' },
    ]);
  });
});

describe('a conditional create in the sandbox’s EHR', () => {
  const create = (value: string) =>
    call('POST', 'Condition', { body: aCondition(value), headers: { 'if-none-exist': withIdentity(value) } });

  it('answers the second time with the first resource', async () => {
    const [first, second] = [await create('a'), await create('a')];
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.json.id).toBe(first.json.id);
  });

  it('stores one resource for twenty simultaneous requests', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => create('a')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(19).fill(200), 201]);
    expect(ehr.store.all('Condition')).toHaveLength(1);
  });

  it('is refused if several resources match', async () => {
    for (const id of ['one', 'two']) ehr.store.put({ ...aCondition('a'), id });
    expect((await create('a')).status).toBe(412);
  });

  it('has an update as its counterpart, which changes the matching resource or creates it', async () => {
    const update = (text: string) =>
      call('PUT', `Condition?${withIdentity('a')}`, { body: aCondition('a', { code: { text } }) });
    expect([(await update('Cough')).status, (await update('Fever')).status]).toEqual([201, 200]);
    expect(ehr.store.all('Condition')).toMatchObject([{ code: { text: 'Fever' } }]);
  });
});

describe('a search in the sandbox’s EHR', () => {
  const found = async (query: string) =>
    (await call('GET', query)).json.entry?.map(({ resource }) => resource?.id).toSorted() ?? [];

  beforeEach(() => {
    ehr.store.put({ resourceType: 'Encounter', id: 'e-1', status: 'finished', class: { code: 'AMB' } });
    ehr.store.put({ ...aCondition('a'), id: 'one', meta: { tag: [{ system: SYSTEM, code: 't' }] } });
    ehr.store.put({ ...aCondition('b', { subject: { reference: 'Patient/p-2' } }), id: 'two' });
    ehr.store.put({
      resourceType: 'Provenance',
      id: 'prov',
      recorded: '2026-11-21T10:00:00Z',
      target: [{ reference: 'Condition/one/_history/1' }],
      agent: [{ who: { reference: 'Device/d' } }],
    });
  });

  it.each([
    [`Condition?${withIdentity('a')}`, ['one']],
    ['Condition?identifier=a,b', ['one', 'two']],
    ['Condition?identifier=urn:other%7Ca', []],
    [`Condition?_tag=${encodeURIComponent(`${SYSTEM}|t`)}`, ['one']],
    ['Condition?_id=two', ['two']],
    ['Condition?patient=p-1', ['one']],
    ['Condition?patient=Patient/p-1&encounter=Encounter/e-1', ['one']],
    ['Condition?subject=Patient/p-2', ['two']],
    ['Condition?patient=p-1&identifier=b', []],
    ['Condition?encounter=e-1', ['one', 'two']],
    ['Provenance?target=Condition/one', ['prov']],
    ['Provenance?recorded=ge2026-11-21&recorded=lt2026-11-22', ['prov']],
    ['Provenance?recorded=gt2026-11-21', []],
    ['Encounter?status=finished', ['e-1']],
    ['Encounter?status:not=finished', []],
    ['Condition?_lastUpdated=gt2020-01-01T00:00:00Z', ['one', 'two']],
    ['Condition?_lastUpdated=lt2020-01-01', []],
  ])('%s', async (query, ids) => {
    expect(await found(query)).toEqual(ids);
  });

  it('an id that begins like a comparison prefix is read as an id', async () => {
    ehr.store.put({ ...aCondition('x'), id: 'eb4e' });
    expect(await found('Condition?_id=eb4e')).toEqual(['eb4e']);
  });

  it('a search can be posted as a form', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { json } = await call('POST', 'Condition/_search', { body: withIdentity('a'), headers });
    expect(json.entry?.map(({ resource }) => resource?.id)).toEqual(['one']);
  });

  it('an unknown search parameter is refused', async () => {
    expect((await call('GET', 'Condition?shoe-size=44')).status).toBe(400);
    const headers = { 'if-none-exist': 'shoe-size=44' };
    expect((await call('POST', 'Condition', { body: aCondition('c'), headers })).status).toBe(400);
  });

  it('pages are linked until the last one and have no total', async () => {
    for (let index = 0; index < 5; index += 1) ehr.store.put({ ...aCondition(`p${index}`), id: `p${index}` });
    const seen: (string | undefined)[] = [];
    let next: string | undefined = `${ehr.baseUrl}/Condition?patient=p-1&_count=2`;
    while (next !== undefined) {
      const page = await call('GET', next.slice(ehr.baseUrl.length + 1));
      expect(page.json['total']).toBeUndefined();
      seen.push(...(page.json.entry ?? []).map(({ resource }) => resource?.id));
      next = page.json.link?.find(({ relation }) => relation === 'next')?.url;
    }
    expect(seen).toEqual(['one', 'p0', 'p1', 'p2', 'p3', 'p4']);
  });

  it('results can include the resources that they refer to', async () => {
    const { json } = await call('GET', 'Condition?_id=one&_include=Condition:encounter');
    expect(json.entry?.map(({ resource, search }) => [resource?.id, search?.mode])).toEqual([
      ['one', 'match'],
      ['e-1', 'include'],
    ]);
  });
});

describe('the sandbox’s EHR refuses', () => {
  it.each([
    ['a resource without what it must have', 'POST', 'Condition', { body: { resourceType: 'Condition' } }, 400],
    ['a resource of another type', 'POST', 'Flag', { body: aCondition('a') }, 400],
    ['a type that it does not have', 'POST', 'Basic', { body: { resourceType: 'Basic' } }, 404],
    ['a body that is no JSON', 'POST', 'Condition', { body: '{"resourceType":' }, 400],
    ['a body that is a list', 'POST', 'Condition', { body: '[]' }, 400],
    ['XML', 'POST', 'Condition', { body: '<a/>', headers: { 'content-type': 'application/fhir+xml' } }, 415],
    ['XML as an answer', 'GET', 'Patient/p-1', { headers: { accept: 'application/fhir+xml' } }, 406],
    ['a HEAD', 'HEAD', 'Patient/p-1', {}, 404],
    ['a patch', 'PATCH', 'Patient/p-1', { body: [] }, 405],
    ['a body of more than 16 MB', 'POST', 'Condition', { body: ' '.repeat(16 * 1_048_576 + 1) }, 413],
  ])('%s', async (_, method, url, options, status) => {
    const answer = await call(method, url, options);
    expect(answer.status).toBe(status);
    if (method !== 'HEAD') expect(answer.json['resourceType']).toBe('OperationOutcome');
    expect(ehr.store.counts()).toEqual({ Patient: 1 });
  });
});

describe('the description of the sandbox’s EHR', () => {
  it('its CapabilityStatement names the accepted types', async () => {
    const { json } = await call('GET', 'metadata');
    const [rest] = json['rest'] as { interaction: object[]; resource: Record<string, unknown>[] }[];
    expect(rest?.interaction).toEqual([{ code: 'transaction' }, { code: 'batch' }]);
    const condition = rest?.resource.find(({ type }) => type === 'Condition');
    expect(condition).toMatchObject({ versioning: 'versioned', conditionalCreate: true, updateCreate: false });
    expect(condition?.['searchParam']).toContainEqual({ name: 'identifier', type: 'token' });
  });

  it('it has a smart-configuration only if one is configured', async () => {
    expect((await call('GET', '.well-known/smart-configuration')).status).toBe(404);
    const smart = await openSandboxEhr({ smartConfiguration: { token_endpoint: 'https://ehr.example.org/token' } });
    const { json } = await callsTo(smart.baseUrl)('GET', '.well-known/smart-configuration');
    expect(json['token_endpoint']).toBe('https://ehr.example.org/token');
    await smart.close();
  });

  it('wrong credentials are refused without a hint', async () => {
    const locked = await openSandboxEhr({
      authorize: ({ headers }) => (headers.authorization === 'Bearer good' ? undefined : 401),
    });
    const lockedCall = callsTo(locked.baseUrl);
    const refused = await lockedCall('GET', 'Condition');
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, null]);
    expect((await lockedCall('GET', 'Condition', { headers: { authorization: 'Bearer good' } })).status).toBe(200);
    await locked.close();
  });

  it('a client that prefers minimal answers gets no resources', async () => {
    const headers = { prefer: 'return=minimal' };
    const made = await call('POST', 'Condition', { body: aCondition('a'), headers });
    expect([made.status, made.text]).toEqual([201, '']);
    expect(made.headers.get('location')).toContain('/Condition/');
  });

  it('it can stop and start again at the same address with its charts', async () => {
    await ehr.stopListening();
    await expect(call('GET', 'Patient/p-1')).rejects.toThrow();
    await ehr.listenAgain();
    expect((await call('GET', 'Patient/p-1')).status).toBe(200);
  });
});
