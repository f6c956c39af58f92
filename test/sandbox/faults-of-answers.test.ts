import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Fault, LostAnswer } from '../../src/sandbox/faults/faults.ts';
import { startSandboxEhr, type TestEhr } from '../support/sandbox-ehr.ts';
import { until } from '../support/until.ts';
import { aCondition, type Call, callsTo, someConditions } from './fhir-calls.ts';

let ehr: TestEhr;
let call: Call;

beforeEach(async () => {
  ehr = await startSandboxEhr();
  call = callsTo(ehr.baseUrl);
});
afterEach(() => ehr.close());

const create = (value = 'a') => call('POST', 'Condition', { body: aCondition(value) });
const stored = () => ehr.store.all('Condition').length;

describe('a lost answer', () => {
  const broken: readonly LostAnswer[] = ['reset', 'cut', 'hang'];
  const odd: readonly (readonly [LostAnswer, number, string])[] = [
    ['empty', 200, ''],
    ['garbage', 200, '{"resou'],
    [500, 500, 'OperationOutcome'],
    [502, 502, '<html>'],
    [503, 503, '<html>'],
    [504, 504, '<html>'],
  ];

  for (const isStored of [true, false]) {
    const what = isStored ? 'after it was stored' : 'and nothing is stored';
    it.each(broken)(`%s: the connection breaks, ${what}`, async (how) => {
      ehr.faults.set([{ mode: 'lost-answer', how, isStored, times: 1 }]);
      const failing = call('POST', '', { body: someConditions(3) }).then(
        () => 'answered',
        () => 'broken',
      );
      if (how === 'hang') {
        await until(() => ehr.faults.seen.length === 1 && (!isStored || stored() === 3));
        ehr.faults.release();
      }
      expect(await failing).toBe('broken');
      expect(stored()).toBe(isStored ? 3 : 0);
      expect((await create()).status).toBe(201);
    });

    it.each(odd)(`%s: it says nothing useful, ${what}`, async (how, status, text) => {
      ehr.faults.set([{ mode: 'lost-answer', how, isStored }]);
      const answer = await create();
      expect([answer.status, stored()]).toEqual([status, isStored ? 1 : 0]);
      expect(answer.text).toContain(text);
    });
  }

  it('does not affect reads unless the fault is for reads', async () => {
    ehr.faults.set([{ mode: 'lost-answer', how: 'reset', isStored: true }]);
    expect((await call('GET', 'Patient/p-1')).status).toBe(200);
    ehr.faults.set([{ mode: 'lost-answer', how: 'cut', isStored: true, on: { method: 'GET', type: 'Patient' } }]);
    await expect(call('GET', 'Patient/p-1')).rejects.toThrow();
    expect((await call('GET', 'Encounter/e-1')).status).toBe(200);
  });

  it('of a recording breaks off in the middle of the bytes', async () => {
    const chunk = Buffer.alloc(100_000);
    ehr.store.putBinary(
      'b',
      'audio/wav',
      async function* () {
        for (let i = 0; i < 10; i += 1) yield chunk;
      },
      1_000_000,
    );
    ehr.faults.set([{ mode: 'lost-answer', how: 'cut', isStored: true, on: { type: 'Binary' } }]);
    const response = await fetch(`${ehr.baseUrl}/Binary/b`);
    expect(response.headers.get('content-length')).toBe('1000000');
    await expect(response.arrayBuffer()).rejects.toThrow();
  });
});

describe('an EHR that limits the number of requests', () => {
  const now = () => Date.now();
  const adviceOf = async (fault: Omit<Extract<Fault, { mode: 'too-many-requests' }>, 'mode'>) => {
    ehr.faults.set([{ mode: 'too-many-requests', ...fault }]);
    const answer = await create();
    expect([answer.status, stored()]).toEqual([429, 0]);
    return answer;
  };

  it('says when to retry', async () => {
    expect((await adviceOf({})).headers.get('retry-after')).toBe('2');
    const date = Date.parse((await adviceOf({ advice: 'date', seconds: 120 })).headers.get('retry-after') ?? '');
    expect(Math.abs(date - now() - 120_000)).toBeLessThan(60_000);
  });

  it('gives the time to retry in other forms, wrongly, or not at all', async () => {
    expect((await adviceOf({ advice: 'garbage' })).headers.get('retry-after')).toBe('soon');
    expect((await adviceOf({ advice: 'negative' })).headers.get('retry-after')).toBe('-2');
    const limited = await adviceOf({ advice: 'rate-limit', seconds: 60 });
    expect(limited.headers.get('ratelimit')).toBe('"requests";r=0;t=60');
    expect(limited.text).toContain('_msBeforeNext\\":60000');
    const mute = await adviceOf({ advice: 'none' });
    expect([mute.headers.get('retry-after'), mute.headers.get('ratelimit')]).toEqual([null, null]);
  });
});

