// What every store of answers by Idempotency-Key promises.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { KeptAnswer, KeyedAnswers } from '../../src/ports/keyed-answers.ts';

export type KeyedAnswersSubject = {
  readonly answers: KeyedAnswers;
  /** The same answers, as another engine has them. */
  readonly other: KeyedAnswers;
  /** Makes everything older by this much. */
  readonly pass: (ms: number) => Promise<void>;
};

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
/** An API key may keep so much in these tests. */
export const MOST_BYTES = 100_000;

let count = 0;
function aPlace(keyId = 'key-1') {
  count += 1;
  return { keyId, clientKey: `client key ${count}` };
}

export function aKept(parts: Partial<KeptAnswer> = {}): KeptAnswer {
  return { operation: 'diagnose', bodyDigest: 'a1', answer: '{"of":"someone made up"}', ...parts };
}

export function keyedAnswersContract(name: string, makeSubject: () => Promise<KeyedAnswersSubject>): void {
  describe(`the answers by Idempotency-Key of ${name}`, () => {
    it('give a new key to one of many requests that come at once, on all engines', async () => {
      const { answers, other } = await makeSubject();
      const place = aPlace();
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          (index % 2 === 0 ? answers : other).claim(place, randomUUID(), 'diagnose'),
        ),
      );
      expect(claims.map(({ kind }) => kind).toSorted()).toEqual(['mine', ...Array(7).fill('working')]);
    });

    it('give the first answer to everyone with the key of that caller, and to no other caller', async () => {
      const { answers, other } = await makeSubject();
      const place = aPlace();
      const holder = randomUUID();
      await answers.claim(place, holder, 'diagnose');
      expect(await answers.keep(place, holder, aKept())).toBe(true);
      for (const store of [answers, other]) {
        expect(await store.claim(place, randomUUID(), 'transcribe')).toEqual({ kind: 'answered', kept: aKept() });
      }
      expect(await other.claim({ ...place, keyId: 'key-2' }, randomUUID(), 'diagnose')).toEqual({ kind: 'mine' });
      expect(await answers.keep(place, holder, aKept({ answer: 'a later one' }))).toBe(false);
    });

    it('give a key that was given up to the next request', async () => {
      const { answers, other } = await makeSubject();
      const place = aPlace();
      const [first, second] = [randomUUID(), randomUUID()];
      await answers.claim(place, first, 'diagnose');
      await answers.release(place, second);
      expect(await other.claim(place, second, 'diagnose')).toEqual({ kind: 'working' });
      await answers.release(place, first);
      expect(await other.claim(place, second, 'diagnose')).toEqual({ kind: 'mine' });
    });

    it('give the key of an engine that died to the next request after half a minute, and refuse the answer of the dead', async () => {
      const { answers, other, pass } = await makeSubject();
      const place = aPlace();
      const [dead, next] = [randomUUID(), randomUUID()];
      await answers.claim(place, dead, 'diagnose');
      await pass(29 * SECOND_MS);
      expect(await other.claim(place, next, 'diagnose')).toEqual({ kind: 'working' });
      await pass(2 * SECOND_MS);
      expect(await other.claim(place, next, 'diagnose')).toEqual({ kind: 'mine' });
      expect(await answers.renew(place, dead)).toBe(false);
      expect(await answers.keep(place, dead, aKept({ answer: 'too late' }))).toBe(false);
      await answers.release(place, dead);
      expect(await other.keep(place, next, aKept())).toBe(true);
    });

    it('let an engine hold a key as long as it renews it', async () => {
      const { answers, other, pass } = await makeSubject();
      const place = aPlace();
      const holder = randomUUID();
      await answers.claim(place, holder, 'diagnose');
      for (let times = 0; times < 3; times += 1) {
        await pass(20 * SECOND_MS);
        expect(await answers.renew(place, holder)).toBe(true);
      }
      expect(await other.claim(place, randomUUID(), 'diagnose')).toEqual({ kind: 'working' });
    });

    it('forget an answer after a day, and not before', async () => {
      const { answers, pass } = await makeSubject();
      const place = aPlace();
      const holder = randomUUID();
      await answers.claim(place, holder, 'diagnose');
      await answers.keep(place, holder, aKept());
      await pass(23 * HOUR_MS);
      expect(await answers.sweep()).toBe(0);
      expect(await answers.claim(place, randomUUID(), 'diagnose')).toMatchObject({ kind: 'answered' });
      await pass(HOUR_MS + SECOND_MS);
      expect(await answers.claim(place, randomUUID(), 'diagnose')).toEqual({ kind: 'mine' });
    });

    it('delete what is over, but no key that is worked on', async () => {
      const { answers, pass } = await makeSubject();
      const [old, worked] = [aPlace(), aPlace()];
      const holder = randomUUID();
      await answers.claim(old, holder, 'diagnose');
      await answers.keep(old, holder, aKept());
      await pass(24 * HOUR_MS);
      await answers.claim(worked, holder, 'diagnose');
      expect(await answers.sweep()).toBe(1);
      expect(await answers.claim(worked, randomUUID(), 'diagnose')).toEqual({ kind: 'working' });
      await pass(31 * SECOND_MS);
      expect(await answers.sweep()).toBe(1);
      expect(await answers.sweep()).toBe(0);
    });

    it('delete the oldest answers of an API key that keeps too much, and none of another', async () => {
      const { answers, pass } = await makeSubject();
      const places = [aPlace(), aPlace(), aPlace(), aPlace('key-2')];
      const holder = randomUUID();
      for (const place of places) {
        await answers.claim(place, holder, 'diagnose');
        await answers.keep(place, holder, aKept({ answer: 'x'.repeat(0.4 * MOST_BYTES) }));
        await pass(SECOND_MS);
      }
      expect(await answers.sweep()).toBe(1);
      const kinds = [];
      for (const place of places) kinds.push((await answers.claim(place, randomUUID(), 'diagnose')).kind);
      expect(kinds).toEqual(['mine', 'answered', 'answered', 'answered']);
    });
  });
}
