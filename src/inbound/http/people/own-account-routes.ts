// The pages of the own account: who one is, the purpose, the own sessions, and signing out.
import { type RequestHandler, Router } from 'express';
import { AppError } from '../../../domain/errors.ts';
import { PURPOSES } from '../../../domain/people/purpose.ts';
import type { CloseSession } from '../../../flows/people/close-session.ts';
import type { OwnAccount } from '../../../flows/people/own-account.ts';
import type { Visitor } from '../../../flows/people/visit-page.ts';
import { drawOwnAccount } from './own-account-page.ts';
import type { PersonDoor } from './person-door.ts';
import { sendPersonPage } from './person-page.ts';

export type OwnAccountRouteParts = {
  readonly door: PersonDoor;
  readonly ownAccount: OwnAccount;
  readonly closeSession: CloseSession;
  /** HTML of further sections, as of the own passkeys. */
  readonly drawFurther?: (visitor: Visitor) => Promise<string>;
};

export function makeOwnAccountRouter({ door, ownAccount, closeSession, drawFurther }: OwnAccountRouteParts): Router {
  const router = Router({ strict: true });
  const { base } = door;

  router.get('/me', async (req, res) => {
    const visitor = await door.visitorOf(req, res);
    if (visitor === undefined) return door.goTo(res, `${base}/sign-in?return=${encodeURIComponent(`${base}/me`)}`);
    const sessions = await ownAccount.sessions(visitor.caller);
    const further = (await drawFurther?.(visitor)) ?? '';
    sendPersonPage(res, { title: 'Your account', base, body: drawOwnAccount({ base, visitor, sessions, further }) });
  });

  router.post('/me/purpose', async (req, res) => {
    const { visitor, fields } = await door.readFormOf(req, res, { isRenewed: true });
    const purpose = PURPOSES.find((one) => one === fields['purpose']);
    if (purpose === undefined) throw new AppError('invalidRequest', 'Choose one of the purposes of the list');
    await ownAccount.setPurpose(purpose, visitor.caller);
    door.goTo(res, `${base}/me`);
  });

  router.post('/me/sessions/end', async (req, res) => {
    const { visitor, fields } = await door.readFormOf(req, res);
    const own = await ownAccount.sessions(visitor.caller);
    const { actor, address } = visitor.caller;
    // Only an own one: the number of another person's session does nothing here.
    const meant = own.find(({ id }) => id === fields['session']);
    if (meant !== undefined) await closeSession({ which: { id: meant.id }, why: 'signed-out', actor, address });
    door.goTo(res, `${base}/me`);
  });

  router.post('/sign-out', makeSignOut({ door, ownAccount }));
  return router;
}

function makeSignOut({ door, ownAccount }: Pick<OwnAccountRouteParts, 'door' | 'ownAccount'>): RequestHandler {
  return async (req, res) => {
    const { visitor } = await door.readFormOf(req, res);
    const where = req.query['everywhere'] === undefined ? 'here' : 'everywhere';
    await ownAccount.signOut(where, visitor.caller);
    door.leave(res);
    door.goTo(res, `${door.base}/sign-in?signed-out=${where}`);
  };
}
