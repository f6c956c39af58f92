// Sessions over HTTP: the caller's own, and for admins those of the people of their sites.
import { AppError } from '../../../domain/errors.ts';
import { present } from '../../../domain/present.ts';
import type { ManageSessions } from '../../../flows/people/manage-sessions.ts';
import type { OwnAccount } from '../../../flows/people/own-account.ts';
import type { PersonSession } from '../../../ports/person-sessions.ts';
import {
  type EndedSessionsAnswer,
  type MeAnswer,
  purposeBody,
  type SessionAnswer,
  type SessionListAnswer,
  sessionId,
} from '../../../wire/me.ts';
import { validate } from '../body/validate.ts';
import { clearSessionCookie, sessionCookieOf } from '../people/session-cookie.ts';
import { readOpsBody } from './ops-body.ts';
import { accessOf, callerOf } from './ops-caller.ts';
import type { Handlers } from './ops-handlers.ts';
import { asGrant, personOf } from './ops-people.ts';

export type SessionHandlerParts = { readonly ownAccount: OwnAccount; readonly manageSessions: ManageSessions };

export function makeOwnHandlers({
  ownAccount,
}: SessionHandlerParts): Handlers<'show' | 'setPurpose' | 'sessions' | 'signOut' | 'signOutEverywhere'> {
  return {
    async show(_req, res) {
      const caller = callerOf(res);
      const { kind, actor, name, person, purpose, grants } = caller;
      if (kind === 'lone-key') throw new AppError('internal', 'The operator key is not admitted here');
      const session = await ownAccount.session(caller);
      const roles = grants.map(asGrant);
      const about = { kind, actor, name, person, roles, purpose, session: session && sessionAnswer(session) };
      const answer: MeAnswer = present(about);
      res.json(answer);
    },

    async setPurpose(req, res) {
      const { purpose } = validate(purposeBody, await readOpsBody(req, res));
      await ownAccount.setPurpose(purpose, callerOf(res));
      res.json({ purpose });
    },

    async sessions(_req, res) {
      res.json(listAnswer(await ownAccount.sessions(callerOf(res))));
    },

    async signOut(req, res) {
      await ownAccount.signOut('here', callerOf(res));
      if (sessionCookieOf(req) !== undefined) clearCookies(res);
      res.status(204).end();
    },

    async signOutEverywhere(req, res) {
      const answer: EndedSessionsAnswer = { ended: await ownAccount.signOut('everywhere', callerOf(res)) };
      if (sessionCookieOf(req) !== undefined) clearCookies(res);
      res.json(answer);
    },
  };
}

export function makeSessionHandlers({
  manageSessions,
}: SessionHandlerParts): Handlers<'list' | 'end' | 'listOf' | 'endOf'> {
  return {
    async list(_req, res) {
      res.json(listAnswer(await manageSessions.list(accessOf(res))));
    },

    async end(req, res) {
      const { success, data } = sessionId.safeParse(req.params['id']);
      if (!success) throw new AppError('notFound', 'There is no open session with this id');
      await manageSessions.end(data, accessOf(res));
      res.status(204).end();
    },

    async listOf(req, res) {
      res.json(listAnswer(await manageSessions.listOf(personOf(req), accessOf(res))));
    },

    async endOf(req, res) {
      const answer: EndedSessionsAnswer = { ended: await manageSessions.endOf(personOf(req), accessOf(res)) };
      res.json(answer);
    },
  };
}

function clearCookies(res: Parameters<typeof clearSessionCookie>[0]): void {
  clearSessionCookie(res, 'browser');
  clearSessionCookie(res, 'frame');
}

function listAnswer(sessions: readonly PersonSession[]): SessionListAnswer {
  return { sessions: sessions.map(sessionAnswer) };
}

/** Without the encounter for which an EHR opened it: that is patient data. */
function sessionAnswer(session: PersonSession): SessionAnswer {
  const { id, person, kind, way, purpose, address, agent, createdAt, lastUsedAt, idleAt, endsAt } = session;
  return present({
    id,
    person,
    kind,
    way,
    purpose,
    address,
    agent,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt.toISOString(),
    idleAt: idleAt.toISOString(),
    endsAt: endsAt.toISOString(),
  });
}
