// Who has opened a page of the review, by the cookie of the window or of the frame: never by that of the other, in which another visit may be open.
import type { Request, Response } from 'express';
import { type Access, type Caller, decideAccess } from '../../../domain/people/caller.ts';
import { PERMISSIONS, type Permission } from '../../../domain/people/permissions.ts';
import type { VisitPage } from '../../../flows/people/visit-page.ts';
import { launchKindOf } from '../launch/launch-cookies.ts';
import { cookieOf, SESSION_COOKIES, setSessionCookie } from '../people/session-cookie.ts';

/** `formToken`: in each form of the page, which no other page can know. */
type SignedIn = { readonly caller: Caller; readonly formToken: string };

export type ReviewVisitor =
  | (SignedIn & { readonly kind: 'reviewer'; readonly access: Access })
  /** Patient data needs one. */
  | (SignedIn & { readonly kind: 'without-purpose' })
  | (SignedIn & { readonly kind: 'no-reviewer' })
  | { readonly kind: 'unknown' };

/** The page shows what this endpoint is about, and sends its decisions. */
const PERMISSION: Permission | undefined = PERMISSIONS['POST /runs{/Run}/:id/review'];

/** The cookie changes if the secret of the session did. */
export async function reviewVisitor(req: Request, res: Response, visitPage: VisitPage): Promise<ReviewVisitor> {
  const kind = launchKindOf(req);
  const visitor = await visitPage({ cookie: cookieOf(req, SESSION_COOKIES[kind]), address: req.ip ?? '' });
  if (visitor === undefined || PERMISSION === undefined) return { kind: 'unknown' };
  const { caller, formToken, renewed } = visitor;
  if (renewed !== undefined) setSessionCookie(res, kind, renewed);
  const decision = decideAccess(caller, PERMISSION, false);
  if (decision.kind === 'no-purpose') return { kind: 'without-purpose', caller, formToken };
  return decision.kind === 'allowed'
    ? { kind: 'reviewer', caller, formToken, access: decision.access }
    : { kind: 'no-reviewer', caller, formToken };
}
