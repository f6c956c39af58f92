// What is wrong with a recording of a chart, in words for the hospital: the origin of a link at most, never a path,
// a query or an id, which lead to a patient or open the recording.
import { EhrLimit } from '../../domain/ehr-limit.ts';
import { AppError } from '../../domain/errors.ts';
import { LinkRefusal } from '../../domain/recording/link-refusal.ts';
import { fromFailure as fromFailedCall, unavailable, unreadable } from './ehr-errors.ts';
import { retryAfterMs } from './retry-after.ts';
import { TransportFailure } from './transport.ts';

const WHAT = 'a recording';

/** Where the link of a recording leads. `origin` is absent if it is no address of a server. */
export type LinkPlace = { readonly site: string; readonly isOwn: boolean; readonly origin?: string };

export function fromFailure(thrown: unknown, place: LinkPlace): unknown {
  if (!(thrown instanceof TransportFailure)) return thrown;
  if (thrown.kind !== 'address') return fromFailedCall({ site: place.site, what: WHAT }, thrown);
  const { site, isOwn, origin } = place;
  const facts = { owner: 'unlisted', origin: isOwn ? undefined : origin, cause: thrown } as const;
  return new LinkRefusal('ehrRefused', `${site}: ${whyNotCalled(place)}`, facts);
}

function whyNotCalled({ isOwn, origin }: LinkPlace): string {
  if (origin === undefined) return 'the link of a recording is no http address of a server';
  if (isOwn)
    return `the link of a recording to ${origin} is written in a way that hides where it leads: it was not called`;
  const plain = origin.startsWith('http:') ? '; plain http is possible only if ehr.baseUrl is plain http' : '';
  return `the link of a recording leads to ${origin}, which is neither the site's EHR nor listed in recording.origins${plain}`;
}

/** Of every status but 200. */
export function fromStatus({ status, headers }: Response, place: LinkPlace, now: () => Date): AppError {
  const { site, isOwn, origin } = place;
  const who = isOwn ? 'the EHR' : (origin ?? 'the server of the recording');
  const owner = isOwn ? 'ehr' : 'listed';
  const refused = (message: string) => new LinkRefusal('ehrRefused', `${site}: ${message}`, { owner, origin, status });
  if (status < 300) return unreadable({ site, what: WHAT }, `it is not the whole recording (${status})`);
  if (status < 400) {
    const advice = 'the chart must link to where it is, and recording.origins list that origin';
    return refused(`${who} sends us elsewhere for a recording (${status}): ${advice}`);
  }
  if (status === 404 || status === 410) {
    const message = `${site}: ${who} no longer has a recording that the chart speaks of (${status})`;
    return new LinkRefusal('notFound', message, { owner, origin, status });
  }
  if (status === 401 || status === 403) {
    const advice = isOwn
      ? 'look at ehr.auth, and at the rights of that client to read Binary'
      : 'no credentials are sent there, so the link itself must open it';
    return refused(`${who} does not let us read a recording (${status}): ${advice}`);
  }
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const waitMs = retryAfterMs({ status, headers, body: { kind: 'empty' } }, now());
    if (status === 429 && isOwn) return new EhrLimit({ site, waitMs, now: now() });
    return unavailable({ site, what: WHAT }, `it answers ${status}`, { retryAfterMs: waitMs });
  }
  return refused(`${who} refuses to give a recording (${status})`);
}

export function brokenOff(site: string, cause?: unknown): AppError {
  return unavailable({ site, what: WHAT }, 'it broke off', { cause });
}

export function tooLarge(site: string, maxBytes: number): AppError {
  return new AppError('payloadTooLarge', `${site}: a recording is larger than ${maxBytes / 1_048_576} MB`);
}
