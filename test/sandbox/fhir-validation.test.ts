// The validation of resources by the sandbox's EHR, and its messages.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OperationOutcome } from '@medplum/fhirtypes';
import { openSandboxEhr, type SandboxEhr } from '../../src/sandbox/fhir/sandbox-ehr.ts';
import { aCondition, anEntry, aTransaction, type Call, callsTo } from './fhir-calls.ts';

let ehr: SandboxEhr;
let call: Call;
beforeAll(async () => {
  ehr = await openSandboxEhr();
  call = callsTo(ehr.baseUrl);
});
afterAll(() => ehr.close());

const active = (code: string) => ({
  coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code }],
});
const placesOf = (json: object) => (json as Partial<OperationOutcome>).issue?.map(({ expression }) => expression?.[0]);

describe('a resource is refused, and the answer says where,', () => {
  it.each<[string, object, string]>([
    ['for an element that there is not', { shoeSize: 44 }, 'Condition.shoeSize'],
    ['for one that there is not further in', { evidence: [{ shoeSize: 44 }] }, 'Condition.evidence[0].shoeSize'],
    ['for one that there is not in a data type', { code: { name: 'Cough' } }, 'Condition.code.name'],
    ['without what it must have', { subject: undefined }, 'Condition.subject'],
    ['without what a part of it must have', { note: [{ time: '2026-11-21' }] }, 'Condition.note[0].text'],
    ['for one value where there may be many', { category: { text: 'x' } }, 'Condition.category'],
    ['for many where there may be one', { code: [{ text: 'Cough' }] }, 'Condition.code'],
    ['for an empty list', { category: [] }, 'Condition.category'],
    ['for an empty object', { code: {} }, 'Condition.code'],
    ['for an empty text', { code: { text: '' } }, 'Condition.code.text'],
    ['for a number where a text should be', { code: { text: 5 } }, 'Condition.code.text'],
    ['for a text where an object should be', { code: 'Cough' }, 'Condition.code'],
    ['for nothing where something should be', { recordedDate: null }, 'Condition.recordedDate'],
    ['for a time that is none', { recordedDate: 'yesterday' }, 'Condition.recordedDate'],
    ['for a day that there is not', { recordedDate: '2026-13-45' }, 'Condition.recordedDate'],
    ['for two types of one element', { onsetString: 'x', onsetDateTime: '2026' }, 'Condition.onset[x]'],
    ['for a code that is not of the required ones', { clinicalStatus: active('rather') }, 'Condition.clinicalStatus'],
    ['for a required code of no system', { clinicalStatus: { text: 'active' } }, 'Condition.clinicalStatus'],
    ['for a wrong code in a data type', { identifier: [{ use: 'mine' }] }, 'Condition.identifier[0].use'],
    [
      'for a wrong resource inside of it',
      { contained: [{ resourceType: 'Patient', gender: 'none' }] },
      'Condition.contained[0].gender',
    ],
    ['for something inside that is no resource', { contained: [{ resourceType: 'Period' }] }, 'Condition.contained[0]'],
    ['for an extension without a name', { extension: [{ valueString: 'x' }] }, 'Condition.extension[0].url'],
    ['for a sibling of what has none', { _code: { id: 'x' } }, 'Condition._code'],
    ['for a sibling that is no element', { _recordedDate: 'x' }, 'Condition._recordedDate'],
  ])('%s', async (_, changes, place) => {
    const { status, json } = await call('POST', 'Condition', { body: { ...aCondition('a'), ...changes } });
    expect([status, json['resourceType'], placesOf(json)]).toEqual([400, 'OperationOutcome', [place]]);
    expect(ehr.store.counts()).toEqual({});
  });

  it('with all problems at once', async () => {
    const body = { ...aCondition('a'), shoeSize: 44, subject: undefined, recordedDate: 'yesterday' };
    const { json } = await call('POST', 'Condition', { body });
    expect(placesOf(json)?.toSorted()).toEqual(['Condition.recordedDate', 'Condition.shoeSize', 'Condition.subject']);
  });
});

it('a valid resource with many kinds of elements is accepted', async () => {
  const body = {
    ...aCondition('a', { clinicalStatus: active('active') }),
    contained: [
      { resourceType: 'Patient', id: 'p', gender: 'other', multipleBirthInteger: 2, _birthDate: { id: 'b' } },
    ],
    extension: [{ url: 'http://example.org/e', extension: [{ url: 'part', valueDecimal: 1.5 }] }],
    onsetAge: { value: 44, unit: 'a', system: 'http://unitsofmeasure.org', code: 'a' },
    _recordedDate: { extension: [{ url: 'http://example.org/why', valueCode: 'unknown' }] },
    text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">Cough</div>' },
    evidence: [{ detail: [{ reference: '#p' }] }],
  };
  const { status, json } = await call('POST', 'Condition', { body });
  expect([status, placesOf(json)]).toEqual([201, undefined]);
  await call('DELETE', `Condition/${json.id}`);
});

it('updates and entries of transactions are validated like creates', async () => {
  const { id = '' } = (await call('POST', 'Condition', { body: aCondition('a') })).json;
  const wrong = { ...aCondition('a'), id, shoeSize: 44 };
  expect((await call('PUT', `Condition/${id}`, { body: wrong })).status).toBe(400);
  const { status, json } = await call('POST', '', { body: aTransaction([anEntry(wrong)]) });
  expect([status, placesOf(json)]).toEqual([400, ['Condition.shoeSize']]);
  expect((await call('GET', `Condition/${id}`)).headers.get('etag')).toBe('W/"1"');
});

it('the sandbox itself may store invalid resources', () => {
  const odd = { ...aCondition('odd'), id: 'odd', shoeSize: 44 };
  ehr.store.put(odd);
  expect(ehr.store.get('Condition/odd')).toMatchObject({ shoeSize: 44 });
});
