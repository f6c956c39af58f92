// Who has opened a page of the review, by the cookie of the window or of the frame: never by that of the other, in which another visit may be open.
import type { Request } from 'express';
import { type Access, type Caller, decideAccess } from '../../../domain/people/caller.ts';
import { PERMISSIONS, type Permission } from '../../../domain/people/permissions.ts';
import type { IdentifyCaller } from '../../../flows/people/identify-caller.ts';
import { launchKindOf } from '../launch/launch-cookies.ts';
import { cookieOf, SESSION_COOKIES } from '../people/session-cookie.ts';

export type Visitor =
  | { readonly kind: 'reviewer'; readonly caller: Caller; readonly access: Access }
  /** Patient data needs one. */
  | { readonly kind: 'without-purpose'; readonly caller: Caller }
  | { readonly kind: 'no-reviewer'; readonly caller: Caller }
  | { readonly kind: 'unknown' };

/** The page shows what this endpoint is about, and sends its decisions. */
const PERMISSION: Permission | undefined = PERMISSIONS['POST /runs{/Run}/:id/review'];

export async function visitorOf(req: Request, identifyCaller: IdentifyCaller): Promise<Visitor> {
  const cookie = cookieOf(req, SESSION_COOKIES[launchKindOf(req)]);
  const caller = await identifyCaller({ bearer: '', cookie, address: req.ip ?? '' });
  if (caller === undefined || caller.kind !== 'person' || PERMISSION === undefined) return { kind: 'unknown' };
  const decision = decideAccess(caller, PERMISSION, false);
  if (decision.kind === 'no-purpose') return { kind: 'without-purpose', caller };
  return decision.kind === 'allowed'
    ? { kind: 'reviewer', caller, access: decision.access }
    : { kind: 'no-reviewer', caller };
}
