// The door by which people come in with a browser: /sign-in with its ways, /me and /sign-out.
import { Router } from 'express';
import { escapeHtml } from '../pages/own-pages.ts';
import { drawPasskeys } from './local-pages.ts';
import { canHavePasskeys, type LocalRouteParts, makeLocalRouter } from './local-routes.ts';
import { makeOwnAccountRouter, type OwnAccountRouteParts } from './own-account-routes.ts';
import { ownPathOf } from './own-path.ts';
import { makePersonDoor, type PersonDoorParts } from './person-door.ts';
import { sendPersonPage } from './person-page.ts';
import { makeProviderRouter, type ProviderRouteParts } from './provider-routes.ts';
import { drawSignIn } from './sign-in-page.ts';

export type SignInRouterParts = PersonDoorParts &
  Omit<ProviderRouteParts, 'door'> &
  Omit<LocalRouteParts, 'door'> &
  Omit<OwnAccountRouteParts, 'door' | 'drawFurther'> & {
    /** How a person runs the command line here. */
    readonly command: string;
  };

export function makeSignInRouter(parts: SignInRouterParts): Router {
  const door = makePersonDoor(parts);
  const { base } = door;
  const router = Router({ strict: true });
  const hasProvider = parts.signInProvider !== undefined;

  router.get('/sign-in', async (req, res) => {
    const returnTo = ownPathOf(req.query['return'], base);
    if ((await door.visitorOf(req, res)) !== undefined) return door.goTo(res, returnTo);
    const isSignedOut = req.query['signed-out'] !== undefined;
    const notice = isSignedOut ? 'You are signed out here.' : undefined;
    const hasPasskeys = canHavePasskeys(parts.publicUrl);
    const ways = drawSignIn({ base, returnTo, hasProvider, hasPasskeys, notice, command: parts.command });
    const alsoThere = `<p><a href="${escapeHtml(base)}/sign-in/provider/end">Sign out at your organization, too</a></p>`;
    const body = isSignedOut && hasProvider ? `${ways}${alsoThere}` : ways;
    sendPersonPage(res, { title: 'Sign in', base, body });
  });
  router.use(makeProviderRouter({ ...parts, door }));
  router.use(makeLocalRouter({ ...parts, door }));
  router.use(
    makeOwnAccountRouter({
      ...parts,
      door,
      drawFurther: async (visitor) => {
        const mayAdd = canHavePasskeys(parts.publicUrl) && parts.ownPasskeys.mayAdd(visitor);
        return drawPasskeys(await parts.ownPasskeys.list(visitor), { base, formToken: visitor.formToken }, mayAdd);
      },
    }),
  );
  router.use(door.answerFailure);
  return router;
}
