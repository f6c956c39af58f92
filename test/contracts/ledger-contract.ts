// The contract of every ledger: leases, frozen revisions, results of writes, lookups and findings.
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type {
  NewRevision,
  PlannedWrite,
  Revision,
  WritePlace,
  WriteState,
} from '../../src/domain/chart/chart-write.ts';
import { documentUrn, identifierSystem } from '../../src/domain/chart/identity.ts';
import type { Finding, Lease, Ledger } from '../../src/ports/ledger.ts';

export type LedgerSubject = {
  readonly ledger: Ledger;
  /** The same ledger as another engine process sees it. */
  readonly other: Ledger;
  /** Moves the ledger's clock on. */
  readonly passMs: (ms: number) => Promise<void>;
};

const MINUTE_MS = 60_000;
/** Long beside the time that a test takes. */
const STEP_MS = 40_000;
export const SITE = 'mercy';

let placeCount = 0;
/** A session without writes. */
export function aPlace(parts: Partial<WritePlace> = {}): WritePlace {
  placeCount += 1;
  return { site: SITE, encounter: `enc-${placeCount}`, session: `s-${placeCount}`, ...parts };
}

export function aWrite(
  place: WritePlace,
  parts: Partial<PlannedWrite> & { readonly suffix?: string } = {},
): PlannedWrite {
  const { suffix = '', ...rest } = parts;
  const document = parts.document ?? 'condition';
  const base = {
    system: identifierSystem(place.site),
    value: `${place.encounter}/${place.session}/${document}`,
  };
  return {
    document,
    action: 'create',
    type: 'Condition',
    base,
    identity: { ...base, value: `${base.value}${suffix}` },
    fullUrl: documentUrn(base),
    body: JSON.stringify({ resourceType: 'Condition', note: [{ text: `Ärztin 🩺 ${suffix}` }] }),
    ...rest,
  };
}

export function aRevision(writes: readonly PlannedWrite[], parts: Partial<NewRevision> = {}): NewRevision {
  return {
    kind: 'documents',
    patient: 'Patient/1',
    run: { id: 'run-1', time: '2026-03-02T10:00:00+01:00' },
    versions: {
      engine: '1.0.0',
      mapping: 'map-1',
      prompt: 'p-1',
      model: 'm-1',
      answeredBy: ['m-1-2026', 'm-1-2026 fp_1'],
      speech: 'sp-1',
    },
    writes,
    ...parts,
  };
}

export async function taken(ledger: Ledger, name = `${SITE}/Patient/1`, holder = 'one'): Promise<Lease> {
  const lease = await ledger.acquire(name, holder, MINUTE_MS);
  if (!lease) throw new Error('somebody else has it');
  return lease;
}

export function firstWrite(revision: Revision): Revision['writes'][number] {
  const [write] = revision.writes;
  if (!write) throw new Error('a revision with a write');
  return write;
}

/** Freezes it, sends all of it and records it as written: `Condition/<number>`. */
export async function written(
  ledger: Ledger,
  place: WritePlace,
  revision: NewRevision,
  lease: Lease,
): Promise<Revision> {
  const { number, writes } = await ledger.freeze(lease, place, revision);
  await ledger.beginSending(
    lease,
    writes.map(({ id }) => ({ id, sentSha256: 'a' })),
  );
  await ledger.recordResults(
    lease,
    writes.map(({ id, target, type }, index) => ({
      id,
      state: 'written',
      reference: target ?? `${type}/${place.encounter}-${number}-${index}`,
      version: '1',
    })),
  );
  await ledger.close(lease, place, { number, state: 'done' });
  const kept = (await ledger.read(place)).find((one) => one.number === number);
  if (!kept) throw new Error('it was frozen');
  return kept;
}

type MakeSubject = () => Promise<LedgerSubject>;

export function ledgerContract(name: string, makeSubject: MakeSubject): void {
  describe(`the ledger of ${name}`, () => {
    leaseContract(makeSubject);
    fencingContract(makeSubject);
    freezeContract(makeSubject);
    replaceContract(makeSubject);
    sendingContract(makeSubject);
    settleContract(makeSubject);
    closeContract(makeSubject);
    bindingContract(makeSubject);
    recallContract(makeSubject);
    checkContract(makeSubject);
    findingContract(makeSubject);
  });
}

function leaseContract(makeSubject: MakeSubject): void {
  it('grants a lease to exactly one of many concurrent callers', async () => {
    const { ledger, other } = await makeSubject();
    const asked = Array.from({ length: 8 }, (_, index) =>
      (index % 2 ? ledger : other).acquire('mercy/Patient/9', `holder-${index}`, MINUTE_MS),
    );
    const given = (await Promise.all(asked)).filter((lease) => lease !== undefined);
    expect(given).toHaveLength(1);
    expect(given[0]?.fence).toBe(1);
  });

  it('grants a lease only once while it lasts, not even again to its holder', async () => {
    const { ledger, passMs } = await makeSubject();
    const lease = await taken(ledger);
    await passMs(MINUTE_MS - 1000);
    expect(await ledger.acquire(lease.name, 'one', MINUTE_MS)).toBeUndefined();
    expect(await ledger.acquire(lease.name, 'two', MINUTE_MS)).toBeUndefined();
    expect(await ledger.acquire('mercy/Patient/other', 'two', MINUTE_MS)).toBeDefined();
  });

  it('grants a lease again after it has expired or was released, each time with a higher number', async () => {
    const { ledger, passMs } = await makeSubject();
    const first = await taken(ledger);
    await ledger.release(first);
    const second = await taken(ledger, first.name, 'two');
    await passMs(MINUTE_MS + 1);
    const third = await taken(ledger, first.name, 'one');
    await ledger.release(third);
    const fourth = await taken(ledger, first.name, 'one');
    expect([first, second, third, fourth].map(({ fence }) => fence)).toEqual([1, 2, 3, 4]);
  });

  it('renews a lease, unless it has expired or another holder has it', async () => {
    const { ledger, passMs } = await makeSubject();
    const lease = await taken(ledger);
    await passMs(MINUTE_MS - 1000);
    await ledger.renew(lease, MINUTE_MS);
    await passMs(MINUTE_MS - 1000);
    expect(await ledger.acquire(lease.name, 'two', MINUTE_MS)).toBeUndefined();
    await passMs(2000);
    await expect(ledger.renew(lease, MINUTE_MS)).rejects.toMatchObject({ code: 'inUse' });
    await taken(ledger, lease.name, 'one');
    await expect(ledger.renew(lease, MINUTE_MS)).rejects.toMatchObject({ code: 'inUse' });
  });

  it('keeps a lease that an earlier holder releases', async () => {
    const { ledger, passMs } = await makeSubject();
    const old = await taken(ledger);
    await passMs(MINUTE_MS + 1);
    await taken(ledger, old.name, 'two');
    await ledger.release(old);
    await ledger.release({ name: 'mercy/Patient/never', holder: 'one', fence: 1 });
    expect(await ledger.acquire(old.name, 'three', MINUTE_MS)).toBeUndefined();
  });
}

