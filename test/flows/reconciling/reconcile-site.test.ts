// Checks whether written documents are still in the charts: discrepancies are reported, and nothing is changed.

import { describe, expect, it } from '@jest/globals';
import type { Encounter, Patient, Resource, ResourceType } from '@medplum/fhirtypes';
import type { PlannedWrite, WritePlace } from '../../../src/domain/chart/chart-write.ts';
import { documentUrn, identifierSystem } from '../../../src/domain/chart/identity.ts';
import { makeReconcileSite } from '../../../src/flows/reconciling/reconcile-site.ts';
import type { Ehr } from '../../../src/ports/ehr.ts';
import type { Finding } from '../../../src/ports/ledger.ts';
import { type FakeEhr, type FakeEhrOptions, makeFakeEhr } from '../../fakes/ehr.ts';
import { makeFakeLedger } from '../../fakes/ledger.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';
import { aSite } from '../../support/chart-facts.ts';

const SITE = 'mercy';
const SYSTEM = identifierSystem(SITE);
const MINUTE_MS = 60_000;
const signal = new AbortController().signal;

type DraftOptions = { readonly type?: ResourceType; readonly patient?: string; readonly session?: string };

/** A hospital with written charts, and their ledger. */
async function aHospital(options: FakeEhrOptions = {}) {
  const runtime = makeFakeRuntime();
  const ledger = makeFakeLedger({ now: runtime.now });
  const fake = makeFakeEhr({ ...options, runtime });
  const ehr = searchingBySystem(fake);
  const reconcile = makeReconcileSite({
    ehrs: { of: () => ehr, jwks: async () => undefined },
    ledger,
    searchLagMs: 90_000,
  });
  const site = aSite();
  let count = 0;

  /** Documents of one encounter, in the ledger and in the EHR. */
  async function write(encounterId: string, documents: readonly string[], options: DraftOptions = {}) {
    const { type = 'Condition', patient = 'Patient/p-1', session = 's' } = options;
    const place = { site: SITE, encounter: encounterId, session };
    const lease = await ledger.acquire(`${SITE}/${patient}`, 'writer', MINUTE_MS);
    if (!lease) throw new Error('nobody else writes');
    const writes = documents.map((document) => aPlannedWrite(place, document, type));
    const revision = await ledger.freeze(lease, place, {
      kind: 'documents',
      patient,
      run: { id: 'run', time: '2026-03-02T09:00:00Z' },
      versions: { engine: '1' },
      writes,
    });
    await ledger.beginSending(
      lease,
      revision.writes.map(({ id, sha256 }) => ({ id, sentSha256: sha256 })),
    );
    const references = revision.writes.map((one) => {
      count += 1;
      const reference = `${type}/c${count}`;
      fake.put(aResource(reference, one.identity.value, patient));
      return reference;
    });
    await ledger.recordResults(
      lease,
      revision.writes.map(({ id }, index) => ({
        id,
        state: 'written',
        reference: references[index] ?? '',
        version: '1',
      })),
    );
    await ledger.close(lease, place, { number: revision.number, state: 'done' });
    await ledger.release(lease);
    return { place, references, identities: writes.map(({ identity }) => identity.value) };
  }

  return {
    ledger,
    fake,
    runtime,
    write,
    look: (limit?: number) => reconcile({ site, ...(limit !== undefined && { limit }) }, signal),
    /** All resources of the EHR, to compare. */
    contents: () => JSON.stringify(fake.store.all()),
    open: async () => (await ledger.openFindings([SITE])).map(({ kind, identity }) => `${kind} ${identity}`).toSorted(),
  };
}

function aPlannedWrite(place: WritePlace, document: string, type: ResourceType): PlannedWrite {
  const identity = { system: SYSTEM, value: `${place.encounter}/${place.session}/${document}` };
  return { document, action: 'create', type, base: identity, identity, fullUrl: documentUrn(identity), body: '{}' };
}

function aResource(reference: string, identity: string, patient: string): Resource {
  const [resourceType, id] = reference.split('/');
  return {
    resourceType,
    id,
    identifier: [{ system: SYSTEM, value: identity }],
    ...(resourceType === 'Flag' ? { status: 'active' } : {}),
    subject: { reference: patient },
  } as Resource;
}

