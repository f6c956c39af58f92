import { describe, expect, it } from '@jest/globals';
import { LONGEST_WRITE_MS, type WriteOutcome } from '../../../src/domain/chart/chart-write.ts';
import type { EhrFact } from '../../../src/domain/chart/ehr-capabilities.ts';
import { sha256 } from '../../../src/domain/chart/frozen-body.ts';
import { LookAgain } from '../../../src/domain/chart/look-again.ts';
import { EhrLimit } from '../../../src/domain/ehr-limit.ts';
import type { AppError } from '../../../src/domain/errors.ts';
import { aMapping } from '../../support/chart-facts.ts';
import {
  aHospital,
  aLiveSite,
  aResult,
  DOUBT_MS,
  type Hospital,
  type HospitalParts,
  PLACE,
  PROVEN,
  SEARCH_LAG_MS,
} from '../../support/chart-writing.ts';

const ALL = ['Device', 'Composition', 'DocumentReference', 'Condition', 'Condition', 'RiskAssessment', 'Provenance'];
const typesOf = (hospital: Hospital) => hospital.written().map(({ resourceType }) => resourceType);
const referencesOf = (hospital: Hospital) => hospital.written().map(({ resourceType, id }) => `${resourceType}/${id}`);
/** The bodies that were sent for the session's documents, without the Device. */
const bundlesOf = ({ ehr }: Hospital) =>
  ehr.sent.filter((body) => body.startsWith('{"resourceType":"Bundle"') && !body.includes('"resourceType":"Device"'));
const factsOf = async ({ knowledge }: Hospital) =>
  (await knowledge.recall('mercy', 'Fake EHR 1.0')).map(({ name, value }) => `${name}=${value}`);
/** Tries again after the time in the error. */
const writeAgain = async (hospital: Hospital) => {
  hospital.runtime.advance(DOUBT_MS);
  return hospital.write();
};

describe('the first write of a session', () => {
  it('writes each document into the chart once, and names the resources', async () => {
    const hospital = aHospital();
    const outcome = await hospital.write();
    expect(typesOf(hospital).toSorted()).toEqual(ALL.toSorted());
    expect(outcome).toMatchObject({ status: 'written', left: [] });
    const resources = outcome.status === 'written' ? outcome.resources : [];
    expect(resources.map(({ status }) => status)).toEqual(Array(6).fill('created'));
    expect(referencesOf(hospital)).toEqual(expect.arrayContaining(resources.map(({ reference }) => reference)));
  });

  it('makes the documents refer to each other by the EHR’s references', async () => {
    const hospital = aHospital();
    await hospital.write();
    const text = JSON.stringify(hospital.written());
    expect(text).not.toContain('urn:uuid:');
    const [document] = hospital.written('DocumentReference');
    const [device] = hospital.written('Device');
    expect(hospital.written('Condition')[0]).toMatchObject({
      evidence: [{ detail: [{ reference: `DocumentReference/${document?.id}` }, {}] }],
    });
    expect(document).toMatchObject({ author: [{ reference: `Device/${device?.id}` }] });
  });

  it('stores every byte with its hash before anything is sent', async () => {
    const hospital = aHospital({ misbehaviours: [{ on: 'transact', nth: 2, does: 'throw-unavailable' }] });
    await expect(hospital.write()).rejects.toMatchObject({ code: 'ehrUnavailable' });
    const [revision] = await hospital.ledger.read(PLACE);
    expect(revision?.writes).toHaveLength(6);
    for (const { body, sha256: kept } of revision?.writes ?? []) expect(kept).toBe(sha256(body));
  });

  it('writes nothing at a site that is not live', async () => {
    const site = aLiveSite();
    const shadow = { ...site, settings: { ...site.settings, mode: 'shadow' as const } };
    const hospital = aHospital({ site: shadow });
    await expect(hospital.write()).rejects.toMatchObject({ code: 'conflict' });
    expect(hospital.ehr.calls).toEqual([]);
  });

  it('writes no invalid FHIR', async () => {
    const problems = [{ resource: 0, element: 'Composition.date', message: 'is missing', severity: 'error' as const }];
    const hospital = aHospital({ problems });
    expect(await hospital.write()).toMatchObject({ status: 'parked', reason: 'invalid' });
    expect(typesOf(hospital)).not.toContain('Composition');
    expect(bundlesOf(hospital)).toEqual([]);
  });

  it('is not stopped by a warning', async () => {
    const problems = [{ resource: 0, element: 'Composition.text', message: 'is empty', severity: 'warning' as const }];
    expect(await aHospital({ problems }).write()).toMatchObject({ status: 'written' });
  });
});

