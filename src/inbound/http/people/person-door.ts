// What all pages for people share: the visitor of the session cookie, forms that only an own page can send, and failures in words.
import type { ErrorRequestHandler, Request, Response } from 'express';
import { AppError, asAppError } from '../../../domain/errors.ts';
import type { CloseSession } from '../../../flows/people/close-session.ts';
import type { OpenedSession } from '../../../flows/people/open-session.ts';
import type { Visitor, VisitPage } from '../../../flows/people/visit-page.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import { type FormFields, readFormBody } from '../body/form-body.ts';
import { forClient } from '../server/client-signal.ts';
import { statusFor } from '../server/error-response.ts';
import { requestIdOf } from '../server/request-gate.ts';
import { isFromOwnPage } from './own-pages-only.ts';
import { sendPersonPage, setPersonHeaders } from './person-page.ts';
import { clearSessionCookie, cookieOf, SESSION_COOKIES, setSessionCookie } from './session-cookie.ts';
import { drawFailure } from './sign-in-page.ts';

export type PersonDoorParts = {
  readonly visitPage: VisitPage;
  readonly closeSession: CloseSession;
  readonly runtime: Pick<Runtime, 'digest' | 'isSameDigest'>;
  readonly logger: Pick<Logger, 'error' | 'info'>;
  /** PUBLIC_URL without a slash at its end. */
  readonly publicUrl: string;
};

export type PersonDoor = {
  /** The path of PUBLIC_URL, without a slash at its end. */
  readonly base: string;
  /** The person of the cookie; the cookie changes if its secret did. */
  readonly visitorOf: (
    req: Request,
    res: Response,
    order?: { readonly isRenewed: boolean },
  ) => Promise<Visitor | undefined>;
  /** Throws `forbidden` for a form that no page of the engine has sent. */
  readonly readOwnForm: (req: Request, res: Response) => Promise<FormFields>;
  /** As above, of a signed-in person. Throws `unauthorized` without a session, and `forbidden` for a form of another session. */
  readonly readFormOf: (
    req: Request,
    res: Response,
    order?: { readonly isRenewed: boolean },
  ) => Promise<{ readonly visitor: Visitor; readonly fields: FormFields }>;
  /** The browser gets the new session. One that it had before ends. */
  readonly enter: (req: Request, res: Response, opened: OpenedSession) => Promise<void>;
  readonly leave: (res: Response) => void;
  /** To a page of the engine. A browser asks for it by GET. */
  readonly goTo: (res: Response, address: string) => void;
  readonly answerFailure: ErrorRequestHandler;
};

export function makePersonDoor(parts: PersonDoorParts): PersonDoor {
  const { visitPage, closeSession, runtime, logger } = parts;
  const { origin, pathname } = new URL(parts.publicUrl);
  const base = pathname.replace(/\/+$/, '');

  const visitorOf: PersonDoor['visitorOf'] = async (req, res, order) => {
    const cookie = cookieOf(req, SESSION_COOKIES.browser);
    const visitor = await visitPage({ cookie, address: req.ip ?? '', ...order });
    if (visitor?.renewed !== undefined) setSessionCookie(res, 'browser', visitor.renewed);
    return visitor;
  };
  const readOwnForm: PersonDoor['readOwnForm'] = (req, res) => {
    if (!isFromOwnPage(req, origin)) throw foreignForm();
    return forClient(req, res, (signal) => readFormBody(req, signal));
  };

  return {
    base,
    visitorOf,
    readOwnForm,

    async readFormOf(req, res, order) {
      const fields = await readOwnForm(req, res);
      const visitor = await visitorOf(req, res, order);
      if (visitor === undefined) throw new AppError('unauthorized', 'Your session has ended: sign in again');
      const isOwn = runtime.isSameDigest(runtime.digest(fields['form'] ?? ''), runtime.digest(visitor.formToken));
      if (!isOwn) throw foreignForm();
      return { visitor, fields };
    },

    async enter(req, res, { session, secretText }) {
      const former = await visitPage({ cookie: cookieOf(req, SESSION_COOKIES.browser), address: session.address });
      if (former !== undefined) {
        const { actor, address } = former.caller;
        await closeSession({ which: { id: former.session.id }, why: 'replaced', actor, address });
      }
      setSessionCookie(res, 'browser', secretText);
    },

    leave: (res) => clearSessionCookie(res, 'browser'),

    goTo(res, address) {
      setPersonHeaders(res);
      res.redirect(303, address);
    },

    answerFailure(thrown, _req, res, next) {
      const error = asAppError(thrown);
      if (res.headersSent || error.code === 'cancelled') return next(thrown);
      if (error.code === 'internal') logger.error('a request failed', { requestId: requestIdOf(res), thrown });
      if (error.retryAfterSeconds !== undefined) res.setHeader('retry-after', Math.ceil(error.retryAfterSeconds));
      res.status(statusFor('ops', error.code));
      sendPersonPage(res, { ...drawFailure(error, base), base });
    },
  };
}

function foreignForm(): AppError {
  return new AppError('forbidden', 'This form was not sent by the page that this engine gave you: open the page again');
}
