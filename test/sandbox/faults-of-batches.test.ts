import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Fault } from '../../src/sandbox/faults/faults.ts';
import { startSandboxEhr, type TestEhr } from '../support/sandbox-ehr.ts';
import { type Call, callsTo, statusesOf } from './fhir-calls.ts';

let ehr: TestEhr;
let call: Call;

beforeEach(async () => {
  ehr = await startSandboxEhr();
  call = callsTo(ehr.baseUrl);
});
afterEach(() => ehr.close());

const URLS = ['Patient/p-1', 'Encounter?patient=Patient/p-1', 'Encounter/e-1'];
const batch = (urls = URLS) => {
  const entry = urls.map((url) => ({ request: { method: 'GET', url } }));
  return call('POST', '', { body: { resourceType: 'Bundle', type: 'batch', entry } });
};

describe('a batch of reads', () => {
  it('is answered like single reads, without a fault and with one', async () => {
    const plain = await batch();
    expect(statusesOf(plain)).toEqual(['200', '200', '200']);
    ehr.faults.set([{ mode: 'slow', ms: 1 }]);
    const slow = await batch();
    const resources = ({ json }: typeof plain) => json.entry?.map(({ resource }) => resource);
    expect(resources(slow)).toEqual(resources(plain));
    expect(statusesOf(slow)).toEqual(statusesOf(plain));
  });

  it('a fault of some requests affects only these entries', async () => {
    ehr.faults.set([{ mode: 'server-errors', status: 503, on: { isSearch: true } }]);
    expect(statusesOf(await batch())).toEqual(['200', '503', '200']);
  });

  it('a fault that affects a limited number of requests counts the entries', async () => {
    ehr.faults.set([{ mode: 'too-many-requests', times: 2, on: { method: 'GET' } }]);
    expect(statusesOf(await batch())).toEqual(['429', '429', '200']);
    expect(statusesOf(await batch())).toEqual(['200', '200', '200']);
  });

  it('an answer that is lost takes the whole batch with it', async () => {
    ehr.faults.set([{ mode: 'lost-answer', how: 'reset', isStored: true, times: 1, on: { type: 'Patient' } }]);
    await expect(batch()).rejects.toThrow();
    expect(statusesOf(await batch())).toEqual(['200', '200', '200']);
  });

  it.each<Fault>([{ mode: 'epic-like' }, { mode: 'oracle-like' }])(
    'is refused by an EHR that is $mode',
    async (fault) => {
      ehr.faults.set([fault]);
      expect((await batch()).status).toBe(405);
    },
  );

  it('is refused with the status of the fault, while single reads are answered', async () => {
    ehr.faults.set([{ mode: 'wrong-batches', how: 'refused', status: 413 }]);
    expect((await batch()).status).toBe(413);
    expect((await call('GET', 'Patient/p-1')).status).toBe(200);
  });

  it('is answered wrongly: in another order, without an entry, with other types, with failed entries', async () => {
    const typesOf = async (how: 'reordered' | 'entry-missing' | 'other-types' | 'failing-entries') => {
      ehr.faults.set([{ mode: 'wrong-batches', how }]);
      return (await batch()).json.entry?.map(({ resource, response }) => resource?.resourceType ?? response?.status);
    };
    expect(await typesOf('reordered')).toEqual(['Encounter', 'Bundle', 'Patient']);
    expect(await typesOf('entry-missing')).toEqual(['Bundle', 'Encounter']);
    expect(await typesOf('other-types')).toEqual(['Basic', 'Basic', 'Basic']);
    expect(await typesOf('failing-entries')).toEqual(['Patient', '500', 'Encounter']);
  });

  it('is no write: faults of writes leave it alone', async () => {
    ehr.faults.set([{ mode: 'server-errors', on: { isWrite: true } }]);
    expect(statusesOf(await batch())).toEqual(['200', '200', '200']);
    expect(ehr.faults.seen.at(-1)).toMatchObject({ isWrite: false, isReadBatch: true, faults: [] });
  });
});