function fencingContract(makeSubject: MakeSubject): void {
  /** The calls that only the holder may make. */
  const attempts = (ledger: Ledger, lease: Lease, place: WritePlace, id: string) => ({
    freeze: () => ledger.freeze(lease, aPlace(), aRevision([])),
    freezeWrites: () => ledger.freeze(lease, aPlace(), aRevision([aWrite(aPlace())])),
    beginSending: () => ledger.beginSending(lease, [{ id, sentSha256: 'a' }]),
    beginSendingForLonger: () => ledger.beginSending(lease, [{ id, sentSha256: 'a' }], MINUTE_MS),
    settle: () => ledger.recordResults(lease, [{ id, state: 'refused' }]),
    settleWell: () => ledger.recordResults(lease, [{ id, state: 'written', reference: 'Condition/1' }]),
    close: () => ledger.close(lease, place, { number: 1, state: 'parked', reason: 'ambiguous' }),
    renew: () => ledger.renew(lease, MINUTE_MS),
  });

  it.each(['ended', 'was given back', 'was taken over', 'is a made up one'] as const)(
    'refuses every change under a lease that %s',
    async (how) => {
      const { ledger, other, passMs } = await makeSubject();
      const place = aPlace();
      const lease = await taken(ledger);
      const { id } = firstWrite(await ledger.freeze(lease, place, aRevision([aWrite(place)])));
      if (how === 'was given back') await ledger.release(lease);
      if (how === 'ended' || how === 'was taken over') await passMs(MINUTE_MS + 1);
      if (how === 'was taken over') await taken(other, lease.name, lease.holder);
      const used = how === 'is a made up one' ? { ...lease, fence: lease.fence + 1 } : lease;
      for (const attempt of Object.values(attempts(ledger, used, place, id))) {
        await expect(attempt()).rejects.toMatchObject({ code: 'inUse' });
      }
      const [revision] = await ledger.read(place);
      expect(revision).toMatchObject({ state: 'open', writes: [{ state: 'frozen' }] });
    },
  );

  it('refuses sending in the last five seconds of a lease, but still records results', async () => {
    const { ledger, passMs } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const { id } = firstWrite(await ledger.freeze(lease, place, aRevision([aWrite(place)])));
    await passMs(MINUTE_MS - 10_000);
    await ledger.beginSending(lease, [{ id, sentSha256: 'a' }]);
    await passMs(6000);
    await expect(ledger.beginSending(lease, [{ id, sentSha256: 'a' }])).rejects.toMatchObject({ code: 'inUse' });
    await ledger.recordResults(lease, [{ id, state: 'written', reference: 'Condition/1' }]);
    expect((await ledger.read(place))[0]?.writes[0]?.state).toBe('written');
  });

  it('renews the lease with a sending on request, even in its last five seconds', async () => {
    const { ledger, passMs } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const { id } = firstWrite(await ledger.freeze(lease, place, aRevision([aWrite(place)])));
    await passMs(MINUTE_MS - 4000);
    await ledger.beginSending(lease, [{ id, sentSha256: 'a' }], MINUTE_MS);
    await passMs(MINUTE_MS - 1000);
    expect(await ledger.acquire(lease.name, 'two', MINUTE_MS)).toBeUndefined();
    await passMs(2000);
    const late = ledger.beginSending(lease, [{ id, sentSha256: 'a' }], MINUTE_MS);
    await expect(late).rejects.toMatchObject({ code: 'inUse' });
  });
}