const aPatient = (id: string, parts: Partial<Patient> = {}): Patient => ({ resourceType: 'Patient', id, ...parts });
const anEncounter = (id: string, parts: Partial<Encounter> = {}): Encounter => ({
  resourceType: 'Encounter',
  id,
  status: 'finished',
  class: { code: 'AMB' },
  subject: { reference: 'Patient/p-1' },
  ...parts,
});

/** A search by system returns all resources of the type, so the answer must be filtered. */
function searchingBySystem(fake: FakeEhr): Ehr {
  return {
    ...fake,
    search: async (order, stop) => {
      const token = order.parameters['identifier'] ?? order.parameters['_tag'];
      if (token !== `${SYSTEM}|`) return fake.search(order, stop);
      return fake.search({ ...order, parameters: {} }, stop);
    },
  };
}

const retire = (resource: Resource): Resource =>
  ({ ...resource, verificationStatus: { coding: [{ code: 'entered-in-error' }] } }) as Resource;
const entered = (kind: Finding['kind'], identity: string, ...references: readonly string[]): Finding => ({
  site: SITE,
  kind,
  identity,
  references,
});

describe('a reconciliation of what was written', () => {
  it('finds no discrepancy if each document is in the chart once, on its patient', async () => {
    const { write, look, contents, runtime } = await aHospital({ resources: [anEncounter('e-1')] });
    await write('e-1', ['condition/A', 'condition/B']);
    await write('e-1', ['flag'], { type: 'Flag', session: 's-2' });
    runtime.advance(3 * MINUTE_MS);
    const before = contents();
    expect(await look()).toEqual({ checked: 3, findings: [], cancelled: [], moved: [], corrected: [], problems: [] });
    expect(contents()).toBe(before);
  });

  it('reports three duplicates, two missing and one on another patient in one pass, changes nothing, and closes them once corrected', async () => {
    const hospital = await aHospital({ resources: [anEncounter('e-1'), aPatient('p-1'), aPatient('p-2')] });
    const { write, fake, look, contents, runtime, open } = hospital;
    const documents = Array.from({ length: 10 }, (_, index) => `condition/${index}`);
    const { references, identities } = await write('e-1', documents);
    const [a = '', b = '', c = '', gone = '', deleted = '', moved = ''] = references;
    const [ofA = '', ofB = '', ofC = '', ofGone = '', ofDeleted = '', ofMoved = ''] = identities;
    for (const [index, identity] of [ofA, ofB, ofC].entries()) {
      fake.put(aResource(`Condition/twin-${index}`, identity, 'Patient/p-1'));
    }
    const lost = [gone, deleted].map((reference) => fake.store.get(reference)?.resource);
    for (const reference of [gone, deleted]) await fake.remove(reference, signal);
    fake.edit(moved, (resource) => ({ ...resource, subject: { reference: 'Patient/p-2' } }) as Resource);
    runtime.advance(3 * MINUTE_MS);
    const before = contents();
    const calls = fake.calls.length;

    const report = await look();
    expect(report.checked).toBe(10);
    const byIdentity = (one: Finding, other: Finding) => (one.identity < other.identity ? -1 : 1);
    expect(report.findings.toSorted(byIdentity)).toEqual([
      entered('duplicate', ofA, a, 'Condition/twin-0'),
      entered('duplicate', ofB, b, 'Condition/twin-1'),
      entered('duplicate', ofC, c, 'Condition/twin-2'),
      entered('missing', ofGone, gone),
      entered('missing', ofDeleted, deleted),
      entered('foreign', ofMoved, moved),
    ]);
    expect(report).toMatchObject({ cancelled: [], problems: [] });
    expect(contents()).toBe(before);
    const writing = new Set(['create', 'update', 'remove', 'transact']);
    expect(fake.calls.slice(calls).filter(({ call }) => writing.has(call))).toEqual([]);
    expect(await open()).toHaveLength(6);

    for (const index of [0, 1, 2]) fake.edit(`Condition/twin-${index}`, retire);
    for (const resource of lost) if (resource) fake.put(resource);
    fake.edit(moved, (resource) => ({ ...resource, subject: { reference: 'Patient/p-1' } }) as Resource);
    expect(await look()).toMatchObject({ checked: 10, findings: [], problems: [] });
    expect(await open()).toEqual([]);
  });

  it('does not judge a write of the last three minutes, and judges it later', async () => {
    const { write, fake, look, runtime } = await aHospital();
    const { references } = await write('e-1', ['condition/A']);
    await fake.remove(references[0] ?? '', signal);
    runtime.advance(3 * MINUTE_MS - 1);
    expect(await look()).toMatchObject({ checked: 0, findings: [] });
    runtime.advance(1);
    expect(await look()).toMatchObject({ checked: 1, findings: [{ kind: 'missing' }] });
  });

  it('does not report as missing what a person retired, or removed the identifier from', async () => {
    const { write, fake, look, runtime } = await aHospital({ resources: [anEncounter('e-1')] });
    const [retired = '', unnamed = ''] = (await write('e-1', ['condition/A', 'condition/B'])).references;
    fake.edit(retired, retire);
    fake.edit(unnamed, (resource) => ({ ...resource, identifier: [] }) as Resource);
    runtime.advance(3 * MINUTE_MS);
    expect(await look()).toMatchObject({ checked: 2, findings: [], problems: [] });
  });

  it('reads by reference if the EHR cannot search, and still reports what is missing', async () => {
    const { write, fake, look, runtime } = await aHospital({
      resources: [anEncounter('e-1')],
      cannotFind: ['Condition'],
    });
    const [, gone = ''] = (await write('e-1', ['condition/A', 'condition/B'])).references;
    await fake.remove(gone, signal);
    runtime.advance(3 * MINUTE_MS);
    const report = await look();
    expect(report).toMatchObject({ checked: 2, findings: [{ kind: 'missing', references: [gone] }] });
  });

  it('reports another resource with the identity of a written one', async () => {
    const { write, fake, look, runtime } = await aHospital({ resources: [anEncounter('e-1')] });
    const { references, identities } = await write('e-1', ['condition/A']);
    await fake.remove(references[0] ?? '', signal);
    fake.put(aResource('Condition/copy', identities[0] ?? '', 'Patient/p-1'));
    runtime.advance(3 * MINUTE_MS);
    expect((await look()).findings).toEqual([entered('unknown', identities[0] ?? '', 'Condition/copy')]);
  });

  it('checks all writes in the end, however few it checks in one pass', async () => {
    const { write, fake, look, runtime, open } = await aHospital({ resources: [anEncounter('e-1')] });
    const documents = Array.from({ length: 7 }, (_, index) => `condition/${index}`);
    const { references } = await write('e-1', documents);
    for (const reference of references) await fake.remove(reference, signal);
    runtime.advance(3 * MINUTE_MS);
    for (const found of [3, 6, 7]) {
      expect((await look(3)).checked).toBe(3);
      expect(await open()).toHaveLength(found);
    }
    expect((await look(500)).checked).toBe(7);
  });

  it('checks the documents of a moved encounter before others that were checked longer ago', async () => {
    const { write, look, runtime, open, fake } = await aHospital({
      resources: [anEncounter('e-1'), anEncounter('e-2'), aPatient('p-1'), aPatient('p-2')],
    });
    for (const session of ['a', 'b', 'c', 'd']) await write('e-1', ['condition/A'], { session });
    await write('e-2', ['condition/A']);
    runtime.advance(25 * 60 * MINUTE_MS);
    const setSubject = (patient: string) =>
      fake.edit('Encounter/e-2', (one) => ({ ...one, subject: { reference: patient } }) as Resource);
    setSubject('Patient/p-2');
    await look();
    expect(await open()).toEqual(['moved e-2/s']);
    setSubject('Patient/p-1');
    for (let count = 0; count < 4; count += 1) {
      runtime.advance(MINUTE_MS);
      expect(await look(2)).toMatchObject({ checked: 2 });
      expect(await open()).toEqual([]);
    }
  });

  it('reaches older writes behind many that are too young', async () => {
    const { write, look, runtime } = await aHospital({ resources: [anEncounter('e-1'), anEncounter('e-2')] });
    await write('e-1', ['condition/old']);
    runtime.advance(3 * MINUTE_MS);
    await look();
    await write(
      'e-2',
      Array.from({ length: 150 }, (_, index) => `condition/${index}`),
    );
    expect(await look(5)).toMatchObject({ checked: 1, findings: [] });
  });
});

