// The contract of every EHR with the engine, for a server that offers everything and behaves. It runs on the fake and on the real
// adapter.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Bundle, Condition, Resource, ResourceType, Subscription } from '@medplum/fhirtypes';
import type { Identity } from '../../src/domain/chart/identity.ts';
import type { Ehr, FindAnswer, StoredResource } from '../../src/ports/ehr.ts';

export type EhrStage = {
  /** Holds `Patient/p-1` and `Encounter/e-1`. */
  readonly ehr: Ehr;
  /** Another client stores a resource there, under its own id if it has one. */
  readonly put: (resource: Resource) => void;
  readonly close?: () => Promise<void>;
};

const SYSTEM = 'urn:chartwright:mercy';
const never = new AbortController().signal;

export function describeEhr(name: string, open: () => Promise<EhrStage>): void {
  describe(`${name} keeps the contract of an EHR`, () => {
    let stage: EhrStage;
    let ehr: Ehr;
    beforeEach(async () => {
      stage = await open();
      ehr = stage.ehr;
    });
    afterEach(() => stage.close?.());

    describe('reading', () => {
      it('a resource comes with its reference and its version', async () => {
        const read = await ehr.read('Patient/p-1', never);
        expect(read).toMatchObject({ reference: 'Patient/p-1', resource: { resourceType: 'Patient', id: 'p-1' } });
        expect(read?.version).toEqual(expect.any(String));
      });

      it('a resource that does not exist, or not any more, is undefined and no error', async () => {
        const reference = await stored(ehr, aCondition(named('gone')));
        expect(await ehr.remove(reference, never)).toBe(true);
        expect(await ehr.read(reference, never)).toBeUndefined();
        expect(await ehr.read('Patient/nobody', never)).toBeUndefined();
      });

      it('a search returns the matches, and that they are complete', async () => {
        await stored(ehr, aCondition(named('one')));
        stage.put({ ...aCondition(named('other')), id: 'other', subject: { reference: 'Patient/p-2' } });
        const answer = await ehr.search(
          { type: 'Condition', parameters: { patient: 'Patient/p-1' }, maxResources: 10 },
          never,
        );
        expect(answer.isComplete).toBe(true);
        expect(answer.resources.map(nameOf)).toEqual(['one']);
      });

      it('a search with more matches than requested is reported as incomplete', async () => {
        for (const part of ['a', 'b', 'c']) await stored(ehr, aCondition(named(part)));
        const parameters = { patient: 'Patient/p-1' };
        const few = await ehr.search({ type: 'Condition', parameters, maxResources: 2 }, never);
        expect(few).toMatchObject({ isComplete: false });
        expect(few.resources).toHaveLength(2);
        const enough = await ehr.search({ type: 'Condition', parameters, maxResources: 3 }, never);
        expect(enough).toMatchObject({ isComplete: true });
        expect(enough.resources).toHaveLength(3);
      });

      it('several reads that are done together answer as each of them alone, in order, each time', async () => {
        await stored(ehr, aCondition(named('one')));
        const order = { type: 'Condition', parameters: { patient: 'Patient/p-1' }, maxResources: 10 } as const;
        const identities = [named('one'), named('other')];
        const alone = [
          await ehr.read('Patient/p-1', never),
          await ehr.search(order, never),
          await ehr.read('Patient/nobody', never),
          await ehr.find({ type: 'Condition', identities }, never),
        ];
        // An EHR has to prove first that it answers a batch rightly.
        for (let time = 1; time <= 3; time += 1) {
          const together = await ehr.together(
            [
              (reads) => reads.read('Patient/p-1', never),
              (reads) => reads.search(order, never),
              (reads) => reads.read('Patient/nobody', never),
              (reads) => reads.find({ type: 'Condition', identities }, never),
            ],
            never,
          );
          expect(together).toEqual(alone);
        }
      });

      it('the first failure of several reads is thrown when all of them have ended', async () => {
        let hasEnded = false;
        const failing = ehr.together(
          [
            async () => {
              throw new Error('the first one');
            },
            async (reads) => {
              await reads.read('Patient/p-1', never);
              hasEnded = true;
            },
          ],
          never,
        );
        await expect(failing).rejects.toThrow('the first one');
        expect(hasEnded).toBe(true);
      });

      it('its capabilities are listed by type', async () => {
        const { isKnown, hasTransaction, types } = await ehr.capabilities(never);
        expect({ isKnown, hasTransaction }).toEqual({ isKnown: true, hasTransaction: true });
        expect(types.get('Condition')).toMatchObject({ canCreate: true, canSearch: true, canUpdate: true });
      });
    });

    describe('asking about a Subscription', () => {
      it('its status and its events are returned as Bundles', async () => {
        stage.put(aSubscription('s-1'));
        const ask = (operation: '$status' | '$events') =>
          ehr.ask({ reference: 'Subscription/s-1', operation, parameters: {} }, never);
        expect(await ask('$status')).toMatchObject({ resourceType: 'Bundle', type: 'searchset' });
        expect(await ask('$events')).toMatchObject({ resourceType: 'Bundle', type: 'history' });
      });

      it('an unknown one is undefined and no error', async () => {
        const order = { reference: 'Subscription/nobody', operation: '$status', parameters: {} } as const;
        expect(await ehr.ask(order, never)).toBeUndefined();
      });
    });

    describe('writing one resource', () => {
      it('a created resource is stored as it was sent, under the returned reference', async () => {
        const sent = aCondition(named('new'));
        const answer = await ehr.create({ type: 'Condition', body: JSON.stringify(sent) }, never);
        expect(answer).toMatchObject({ kind: 'stored', isNew: true });
        const reference = answer.kind === 'stored' ? answer.reference : '';
        const read = await ehr.read(reference, never);
        expect(read?.resource).toMatchObject(sent);
        expect(answer).toHaveProperty('version', read?.version);
      });

      it('a conditional create makes it once, and returns the existing one the next time', async () => {
        const identity = named('once');
        const order = { type: 'Condition', body: JSON.stringify(aCondition(identity)), ifNoneExist: identity } as const;
        const first = await ehr.create(order, never);
        const second = await ehr.create(order, never);
        expect(first).toMatchObject({ kind: 'stored', isNew: true });
        expect(second).toMatchObject({ kind: 'stored', isNew: false, reference: referenceOf(first) });
      });

      it('a conditional create with several matches is a conflict, and makes none', async () => {
        const identity = named('twice');
        for (const id of ['twice-1', 'twice-2']) stage.put({ ...aCondition(identity), id });
        const order = { type: 'Condition', body: JSON.stringify(aCondition(identity)), ifNoneExist: identity } as const;
        expect(await ehr.create(order, never)).toEqual({ kind: 'conflict' });
        expect(await foundBy(ehr, 'Condition', identity)).toHaveLength(2);
      });

      it('an update of the current version makes the next one', async () => {
        const { reference, version } = await storedWith(ehr, aCondition(named('draft')));
        const body = JSON.stringify({ ...aCondition(named('draft')), id: idOf(reference), recordedDate: '2026-03-02' });
        const answer = await ehr.update({ reference, body, ifMatch: version }, never);
        expect(answer).toMatchObject({ kind: 'stored', reference, isNew: false });
        expect(answer).not.toHaveProperty('version', version);
        expect((await ehr.read(reference, never))?.resource).toMatchObject({ recordedDate: '2026-03-02' });
      });

      it('an update of an older version is a conflict, and changes nothing', async () => {
        const { reference, version } = await storedWith(ehr, aCondition(named('touched')));
        const body = (recordedDate: string) =>
          JSON.stringify({ ...aCondition(named('touched')), id: idOf(reference), recordedDate });
        await ehr.update({ reference, body: body('2026-03-02'), ifMatch: version }, never);
        const answer = await ehr.update({ reference, body: body('2026-03-03'), ifMatch: version }, never);
        expect(answer).toEqual({ kind: 'conflict' });
        expect((await ehr.read(reference, never))?.resource).toMatchObject({ recordedDate: '2026-03-02' });
      });

      it('an update of a missing resource makes nothing', async () => {
        const body = JSON.stringify({ ...aCondition(named('nobody')), id: 'nobody' });
        const answer = await ehr.update({ reference: 'Condition/nobody', body, ifMatch: '1' }, never);
        expect(['refused', 'conflict']).toContain(answer.kind);
        expect(await ehr.read('Condition/nobody', never)).toBeUndefined();
      });
    });

    describe('writing a transaction', () => {
      it('all entries are stored, answered in order, and refer to each other by real references', async () => {
        const answer = await ehr.transact(JSON.stringify(aBundle(['first', 'second'])), never);
        expect(answer).toMatchObject({ kind: 'stored', entries: [{ isNew: true }, { isNew: true }, { isNew: true }] });
        const [first, second, provenance] = answer.kind === 'stored' ? answer.entries : [];
        expect(nameOf((await ehr.read(first?.reference ?? '', never))?.resource)).toBe('first');
        expect(nameOf((await ehr.read(second?.reference ?? '', never))?.resource)).toBe('second');
        expect((await ehr.read(provenance?.reference ?? '', never))?.resource).toMatchObject({
          target: [{ reference: first?.reference }, { reference: second?.reference }],
        });
      });

      it('sent again with conditions, it returns the existing resources and makes none', async () => {
        const bundle = JSON.stringify(aBundle(['again'], { isConditional: true }));
        const first = await ehr.transact(bundle, never);
        const second = await ehr.transact(bundle, never);
        const references = (answer: typeof first) =>
          answer.kind === 'stored' ? answer.entries.map(({ reference }) => reference) : answer.kind;
        expect(references(second)).toEqual(references(first));
        expect(second).toMatchObject({ kind: 'stored', entries: [{ isNew: false }, { isNew: false }] });
      });

      it('with one invalid entry nothing is stored', async () => {
        const { reference } = await storedWith(ehr, aCondition(named('stale')));
        const bundle = aBundle(['beside']);
        bundle.entry?.push({
          request: { method: 'PUT', url: reference, ifMatch: 'W/"no-such-version"' },
          resource: { ...aCondition(named('stale')), id: idOf(reference), recordedDate: '2026-03-02' },
        });
        expect(await ehr.transact(JSON.stringify(bundle), never)).toEqual({ kind: 'conflict' });
        expect(await foundBy(ehr, 'Condition', named('beside'))).toEqual([]);
      });
    });

    describe('finding what was written', () => {
      it('each identity has its resources, and an unused identity has no entry', async () => {
        const one = await stored(ehr, aCondition(named('one')));
        const two = await stored(ehr, aCondition(named('two')));
        const identities = ['one', 'two', 'three'].map(named);
        const answer = await ehr.find({ type: 'Condition', identities }, never);
        expect(referencesIn(answer)).toEqual({ one: [one], two: [two] });
      });

      it('two resources with the same identity are both found', async () => {
        for (const id of ['double-1', 'double-2']) stage.put({ ...aCondition(named('double')), id });
        const found = await foundBy(ehr, 'Condition', named('double'));
        expect(found.map(({ reference }) => reference).toSorted()).toEqual([
          'Condition/double-1',
          'Condition/double-2',
        ]);
      });

      it('the same value in another system does not match', async () => {
        stage.put({ ...aCondition({ system: 'urn:somebody', value: 'same' }), id: 'foreign' });
        expect(await foundBy(ehr, 'Condition', named('same'))).toEqual([]);
      });

      it('a resource that is entered-in-error is found, too', async () => {
        const coding = [
          { system: 'http://terminology.hl7.org/CodeSystem/condition-ver-status', code: 'entered-in-error' },
        ];
        const reference = await stored(ehr, { ...aCondition(named('withdrawn')), verificationStatus: { coding } });
        expect(await foundBy(ehr, 'Condition', named('withdrawn'))).toMatchObject([{ reference }]);
      });

      it('a resource that has no identifier is found by its tag', async () => {
        const answer = await ehr.transact(JSON.stringify(aBundle(['told'])), never);
        const reference = answer.kind === 'stored' ? answer.entries.at(-1)?.reference : undefined;
        expect(await foundBy(ehr, 'Provenance', named('provenance'))).toMatchObject([{ reference }]);
      });

      it('a document that has one identifier only is found by it', async () => {
        const identity = named('composition');
        const reference = await stored(ehr, {
          resourceType: 'Composition',
          identifier: identity,
          status: 'preliminary',
          type: { text: 'Progress note' },
          subject: { reference: 'Patient/p-1' },
          encounter: { reference: 'Encounter/e-1' },
          date: '2026-03-02T10:00:00Z',
          author: [{ display: 'Chartwright' }],
          title: 'Progress note',
        });
        expect(await foundBy(ehr, 'Composition', identity)).toMatchObject([{ reference }]);
      });

      it('an identity with characters that have a meaning in a search is found exactly', async () => {
        const odd = named('e-1/a,b|c$d\\e');
        const reference = await stored(ehr, aCondition(odd));
        await stored(ehr, aCondition(named('e-1/a')));
        expect(await foundBy(ehr, 'Condition', odd)).toMatchObject([{ reference }]);
      });
    });

    describe('write slots and aborted signals', () => {
      it('work in a write slot returns its result or throws its error, and frees the slot', async () => {
        const failure = new Error('stopped on purpose');
        await expect(ehr.withWriteSlot(async () => 'done', never)).resolves.toBe('done');
        for (const turn of [1, 2, 3, 4]) {
          const work = ehr.withWriteSlot(async () => {
            throw turn === 4 ? new Error('the last turn') : failure;
          }, never);
          await expect(work).rejects.toThrow(turn === 4 ? 'the last turn' : failure.message);
        }
      });

      it('a call with an aborted signal throws its reason, and nothing happens', async () => {
        const reason = new Error('somebody gave up');
        const signal = AbortSignal.abort(reason);
        const body = JSON.stringify(aCondition(named('aborted')));
        const calls: readonly Promise<unknown>[] = [
          ehr.capabilities(signal),
          ehr.read('Patient/p-1', signal),
          ehr.search({ type: 'Condition', parameters: {}, maxResources: 1 }, signal),
          ehr.find({ type: 'Condition', identities: [named('aborted')] }, signal),
          ehr.ask({ reference: 'Subscription/s-1', operation: '$status', parameters: {} }, signal),
          ehr.withWriteSlot(async () => 'never', signal),
          ehr.create({ type: 'Condition', body }, signal),
          ehr.update({ reference: 'Patient/p-1', body: '{}' }, signal),
          ehr.remove('Patient/p-1', signal),
          ehr.transact(JSON.stringify(aBundle(['aborted'])), signal),
        ];
        const outcomes = await Promise.allSettled(calls);
        expect(outcomes).toEqual(calls.map(() => ({ status: 'rejected', reason })));
        expect(await foundBy(ehr, 'Condition', named('aborted'))).toEqual([]);
        expect(await ehr.read('Patient/p-1', never)).toBeDefined();
      });
    });
  });
}

