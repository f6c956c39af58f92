// The routes of people below /ops: the caller's own account, people and their roles, sessions and tokens.
import type { Handlers } from './ops-handlers.ts';
import { makePeopleHandlers, type PeopleHandlerParts } from './ops-people.ts';
import { makeOwnHandlers, makeSessionHandlers, type SessionHandlerParts } from './ops-sessions.ts';
import { makeTokenHandlers, type TokenHandlerParts } from './ops-tokens.ts';

export type PeopleFlows = PeopleHandlerParts & SessionHandlerParts & TokenHandlerParts;

/** Handlers by path below /ops and by method. */
type Routes = Readonly<Record<string, Partial<Handlers<'GET' | 'POST' | 'PUT' | 'DELETE'>>>>;

export function makePeopleRoutes(parts: PeopleFlows): Routes {
  const own = makeOwnHandlers(parts);
  const people = makePeopleHandlers(parts);
  const sessions = makeSessionHandlers(parts);
  const tokens = makeTokenHandlers(parts);
  return {
    '/me': { GET: own.show },
    '/me/purpose': { PUT: own.setPurpose },
    '/me/session': { DELETE: own.signOut },
    '/me/sessions': { GET: own.sessions, DELETE: own.signOutEverywhere },
    '/people': { GET: people.list, POST: people.create },
    '/people{/Person}/:id': { GET: people.show, PUT: people.change },
    '/people{/Person}/:id/roles': { PUT: people.setRoles },
    '/people{/Person}/:id/link': { POST: people.link },
    '/people{/Person}/:id/disable': { POST: people.disable },
    '/people{/Person}/:id/enable': { POST: people.enable },
    '/people{/Person}/:id/sessions': { GET: sessions.listOf, DELETE: sessions.endOf },
    '/roles': { GET: people.roles },
    '/sessions': { GET: sessions.list },
    '/sessions{/Session}/:id': { DELETE: sessions.end },
    '/tokens': { GET: tokens.list, POST: tokens.create },
    '/tokens{/Token}/:id': { DELETE: tokens.revoke },
  };
}
