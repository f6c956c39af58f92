import { afterEach, describe, expect, it } from '@jest/globals';
import { passDeadline } from '../../support/held-timers.ts';
import { until } from '../../support/until.ts';
import { type ScriptedAnswer, type ScriptedEhr, type SeenRequest, startScriptedEhr } from './scripted-ehr.ts';

const never = new AbortController().signal;
/** JSON with spaces, an order of keys and escapes that no serializer would make. */
const BYTES = '{ "resourceType" : "Condition",\n\t"id":"12", "note":[{"text":"\\u00e9 é 1.50e0"}] }';

let server: ScriptedEhr | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

type Options = Parameters<typeof startScriptedEhr>[1];

async function serverOf(answer: ScriptedAnswer | ((request: SeenRequest) => ScriptedAnswer), options?: Options) {
  server = await startScriptedEhr((request) => (typeof answer === 'function' ? answer(request) : answer), options);
  return server;
}

const create = ({ ehr }: ScriptedEhr) => ehr.create({ type: 'Condition', body: BYTES }, never);
const update = ({ ehr }: ScriptedEhr, ifMatch?: string) =>
  ehr.update({ reference: 'Condition/12', body: BYTES, ifMatch }, never);

describe('Writing to an EHR', () => {
  it('a create is sent byte for byte, and requests the whole resource back', async () => {
    const ehr = await serverOf({ status: 201, headers: { location: 'Condition/12/_history/1' } });
    expect(await create(ehr)).toEqual({ kind: 'stored', reference: 'Condition/12', version: '1', isNew: true });
    expect(ehr.requests).toMatchObject([
      {
        method: 'POST',
        url: 'Condition',
        body: BYTES,
        headers: { 'content-type': 'application/fhir+json', prefer: 'return=representation' },
      },
    ]);
    expect(ehr.requests[0]?.headers).not.toHaveProperty('if-none-exist');
  });

  it('an update is sent byte for byte, for the known version', async () => {
    const ehr = await serverOf({ status: 200, headers: { etag: 'W/"4"' } });
    expect(await update(ehr, '3')).toMatchObject({ kind: 'stored', version: '4' });
    expect(ehr.requests).toMatchObject([
      { method: 'PUT', url: 'Condition/12', body: BYTES, headers: { 'if-match': 'W/"3"' } },
    ]);
    await update(ehr);
    expect(ehr.requests[1]?.headers).not.toHaveProperty('if-match');
  });

  it('a transaction is sent byte for byte, to the base address without a slash at its end', async () => {
    const bundle = '{ "resourceType":"Bundle", "type":"transaction","entry":[] }';
    const body = { resourceType: 'Bundle', type: 'transaction-response', entry: [] };
    const asked: (string | undefined)[] = [];
    const ehr = await serverOf((request) => {
      asked.push(request.body);
      return { status: 200, body };
    });
    expect(await ehr.ehr.transact(bundle, never)).toEqual({ kind: 'stored', entries: [], wasBatch: false });
    expect(ehr.requests).toMatchObject([{ method: 'POST', url: '', body: bundle }]);
  });

  it('a conditional create searches for the identity', async () => {
    const ehr = await serverOf({ status: 201, headers: { location: 'Condition/12' } });
    const ifNoneExist = { system: 'urn:chartwright:mercy', value: 'e-1/s,1|x/condition' };
    await ehr.ehr.create({ type: 'Condition', body: BYTES, ifNoneExist }, never);
    await ehr.ehr.create({ type: 'Provenance', body: BYTES, ifNoneExist }, never);
    const conditions = ehr.requests.map(({ headers }) => decodeURIComponent(String(headers['if-none-exist'])));
    expect(conditions).toEqual([
      'identifier=urn:chartwright:mercy|e-1/s\\,1\\|x/condition',
      '_tag=urn:chartwright:mercy|e-1/s\\,1\\|x/condition',
    ]);
  });

  it.each<[string, ScriptedAnswer]>([
    ['breaks the connection', 'reset'],
    ['answers 500', { status: 500 }],
    ['answers 502 as a page of a gateway', { status: 502, body: '<html>', headers: { 'content-type': 'text/html' } }],
    [
      'breaks off in the middle of its answer',
      { status: 200, body: { resourceType: 'Condition', id: '12' }, isCut: true },
    ],
  ])('the result of a write is unknown if the EHR %s, and the write is sent only once', async (_, answer) => {
    const ehr = await serverOf(answer);
    expect(await create(ehr)).toEqual({ kind: 'unknown' });
    expect(await ehr.ehr.transact('{}', never)).toEqual({ kind: 'unknown' });
    expect(ehr.requests).toHaveLength(2);
    expect(ehr.runtime.pauses).toEqual([]);
  });

  it('the result of a write is unknown in time if the EHR never answers', async () => {
    const ehr = await serverOf('hang', { limits: { writeMs: 5_000, transactionMs: 6_000 } });
    const arrived = (count: number) => () => ehr.requests.length === count;
    expect(await passDeadline(() => create(ehr), { after: arrived(1), ms: 5_000 })).toEqual({ kind: 'unknown' });
    const transact = () => ehr.ehr.transact('{}', never);
    expect(await passDeadline(transact, { after: arrived(2), ms: 6_000 })).toEqual({ kind: 'unknown' });
    expect(ehr.requests).toHaveLength(2);
  });

  it('a create is stored if its answer breaks off after a valid location', async () => {
    const headers = { location: 'Condition/12/_history/1' };
    const ehr = await serverOf({ status: 201, headers, body: { resourceType: 'Condition', id: '12' }, isCut: true });
    expect(await create(ehr)).toMatchObject({ kind: 'stored', reference: 'Condition/12', version: '1' });
  });

  it('a write to an EHR that cannot be reached was not sent, and may be sent again', async () => {
    const ehr = await serverOf({ status: 201 });
    await ehr.close();
    expect(await create(ehr)).toEqual({ kind: 'busy' });
  });

  it('status 409 of an update is a conflict if the resource has changed, and busy otherwise', async () => {
    const answering = (versionId: string) => (request: SeenRequest) =>
      request.method === 'PUT'
        ? { status: 409 }
        : { status: 200, body: { resourceType: 'Condition', id: '12', meta: { versionId } } };
    const changed = await serverOf(answering('4'));
    expect(await update(changed, '3')).toEqual({ kind: 'conflict' });
    await changed.close();
    const unchanged = await serverOf(answering('3'));
    expect(await update(unchanged, '3')).toEqual({ kind: 'busy' });
    expect(await update(unchanged)).toEqual({ kind: 'busy' });
  });

  it('an update for a version that no header can hold is not sent', async () => {
    const ehr = await serverOf({ status: 200 });
    await expect(update(ehr, 'a"\r\nx: y')).rejects.toMatchObject({ code: 'ehrAnswer' });
    expect(ehr.requests).toEqual([]);
  });

  it('a caller that cancels a write in progress gets its own reason', async () => {
    const giveUp = new AbortController();
    const reason = new Error('the lease is gone');
    const ehr = await serverOf(() => {
      giveUp.abort(reason);
      return 'hang';
    });
    await expect(ehr.ehr.create({ type: 'Condition', body: BYTES }, giveUp.signal)).rejects.toBe(reason);
  });
});

