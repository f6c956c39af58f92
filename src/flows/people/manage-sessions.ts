// Lists and ends sessions: those of the people of an admin's sites.
import { AppError } from '../../domain/errors.ts';
import type { Access } from '../../domain/people/caller.ts';
import type { People } from '../../ports/people.ts';
import type { PersonSession, PersonSessions } from '../../ports/person-sessions.ts';
import type { CloseSession } from './close-session.ts';
import { findManaged, findSeen } from './find-person.ts';

const MOST = 1_000;

export type ManageSessions = {
  /** The newest 1,000. */
  readonly list: (access: Access) => Promise<readonly PersonSession[]>;
  /** Throws `notFound`. */
  readonly listOf: (person: string, access: Access) => Promise<readonly PersonSession[]>;
  /** Throws `notFound`, also for a session that has ended; and `forbidden` if the person has roles at other sites too. */
  readonly end: (id: string, access: Access) => Promise<void>;
  /** The ids of the sessions that were open. Throws `notFound` and `forbidden`. */
  readonly endOf: (person: string, access: Access) => Promise<readonly string[]>;
};

export type ManageSessionsParts = {
  readonly people: Pick<People, 'find'>;
  readonly personSessions: Pick<PersonSessions, 'list'>;
  readonly closeSession: CloseSession;
};

export function makeManageSessions({ people, personSessions, closeSession }: ManageSessionsParts): ManageSessions {
  const byAdmin = ({ caller: { actor, address } }: Access) => ({ why: 'by-admin', actor, address }) as const;
  return {
    list: ({ scope }) => personSessions.list({ scope, limit: MOST }),

    async listOf(person, access) {
      await findSeen(people, person, access);
      return personSessions.list({ scope: access.scope, person, limit: MOST });
    },

    async end(id, access) {
      const open = await personSessions.list({ scope: access.scope, limit: Number.MAX_SAFE_INTEGER });
      const session = open.find((one) => one.id === id);
      if (session === undefined) throw new AppError('notFound', 'There is no open session with this id');
      await findManaged(people, session.person, access);
      await closeSession({ which: { id }, ...byAdmin(access) });
    },

    async endOf(person, access) {
      await findManaged(people, person, access);
      return closeSession({ which: { person }, ...byAdmin(access) });
    },
  };
}