describe('the same result again', () => {
  it('writes nothing', async () => {
    const hospital = aHospital();
    await hospital.write();
    const before = hospital.ehr.sent.length;
    const outcome = await hospital.write();
    expect(outcome.status === 'written' && outcome.resources.every(({ status }) => status === 'unchanged')).toBe(true);
    expect(hospital.ehr.sent).toHaveLength(before);
  });

  it('writes nothing if a later run has the same result', async () => {
    const hospital = aHospital();
    await hospital.write();
    const before = hospital.ehr.sent.length;
    expect(await hospital.write(aResult({ run: 'run-2', time: '2026-03-02T11:00:00Z' }))).toMatchObject({
      status: 'written',
    });
    expect(hospital.ehr.sent).toHaveLength(before);
  });
});

describe('a later try of the same run', () => {
  it('sends the same bytes, even if the mappings and the model’s answer have changed', async () => {
    const hospital = aHospital({ misbehaviours: [{ on: 'transact', nth: 2, does: 'throw-unavailable' }] });
    await expect(hospital.write()).rejects.toMatchObject({ code: 'ehrUnavailable' });
    hospital.runtime.advance(DOUBT_MS);
    const changed = aLiveSite({
      mappings: { composition: aMapping(() => ({ resourceType: 'Composition', title: 'Drafted by AI. Otherwise.' })) },
    });
    await hospital.write(aResult({ plan: 'Something else.', diseases: ['I10'] }), changed);
    const [first, second, ...more] = bundlesOf(hospital);
    expect(second).toBe(first);
    expect(more).toEqual([]);
  });

  it('does not send again a resource whose answer was lost', async () => {
    const hospital = aHospital({ misbehaviours: [{ on: 'transact', nth: 2, does: 'commit-unknown' }] });
    expect(await hospital.write()).toMatchObject({ status: 'written' });
    expect(bundlesOf(hospital)).toHaveLength(1);
    expect(typesOf(hospital).toSorted()).toEqual(ALL.toSorted());
  });

  it('waits until a search must show it, and then sends the same bytes', async () => {
    const hospital = aHospital({ misbehaviours: [{ on: 'transact', nth: 2, does: 'drop-unknown' }] });
    await expect(hospital.write()).rejects.toMatchObject({ code: 'ehrUncertain' });
    await expect(hospital.write()).rejects.toMatchObject({ code: 'ehrUncertain' });
    expect(bundlesOf(hospital)).toHaveLength(1);
    expect(await writeAgain(hospital)).toMatchObject({ status: 'written' });
    const [first, second, ...more] = bundlesOf(hospital);
    expect(second).toBe(first);
    expect(more).toEqual([]);
  });

  it('finds a resource that a slow search missed at first', async () => {
    const hospital = aHospital({
      searchLagMs: SEARCH_LAG_MS - 1000,
      misbehaviours: [{ on: 'transact', nth: 2, does: 'commit-unknown' }],
    });
    for (let tries = 0; tries < 8; tries += 1) {
      await hospital.write().catch(() => undefined);
      hospital.runtime.advance(SEARCH_LAG_MS / 3);
    }
    expect(await writeAgain(hospital)).toMatchObject({ status: 'written' });
    expect(bundlesOf(hospital)).toHaveLength(1);
    expect(typesOf(hospital).toSorted()).toEqual(ALL.toSorted());
  });

  const IMMEDIATE: EhrFact = { name: 'search-lag-ms', value: 0 };

  it('is looked for every few seconds if a write test found searches immediate, and found soon after it has arrived', async () => {
    const lateMs = 40_000;
    const hospital = aHospital({
      knows: [PROVEN, IMMEDIATE],
      searchLagMs: lateMs,
      misbehaviours: [{ on: 'transact', nth: 2, does: 'commit-unknown' }],
    });
    const { runtime } = hospital;
    for (let outcome: WriteOutcome | undefined; outcome === undefined; ) {
      outcome = await hospital.write().catch((thrown: unknown) => {
        const { code, retryAfterSeconds = 0 } = thrown as AppError;
        expect([code, retryAfterSeconds > 0 && retryAfterSeconds <= 8]).toEqual(['ehrUncertain', true]);
        runtime.advance(retryAfterSeconds * 1_000);
        return undefined;
      });
    }
    const sentAt = (await hospital.ledger.read(PLACE))[0]?.writes[0]?.sentAt ?? new Date(0);
    expect(runtime.now().getTime() - sentAt.getTime()).toBeLessThan(lateMs + 10_000);
    expect(bundlesOf(hospital)).toHaveLength(1);
  });

  it('is not sent again before its absence is certain, also if a write test found searches immediate', async () => {
    const hospital = aHospital({
      knows: [PROVEN, IMMEDIATE],
      misbehaviours: [{ on: 'transact', nth: 2, does: 'drop-unknown' }],
    });
    await expect(hospital.write()).rejects.toBeInstanceOf(LookAgain);
    hospital.runtime.advance(LONGEST_WRITE_MS);
    const lastLook = await hospital.write().catch((thrown: unknown) => thrown);
    expect(lastLook).toMatchObject({ code: 'ehrUncertain' });
    expect(lastLook).not.toBeInstanceOf(LookAgain);
    expect(bundlesOf(hospital)).toHaveLength(1);
    hospital.runtime.advance(10_000);
    expect(await hospital.write()).toMatchObject({ status: 'written' });
    expect(bundlesOf(hospital)).toHaveLength(2);
  });

  it('parks if a resource is in the chart twice, and deletes nothing', async () => {
    const hospital = aHospital({ misbehaviours: [{ on: 'transact', nth: 2, does: 'drop-unknown' }] });
    await hospital.write().catch(() => undefined);
    const [write] = (await hospital.ledger.read(PLACE))[0]?.writes.filter(({ type }) => type === 'Composition') ?? [];
    const twin = JSON.parse(write?.body ?? '{}');
    hospital.ehr.put({ ...twin, id: 'twin-1' });
    hospital.ehr.put({ ...twin, id: 'twin-2' });
    expect(await writeAgain(hospital)).toMatchObject({
      status: 'parked',
      reason: 'ambiguous',
      references: ['Composition/twin-1', 'Composition/twin-2'],
    });
    expect(hospital.ehr.store.removed()).toEqual([]);
    expect(bundlesOf(hospital)).toHaveLength(1);
  });

  it('stays parked until a person has removed the duplicate, and then continues', async () => {
    const hospital = aHospital({ misbehaviours: [{ on: 'transact', nth: 2, does: 'drop-unknown' }] });
    await hospital.write().catch(() => undefined);
    const [write] = (await hospital.ledger.read(PLACE))[0]?.writes.filter(({ type }) => type === 'Composition') ?? [];
    const twins = ['twin-1', 'twin-2'].map((id) => ({ ...JSON.parse(write?.body ?? '{}'), id }));
    for (const twin of twins) hospital.ehr.put(twin);
    await writeAgain(hospital);
    expect(await writeAgain(hospital)).toMatchObject({ status: 'parked', reason: 'ambiguous' });
    for (const twin of twins) hospital.ehr.put({ ...twin, status: 'entered-in-error' });
    expect(await writeAgain(hospital)).toMatchObject({ status: 'written' });
    expect(hospital.written('Composition')).toHaveLength(1);
  });

  it('parks if a resource with its identity is on another patient', async () => {
    const hospital = aHospital({ misbehaviours: [{ on: 'transact', nth: 2, does: 'drop-unknown' }] });
    await hospital.write().catch(() => undefined);
    const [write] = (await hospital.ledger.read(PLACE))[0]?.writes.filter(({ type }) => type === 'Condition') ?? [];
    const foreign = { ...JSON.parse(write?.body ?? '{}'), id: 'foreign', subject: { reference: 'Patient/p-2' } };
    hospital.ehr.put(foreign);
    expect(await writeAgain(hospital)).toMatchObject({
      status: 'parked',
      reason: 'ambiguous',
      references: ['Condition/foreign'],
    });
  });
});

