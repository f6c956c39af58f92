// The contract of the outlet to EHRs for a server in trouble: nothing is written twice, nothing is given up too soon, and no call waits
// for ever. It runs on a scripted server, and on the sandbox's server with faults in front.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Condition } from '@medplum/fhirtypes';
import type { Ehr } from '../../src/ports/ehr.ts';
import { passDeadline } from '../support/held-timers.ts';

/** The fault of a request. After `stored-` the write is stored all the same. */
export type Trouble = 'reset' | 'stored-reset' | 'hang' | 'stored-cut' | 'refused-login' | 'too-many' | 500 | 502 | 503;

export type TroubleStage = {
  /** Holds `Patient/p-1`. */
  readonly ehr: Ehr;
  /** Lasts until `getWell`, or for this number of requests. */
  readonly fallIll: (trouble: Trouble, times?: number) => void;
  readonly getWell: () => void;
  /** The number of requests that arrived. */
  readonly requests: () => number;
  /** The waits between tries. */
  readonly pauses: () => readonly number[];
  readonly advance: (ms: number) => void;
  readonly close: () => Promise<void>;
};

const never = new AbortController().signal;
const IDENTITY = { system: 'urn:chartwright:mercy', value: 'e-1/s-1/condition' };
const CONDITION: Condition = {
  resourceType: 'Condition',
  identifier: [IDENTITY],
  code: { text: 'Cough' },
  subject: { reference: 'Patient/p-1' },
};
const BUNDLE = JSON.stringify({
  resourceType: 'Bundle',
  type: 'transaction',
  entry: [{ request: { method: 'POST', url: 'Condition' }, resource: CONDITION }],
});

/** The deadline of an answer. */
export type TroubleLimits = { readonly writeMs?: number; readonly transactionMs?: number };

export function describeEhrInTrouble(name: string, open: (limits?: TroubleLimits) => Promise<TroubleStage>): void {
  describe(`${name}, in trouble`, () => {
    let stage: TroubleStage;
    beforeEach(async () => {
      stage = await open();
    });
    afterEach(() => stage.close());

    const create = () => stage.ehr.create({ type: 'Condition', body: JSON.stringify(CONDITION) }, never);
    const read = () => stage.ehr.read('Patient/p-1', never);

    it('a write that is never answered is unknown, within its deadline', async () => {
      await stage.close();
      stage = await open({ writeMs: 5_000, transactionMs: 6_000 });
      stage.fallIll('hang');
      expect(await passDeadline(create, { after: () => stage.requests() === 1, ms: 5_000 })).toEqual({
        kind: 'unknown',
      });
      const transact = () => stage.ehr.transact(BUNDLE, never);
      expect(await passDeadline(transact, { after: () => stage.requests() === 2, ms: 6_000 })).toEqual({
        kind: 'unknown',
      });
      expect(stage.requests()).toBe(2);
    });

    it.each<Trouble>(['reset', 'stored-reset', 500, 502])(
      'a write that meets %s is unknown, and is sent only once',
      async (trouble) => {
        stage.fallIll(trouble);
        expect(await create()).toEqual({ kind: 'unknown' });
        expect(await stage.ehr.transact(BUNDLE, never)).toEqual({ kind: 'unknown' });
        expect(stage.requests()).toBe(2);
        expect(stage.pauses()).toEqual([]);
      },
    );

    it('a transaction whose answer breaks off is unknown', async () => {
      stage.fallIll('stored-cut');
      expect(await stage.ehr.transact(BUNDLE, never)).toEqual({ kind: 'unknown' });
      expect(stage.requests()).toBe(1);
    });

    it('a create whose answer breaks off after the location is stored', async () => {
      stage.fallIll('stored-cut');
      expect(await create()).toMatchObject({ kind: 'stored', version: '1', isNew: true });
    });

    it.each<Trouble>(['reset', 'too-many', 500, 503])('a read that meets %s is tried again', async (trouble) => {
      stage.fallIll(trouble, 2);
      expect(await read()).toMatchObject({ reference: 'Patient/p-1' });
      expect([stage.requests(), stage.pauses().length]).toEqual([3, 2]);
    });

    it('a read is given up after four tries', async () => {
      stage.fallIll(503);
      await expect(read()).rejects.toMatchObject({ code: 'ehrUnavailable' });
      expect(stage.requests()).toBe(4);
    });

    it('an overloaded server is busy for as long as it announces', async () => {
      stage.fallIll('too-many');
      const limited = { kind: 'busy', isLimit: true, retryAfterMs: 2_000 };
      for (let turn = 0; turn < 10; turn += 1) expect(await create()).toEqual(limited);
      expect(stage.requests()).toBe(1);
      stage.getWell();
      stage.advance(2_000);
      expect(await create()).toMatchObject({ kind: 'stored' });
    });

    it('refused credentials are reported, are not tried again at once, and count as refused when the refusal stays', async () => {
      const message = expect.stringContaining('ehr.auth');
      stage.fallIll('refused-login');
      await expect(read()).rejects.toMatchObject({ code: 'ehrUnavailable', retryAfterSeconds: 30, message });
      expect(await create()).toMatchObject({ kind: 'busy', retryAfterMs: 30_000, why: message });
      expect(stage.requests()).toBe(2);
      for (let waitedMs = 0; waitedMs < 300_000; waitedMs += 30_000) {
        stage.advance(30_000);
        await expect(read()).rejects.toMatchObject({ code: 'ehrUnavailable' });
      }
      stage.advance(30_000);
      await expect(read()).rejects.toMatchObject({ code: 'ehrRefused', message });
      expect(await create()).toMatchObject({ kind: 'refused', status: 401 });
    });

    it('an EHR that refused credentials for a moment is used again as before', async () => {
      stage.fallIll('refused-login', 2);
      await expect(read()).rejects.toMatchObject({ code: 'ehrUnavailable' });
      expect(await create()).toMatchObject({ kind: 'busy' });
      stage.advance(30_000);
      expect(await read()).toMatchObject({ reference: 'Patient/p-1' });
      expect(await create()).toMatchObject({ kind: 'stored' });
    });

    it('a request that is refused while others are accepted is a right that the client does not have', async () => {
      stage.fallIll('refused-login', 1);
      await expect(read()).rejects.toMatchObject({ code: 'ehrUnavailable' });
      expect(await create()).toMatchObject({ kind: 'stored' });
      for (const code of ['ehrUnavailable', 'ehrRefused']) {
        stage.advance(30_000);
        stage.fallIll('refused-login', 1);
        await expect(read()).rejects.toMatchObject({ code });
      }
    });

    it('a server that failed five times in a row gets no requests for a while, and then works as before', async () => {
      stage.fallIll(500);
      for (let turn = 0; turn < 5; turn += 1) expect(await create()).toEqual({ kind: 'unknown' });
      expect(await create()).toEqual({ kind: 'busy', retryAfterMs: 5_000 });
      expect(stage.requests()).toBe(5);
      stage.getWell();
      stage.advance(5_000);
      expect(await create()).toMatchObject({ kind: 'stored' });
      expect(stage.requests()).toBe(6);
    });
  });
}
