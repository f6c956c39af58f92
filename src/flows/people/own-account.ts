// What a caller may ask and change about itself: who it is, why it reads patient data, and its sessions.
import { AppError } from '../../domain/errors.ts';
import type { Caller } from '../../domain/people/caller.ts';
import type { Purpose } from '../../domain/people/purpose.ts';
import type { Audit } from '../../ports/audit.ts';
import type { PersonSession, PersonSessions } from '../../ports/person-sessions.ts';
import type { CloseSession } from './close-session.ts';

const MOST = 1_000;

export type OwnAccount = {
  /** Undefined for a key or a token. */
  readonly session: (caller: Caller) => Promise<PersonSession | undefined>;
  /** Throws `conflict` for a key or a token, whose purpose cannot change. */
  readonly setPurpose: (purpose: Purpose, caller: Caller) => Promise<void>;
  /** None for a key or a token. */
  readonly sessions: (caller: Caller) => Promise<readonly PersonSession[]>;
  /** Ends this session, or all of the person; returns their ids. Throws `conflict` for a key or a token. */
  readonly signOut: (which: 'here' | 'everywhere', caller: Caller) => Promise<readonly string[]>;
};

export type OwnAccountParts = {
  readonly personSessions: Pick<PersonSessions, 'list' | 'setPurpose'>;
  readonly closeSession: CloseSession;
  readonly audit: Pick<Audit, 'append'>;
};

export function makeOwnAccount({ personSessions, closeSession, audit }: OwnAccountParts): OwnAccount {
  const sessionsOf = async ({ person }: Caller) =>
    person === undefined ? [] : personSessions.list({ scope: 'all', person, limit: MOST });

  return {
    sessions: sessionsOf,
    session: async (caller) => (await sessionsOf(caller)).find(({ id }) => id === caller.session),

    async setPurpose(purpose, { actor, session }) {
      if (session === undefined) throw withoutSession('A key or token keeps the purpose with which it was made');
      await audit.append({ action: 'person.purpose', actor, details: { purpose, session } });
      await personSessions.setPurpose(session, purpose);
    },

    async signOut(where, { actor, address, person, session }) {
      if (person === undefined || session === undefined) throw withoutSession('A key or token has no session to end');
      const which = where === 'here' ? { id: session } : { person };
      return closeSession({ which, why: 'signed-out', actor, address });
    },
  };
}

function withoutSession(why: string): AppError {
  return new AppError('conflict', `${why}: sign in as a person (npm run cli -- login)`);
}
