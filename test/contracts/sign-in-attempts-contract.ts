// What every store of sign-ins under way promises.
import { describe, expect, it } from '@jest/globals';
import type { SignInAttempt, SignInAttempts } from '../../src/ports/sign-in-attempts.ts';

export type AttemptsSubject = {
  readonly attempts: SignInAttempts;
  readonly other: SignInAttempts;
  readonly now: () => Date;
  readonly pass: (ms: number) => Promise<void>;
};

const LIFE_MS = 600_000;
const BROWSER = new Uint8Array(32).fill(1);
const OTHER_BROWSER = new Uint8Array(32).fill(2);

let count = 0;
export function anAttempt(parts: Partial<SignInAttempt> = {}): SignInAttempt {
  count += 1;
  const stateDigest = new Uint8Array(32).fill(count);
  const details = { issuer: 'https://id.example.org', nonce: `nonce ${count}`, verifier: 'a verifier' };
  return { kind: 'oidc', stateDigest, browserDigest: BROWSER, details, lifeMs: LIFE_MS, ...parts };
}

export function signInAttemptsContract(name: string, makeSubject: () => Promise<AttemptsSubject>): void {
  describe(`the sign-ins under way of ${name}`, () => {
    it('are taken once by the browser that began them, with their details', async () => {
      const { attempts } = await makeSubject();
      const [one, two] = [anAttempt(), anAttempt()];
      await attempts.begin(one);
      await attempts.begin(two);
      expect(await attempts.take('oidc', one.stateDigest, BROWSER)).toEqual(one.details);
      expect(await attempts.take('oidc', one.stateDigest, BROWSER)).toBeUndefined();
      expect(await attempts.take('oidc', two.stateDigest, BROWSER)).toEqual(two.details);
      expect(await attempts.take('oidc', anAttempt().stateDigest, BROWSER)).toBeUndefined();
    });

    it('are burnt by another browser', async () => {
      const { attempts } = await makeSubject();
      const one = anAttempt();
      await attempts.begin(one);
      expect(await attempts.take('oidc', one.stateDigest, OTHER_BROWSER)).toBe('wrong-browser');
      expect(await attempts.take('oidc', one.stateDigest, BROWSER)).toBeUndefined();
    });

    it('are not taken as another kind, which leaves them as they are', async () => {
      const { attempts } = await makeSubject();
      const one = anAttempt({ kind: 'launch' });
      await attempts.begin(one);
      expect(await attempts.take('oidc', one.stateDigest, BROWSER)).toBeUndefined();
      expect(await attempts.take('launch', one.stateDigest, BROWSER)).toEqual(one.details);
    });

    it('are taken by one of several engines at the same moment', async () => {
      const { attempts, other } = await makeSubject();
      const one = anAttempt();
      await attempts.begin(one);
      const taken = await Promise.all(
        [attempts, other, attempts, other].map((store) => store.take('oidc', one.stateDigest, BROWSER)),
      );
      expect(taken.filter((details) => details !== undefined)).toEqual([one.details]);
    });

    it('end when their time is over, before and after they are swept', async () => {
      const { attempts, pass } = await makeSubject();
      const [old, older] = [anAttempt(), anAttempt()];
      await attempts.begin(old);
      await attempts.begin(older);
      await pass(LIFE_MS);
      const young = anAttempt();
      await attempts.begin(young);
      expect(await attempts.take('oidc', old.stateDigest, BROWSER)).toBeUndefined();
      await attempts.sweep();
      expect(await attempts.take('oidc', older.stateDigest, BROWSER)).toBeUndefined();
      expect(await attempts.take('oidc', young.stateDigest, BROWSER)).toEqual(young.details);
      // The state is free again only if its row is gone.
      await attempts.begin(older);
    });
  });

  describe(`the ids of tokens of ${name}`, () => {
    it('are used once for each issuer, also by two engines at the same moment', async () => {
      const { attempts, other, now } = await makeSubject();
      const until = new Date(now().getTime() + LIFE_MS);
      const used = await Promise.all(
        [attempts, other, attempts, other].map((store) => store.useOnce('https://a.example.org', 'id', until)),
      );
      expect(used.filter(Boolean)).toHaveLength(1);
      expect(await attempts.useOnce('https://b.example.org', 'id', until)).toBe(true);
      expect(await attempts.useOnce('https://a.example.org', 'other', until)).toBe(true);
    });

    it('are remembered as long as the token is good', async () => {
      const { attempts, now, pass } = await makeSubject();
      const until = new Date(now().getTime() + LIFE_MS);
      await attempts.useOnce('https://a.example.org', 'id', until);
      await pass(LIFE_MS - 60_000);
      await attempts.sweep();
      expect(await attempts.useOnce('https://a.example.org', 'id', until)).toBe(false);
      await pass(120_000);
      await attempts.sweep();
      expect(await attempts.useOnce('https://a.example.org', 'id', until)).toBe(true);
    });
  });
}