function freezeContract(makeSubject: MakeSubject): void {
  it('returns what was frozen, byte for byte, the oldest revision first', async () => {
    const { ledger, other } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const writes = [
      aWrite(place, { document: 'composition', type: 'Composition', body: '{"text":"Ä🩺\\u0000"}' }),
      aWrite(place, { suffix: '/J18.9/2', action: 'create' }),
      aWrite(place, { document: 'flag', action: 'update', target: 'Flag/3', ifMatch: '7' }),
      aWrite(place, { document: 'task', action: 'retire', target: 'Task/3' }),
    ];
    const frozen = await ledger.freeze(lease, place, aRevision(writes));
    expect(frozen).toMatchObject({ ...aRevision(writes), place, number: 1, state: 'open' });
    expect(frozen.writes.map(({ position, state }) => [position, state])).toEqual(
      [0, 1, 2, 3].map((position) => [position, 'frozen']),
    );
    expect(new Set(frozen.writes.map(({ id }) => id)).size).toBe(4);
    for (const { body, sha256 } of frozen.writes) {
      expect(sha256).toBe(createHash('sha256').update(body).digest('hex'));
    }
    expect(await other.read(place)).toEqual([frozen]);
    const second = await ledger.freeze(lease, place, aRevision([], { versions: { engine: '2' } }));
    expect((await ledger.read(place)).map(({ number }) => number)).toEqual([1, 2]);
    expect(second).toEqual({ ...aRevision([]), versions: { engine: '2' }, place, number: 2, state: 'open' });
  });

  it('stores a body of 8 MiB', async () => {
    const { ledger } = await makeSubject();
    const place = aPlace();
    const body = 'é'.repeat(4 * 1024 * 1024);
    await ledger.freeze(await taken(ledger), place, aRevision([aWrite(place, { body })]));
    expect((await ledger.read(place))[0]?.writes[0]?.body === body).toBe(true);
  });

  it('returns nothing for a place without revisions, nor for similar places', async () => {
    const { ledger } = await makeSubject();
    const place = aPlace();
    await ledger.freeze(await taken(ledger), place, aRevision([aWrite(place)]));
    expect(await ledger.read({ ...place, session: 'other' })).toEqual([]);
    expect(await ledger.read({ ...place, encounter: 'other' })).toEqual([]);
    expect(await ledger.read({ ...place, site: 'other' })).toEqual([]);
  });

  it('refuses to create the same document a second time, and stores nothing of that revision', async () => {
    const { ledger } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    await written(ledger, place, aRevision([aWrite(place)]), lease);
    const again = aRevision([aWrite(place, { suffix: '/2' }), aWrite(place)]);
    await expect(ledger.freeze(lease, place, again)).rejects.toMatchObject({ code: 'conflict' });
    await expect(ledger.freeze(lease, aPlace(), again)).rejects.toMatchObject({ code: 'conflict' });
    expect(await ledger.read(place)).toHaveLength(1);
    await ledger.freeze(lease, place, aRevision([aWrite(place, { suffix: '/2' })]));
    const elsewhere = aPlace({ site: 'other' });
    await ledger.freeze(lease, elsewhere, aRevision([aWrite(place)]));
  });

  it('refuses the same write twice in one revision, and accepts different ones', async () => {
    const { ledger } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const retire = aWrite(place, { action: 'retire', target: 'Condition/1' });
    await expect(ledger.freeze(lease, place, aRevision([retire, retire]))).rejects.toMatchObject({ code: 'conflict' });
    await expect(ledger.freeze(lease, place, aRevision([aWrite(place), aWrite(place)]))).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await ledger.read(place)).toEqual([]);
    await ledger.freeze(lease, place, aRevision([aWrite(place), retire]));
  });

  it('accepts a document again that was refused, and one that was never sent', async () => {
    const { ledger } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const first = await ledger.freeze(lease, place, aRevision([aWrite(place)]));
    await ledger.recordResults(lease, [{ id: firstWrite(first).id, state: 'refused' }]);
    await ledger.freeze(lease, place, aRevision([aWrite(place)]));
    await ledger.freeze(lease, place, aRevision([aWrite(place)]));
    const states = (await ledger.read(place)).map(({ writes }) => writes[0]?.state);
    expect(states).toEqual(['refused', 'dropped', 'frozen']);
  });

  it.each(['ambiguous', 'stored', 'written'] as const)(
    'never accepts a second create of a document that is %s',
    async (state) => {
      const { ledger } = await makeSubject();
      const place = aPlace();
      const lease = await taken(ledger);
      const { id } = firstWrite(await ledger.freeze(lease, place, aRevision([aWrite(place)])));
      await ledger.recordResults(lease, [{ id, state, reference: 'Condition/1' }]);
      await expect(ledger.freeze(lease, place, aRevision([aWrite(place)]))).rejects.toMatchObject({ code: 'conflict' });
      expect((await ledger.read(place)).map((revision) => revision.state)).toEqual(['open']);
    },
  );
}

function replaceContract(makeSubject: MakeSubject): void {
  it.each(['open', 'parked'] as const)('lets a new revision take over from one that is %s', async (state) => {
    const { ledger } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const writes = [aWrite(place), aWrite(place, { suffix: '/2' }), aWrite(place, { suffix: '/3' })];
    const [one, two] = (await ledger.freeze(lease, place, aRevision(writes))).writes;
    await ledger.recordResults(lease, [
      { id: one?.id ?? '', state: 'written', reference: 'Condition/1' },
      { id: two?.id ?? '', state: 'stored', reference: 'Condition/2' },
    ]);
    if (state === 'parked') await ledger.close(lease, place, { number: 1, state, reason: 'touched' });
    await ledger.freeze(lease, place, aRevision([]));
    const [first, second] = await ledger.read(place);
    expect(first?.state).toBe('replaced');
    expect(first?.writes.map((write) => write.state)).toEqual(['written', 'stored', 'dropped']);
    expect(second?.state).toBe('open');
  });

  it('does not change a revision that is done', async () => {
    const { ledger } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    await written(ledger, place, aRevision([aWrite(place)]), lease);
    await ledger.freeze(lease, place, aRevision([]));
    expect((await ledger.read(place)).map(({ state }) => state)).toEqual(['done', 'open']);
  });

  it('refuses a new revision while a write of the last one is being sent', async () => {
    const { ledger } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const writes = [aWrite(place), aWrite(place, { suffix: '/2' })];
    const first = await ledger.freeze(lease, place, aRevision(writes));
    const { id } = firstWrite(first);
    await ledger.beginSending(lease, [{ id, sentSha256: 'a' }]);
    await expect(ledger.freeze(lease, place, aRevision([]))).rejects.toMatchObject({ code: 'conflict' });
    const replace = ledger.close(lease, place, { number: 1, state: 'replaced' });
    await expect(replace).rejects.toMatchObject({ code: 'conflict' });
    const [kept] = await ledger.read(place);
    expect(kept?.writes.map((write) => write.state)).toEqual(['sending', 'frozen']);
    await ledger.recordResults(lease, [{ id, state: 'frozen' }]);
    expect((await ledger.freeze(lease, place, aRevision([]))).number).toBe(2);
  });
}