function named(value: string): Identity {
  return { system: SYSTEM, value };
}

function aCondition(identity: Identity): Condition {
  return {
    resourceType: 'Condition',
    identifier: [identity],
    code: { text: 'Cough' },
    subject: { reference: 'Patient/p-1' },
    encounter: { reference: 'Encounter/e-1' },
  };
}

function aSubscription(id: string): Subscription {
  return {
    resourceType: 'Subscription',
    id,
    status: 'active',
    reason: 'To be asked about',
    criteria: 'http://example.org/SubscriptionTopic/encounter-end',
    channel: { type: 'rest-hook', endpoint: 'http://127.0.0.1:9/nobody' },
  };
}

/** A Condition of each name, and a Provenance of them all. */
function aBundle(names: readonly string[], { isConditional = false } = {}): Bundle {
  const condition = ({ system, value }: Identity, parameter: string) =>
    isConditional ? { ifNoneExist: `${parameter}=${encodeURIComponent(`${system}|${value}`)}` } : {};
  const urn = (index: number) => `urn:uuid:00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  const { system, value } = named('provenance');
  return {
    resourceType: 'Bundle',
    type: 'transaction',
    entry: [
      ...names.map((name, index) => ({
        fullUrl: urn(index),
        request: { method: 'POST' as const, url: 'Condition', ...condition(named(name), 'identifier') },
        resource: aCondition(named(name)),
      })),
      {
        fullUrl: urn(names.length),
        request: { method: 'POST', url: 'Provenance', ...condition(named('provenance'), '_tag') },
        resource: {
          resourceType: 'Provenance',
          meta: { tag: [{ system, code: value }] },
          target: names.map((_, index) => ({ reference: urn(index) })),
          recorded: '2026-03-02T10:00:00Z',
          agent: [{ who: { display: 'Chartwright' } }],
        },
      },
    ],
  };
}

async function storedWith(ehr: Ehr, resource: Resource): Promise<{ reference: string; version: string | undefined }> {
  const answer = await ehr.create({ type: resource.resourceType, body: JSON.stringify(resource) }, never);
  if (answer.kind !== 'stored') throw new Error(`the ${resource.resourceType} was not stored: ${answer.kind}`);
  return { reference: answer.reference, version: answer.version };
}

async function stored(ehr: Ehr, resource: Resource): Promise<string> {
  return (await storedWith(ehr, resource)).reference;
}

async function foundBy(ehr: Ehr, type: ResourceType, identity: Identity): Promise<readonly StoredResource[]> {
  const answer = await ehr.find({ type, identities: [identity] }, never);
  if (!answer.canFind) throw new Error(answer.why);
  return answer.found.get(identity.value) ?? [];
}

function referencesIn(answer: FindAnswer): Readonly<Record<string, readonly string[]>> | string {
  if (!answer.canFind) return answer.why;
  return Object.fromEntries(
    [...answer.found].map(([value, found]) => [value, found.map(({ reference }) => reference)]),
  );
}

function referenceOf(answer: { readonly kind: string; readonly reference?: string }): string {
  return answer.reference ?? answer.kind;
}

function nameOf(resource: Resource | undefined): string | undefined {
  return resource?.resourceType === 'Condition' ? resource.identifier?.[0]?.value : undefined;
}

function idOf(reference: string): string {
  return reference.split('/')[1] ?? '';
}