describe('The load on an EHR', () => {
  it('many calls use one connection', async () => {
    const patient = { resourceType: 'Patient', id: '1', meta: { versionId: '1' } };
    const ehr = await serverOf(({ method }) =>
      method === 'GET' ? { status: 200, body: patient } : { status: 201, headers: { location: 'Condition/12' } },
    );
    for (let turn = 0; turn < 20; turn += 1) {
      await ehr.ehr.read('Patient/1', never);
      await create(ehr);
    }
    expect(ehr.requests).toHaveLength(40);
    expect(ehr.connections()).toBe(1);
  });

  it('only as many writes run at once as the site allows, and others wait or cancel', async () => {
    const ehr = await serverOf({ status: 201, headers: { location: 'Condition/12' } }, { maxConcurrentWrites: 2 });
    const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const begun: number[] = [];
    const turn = (index: number, signal = never) =>
      ehr.ehr.withWriteSlot(async () => {
        begun.push(index);
        await gates[index]?.promise;
        return index;
      }, signal);
    const giveUp = new AbortController();
    const reason = new Error('the run was cancelled');
    const [first, second, third, fourth] = [turn(0), turn(1), turn(2, giveUp.signal), turn(3)];
    await until(() => begun.length === 2);
    const gaveUp = expect(third).rejects.toBe(reason);
    giveUp.abort(reason);
    await gaveUp;
    expect(begun).toEqual([0, 1]);
    gates[1]?.resolve();
    await second;
    await until(() => begun.length === 3);
    expect(begun).toEqual([0, 1, 3]);
    for (const gate of gates) gate.resolve();
    await expect(Promise.all([first, fourth])).resolves.toEqual([0, 3]);
  });

  it('the circuit opens after five failures in a row: nothing is sent, and callers learn the pause', async () => {
    const ehr = await serverOf({ status: 500 });
    for (let turn = 0; turn < 5; turn += 1) expect(await create(ehr)).toEqual({ kind: 'unknown' });
    expect(await create(ehr)).toEqual({ kind: 'busy', retryAfterMs: 5000 });
    expect(await ehr.ehr.transact('{}', never)).toEqual({ kind: 'busy', retryAfterMs: 5000 });
    await expect(ehr.ehr.read('Patient/1', never)).rejects.toMatchObject({
      code: 'ehrUnavailable',
      retryAfterSeconds: 5,
    });
    expect(ehr.requests).toHaveLength(5);
  });

  it('the circuit sends one call after the pause, and closes if it succeeds or waits longer if it fails', async () => {
    let status = 500;
    const ehr = await serverOf(() => ({ status, headers: { location: 'Condition/12' } }));
    for (let turn = 0; turn < 5; turn += 1) await create(ehr);
    for (const pauseMs of [10_000, 20_000, 40_000, 60_000, 60_000]) {
      ehr.runtime.advance(60_000);
      expect(await create(ehr)).toEqual({ kind: 'unknown' });
      expect(await create(ehr)).toEqual({ kind: 'busy', retryAfterMs: pauseMs });
    }
    expect(ehr.requests).toHaveLength(10);
    ehr.runtime.advance(60_000);
    status = 201;
    expect(await create(ehr)).toMatchObject({ kind: 'stored' });
    expect(await create(ehr)).toMatchObject({ kind: 'stored' });
  });

  it('the circuit sends no other call while one call probes', async () => {
    const gate = Promise.withResolvers<void>();
    let isBack = false;
    server = await startScriptedEhr(async () => {
      if (!isBack) return { status: 503 };
      await gate.promise;
      return { status: 201, headers: { location: 'Condition/12' } };
    });
    const ehr = server;
    for (let turn = 0; turn < 5; turn += 1) await create(ehr);
    ehr.runtime.advance(5000);
    isBack = true;
    const probe = create(ehr);
    await until(() => ehr.requests.length === 6);
    expect(await create(ehr)).toMatchObject({ kind: 'busy' });
    gate.resolve();
    expect(await probe).toMatchObject({ kind: 'stored' });
    expect(ehr.requests).toHaveLength(6);
  });

  it('the circuit stays open if the probing call was cancelled', async () => {
    const giveUp = new AbortController();
    let isHanging = false;
    const ehr = await serverOf(() => {
      if (!isHanging) return { status: 500 };
      giveUp.abort(new Error('cancelled'));
      return 'hang';
    });
    for (let turn = 0; turn < 5; turn += 1) await create(ehr);
    ehr.runtime.advance(5000);
    isHanging = true;
    await expect(ehr.ehr.create({ type: 'Condition', body: BYTES }, giveUp.signal)).rejects.toThrow('cancelled');
    expect(await create(ehr)).toMatchObject({ kind: 'busy' });
  });

  it('the circuit does not count refusals or rate limits as failures', async () => {
    const statuses = [500, 500, 500, 500, 429, 500, 500, 500, 500, 422];
    let turn = 0;
    const ehr = await serverOf(() => ({ status: statuses[turn++] ?? 404 }));
    for (let call = 0; call < 11; call += 1) await create(ehr);
    expect(ehr.requests).toHaveLength(11);
  });
});