describe('an EHR and credentials', () => {
  it('a number of 401 answers ends by itself', async () => {
    ehr.faults.set([{ mode: 'unauthorized', times: 2 }]);
    expect([(await create()).status, (await create()).status, (await create()).status]).toEqual([401, 401, 201]);
  });

  it('a token lasts for some requests, and a new one for as many again', async () => {
    ehr.faults.set([{ mode: 'expiring-tokens', requestsPerToken: 2 }]);
    const withToken = async (token: string) =>
      (await call('GET', 'Patient/p-1', { headers: { authorization: `Bearer ${token}` } })).status;
    expect([await withToken('a'), await withToken('a'), await withToken('a')]).toEqual([200, 200, 401]);
    expect([await withToken('b'), await withToken('a')]).toEqual([200, 401]);
    expect((await call('GET', 'Patient/p-1')).status).toBe(401);
    expect((await call('GET', 'metadata')).status).toBe(200);
  });

  it.each<Fault>([{ mode: 'unauthorized' }, { mode: 'expiring-tokens', requestsPerToken: 1 }])(
    'a token request needs no token: $mode',
    async (fault) => {
      await ehr.close();
      ehr = await startSandboxEhr({
        clients: [{ clientId: 'chartwright', secret: 'a-made-up-secret' }],
        faults: [fault],
      });
      const tokenOf = async (secret: string) => {
        const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'system/*.*' });
        const authorization = `Basic ${btoa(`chartwright:${secret}`)}`;
        const response = await fetch(`${ehr.baseUrl}/oauth2/token`, {
          method: 'POST',
          body,
          headers: { authorization },
        });
        return response.status;
      };
      expect([await tokenOf('a-made-up-secret'), await tokenOf('a-made-up-secret')]).toEqual([200, 200]);
      // The EHR itself refuses it, not the fault.
      expect(await tokenOf('another')).toBe(401);
      expect(ehr.faults.seen.flatMap(({ faults }) => faults)).toEqual([]);
      expect((await callsTo(ehr.baseUrl)('GET', 'Patient/p-1')).status).toBe(401);
      expect(ehr.faults.seen.at(-1)?.faults).toEqual([fault.mode]);
    },
  );
});

describe('an EHR with an outage', () => {
  it('fails for a while and stores nothing', async () => {
    ehr.faults.set([{ mode: 'server-errors', times: 2, status: 500 }]);
    expect([(await create()).status, (await create()).status, stored()]).toEqual([500, 500, 0]);
    expect((await create()).status).toBe(201);
  });

  it('breaks all connections', async () => {
    ehr.faults.set([{ mode: 'down' }]);
    await expect(call('GET', 'metadata')).rejects.toThrow();
    ehr.faults.clear();
    expect((await call('GET', 'metadata')).status).toBe(200);
  });

  it('refuses all connections', async () => {
    await ehr.goDown();
    await expect(create()).rejects.toThrow();
    await ehr.comeBack();
    expect((await create()).status).toBe(201);
  });

  it('answers later while it is slow, and waiting requests can be released', async () => {
    ehr.faults.set([{ mode: 'slow', ms: 1 }]);
    expect((await create('a')).status).toBe(201);
    ehr.faults.set([{ mode: 'slow', ms: 600_000 }]);
    const waiting = create('b');
    await until(() => ehr.faults.seen.length === 2);
    ehr.faults.release();
    expect((await waiting).status).toBe(201);
  });
});

describe('faults', () => {
  it('affect only fitting requests, beginning with the given one', async () => {
    ehr.faults.set([{ mode: 'server-errors', on: { type: 'Condition', method: 'POST' }, after: 1, times: 1 }]);
    expect((await call('GET', 'Condition')).status).toBe(200);
    expect([(await create()).status, (await create()).status, (await create()).status]).toEqual([201, 503, 201]);
  });

  it('record the requests and the faults that affected them', async () => {
    ehr.faults.add({ mode: 'unauthorized', times: 1 });
    await create('a');
    await call('GET', 'Condition?identifier=a');
    expect(
      ehr.faults.seen.map(({ method, url, isWrite, isSearch, faults }) => [method, url, isWrite, isSearch, faults]),
    ).toEqual([
      ['POST', 'Condition', true, false, ['unauthorized']],
      ['GET', 'Condition?identifier=a', false, true, []],
    ]);
    expect(ehr.faults.seen[0]?.body).toBe(JSON.stringify(aCondition('a')));
  });

  it('leave a working EHR when they are removed', async () => {
    ehr.faults.set([{ mode: 'server-errors' }]);
    ehr.faults.clear();
    expect((await create()).status).toBe(201);
  });
});