function sendingContract(makeSubject: MakeSubject): void {
  it('stores what is sent and when, before it is sent', async () => {
    const { ledger, other, passMs } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const { id } = firstWrite(await ledger.freeze(lease, place, aRevision([aWrite(place)])));
    await ledger.beginSending(lease, [{ id, sentSha256: 'abc' }]);
    const before = firstWrite((await other.read(place))[0] as Revision);
    expect(before).toMatchObject({ state: 'sending', sentSha256: 'abc', sentAt: expect.any(Date) });
    await passMs(10_000);
    await ledger.beginSending(lease, [{ id, sentSha256: 'abc' }]);
    const after = firstWrite((await other.read(place))[0] as Revision);
    // If the test moves the ledger's clock, existing rows get older instead.
    expect(after.sentAt?.getTime()).toBeGreaterThanOrEqual(before.sentAt?.getTime() ?? Number.POSITIVE_INFINITY);
  });

  it('returns the time of the clock that sendings are recorded with', async () => {
    const { ledger, other } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const { id } = firstWrite(await ledger.freeze(lease, place, aRevision([aWrite(place)])));
    const before = await ledger.now();
    const told = await ledger.beginSending(lease, [{ id, sentSha256: 'abc' }]);
    const { sentAt } = firstWrite((await other.read(place))[0] as Revision);
    expect(sentAt).toEqual(told);
    expect(sentAt?.getTime()).toBeGreaterThanOrEqual(before.getTime());
    expect(sentAt?.getTime()).toBeLessThanOrEqual((await other.now()).getTime());
  });

  it('refuses other bytes for a write that may be stored, and marks nothing as sent', async () => {
    const { ledger } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const frozen = await ledger.freeze(lease, place, aRevision([aWrite(place), aWrite(place, { suffix: '/2' })]));
    const [one, two] = frozen.writes.map((write) => write.id);
    await ledger.beginSending(lease, [{ id: two ?? '', sentSha256: 'abc' }]);
    const sends = [one, two].map((id) => ({ id: id ?? '', sentSha256: 'def' }));
    await expect(ledger.beginSending(lease, sends)).rejects.toMatchObject({ code: 'conflict' });
    const [kept] = await ledger.read(place);
    expect(kept?.writes.map(({ state, sentSha256 }) => [state, sentSha256])).toEqual([
      ['frozen', undefined],
      ['sending', 'abc'],
    ]);
  });

  it('accepts other bytes if the EHR did not store the first', async () => {
    const { ledger } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const { id } = firstWrite(await ledger.freeze(lease, place, aRevision([aWrite(place)])));
    await ledger.beginSending(lease, [{ id, sentSha256: 'abc' }]);
    await ledger.recordResults(lease, [{ id, state: 'frozen' }]);
    expect(firstWrite((await ledger.read(place))[0] as Revision).sentSha256).toBeUndefined();
    await ledger.beginSending(lease, [{ id, sentSha256: 'def' }]);
    expect(firstWrite((await ledger.read(place))[0] as Revision).sentSha256).toBe('def');
  });

  it.each(['stored', 'written', 'refused', 'ambiguous', 'dropped'] as const)(
    'never sends what is %s',
    async (state) => {
      const { ledger } = await makeSubject();
      const place = aPlace();
      const lease = await taken(ledger);
      const { id } = firstWrite(await ledger.freeze(lease, place, aRevision([aWrite(place)])));
      await ledger.recordResults(lease, [{ id, state, reference: 'Condition/1' }]);
      await expect(ledger.beginSending(lease, [{ id, sentSha256: 'a' }])).rejects.toMatchObject({ code: 'conflict' });
      expect(firstWrite((await ledger.read(place))[0] as Revision).state).toBe(state);
    },
  );

  it('allows a stored change that does not show to be sent again, but never a new document', async () => {
    const { ledger } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const update = aWrite(place, { action: 'update', target: 'Condition/1' });
    const { id } = firstWrite(await ledger.freeze(lease, place, aRevision([update])));
    await ledger.recordResults(lease, [{ id, state: 'stored' }]);
    await ledger.beginSending(lease, [{ id, sentSha256: 'a' }]);
    await ledger.recordResults(lease, [{ id, state: 'stored' }]);
    await ledger.recordResults(lease, [{ id, state: 'frozen' }]);
    expect(firstWrite((await ledger.read(place))[0] as Revision).state).toBe('frozen');
  });

  it('refuses to send an unknown write', async () => {
    const { ledger } = await makeSubject();
    const lease = await taken(ledger);
    const sends = [{ id: 'never', sentSha256: 'a' }];
    await expect(ledger.beginSending(lease, sends)).rejects.toMatchObject({ code: 'conflict' });
    await expect(ledger.recordResults(lease, [{ id: 'never', state: 'refused' }])).rejects.toMatchObject({
      code: 'conflict',
    });
  });
}