describe('a patient who was merged', () => {
  const merged = (link: Patient['link']) => aPatient('p-1', { ...(link && { link }) });
  const survivor = 'Patient/p-2';

  it.each([
    [
      'the merged patient has the link',
      [merged([{ type: 'replaced-by', other: { reference: survivor } }]), aPatient('p-2')],
    ],
    [
      'the surviving patient has the link',
      [merged([]), aPatient('p-2', { link: [{ type: 'replaces', other: { reference: 'Patient/p-1' } }] })],
    ],
    [
      'they were merged twice',
      [
        merged([{ type: 'replaced-by', other: { reference: 'Patient/p-9' } }]),
        aPatient('p-9', { link: [{ type: 'replaced-by', other: { reference: survivor } }] }),
        aPatient('p-2'),
      ],
    ],
  ])('is still the patient whose documents these are: %s', async (_, patients) => {
    const { write, fake, look, runtime } = await aHospital({ resources: patients });
    fake.put(anEncounter('e-1', { subject: { reference: survivor } }));
    const [reference = ''] = (await write('e-1', ['condition/A'])).references;
    fake.edit(reference, (resource) => ({ ...resource, subject: { reference: survivor } }) as Resource);
    runtime.advance(3 * MINUTE_MS);
    expect(await look()).toMatchObject({ checked: 1, findings: [], cancelled: [] });
  });

  it('counts as another patient if a link only mentions the other', async () => {
    const seeAlso = merged([{ type: 'seealso', other: { reference: survivor } }]);
    const { write, fake, look, runtime } = await aHospital({
      resources: [seeAlso, aPatient('p-2'), anEncounter('e-1')],
    });
    const [reference = ''] = (await write('e-1', ['condition/A'])).references;
    fake.edit(reference, (resource) => ({ ...resource, subject: { reference: survivor } }) as Resource);
    runtime.advance(3 * MINUTE_MS);
    expect((await look()).findings).toMatchObject([{ kind: 'foreign', references: [reference] }]);
  });
});