describe('an EHR that does not accept a write', () => {
  it('that refuses the Bundle as such gets single resources in the same try, and no Bundle again', async () => {
    const hospital = aHospital({ misbehaviours: [{ on: 'transact', does: 'bundle-refused' }] });
    expect(await hospital.write()).toMatchObject({ status: 'written' });
    expect(typesOf(hospital).toSorted()).toEqual(ALL.toSorted());
    const bundles = hospital.ehr.calls.filter(({ call }) => call === 'transact').length;
    await hospital.write(aResult({ run: 'run-2', session: 'session-2' }));
    expect(hospital.ehr.calls.filter(({ call }) => call === 'transact')).toHaveLength(bundles);
    expect(await factsOf(hospital)).toContain('transaction=refused');
  });

  it('that ran the transaction as a batch is written to singly from then on', async () => {
    const hospital = aHospital({ misbehaviours: [{ on: 'transact', does: 'batch' }] });
    expect(await hospital.write()).toMatchObject({ status: 'written' });
    expect(await factsOf(hospital)).toContain('transaction=batch');
    const bundles = hospital.ehr.calls.filter(({ call }) => call === 'transact').length;
    await hospital.write(aResult({ run: 'run-2', session: 'session-2' }));
    expect(hospital.ehr.calls.filter(({ call }) => call === 'transact')).toHaveLength(bundles);
  });

  it('that stored a part of a Bundle gets the rest, and nothing twice', async () => {
    const hospital = aHospital({ misbehaviours: [{ on: 'transact', nth: 2, does: 'mixed' }] });
    expect(await hospital.write()).toMatchObject({ status: 'written' });
    expect(typesOf(hospital).toSorted()).toEqual(ALL.toSorted());
    expect(JSON.stringify(hospital.written())).not.toContain('urn:uuid:');
  });

  it('that refuses a type is asked once, and the documents are made without it', async () => {
    const hospital = aHospital({
      hasTransaction: false,
      misbehaviours: [{ on: 'create', type: 'RiskAssessment', does: 'type-refused' }],
    });
    expect(await hospital.write()).toMatchObject({ status: 'written' });
    expect(typesOf(hospital)).not.toContain('RiskAssessment');
    expect(await factsOf(hospital)).toContain('type:RiskAssessment=refused');
    expect(JSON.stringify(hospital.written())).not.toContain('urn:uuid:');
    expect(hospital.ehr.calls.filter(({ call, type }) => call === 'create' && type === 'RiskAssessment')).toHaveLength(
      1,
    );
    await hospital.write(aResult({ run: 'run-2', session: 'session-2' }));
    expect(hospital.ehr.calls.filter(({ call, type }) => call === 'create' && type === 'RiskAssessment')).toHaveLength(
      1,
    );
  });

  it('that accepts no Conditions gets documents that refer to none', async () => {
    const hospital = aHospital({
      hasTransaction: false,
      misbehaviours: [{ on: 'create', type: 'Condition', does: 'type-refused' }],
    });
    expect(await hospital.write()).toMatchObject({ status: 'written' });
    expect(typesOf(hospital)).not.toContain('Condition');
    expect(JSON.stringify(hospital.written())).not.toContain('urn:uuid:');
  });

  it('that refuses one resource parks, and the message names the document', async () => {
    const hospital = aHospital({
      hasTransaction: false,
      misbehaviours: [{ on: 'create', type: 'Condition', does: 'refused' }],
    });
    const outcome = await hospital.write();
    expect(outcome).toMatchObject({ status: 'parked', reason: 'refused' });
    expect(outcome.status === 'parked' && outcome.message).toContain('condition');
    expect(outcome.status === 'parked' && outcome.message).not.toContain('Disease J18.9');
  });

  it('that limits requests is left alone for as long as it asks, and then gets the same bytes', async () => {
    const hospital = aHospital({ misbehaviours: [{ on: 'transact', nth: 2, does: 'limited' }] });
    const thrown = await hospital.write().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(EhrLimit);
    expect(thrown).toMatchObject({ retryAfterSeconds: 60, message: expect.stringContaining('it asked to wait until') });
    hospital.runtime.advance(60_000);
    expect(await hospital.write()).toMatchObject({ status: 'written' });
    expect([bundlesOf(hospital).length, new Set(bundlesOf(hospital)).size]).toEqual([2, 1]);
  });

  it('that is busy gets the same bytes again after a pause', async () => {
    const hospital = aHospital({
      misbehaviours: [
        { on: 'transact', nth: 2, does: 'busy' },
        { on: 'transact', nth: 3, does: 'busy' },
      ],
    });
    expect(await hospital.write()).toMatchObject({ status: 'written' });
    expect(new Set(bundlesOf(hospital)).size).toBe(1);
    expect(bundlesOf(hospital)).toHaveLength(3);
    expect(hospital.runtime.pauses.some((ms) => ms >= 1000)).toBe(true);
  });

  it('that accepts no drafts is not written to: the result is held until a clinician approves', async () => {
    const hospital = aHospital();
    await hospital.knowledge.learn('mercy', 'Fake EHR 1.0', { name: 'drafts', value: 'refused' });
    expect(await hospital.write()).toMatchObject({ status: 'held', reason: 'drafts' });
    expect(hospital.written()).toEqual([]);
  });

  it('that refuses a draft is remembered, and the result is held', async () => {
    const hospital = aHospital({
      hasTransaction: false,
      misbehaviours: [
        { on: 'create', type: 'DocumentReference', does: 'refused', why: 'invalid at DocumentReference.docStatus' },
      ],
    });
    expect(await hospital.write()).toMatchObject({ status: 'held', reason: 'drafts' });
    expect(await factsOf(hospital)).toContain('drafts=refused');
    expect(hospital.written('Condition')).toEqual([]);
  });

  it('that cannot be searched for Conditions never gets one a second time after a lost answer', async () => {
    const hospital = aHospital({
      cannotFind: ['Condition'],
      misbehaviours: [{ on: 'create', type: 'Condition', nth: 1, does: 'commit-unknown' }],
    });
    expect(await hospital.write()).toMatchObject({ status: 'parked', reason: 'ambiguous' });
    await writeAgain(hospital).catch(() => undefined);
    expect(
      hospital.ehr.calls.filter(
        ({ call, type, about }) => call === 'create' && type === 'Condition' && about.includes('J18.9'),
      ),
    ).toHaveLength(1);
  });
});