function settleContract(makeSubject: MakeSubject): void {
  const END_STATES = ['written', 'refused', 'ambiguous', 'dropped'] as const;
  const ALL_STATES: readonly WriteState[] = ['frozen', 'sending', 'stored', ...END_STATES];

  async function inState(ledger: Ledger, lease: Lease, state: WriteState) {
    const place = aPlace();
    const { id } = firstWrite(await ledger.freeze(lease, place, aRevision([aWrite(place)])));
    if (state === 'sending') await ledger.beginSending(lease, [{ id, sentSha256: 'a' }]);
    else if (state !== 'frozen')
      await ledger.recordResults(lease, [{ id, state, reference: 'Condition/1', version: '1' }]);
    return { id, look: async () => firstWrite((await ledger.read(place))[0] as Revision) };
  }

  it.each(END_STATES)('never changes a write that is %s', async (end) => {
    const { ledger } = await makeSubject();
    const lease = await taken(ledger);
    const { id, look } = await inState(ledger, lease, end);
    const cleared: readonly WriteState[] = end === 'ambiguous' ? ['written', 'dropped'] : [];
    for (const state of ALL_STATES.filter((one) => one !== end && !cleared.includes(one))) {
      const settling = ledger.recordResults(lease, [{ id, state, reference: 'Condition/1' }]);
      await expect(settling).rejects.toMatchObject({ code: 'conflict' });
    }
    await ledger.recordResults(lease, [{ id, state: end, reference: 'Condition/1', version: '2' }]);
    await ledger.recordResults(lease, [{ id, state: end }]);
    const other = ledger.recordResults(lease, [{ id, state: end, reference: 'Condition/2' }]);
    await expect(other).rejects.toMatchObject({ code: 'conflict' });
    expect(await look()).toMatchObject({ state: end, reference: 'Condition/1', version: '1' });
  });

  it.each(['written', 'dropped'] as const)('records what a person has resolved as %s', async (state) => {
    const { ledger } = await makeSubject();
    const lease = await taken(ledger);
    const { id, look } = await inState(ledger, lease, 'ambiguous');
    await ledger.recordResults(lease, [{ id, state, reference: 'Condition/2' }]);
    expect(await look()).toMatchObject({ state, reference: 'Condition/2' });
  });

  it.each([
    ['frozen', 'sending'],
    ['sending', 'dropped'],
    ['stored', 'dropped'],
    ['stored', 'frozen'],
  ] as const)('refuses to go from %s to %s', async (from, to) => {
    const { ledger } = await makeSubject();
    const lease = await taken(ledger);
    const { id, look } = await inState(ledger, lease, from);
    await expect(ledger.recordResults(lease, [{ id, state: to }])).rejects.toMatchObject({ code: 'conflict' });
    expect((await look()).state).toBe(from);
  });

  it('keeps reference and version if a result has none', async () => {
    const { ledger } = await makeSubject();
    const lease = await taken(ledger);
    const { id, look } = await inState(ledger, lease, 'sending');
    await ledger.recordResults(lease, [{ id, state: 'stored', reference: 'Condition/5' }]);
    await ledger.recordResults(lease, [{ id, state: 'stored', version: '3' }]);
    await ledger.recordResults(lease, [{ id, state: 'written' }]);
    expect(await look()).toMatchObject({ state: 'written', reference: 'Condition/5', version: '3', sentSha256: 'a' });
  });

  it('refuses a written result without a reference', async () => {
    const { ledger } = await makeSubject();
    const lease = await taken(ledger);
    const { id, look } = await inState(ledger, lease, 'sending');
    await expect(ledger.recordResults(lease, [{ id, state: 'written' }])).rejects.toMatchObject({ code: 'internal' });
    expect((await look()).state).toBe('sending');
  });

  it('records all results or none', async () => {
    const { ledger } = await makeSubject();
    const lease = await taken(ledger);
    const [good, bad] = [await inState(ledger, lease, 'sending'), await inState(ledger, lease, 'refused')];
    const settling = ledger.recordResults(lease, [
      { id: good.id, state: 'written', reference: 'Condition/1' },
      { id: bad.id, state: 'written', reference: 'Condition/2' },
    ]);
    await expect(settling).rejects.toMatchObject({ code: 'conflict' });
    const twice = { id: good.id, state: 'ambiguous' } as const;
    await expect(ledger.recordResults(lease, [twice, twice])).rejects.toMatchObject({ code: 'conflict' });
    expect((await good.look()).state).toBe('sending');
    await ledger.recordResults(lease, []);
  });
}

function closeContract(makeSubject: MakeSubject): void {
  it('closes a revision only if all its writes have ended', async () => {
    const { ledger } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const { id } = firstWrite(await ledger.freeze(lease, place, aRevision([aWrite(place)])));
    const done = () => ledger.close(lease, place, { number: 1, state: 'done' });
    await expect(done()).rejects.toMatchObject({ code: 'conflict' });
    await ledger.beginSending(lease, [{ id, sentSha256: 'a' }]);
    await expect(done()).rejects.toMatchObject({ code: 'conflict' });
    await ledger.recordResults(lease, [{ id, state: 'stored', reference: 'Condition/1' }]);
    await expect(done()).rejects.toMatchObject({ code: 'conflict' });
    await ledger.recordResults(lease, [{ id, state: 'written' }]);
    await done();
    await done();
    expect((await ledger.read(place))[0]?.state).toBe('done');
    for (const state of ['parked', 'replaced'] as const) {
      await expect(ledger.close(lease, place, { number: 1, state })).rejects.toMatchObject({ code: 'conflict' });
    }
  });

  it('releases a lease with its last close, and keeps it if the revision cannot be closed', async () => {
    const { ledger } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const { id } = firstWrite(await ledger.freeze(lease, place, aRevision([aWrite(place)])));
    const close = () => ledger.close(lease, place, { number: 1, state: 'done', isLast: true });
    await expect(close()).rejects.toMatchObject({ code: 'conflict' });
    expect(await ledger.acquire(lease.name, 'another', 60_000)).toBeUndefined();
    await ledger.beginSending(lease, [{ id, sentSha256: 'a' }]);
    await ledger.recordResults(lease, [{ id, state: 'written', reference: 'Condition/1' }]);
    await close();
    const next = await ledger.acquire(lease.name, 'another', 60_000);
    expect(next?.fence).toBe(lease.fence + 1);
    await ledger.release(lease);
    expect(await ledger.acquire(lease.name, 'a third', 60_000)).toBeUndefined();
    await expect(ledger.renew(lease, 60_000)).rejects.toMatchObject({ code: 'inUse' });
  });

  it('stores the reason of a parked revision, which can be continued', async () => {
    const { ledger } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const { id } = firstWrite(await ledger.freeze(lease, place, aRevision([aWrite(place)])));
    await ledger.close(lease, place, { number: 1, state: 'parked', reason: 'ambiguous' });
    expect((await ledger.read(place))[0]).toMatchObject({ state: 'parked', reason: 'ambiguous' });
    await ledger.beginSending(lease, [{ id, sentSha256: 'a' }]);
    await ledger.recordResults(lease, [{ id, state: 'written', reference: 'Condition/1' }]);
    await ledger.close(lease, place, { number: 1, state: 'done' });
    const [kept] = await ledger.read(place);
    expect(kept?.state).toBe('done');
    expect(kept?.reason).toBeUndefined();
  });

  it('refuses to send writes of a replaced revision', async () => {
    const { ledger } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const { id } = firstWrite(await ledger.freeze(lease, place, aRevision([aWrite(place)])));
    const second = { action: 'update', target: 'Condition/1' } as const;
    await ledger.close(lease, place, { number: 1, state: 'replaced' });
    expect(firstWrite((await ledger.read(place))[0] as Revision).state).toBe('dropped');
    await expect(ledger.beginSending(lease, [{ id, sentSha256: 'a' }])).rejects.toMatchObject({ code: 'conflict' });
    const missing = ledger.close(lease, place, { number: 2, state: 'done' });
    await expect(missing).rejects.toMatchObject({ code: 'conflict' });
    const change = firstWrite(await ledger.freeze(lease, place, aRevision([aWrite(place, second)])));
    await ledger.recordResults(lease, [{ id: change.id, state: 'stored' }]);
    await ledger.freeze(lease, place, aRevision([]));
    const late = ledger.beginSending(lease, [{ id: change.id, sentSha256: 'a' }]);
    await expect(late).rejects.toMatchObject({ code: 'conflict' });
  });
}

