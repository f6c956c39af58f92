// Ends sessions: one, all of a person, or those that an identity provider names. Each engine refuses them from then on.
import type { Audit } from '../../ports/audit.ts';
import type { PersonSessions, SessionEnd } from '../../ports/person-sessions.ts';

export type CloseSessionOrder = {
  readonly which: Parameters<PersonSessions['end']>[0];
  readonly why: SessionEnd;
  /** Who ends them: `person/<id>`, or `engine` for the identity provider. */
  readonly actor: string;
  readonly address: string;
};

/** Returns the ids of the sessions that were open. None is no error. Throws what the stores throw. */
export type CloseSession = (order: CloseSessionOrder) => Promise<readonly string[]>;

export type CloseSessionParts = {
  readonly personSessions: Pick<PersonSessions, 'end'>;
  readonly audit: Pick<Audit, 'append'>;
};

export function makeCloseSession({ personSessions, audit }: CloseSessionParts): CloseSession {
  return async ({ which, why, actor, address }) => {
    // Ended before it is recorded: a trail that is away must not keep a session open.
    const sessions = await personSessions.end(which, why);
    const action = why === 'signed-out' ? 'person.sign-out' : 'session.end';
    if (sessions.length > 0) await audit.append({ action, actor, details: { sessions, why, address } });
    return sessions;
  };
}
