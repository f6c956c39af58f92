// Who looks at a page of the engine: the person of the session cookie. While a session is used, its secret changes every few minutes, so that a
// stolen one is soon worth nothing.
import type { Caller } from '../../domain/people/caller.ts';
import type { Person } from '../../domain/people/person.ts';
import { present } from '../../domain/present.ts';
import type { PersonSession, PersonSessions } from '../../ports/person-sessions.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { randomSecret } from '../random-names.ts';
import { callerOfSession } from './identify-caller.ts';
import { splitSession } from './session-secret.ts';

export type Visitor = {
  readonly caller: Caller;
  readonly person: Person;
  readonly session: PersonSession;
  /** In each form of a page: it belongs to this session, so that no other page can know it. */
  readonly formToken: string;
  /** The cookie's new value, if the secret has changed. */
  readonly renewed?: string;
};

export type Visit = {
  readonly cookie: string | undefined;
  readonly address: string;
  /** The secret changes whatever its age: what the session may do is about to grow. */
  readonly isRenewed?: boolean;
};

/** Undefined if there is no session, or no longer. */
export type VisitPage = (visit: Visit) => Promise<Visitor | undefined>;

export type VisitPageParts = {
  readonly personSessions: Pick<PersonSessions, 'use' | 'renew'>;
  /** A keyed hash of the session's id. */
  readonly formTokenOf: (session: string) => string;
  readonly runtime: Pick<Runtime, 'makeSecret' | 'digest'>;
};

const RENEWED_AFTER_MS = 5 * 60_000;

export function makeVisitPage({ personSessions, formTokenOf, runtime }: VisitPageParts): VisitPage {
  return async ({ cookie, address, isRenewed = false }) => {
    const given = cookie === undefined ? undefined : splitSession(cookie);
    if (given === undefined) return undefined;
    const former = runtime.digest(given.secret);
    const used = await personSessions.use(given.id, former);
    if (used === undefined) return undefined;
    const secret = randomSecret(runtime);
    const change = { former, next: runtime.digest(secret), afterMs: isRenewed ? 0 : RENEWED_AFTER_MS };
    const renewed = (await personSessions.renew(given.id, change)) ? `${given.id}_${secret}` : undefined;
    const { person, session } = used;
    return present({
      caller: callerOfSession(used, address),
      person,
      session,
      formToken: formTokenOf(session.id),
      renewed,
    });
  };
}
