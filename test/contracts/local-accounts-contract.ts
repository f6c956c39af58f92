// What every store of links, passkeys, passwords and second factors promises.
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LocalAccounts, Passkey } from '../../src/ports/local-accounts.ts';
import type { People } from '../../src/ports/people.ts';
import { aPerson } from './people-contract.ts';

export type AccountsSubject = {
  readonly people: People;
  readonly accounts: LocalAccounts;
  readonly other: LocalAccounts;
  readonly now: () => Date;
  readonly pass: (ms: number) => Promise<void>;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let count = 0;
function aDigest(): Uint8Array {
  count += 1;
  return new Uint8Array(32).fill(count);
}

function aPasskey(person: string, parts: Partial<Passkey> = {}): Passkey {
  count += 1;
  const key = { publicKey: Uint8Array.of(165, 1, 0, 255, count), counter: 3, transports: ['internal', 'hybrid'] };
  return { id: `credential-${count}`, person, ...key, label: 'the laptop', createdAt: new Date(0), ...parts };
}

export function localAccountsContract(name: string, makeSubject: () => Promise<AccountsSubject>): void {
  let subject: AccountsSubject;
  let ada: string;
  let bob: string;
  const begin = async () => {
    subject = await makeSubject();
    [ada, bob] = [(await subject.people.create(aPerson())).id, (await subject.people.create(aPerson())).id];
  };

  describe(`the one-time links of ${name}`, () => {
    beforeEach(begin);
    const aLink = async (person = ada): Promise<Uint8Array> => {
      const digest = aDigest();
      const expiresAt = new Date(subject.now().getTime() + HOUR_MS);
      await subject.accounts.addLink({ digest, person, madeBy: 'operator', expiresAt });
      return digest;
    };

    it('are looked at as often as one likes, and used once', async () => {
      const { accounts } = subject;
      const link = await aLink();
      expect(await accounts.findLink(link)).toEqual({ person: ada });
      expect(await accounts.findLink(link)).toEqual({ person: ada });
      expect(await accounts.useLink(link)).toEqual({ person: ada });
      expect(await accounts.useLink(link)).toBeUndefined();
      expect(await accounts.findLink(link)).toBeUndefined();
      expect(await accounts.useLink(aDigest())).toBeUndefined();
    });

    it('are used by one of two at the same moment', async () => {
      const { accounts, other } = subject;
      const link = await aLink();
      const used = await Promise.all([accounts, other, accounts, other].map((store) => store.useLink(link)));
      expect(used.filter((person) => person !== undefined)).toEqual([{ person: ada }]);
    });

    it('are ended by a new one of the same person', async () => {
      const { accounts } = subject;
      const [first, ofBob] = [await aLink(), await aLink(bob)];
      const second = await aLink();
      expect(await accounts.useLink(first)).toBeUndefined();
      expect(await accounts.useLink(second)).toEqual({ person: ada });
      expect(await accounts.useLink(ofBob)).toEqual({ person: bob });
    });

    it('of which two are made at the same moment leave one', async () => {
      const { accounts, other, now } = subject;
      const expiresAt = new Date(now().getTime() + HOUR_MS);
      const links = [aDigest(), aDigest()] as const;
      const order = { person: ada, madeBy: 'operator', expiresAt };
      await Promise.all([
        accounts.addLink({ ...order, digest: links[0] }),
        other.addLink({ ...order, digest: links[1] }),
      ]);
      const found = await Promise.all(links.map((link) => accounts.findLink(link)));
      expect(found.filter((person) => person !== undefined)).toHaveLength(1);
    });

    it('end with their time, and are refused for a person who is disabled', async () => {
      const { accounts, people, pass } = subject;
      const [ofAda, ofBob] = [await aLink(), await aLink(bob)];
      await people.disable(bob);
      expect(await accounts.findLink(ofBob)).toBeUndefined();
      expect(await accounts.useLink(ofBob)).toBeUndefined();
      await pass(HOUR_MS + 60_000);
      expect(await accounts.findLink(ofAda)).toBeUndefined();
      expect(await accounts.useLink(ofAda)).toBeUndefined();
    });

    it('are swept a day after their end, and not before', async () => {
      const { accounts, pass } = subject;
      const good = await aLink();
      await accounts.sweep();
      expect(await accounts.findLink(good)).toEqual({ person: ada });
      await pass(DAY_MS + 2 * HOUR_MS);
      await accounts.sweep();
      expect(await accounts.findLink(good)).toBeUndefined();
    });
  });

  describe(`the passkeys of ${name}`, () => {
    beforeEach(begin);
    const added = async (person = ada, parts: Partial<Passkey> = {}) => {
      const { createdAt: _, ...passkey } = aPasskey(person, parts);
      await subject.accounts.addPasskey(passkey);
      return passkey;
    };

    it('are found by their id and by their person, as they were registered', async () => {
      const { accounts } = subject;
      const [first, second] = [await added(), await added(ada, { label: 'the phone' })];
      await added(bob);
      const shown = (passkey: typeof first) => ({ ...passkey, createdAt: expect.any(Date) });
      expect(await accounts.findPasskey(first.id)).toEqual(shown(first));
      const ofAda = await accounts.passkeysOf(ada);
      expect(ofAda).toHaveLength(2);
      expect(ofAda).toEqual(expect.arrayContaining([shown(first), shown(second)]));
      expect(await accounts.findPasskey('nothing')).toBeUndefined();
    });

    it('belong to one person for ever, who alone removes them', async () => {
      const { accounts } = subject;
      const { id } = await added();
      await expect(added(bob, { id })).rejects.toMatchObject({ code: 'conflict' });
      expect((await accounts.findPasskey(id))?.person).toBe(ada);
      expect(await accounts.removePasskey(bob, id)).toBe(false);
      expect(await accounts.findPasskey(id)).toBeDefined();
      expect(await accounts.removePasskey(ada, id)).toBe(true);
      expect(await accounts.removePasskey(ada, id)).toBe(false);
      expect(await accounts.findPasskey(id)).toBeUndefined();
    });

    it('are refused when their counter does not go on: the authenticator was copied', async () => {
      const { accounts } = subject;
      const { id } = await added(ada, { counter: 3 });
      for (const counter of [3, 2, 0]) expect(await accounts.notePasskeyUse(id, counter)).toBe(false);
      expect(await accounts.findPasskey(id)).not.toHaveProperty('lastUsedAt');
      expect(await accounts.notePasskeyUse(id, 4)).toBe(true);
      expect(await accounts.notePasskeyUse(id, 4)).toBe(false);
      expect(await accounts.findPasskey(id)).toMatchObject({ counter: 4, lastUsedAt: expect.any(Date) });
      expect(await accounts.notePasskeyUse('nothing', 9)).toBe(false);
    });

    it('without a counter are used again and again, until one shows a counter', async () => {
      const { accounts } = subject;
      const { id } = await added(ada, { counter: 0 });
      expect(await accounts.notePasskeyUse(id, 0)).toBe(true);
      expect(await accounts.notePasskeyUse(id, 0)).toBe(true);
      expect(await accounts.notePasskeyUse(id, 4_294_967_295)).toBe(true);
      expect(await accounts.notePasskeyUse(id, 0)).toBe(false);
    });
  });

  describe(`the passwords and second factors of ${name}`, () => {
    beforeEach(begin);

    it('are those that were set last, of this person only', async () => {
      const { accounts } = subject;
      expect(await accounts.passwordOf(ada)).toBeUndefined();
      await accounts.setPassword(ada, 'a first hash');
      await accounts.setPassword(ada, 'a second hash');
      await accounts.setSecondFactor(ada, Uint8Array.of(1, 2, 0, 255));
      expect(await accounts.passwordOf(ada)).toBe('a second hash');
      const factor = await accounts.secondFactorOf(ada);
      expect(factor).toEqual({ secret: expect.anything(), isConfirmed: false, lastStep: 0 });
      expect([...(factor?.secret ?? [])]).toEqual([1, 2, 0, 255]);
      expect(await accounts.passwordOf(bob)).toBeUndefined();
      expect(await accounts.secondFactorOf(bob)).toBeUndefined();
    });

    it('use up each step of time, and all before it', async () => {
      const { accounts } = subject;
      await accounts.setSecondFactor(ada, Uint8Array.of(1));
      expect(await accounts.useStep(ada, 60_000_000)).toBe(true);
      expect(await accounts.secondFactorOf(ada)).toMatchObject({ isConfirmed: true, lastStep: 60_000_000 });
      expect(await accounts.useStep(ada, 60_000_000)).toBe(false);
      expect(await accounts.useStep(ada, 59_999_999)).toBe(false);
      expect(await accounts.useStep(ada, 60_000_001)).toBe(true);
      expect(await accounts.useStep(bob, 60_000_002)).toBe(false);
    });

    it('use a step once when two come with it at the same moment', async () => {
      const { accounts, other } = subject;
      await accounts.setSecondFactor(ada, Uint8Array.of(1));
      const used = await Promise.all([accounts, other, accounts, other].map((store) => store.useStep(ada, 7)));
      expect(used.filter(Boolean)).toHaveLength(1);
    });

    it('begin unconfirmed again with a new secret', async () => {
      const { accounts } = subject;
      await accounts.setSecondFactor(ada, Uint8Array.of(1));
      await accounts.useStep(ada, 7);
      await accounts.setSecondFactor(ada, Uint8Array.of(2));
      expect(await accounts.secondFactorOf(ada)).toMatchObject({ isConfirmed: false, lastStep: 0 });
    });
  });
}