function bindingContract(makeSubject: MakeSubject): void {
  it('binds a site to the EHR that it wrote to first, and others to theirs', async () => {
    const { ledger, other } = await makeSubject();
    await ledger.bindEhr(SITE, 'https://ehr.example.org/fhir/R4');
    await other.bindEhr(SITE, 'https://ehr.example.org/fhir/R4/');
    await other.bindEhr('clinic', 'https://ehr.example.org/other');
    const moved = ledger.bindEhr(SITE, 'https://ehr.example.org/other');
    await expect(moved).rejects.toMatchObject({ code: 'conflict' });
    await ledger.bindEhr(SITE, 'https://ehr.example.org/fhir/R4');
  });

  it('binds a site to one of two concurrent EHRs', async () => {
    const { ledger, other } = await makeSubject();
    const both = [ledger.bindEhr(SITE, 'https://one.example'), other.bindEhr(SITE, 'https://two.example')];
    const results = await Promise.allSettled(both);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });
}

function recallContract(makeSubject: MakeSubject): void {
  it('finds what is in charts by model, mapping, prompt, site and time of the run', async () => {
    const { ledger } = await makeSubject();
    const lease = await taken(ledger);
    const write = async (parts: Partial<NewRevision>, site = SITE) => {
      const place = aPlace({ site });
      await written(ledger, place, aRevision([aWrite(place)], parts), lease);
      return place;
    };
    const old = { model: 'm-0', mapping: 'map-0', prompt: 'p-0', engine: '1' };
    const one = await write({ versions: old, run: { id: 'r', time: '2026-03-01T23:30:00-02:00' } });
    const two = await write({ run: { id: 'r', time: '2026-03-02T02:00:00Z' } });
    const three = await write({ versions: { engine: '1' }, run: { id: 'r', time: '2026-03-03T00:00:00Z' } }, 'clinic');
    const found = async (query: Parameters<Ledger['findWritten']>[0]) => sortedPlaces(await ledger.findWritten(query));
    expect(await found({ scope: 'all' })).toEqual(sortedPlaces([one, two, three]));
    expect(await found({ scope: 'all', model: 'm-0' })).toEqual([one]);
    expect(await found({ scope: 'all', mapping: 'map-0' })).toEqual([one]);
    expect(await found({ scope: 'all', prompt: 'p-1' })).toEqual([two]);
    expect(await found({ scope: 'all', site: 'clinic' })).toEqual([three]);
    expect(await found({ scope: ['clinic'] })).toEqual([three]);
    expect(await found({ scope: ['clinic'], model: 'm-0' })).toEqual([]);
    expect(await found({ scope: [], model: 'm-0' })).toEqual([]);
    expect(await found({ scope: 'all', model: 'm-0', prompt: 'p-1' })).toEqual([]);
    const from = new Date('2026-03-02T02:00:00Z');
    const to = new Date('2026-03-03T00:00:00Z');
    expect(await found({ scope: 'all', from, to })).toEqual([two]);
    expect(await found({ scope: 'all', to: from })).toEqual([one]);
  });

  it('finds what is in charts by the model that answered', async () => {
    const { ledger } = await makeSubject();
    const lease = await taken(ledger);
    const place = aPlace();
    const versions = { engine: '1', model: 'm-0', answeredBy: ['m-0-2026-03', 'm-0-2026-03 fp_1'] };
    await written(ledger, place, aRevision([aWrite(place)], { versions }), lease);
    for (const model of ['m-0', ...versions.answeredBy]) {
      expect([model, await ledger.findWritten({ scope: 'all', model })]).toEqual([model, [place]]);
    }
    for (const model of ['fp_1', 'm-0-2026']) expect(await ledger.findWritten({ scope: 'all', model })).toEqual([]);
  });

  it('does not find what was retired, replaced by a version of another model, or never written', async () => {
    const { ledger } = await makeSubject();
    const lease = await taken(ledger);
    const [retired, updated, unsent, device] = [aPlace(), aPlace(), aPlace(), aPlace({ encounter: '', session: '' })];
    const record = { document: 'provenance', type: 'Provenance' } as const;
    const first = await written(ledger, retired, aRevision([aWrite(retired), aWrite(retired, record)]), lease);
    const retire = aWrite(retired, { action: 'retire', target: firstWrite(first).reference ?? '' });
    await written(ledger, retired, aRevision([retire], { kind: 'retraction' }), lease);
    const second = await written(ledger, updated, aRevision([aWrite(updated)]), lease);
    const update = aWrite(updated, { action: 'update', target: firstWrite(second).reference ?? '' });
    await written(ledger, updated, aRevision([update], { versions: { engine: '1', model: 'm-2' } }), lease);
    await ledger.freeze(lease, unsent, aRevision([aWrite(unsent)]));
    await written(ledger, device, aRevision([aWrite(device, { type: 'Device' })], { kind: 'device' }), lease);
    expect(await ledger.findWritten({ scope: 'all', model: 'm-1' })).toEqual([]);
    expect(await ledger.findWritten({ scope: 'all', model: 'm-2' })).toEqual([updated]);
  });

  it('finds what was sent and may be in a chart, until it is known that it is not', async () => {
    const { ledger } = await makeSubject();
    const lease = await taken(ledger);
    const place = aPlace();
    const { writes } = await ledger.freeze(lease, place, aRevision([aWrite(place)]));
    const id = writes[0]?.id ?? '';
    await ledger.beginSending(lease, [{ id, sentSha256: 'a'.repeat(64) }]);
    for (const state of ['sending', 'stored'] as const) {
      await ledger.recordResults(lease, [{ id, state }]);
      expect([state, await ledger.findWritten({ scope: 'all', model: 'm-1' })]).toEqual([state, [place]]);
    }
    await ledger.recordResults(lease, [{ id, state: 'refused' }]);
    expect(await ledger.findWritten({ scope: 'all', model: 'm-1' })).toEqual([]);
  });

  it('finds a session once if a part of it is retired', async () => {
    const { ledger } = await makeSubject();
    const lease = await taken(ledger);
    const place = aPlace();
    const three = [aWrite(place), aWrite(place, { suffix: '/2' }), aWrite(place, { suffix: '/3' })];
    const first = await written(ledger, place, aRevision(three), lease);
    const retire = aWrite(place, { action: 'retire', target: firstWrite(first).reference ?? '' });
    const { id } = firstWrite(await ledger.freeze(lease, place, aRevision([retire], { kind: 'retraction' })));
    await ledger.recordResults(lease, [{ id, state: 'written' }]);
    expect(await ledger.findWritten({ scope: 'all', model: 'm-1' })).toEqual([place]);
  });
}