describe('an EHR whose transactions no write test has tried', () => {
  it('gets each document on its own, and what it stored proves nothing about its transactions', async () => {
    const hospital = aHospital({ knows: [] });
    expect(await hospital.write()).toMatchObject({ status: 'written' });
    expect(bundlesOf(hospital)).toEqual([]);
    const facts = await hospital.knowledge.recall('mercy', hospital.capabilities.software);
    expect(facts.filter(({ name }) => name === 'transaction')).toEqual([]);
  });

  it('a transaction that succeeded is no proof that a later one is all or nothing', async () => {
    const hospital = aHospital();
    await hospital.write();
    expect(bundlesOf(hospital)).not.toEqual([]);
    await hospital.knowledge.forget('mercy');
    const sent = bundlesOf(hospital).length;
    await hospital.write(aResult({ run: 'run-2', time: '2026-03-02T10:30:00Z', diseases: ['J44.1'] }));
    expect(bundlesOf(hospital)).toHaveLength(sent);
  });
});

describe('an EHR that is written to by conditional transactions', () => {
  // A type that cannot be searched for rules out a plain transaction.
  const conditional = (parts: HospitalParts = {}) =>
    aHospital({
      ...parts,
      cannotFind: ['Condition'],
      knows: [{ name: 'conditional', value: 'passed' }],
    });

  it('gets at most eight entries in each, and every document once', async () => {
    const hospital = conditional();
    const diseases = Array.from({ length: 9 }, (_, index) => `J0${index}.0`);
    expect(await hospital.write(aResult({ diseases }))).toMatchObject({ status: 'written' });
    const entries = bundlesOf(hospital).map((bundle) => JSON.parse(bundle).entry.length);
    expect(Math.max(...entries)).toBeLessThanOrEqual(8);
    expect(entries.reduce((sum, count) => sum + count, 0)).toBe(13);
    expect(hospital.written('Condition')).toHaveLength(9);
    expect(JSON.stringify(hospital.written())).not.toContain('urn:uuid:');
  });

  it('gets one Bundle at a time, for any number of patients', async () => {
    const hospital = conditional();
    const { ledger } = hospital;
    const other = await ledger.acquire('mercy/conditional', 'another engine', 30_000);
    if (other === undefined) throw new Error('nobody else writes yet');
    const sent = bundlesOf(hospital).length;
    await expect(hospital.write()).rejects.toMatchObject({ code: 'inUse' });
    expect(bundlesOf(hospital)).toHaveLength(sent);
    await ledger.release(other);
    hospital.runtime.advance(DOUBT_MS);
    expect(await hospital.write()).toMatchObject({ status: 'written' });
  });

  it('gets each session’s own Provenance, which cannot be searched for by identifier', async () => {
    const hospital = conditional();
    await hospital.write();
    expect(await hospital.write(aResult({ run: 'run-2', session: 'session-2' }))).toMatchObject({ status: 'written' });
    expect(hospital.written('Provenance')).toHaveLength(2);
  });

  it('gets nothing again before its own index must be up to date', async () => {
    const hospital = conditional({
      searchLagMs: SEARCH_LAG_MS / 3,
      misbehaviours: [{ on: 'transact', nth: 3, does: 'commit-unknown' }],
    });
    // The second Bundle of the session has only a Provenance, which cannot be searched for.
    const diseases = Array.from({ length: 14 }, (_, index) => `J${10 + index}.0`);
    for (let tries = 0; tries < 6; tries += 1) {
      await hospital.write(aResult({ diseases })).catch(() => undefined);
      hospital.runtime.advance(DOUBT_MS);
    }
    expect(hospital.written('Condition').length).toBe(14);
  });
});
