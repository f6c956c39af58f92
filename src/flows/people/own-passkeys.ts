// The passkeys of a person with a local account, who is signed in: adds one and removes one. Both are in the audit trail.
import { AppError } from '../../domain/errors.ts';
import type { Audit } from '../../ports/audit.ts';
import type { LocalAccounts, Passkey } from '../../ports/local-accounts.ts';
import type { PasskeyChecks, PasskeyQuestion } from '../../ports/passkey-checks.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { SignInAttempts } from '../../ports/sign-in-attempts.ts';
import type { Visitor } from './visit-page.ts';

type Owner = Pick<Visitor, 'person' | 'session' | 'caller'>;

export type OwnPasskeys = {
  readonly list: (owner: Owner) => Promise<readonly Passkey[]>;
  /** Not a person of the identity provider, and not in a session that an EHR opened. */
  readonly mayAdd: (owner: Owner) => boolean;
  /** `browser`: a random cookie of this browser. Throws `forbidden` for who may not add one. */
  readonly ask: (owner: Owner, browser: string) => Promise<PasskeyQuestion>;
  /** Throws as above, `unauthorized` for an answer that is not accepted, and `conflict` for a passkey that is registered already. */
  readonly add: (
    owner: Owner,
    answered: { readonly browser: string | undefined; readonly challenge: string; readonly answer: string },
  ) => Promise<void>;
  /** False if it is none of the person. Throws `forbidden` in a session that an EHR opened. */
  readonly remove: (owner: Owner, passkey: string) => Promise<boolean>;
};

export type OwnPasskeysParts = {
  readonly localAccounts: Pick<LocalAccounts, 'passkeysOf' | 'addPasskey' | 'removePasskey'>;
  readonly attempts: Pick<SignInAttempts, 'begin' | 'take'>;
  readonly passkeyChecks: Pick<PasskeyChecks, 'askForNew' | 'readNew'>;
  readonly audit: Pick<Audit, 'append'>;
  readonly runtime: Pick<Runtime, 'digest'>;
};

const LIFE_MS = 5 * 60_000;

export function makeOwnPasskeys(parts: OwnPasskeysParts): OwnPasskeys {
  const { localAccounts, attempts, passkeyChecks, audit, runtime } = parts;
  const list: OwnPasskeys['list'] = ({ person }) => localAccounts.passkeysOf(person.id);

  return {
    list,
    mayAdd: (owner) => whyNot(owner) === undefined,

    async ask(owner, browser) {
      requireOwner(owner);
      const { id, name } = owner.person;
      const question = await passkeyChecks.askForNew({ id, name, known: await list(owner) });
      await attempts.begin({
        kind: 'new-passkey',
        stateDigest: runtime.digest(question.challenge),
        browserDigest: runtime.digest(browser),
        details: { person: id },
        lifeMs: LIFE_MS,
      });
      return question;
    },

    async add(owner, { browser = '', challenge, answer }) {
      requireOwner(owner);
      const person = owner.person.id;
      const attempt = await attempts.take('new-passkey', runtime.digest(challenge), runtime.digest(browser));
      const isOwn = attempt !== undefined && attempt !== 'wrong-browser' && attempt['person'] === person;
      const passkey = isOwn ? await passkeyChecks.readNew({ answer, challenge }) : undefined;
      if (passkey === undefined) {
        throw new AppError('unauthorized', 'The passkey was not accepted: open the page again, in one browser');
      }
      await audit.append({ action: 'passkey.add', ...entryOf(owner, passkey.id) });
      await localAccounts.addPasskey({ ...passkey, person, label: 'passkey' });
    },

    async remove(owner, passkey) {
      if (isOpenedByEhr(owner)) throw new AppError('forbidden', IN_EHR);
      // The number of another person's passkey does nothing here.
      if (!(await list(owner)).some(({ id }) => id === passkey)) return false;
      await audit.append({ action: 'passkey.remove', ...entryOf(owner, passkey) });
      return localAccounts.removePasskey(owner.person.id, passkey);
    },
  };
}

const IN_EHR = 'This session was opened by the EHR: sign in to the engine itself to change how you sign in';

function requireOwner(owner: Owner): void {
  const why = whyNot(owner);
  if (why !== undefined) throw new AppError('forbidden', why);
}

function whyNot(owner: Owner): string | undefined {
  const { person, session } = owner;
  if (isOpenedByEhr(owner)) return IN_EHR;
  if (session.kind !== 'browser') return 'A passkey is added in the browser in which one signed in';
  return person.origin === 'oidc' || session.way === 'oidc'
    ? 'You sign in at the identity provider of your organization, which keeps your passkeys'
    : undefined;
}

function isOpenedByEhr({ session }: Owner): boolean {
  return session.way === 'launch' || session.kind === 'frame' || session.opened !== undefined;
}

function entryOf({ person, caller }: Owner, passkey: string) {
  return { actor: caller.actor, details: { person: person.id, passkey, address: caller.address } };
}