function checkContract(makeSubject: MakeSubject): void {
  it('returns writes that are in charts, first those that were never checked, then those whose check is longest ago', async () => {
    const { ledger, passMs } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const writes = ['', '/2', '/3'].map((suffix) => aWrite(place, { suffix }));
    const kept = await written(ledger, place, aRevision(writes), lease);
    const [one, two, three] = kept.writes.map(({ id }) => id);
    const due = async (limit = 10) => (await ledger.dueForCheck(SITE, limit)).map(({ write }) => write.id);
    expect(await due()).toEqual([one, two, three]);
    expect((await ledger.dueForCheck(SITE, 1))[0]).toEqual({ place, patient: 'Patient/1', write: kept.writes[0] });
    await ledger.markChecked(SITE, [one ?? '']);
    await passMs(1000);
    await ledger.markChecked(SITE, [two ?? '', 'never']);
    await passMs(1000);
    expect(await due()).toEqual([three, one, two]);
    await ledger.markChecked('clinic', [three ?? '']);
    expect(await due(2)).toEqual([three, one]);
    expect(await ledger.dueForCheck('clinic', 10)).toEqual([]);
  });

  it('leaves out writes that were sent after the given time, so that those too recent to check are not read', async () => {
    const { ledger, passMs } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const early = await written(ledger, place, aRevision([aWrite(place)]), lease);
    await passMs(1000);
    const between = await ledger.now();
    await passMs(1000);
    const late = await written(ledger, aPlace(), aRevision([aWrite(aPlace())]), lease);
    const due = async (sentBefore?: Date) =>
      (await ledger.dueForCheck(SITE, 10, sentBefore)).map(({ write }) => write.id);
    expect(await due(between)).toEqual([early.writes[0]?.id]);
    await passMs(1000);
    expect(await due(await ledger.now())).toEqual([early.writes[0]?.id, late.writes[0]?.id]);
    expect(await due()).toEqual([early.writes[0]?.id, late.writes[0]?.id]);
  });

  it('returns writes of a higher risk: first those with a finding about patient or encounter, then of RED sessions, then recent ones', async () => {
    const { ledger, passMs } = await makeSubject();
    const write = async (place: WritePlace, parts: Partial<PlannedWrite> = {}) => {
      const lease = await taken(ledger);
      const kept = await written(ledger, place, aRevision([aWrite(place, parts)]), lease);
      await ledger.release(lease);
      return firstWrite(kept);
    };
    const movedPlace = aPlace();
    const [moved, foreign, old] = [await write(movedPlace), await write(aPlace()), await write(aPlace())];
    await passMs(STEP_MS);
    const [recent, flag] = [await write(aPlace()), await write(aPlace(), { document: 'flag', type: 'Flag' })];
    await passMs(STEP_MS);
    await write(aPlace());
    const finding = (kind: Finding['kind'], identity: string): Finding => {
      return { site: SITE, kind, identity, references: [] };
    };
    const findings = [
      finding('moved', `${movedPlace.encounter}/${movedPlace.session}`),
      finding('foreign', foreign.identity.value),
      finding('missing', old.identity.value),
    ];
    await ledger.storeFindings(SITE, [], findings);
    const risky = async (steps: number, limit = 10, site = SITE) => {
      const nowMs = (await ledger.now()).getTime();
      const before = (count: number) => new Date(nowMs - count * STEP_MS);
      const times = { sentAfter: before(steps), sentBefore: before(0.5), checkedBefore: before(0.5) };
      return (await ledger.riskyForCheck(site, limit, times)).map(({ write: { id } }) => id);
    };
    expect(await risky(1.5)).toEqual([moved.id, foreign.id, flag.id, recent.id]);
    expect(await risky(1.5, 1)).toEqual([moved.id]);
    expect(await risky(1.5, 10, 'clinic')).toEqual([]);
    await ledger.markChecked(SITE, [moved.id, flag.id]);
    expect(await risky(1.5)).toEqual([foreign.id, recent.id]);
    await passMs(STEP_MS);
    expect((await risky(2.5)).slice(0, 4)).toEqual([foreign.id, moved.id, flag.id, recent.id]);
  });

  it('tells how many writes of each site were checked, and the time of the oldest check', async () => {
    const { ledger, passMs } = await makeSubject();
    const lease = await taken(ledger);
    expect(await ledger.checkProgress('all')).toEqual(new Map());
    const place = aPlace();
    const writes = ['', '/2', '/3'].map((suffix) => aWrite(place, { suffix }));
    const [one, two] = (await written(ledger, place, aRevision(writes), lease)).writes.map(({ id }) => id);
    expect(await ledger.checkProgress('all')).toEqual(new Map([[SITE, { written: 3, checked: 0 }]]));
    await ledger.markChecked(SITE, [one ?? '']);
    await passMs(STEP_MS);
    await ledger.markChecked(SITE, [two ?? '']);
    const progress = (await ledger.checkProgress('all')).get(SITE);
    expect(progress).toMatchObject({ written: 3, checked: 2 });
    const ageMs = (await ledger.now()).getTime() - (progress?.oldestAt?.getTime() ?? 0);
    expect(Math.round(ageMs / STEP_MS)).toBe(1);
  });

  it('returns each resource once, as it was last written, and none that was retired or never stored', async () => {
    const { ledger } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const writes = ['', '/2', '/3'].map((suffix) => aWrite(place, { suffix }));
    const first = await written(ledger, place, aRevision(writes), lease);
    const [one, two, three] = first.writes;
    const next = [
      aWrite(place, { action: 'update', target: one?.reference ?? '' }),
      aWrite(place, { suffix: '/2', action: 'retire', target: two?.reference ?? '' }),
    ];
    const second = await written(ledger, place, aRevision(next), lease);
    await ledger.freeze(lease, place, aRevision([aWrite(place, { suffix: '/4' })]));
    const due = await ledger.dueForCheck(SITE, 10);
    expect(due.map(({ write }) => write.id)).toEqual([three?.id, second.writes[0]?.id]);
  });

  it('knows its own identities, not those of others, of other sites, or that were never stored', async () => {
    const { ledger } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const writes = ['', '/2', '/3'].map((suffix) => aWrite(place, { suffix }));
    const frozen = await ledger.freeze(lease, place, aRevision(writes));
    const [one, two, three] = frozen.writes;
    await ledger.recordResults(lease, [{ id: two?.id ?? '', state: 'refused' }]);
    const values = [one, two, three].map((write) => write?.identity.value ?? '');
    const known = await ledger.knownIdentities(SITE, [...values, 'never']);
    expect([...known].toSorted()).toEqual([values[0], values[2]].toSorted());
    expect((await ledger.knownIdentities('clinic', values)).size).toBe(0);
    expect((await ledger.knownIdentities(SITE, [])).size).toBe(0);
  });
}

