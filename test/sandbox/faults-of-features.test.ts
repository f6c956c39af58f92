import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Condition, DocumentReference } from '@medplum/fhirtypes';
import { FAULT_LINES } from '../../src/sandbox/faults/faults.ts';
import { makeFaults } from '../../src/sandbox/faults/make-faults.ts';
import { startSandboxEhr, type TestEhr } from '../support/sandbox-ehr.ts';
import { aCondition, anEntry, aTransaction, type Call, callsTo, statusesOf, withIdentity } from './fhir-calls.ts';

let ehr: TestEhr;
let call: Call;

beforeEach(async () => {
  ehr = await startSandboxEhr();
  call = callsTo(ehr.baseUrl);
});
afterEach(() => ehr.close());

const aNote = (changes: Partial<DocumentReference> = {}): DocumentReference => ({
  resourceType: 'DocumentReference',
  status: 'current',
  docStatus: 'preliminary',
  subject: { reference: 'Patient/p-1' },
  content: [{ attachment: { contentType: 'text/plain', data: 'Q291Z2gu' } }],
  context: { encounter: [{ reference: 'Encounter/e-1' }] },
  ...changes,
});
const status = (code: string): Pick<Condition, 'verificationStatus'> => ({
  verificationStatus: {
    coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-ver-status', code }],
  },
});
const post = (resource: Condition | DocumentReference, headers: Record<string, string> = {}) =>
  call('POST', resource.resourceType, { body: resource, headers });
const typesIn = (json: Readonly<Record<string, unknown>>) =>
  (json['rest'] as { resource: { type: string }[] }[])[0]?.resource.map(({ type }) => type) ?? [];

describe('an EHR that does not accept some types', () => {
  it.each([404, 405, 422] as const)('refuses them alone and in transactions with %d', async (refused) => {
    ehr.faults.set([{ mode: 'types-refused', types: ['Condition'], status: refused, isAnnounced: true }]);
    expect((await post(aCondition('a'))).status).toBe(refused);
    const both = [anEntry(aNote()), anEntry(aCondition('a'))];
    expect((await call('POST', '', { body: aTransaction(both) })).status).toBe(refused);
    expect(ehr.store.counts()).toEqual({ Patient: 1, Encounter: 1 });
    expect(typesIn((await call('GET', 'metadata')).json)).not.toContain('Condition');
  });

  it('refuses only the entries of these types in a batch, in their places', async () => {
    ehr.faults.set([{ mode: 'types-refused', types: ['Condition'] }]);
    const entries = [anEntry(aCondition('a')), anEntry(aNote()), anEntry(aCondition('b'))];
    const answer = await call('POST', '', { body: { ...aTransaction(entries), type: 'batch' } });
    expect(statusesOf(answer)).toEqual(['404', '201', '404']);
  });
});

it('an EHR that accepts no drafts accepts signed documents', async () => {
  ehr.faults.set([{ mode: 'drafts-refused' }]);
  expect((await post(aNote())).status).toBe(422);
  expect((await call('POST', '', { body: aTransaction([anEntry(aNote())]) })).status).toBe(422);
  expect((await post(aNote({ docStatus: 'final' }))).status).toBe(201);
});

it('an EHR without versions returns none and overwrites', async () => {
  ehr.faults.set([{ mode: 'no-versions', isAnnounced: true }]);
  const made = await post(aCondition('a'));
  expect([made.headers.get('etag'), made.json.meta?.versionId]).toEqual([null, undefined]);
  expect(made.headers.get('location')).toBe(`${ehr.baseUrl}/Condition/${made.json.id}`);
  const body = { ...aCondition('a', { code: { text: 'Fever' } }), id: made.json.id };
  const updated = await call('PUT', `Condition/${made.json.id}`, { body, headers: { 'if-match': 'W/"9"' } });
  expect(updated.status).toBe(200);
  expect((await call('GET', 'Condition?patient=p-1')).text).not.toContain('versionId');
  expect((await call('GET', 'metadata')).text).not.toContain('"versioning":"versioned"');
});

