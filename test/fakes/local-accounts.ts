// Links, passkeys, passwords and second factors of people, in memory.
import { AppError } from '../../src/domain/errors.ts';
import type { LocalAccounts, Passkey, SecondFactor } from '../../src/ports/local-accounts.ts';
import type { People } from '../../src/ports/people.ts';

type Link = { readonly person: string; readonly expiresAt: Date; readonly isUsed: boolean };

const DAY_MS = 86_400_000;

export function makeFakeLocalAccounts({
  people,
  now = () => new Date(),
}: {
  readonly people: Pick<People, 'find'>;
  readonly now?: () => Date;
}): LocalAccounts {
  const links = new Map<string, Link>();
  const passkeys = new Map<string, Passkey>();
  const passwords = new Map<string, string>();
  const factors = new Map<string, SecondFactor>();
  const isEnabled = async (id: string) => {
    const person = await people.find(id);
    return person !== undefined && person.disabledAt === undefined;
  };
  const goodLink = async (digest: Uint8Array) => {
    const link = links.get(textOf(digest));
    if (link === undefined || link.isUsed || link.expiresAt <= now()) return undefined;
    return (await isEnabled(link.person)) ? { person: link.person } : undefined;
  };

  return {
    addLink: async ({ digest, person, expiresAt }) => {
      for (const [key, link] of links) if (link.person === person) links.delete(key);
      links.set(textOf(digest), { person, expiresAt, isUsed: false });
    },
    findLink: goodLink,
    useLink: async (digest) => {
      const good = await goodLink(digest);
      const link = links.get(textOf(digest));
      if (good === undefined || link === undefined || link.isUsed) return undefined;
      links.set(textOf(digest), { ...link, isUsed: true });
      return good;
    },
    addPasskey: async (passkey) => {
      if (passkeys.has(passkey.id)) throw new AppError('conflict', 'This passkey is registered already');
      passkeys.set(passkey.id, { ...passkey, createdAt: now() });
    },
    findPasskey: async (id) => {
      const passkey = passkeys.get(id);
      return passkey && { ...passkey };
    },
    passkeysOf: async (person) => [...passkeys.values()].filter((passkey) => passkey.person === person),
    removePasskey: async (person, id) => passkeys.get(id)?.person === person && passkeys.delete(id),
    notePasskeyUse: async (id, counter) => {
      const passkey = passkeys.get(id);
      if (passkey === undefined || (counter <= passkey.counter && (counter > 0 || passkey.counter > 0))) return false;
      passkeys.set(id, { ...passkey, counter, lastUsedAt: now() });
      return true;
    },
    setPassword: async (person, hash) => void passwords.set(person, hash),
    passwordOf: async (person) => passwords.get(person),
    setSecondFactor: async (person, secret) => void factors.set(person, { secret, isConfirmed: false, lastStep: 0 }),
    secondFactorOf: async (person) => {
      const factor = factors.get(person);
      return factor && { ...factor };
    },
    useStep: async (person, step) => {
      const factor = factors.get(person);
      if (factor === undefined || step <= factor.lastStep) return false;
      factors.set(person, { ...factor, isConfirmed: true, lastStep: step });
      return true;
    },
    sweep: async () => {
      for (const [key, { expiresAt }] of links) if (expiresAt.getTime() < now().getTime() - DAY_MS) links.delete(key);
    },
  };
}

function textOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('hex');
}