describe('a resource with the site’s identity that the engine did not write', () => {
  it('is reported until it is gone or retired; resources with other systems are not', async () => {
    const { write, fake, look, runtime, open } = await aHospital({ resources: [anEncounter('e-1')] });
    await write('e-1', ['condition/A']);
    fake.put(aResource('Condition/x1', 'e-9/s/condition/A', 'Patient/p-1'));
    fake.put(aResource('Flag/x2', 'e-9/s/flag', 'Patient/p-1'));
    fake.put({
      ...aResource('Condition/x3', '', 'Patient/p-1'),
      identifier: [{ system: 'urn:others', value: 'e-9/s/condition/B' }],
    } as Resource);
    runtime.advance(3 * MINUTE_MS);
    expect((await look()).findings).toEqual([
      entered('unknown', 'e-9/s/condition/A', 'Condition/x1'),
      entered('unknown', 'e-9/s/flag', 'Flag/x2'),
    ]);
    fake.edit('Condition/x1', retire);
    expect((await look()).findings).toHaveLength(1);
    expect(await open()).toEqual(['unknown e-9/s/flag']);
    await fake.remove('Flag/x2', signal);
    await look();
    expect(await open()).toEqual([]);
  });

  it('stays reported while the EHR cannot be searched for it', async () => {
    const { fake, look, open } = await aHospital();
    fake.put(aResource('Flag/x2', 'e-9/s/flag', 'Patient/p-1'));
    await look();
    await fake.remove('Flag/x2', signal);
    fake.misbehave({ on: 'search', type: 'Flag', does: 'throw-unavailable' });
    expect((await look()).problems).toHaveLength(1);
    expect(await open()).toEqual(['unknown e-9/s/flag']);
    fake.behave();
    await look();
    expect(await open()).toEqual([]);
  });
});