function findingContract(makeSubject: MakeSubject): void {
  const aFinding = (parts: Partial<Finding> = {}): Finding => ({
    site: SITE,
    kind: 'missing',
    identity: 'enc/s/condition',
    references: ['Condition/1'],
    ...parts,
  });
  const plain = (findings: readonly Finding[]) =>
    findings.map(({ site, kind, identity, references }) => ({ site, kind, identity, references }));

  it('stores findings, the newest first, until a later check does not find them again', async () => {
    const { ledger, other } = await makeSubject();
    const [one, two, three] = [
      aFinding(),
      aFinding({ kind: 'duplicate', identity: 'b', references: ['Condition/2', 'Condition/3'] }),
      aFinding({ site: 'clinic' }),
    ];
    await ledger.storeFindings(SITE, [], [one]);
    await ledger.storeFindings(SITE, [], [two]);
    await ledger.storeFindings('clinic', [], [three]);
    expect(plain(await other.openFindings('all'))).toEqual([three, two, one]);
    expect(plain(await other.openFindings([SITE]))).toEqual([two, one]);
    await ledger.storeFindings(SITE, ['b', 'unheard of'], []);
    expect(plain(await other.openFindings('all'))).toEqual([three, one]);
    await ledger.storeFindings(SITE, [one.identity], []);
    expect(plain(await other.openFindings('all'))).toEqual([three]);
  });

  it('keeps the first time of a finding, also if it was found again on other resources', async () => {
    const { ledger } = await makeSubject();
    await ledger.storeFindings(SITE, [], [aFinding({ kind: 'duplicate' })]);
    const [before] = await ledger.openFindings([SITE]);
    expect(before?.foundAt).toEqual(expect.any(Date));
    const references = ['Condition/1', 'Condition/2'];
    const again = [aFinding({ kind: 'duplicate', references }), aFinding({ kind: 'duplicate', references })];
    await ledger.storeFindings(SITE, ['enc/s/condition'], again);
    expect(await ledger.openFindings([SITE])).toEqual([
      { ...aFinding({ kind: 'duplicate', references }), foundAt: before?.foundAt },
    ]);
  });

  it('distinguishes findings of one identity by their kind', async () => {
    const { ledger } = await makeSubject();
    await ledger.storeFindings(SITE, [], [aFinding(), aFinding({ kind: 'foreign' })]);
    await ledger.storeFindings(SITE, ['enc/s/condition'], [aFinding({ kind: 'foreign' })]);
    expect((await ledger.openFindings([SITE])).map(({ kind }) => kind)).toEqual(['foreign']);
    await ledger.storeFindings(SITE, ['enc/s/condition'], []);
    await ledger.storeFindings(SITE, [], [aFinding()]);
    expect((await ledger.openFindings([SITE])).map(({ kind }) => kind)).toEqual(['missing']);
  });

  it('closes missing findings of retracted writes, and keeps those about other resources', async () => {
    const { ledger } = await makeSubject();
    const place = aPlace();
    const lease = await taken(ledger);
    const first = await written(ledger, place, aRevision([aWrite(place)]), lease);
    const { identity, reference = '' } = firstWrite(first);
    const { value } = identity;
    const session = `${place.encounter}/${place.session}`;
    const kinds = ['missing', 'foreign', 'duplicate', 'unknown'] as const;
    await ledger.storeFindings(
      SITE,
      [],
      [
        ...kinds.map((kind) => aFinding({ kind, identity: value })),
        aFinding({ kind: 'encounter', identity: session }),
        aFinding({ kind: 'missing', identity: 'another' }),
      ],
    );
    const retire = aWrite(place, { action: 'retire', target: reference });
    await written(ledger, place, aRevision([retire], { kind: 'retraction' }), lease);
    const open = (await ledger.openFindings([SITE])).map(({ kind, identity: of }) => [kind, of]);
    expect(open.toSorted()).toEqual([
      ['duplicate', value],
      ['missing', 'another'],
      ['unknown', value],
    ]);
  });
}

function sortedPlaces(places: readonly WritePlace[]): readonly WritePlace[] {
  const name = ({ site, encounter, session }: WritePlace) => JSON.stringify([site, encounter, session]);
  return places
    .map(({ site, encounter, session }) => ({ site, encounter, session }))
    .toSorted((one, other) => (name(one) < name(other) ? -1 : 1));
}