describe('an EHR like Epic', () => {
  beforeEach(() => ehr.faults.set([{ mode: 'epic-like' }]));

  it('announces its features in the CapabilityStatement', async () => {
    const { json } = await call('GET', 'metadata');
    expect(json['rest']).toMatchObject([{ interaction: [] }]);
    expect(typesIn(json)).not.toContain('Composition');
    expect(JSON.stringify(json)).not.toContain('"conditionalCreate":true');
  });

  it('accepts a text note with its first attachment only and answers with its location', async () => {
    const second = { attachment: { contentType: 'audio/wav', url: 'Binary/1' } };
    const made = await post(aNote({ content: [...aNote().content, second] }));
    expect([made.status, made.text, made.headers.get('etag')]).toEqual([201, '', null]);
    const place = made.headers.get('location')?.slice(ehr.baseUrl.length + 1) ?? '';
    expect(ehr.store.get(place)).toMatchObject({ content: [{ attachment: { contentType: 'text/plain' } }] });
  });

  it.each([
    ['HTML', aNote({ content: [{ attachment: { contentType: 'text/html', data: 'eA==' } }] })],
    ['a note beside its text', aNote({ content: [{ attachment: { contentType: 'text/plain', url: 'Binary/1' } }] })],
    ['a note without an encounter', aNote({ context: {} })],
    ['a note of another patient’s encounter', aNote({ subject: { reference: 'Patient/p-9' } })],
    ['a diagnosis that is one of several', aCondition('a', status('differential'))],
  ])('does not accept %s', async (_, resource) => {
    expect((await post(resource)).status).toBe(422);
  });

  it('accepts a provisional diagnosis, and stores it twice if it is sent twice', async () => {
    for (let turn = 0; turn < 2; turn += 1) {
      const headers = { 'if-none-exist': withIdentity('a') };
      expect((await post(aCondition('a', status('provisional')), headers)).status).toBe(201);
    }
    expect(ehr.store.all('Condition')).toHaveLength(2);
  });

  it('has no transactions, updates, deletes or other types', async () => {
    ehr.store.put({ ...aCondition('a'), id: 'a' });
    expect((await call('POST', '', { body: aTransaction([anEntry(aNote())]) })).status).toBe(405);
    expect((await call('PUT', 'Condition/a', { body: { ...aCondition('a'), id: 'a' } })).status).toBe(405);
    expect((await call('DELETE', 'Condition/a')).status).toBe(405);
    expect((await call('POST', 'Flag', { body: { resourceType: 'Flag' } })).status).toBe(404);
    expect((await call('GET', 'Composition?patient=p-1')).status).toBe(404);
  });

  it('ignores identifiers in searches and requires the patient', async () => {
    for (const id of ['a', 'b']) ehr.store.put({ ...aCondition(id), id });
    expect((await call('GET', `Condition?${withIdentity('a')}`)).status).toBe(400);
    expect((await call('GET', `Condition?${withIdentity('a')}&patient=p-1`)).json.entry).toHaveLength(2);
  });
});

describe('an EHR like Oracle Health', () => {
  beforeEach(() => ehr.faults.set([{ mode: 'oracle-like' }]));
  const signed = aNote({
    docStatus: 'final',
    content: [{ attachment: { contentType: 'text/plain;charset=utf-8', data: 'Q291Z2gu' } }],
    context: { ...aNote().context, period: { end: '2026-11-21T10:00:00Z' } },
  });

  it('accepts a signed note with its encoding and end, and answers without the resource', async () => {
    const made = await post(signed);
    expect([made.status, made.text]).toEqual([201, '']);
    expect(ehr.store.all('DocumentReference')).toHaveLength(1);
  });

  it.each([
    ['a draft', { ...signed, docStatus: 'preliminary' as const }],
    ['a note without an encoding', { ...signed, content: aNote().content }],
    ['a note without an end', { ...signed, context: aNote().context ?? {} }],
    ['a note with a day for its end', { ...signed, context: { ...signed.context, period: { end: '2026-11-21' } } }],
    ['a note in two parts', { ...signed, content: [...signed.content, ...signed.content] }],
    ['a diagnosis that is refuted', aCondition('a', status('refuted'))],
  ])('does not accept %s', async (_, resource) => {
    expect((await post(resource)).status).toBe(422);
  });

  it('accepts the retraction of a note, and no transactions', async () => {
    ehr.store.put({ ...signed, id: 'n' });
    const body = { ...signed, id: 'n', status: 'entered-in-error' };
    expect((await call('PUT', 'DocumentReference/n', { body })).status).toBe(200);
    expect((await call('POST', '', { body: aTransaction([anEntry(signed)]) })).status).toBe(405);
    expect((await call('GET', 'RiskAssessment?patient=p-1')).status).toBe(404);
  });
});

it('faults can be put in front of an EHR at an address', async () => {
  const faults = makeFaults({ proxyTo: ehr.baseUrl });
  const server = createServer(faults.listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const through = callsTo(`http://127.0.0.1:${port}/fhir/R4`);
  expect((await through('GET', 'Patient/p-1')).status).toBe(200);
  faults.set([{ mode: 'lost-answer', how: 502, isStored: true }]);
  expect((await through('POST', 'Condition', { body: aCondition('a') })).status).toBe(502);
  expect(ehr.store.all('Condition')).toHaveLength(1);
  faults.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it('each fault has a description', () => {
  for (const line of Object.values(FAULT_LINES)) expect(line).toMatch(/^[A-Z].{20,120}\.$/);
});