describe('the encounter of drafts', () => {
  it.each([
    ['was cancelled', anEncounter('e-1', { status: 'cancelled' })],
    ['was entered in error', anEncounter('e-1', { status: 'entered-in-error' })],
  ])('is reported if it %s, with the documents that should be retracted', async (_, encounter) => {
    const { write, look, runtime, open, ledger } = await aHospital({
      resources: [encounter, anEncounter('e-2'), aPatient('p-1'), aPatient('p-2')],
    });
    const { place, references } = await write('e-1', ['condition/A', 'condition/B']);
    await write('e-2', ['condition/A']);
    runtime.advance(3 * MINUTE_MS);
    const report = await look();
    expect(report.findings).toEqual([entered('encounter', 'e-1/s', 'Encounter/e-1', ...references)]);
    expect(report.cancelled).toEqual([place]);
    expect(await open()).toEqual(['encounter e-1/s']);
    expect(await ledger.read(place)).toHaveLength(1);
  });

  it('is reported if it is gone, and no retraction is recommended', async () => {
    const { write, look, runtime } = await aHospital();
    await write('e-1', ['condition/A']);
    runtime.advance(3 * MINUTE_MS);
    expect(await look()).toMatchObject({ findings: [{ kind: 'encounter' }], cancelled: [] });
  });

  it('is reported if it belongs to another patient now, with signed documents too, until they are retired or it comes back', async () => {
    const hospital = await aHospital({ resources: [anEncounter('e-1'), aPatient('p-1'), aPatient('p-2')] });
    const { write, fake, look, runtime, open } = hospital;
    const { place, references } = await write('e-1', ['composition', 'document-reference'], { type: 'Composition' });
    const [signed = '', draft = ''] = references;
    const setSubject = (patient: string) =>
      fake.edit('Encounter/e-1', (one) => ({ ...one, subject: { reference: patient } }) as Resource);
    fake.edit(signed, (resource) => ({ ...resource, status: 'final' }) as Resource);
    setSubject('Patient/p-2');
    runtime.advance(3 * MINUTE_MS);
    const report = await look();
    expect(report.findings).toEqual([entered('moved', 'e-1/s', 'Encounter/e-1', 'Patient/p-1', ...references)]);
    expect(report).toMatchObject({ moved: [place], cancelled: [], corrected: [] });
    const retireComposition = (one: Resource) => ({ ...one, status: 'entered-in-error' }) as Resource;
    fake.edit(draft, retireComposition);
    await look();
    expect(await open()).toEqual(['moved e-1/s']);
    setSubject('Patient/p-1');
    expect(await look()).toMatchObject({ moved: [] });
    expect(await open()).toEqual([]);
    setSubject('Patient/p-2');
    await look();
    fake.edit(signed, retireComposition);
    expect(await look()).toMatchObject({ moved: [], corrected: [place] });
    expect(await open()).toEqual([]);
  });

  it('is reported for no signed or retired document if it was cancelled, and no longer once a person has dealt with it', async () => {
    const { write, fake, look, runtime, open } = await aHospital({
      resources: [anEncounter('e-1', { status: 'cancelled' }), anEncounter('e-2', { status: 'cancelled' })],
    });
    const [reference = ''] = (await write('e-1', ['condition/A'])).references;
    const [signed = ''] = (await write('e-2', ['composition'], { type: 'Composition' })).references;
    fake.edit(signed, (resource) => ({ ...resource, status: 'final' }) as Resource);
    runtime.advance(3 * MINUTE_MS);
    await look();
    expect(await open()).toEqual(['encounter e-1/s']);
    fake.edit(reference, retire);
    expect((await look()).cancelled).toEqual([]);
    expect(await open()).toEqual([]);
  });
});

describe('a disturbed reconciliation', () => {
  it('reports what could not be checked, makes no further requests, and leaves it due and open', async () => {
    const { write, fake, look, runtime, open } = await aHospital({ resources: [anEncounter('e-1')] });
    const [gone = ''] = (await write('e-1', ['condition/A', 'condition/B'])).references;
    await fake.remove(gone, signal);
    runtime.advance(3 * MINUTE_MS);
    await look();
    const calls = fake.calls.length;
    fake.misbehave({ on: 'find', does: 'throw-unavailable' });
    const disturbed = await look();
    expect(disturbed).toMatchObject({ checked: 0, findings: [], cancelled: [] });
    expect(disturbed.problems).toEqual(['mercy: Condition could not be searched for: the EHR cannot be reached']);
    expect(fake.calls.length - calls).toBe(1);
    expect(await open()).toHaveLength(1);
    fake.behave();
    expect((await look()).checked).toBe(2);
  });

  it('ends when its signal is aborted', async () => {
    const { write, runtime, ledger, fake } = await aHospital();
    await write('e-1', ['condition/A']);
    runtime.advance(3 * MINUTE_MS);
    const reconcile = makeReconcileSite({ ehrs: fake.ehrs, ledger, searchLagMs: 90_000 });
    const stop = AbortSignal.abort(new Error('stopped'));
    await expect(reconcile({ site: aSite() }, stop)).rejects.toThrow('stopped');
  });
});
