// The cookie that binds a launch to its browser. In a frame of the EHR it is one that browsers keep apart for each framing site. A browser has one
// for all its launches, so that two that are begun at once do not disturb each other.
import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import type { LaunchKind } from '../../../flows/people/launch.ts';
import { cookieOf } from '../people/session-cookie.ts';

const NAMES = { browser: '__Host-chartwright-launch', frame: '__Host-chartwright-launch-frame' } as const;
const LIFE_SECONDS = 600;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** A browser without Fetch Metadata counts as a window: its cookie is not sent from a frame, so that nothing is opened there by mistake. */
export function launchKindOf({ headers }: Pick<IncomingMessage, 'headers'>): LaunchKind {
  const target = headers['sec-fetch-dest'];
  return target === 'iframe' || target === 'frame' || target === 'fencedframe' ? 'frame' : 'browser';
}

export function launchCookieOf(req: Pick<IncomingMessage, 'headers'>, kind: LaunchKind): string | undefined {
  const value = cookieOf(req, NAMES[kind]);
  return value !== undefined && SECRET.test(value) ? value : undefined;
}

export function setLaunchCookie(res: Response, kind: LaunchKind, value: string): void {
  const place = kind === 'frame' ? 'SameSite=None; Partitioned' : 'SameSite=Lax';
  res.appendHeader(
    'set-cookie',
    `${NAMES[kind]}=${value}; Max-Age=${LIFE_SECONDS}; Path=/; Secure; HttpOnly; ${place}`,
  );
}
