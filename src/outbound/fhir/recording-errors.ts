// What is wrong with a recording of a chart, in words for the hospital: never an address or an id, they lead to a patient.
import { AppError } from '../../domain/errors.ts';
import { fromFailure as fromFailedCall, unavailable, unreadable } from './ehr-errors.ts';
import { retryAfterMs } from './retry-after.ts';
import { TransportFailure } from './transport.ts';

const WHAT = 'a recording';

export function fromFailure(thrown: unknown, site: string): unknown {
  return thrown instanceof TransportFailure ? fromFailedCall({ site, what: WHAT }, thrown) : thrown;
}

/** Of every status but 200. */
export function fromStatus(
  { status, headers }: Response,
  { site, now }: { readonly site: string; readonly now: () => Date },
): AppError {
  if (status < 300) return unreadable({ site, what: WHAT }, `it is not the whole recording (${status})`);
  if (status < 400) {
    const advice = 'the chart must link to where it is, and recording.origins list that origin';
    return refused(site, `the EHR sends us elsewhere for a recording (${status}): ${advice}`);
  }
  if (status === 404 || status === 410) {
    return new AppError('notFound', `${site}: the EHR no longer has a recording that the chart speaks of (${status})`);
  }
  if (status === 401 || status === 403) {
    const advice = 'look at ehr.auth, and at the rights of that client to read Binary';
    return refused(site, `the EHR does not let us read a recording (${status}): ${advice}`);
  }
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    const waitMs = retryAfterMs({ status, headers, body: { kind: 'empty' } }, now());
    return unavailable({ site, what: WHAT }, `it answers ${status}`, { retryAfterMs: waitMs });
  }
  return refused(site, `the EHR refuses to give a recording (${status})`);
}

export function brokenOff(site: string, cause?: unknown): AppError {
  return unavailable({ site, what: WHAT }, 'it broke off', { cause });
}

export function tooLarge(site: string, maxBytes: number): AppError {
  return new AppError('payloadTooLarge', `${site}: a recording is larger than ${maxBytes / 1_048_576} MB`);
}

function refused(site: string, message: string): AppError {
  return new AppError('ehrRefused', `${site}: ${message}`);
}
