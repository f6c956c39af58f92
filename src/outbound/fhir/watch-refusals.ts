// Judges answers with 401, as the token cache judges a token server: one refusal may be a mishap of the EHR, so it counts as passing, and runs
// wait for the next answer instead of being parked. It stays if it lasts for some minutes, or if the EHR accepts the same credentials for other
// requests meanwhile: then the client has no right to this one.
import type { FhirAnswer } from './fhir-answer.ts';
import { type EhrRequest, TransportFailure } from './transport.ts';

export type WatchRefusals = {
  /** A failure that may pass; undefined: the answer counts as it is. Must be called with each answer. */
  readonly judge: (request: EhrRequest, answer: FhirAnswer) => TransportFailure | undefined;
};

/** `accepted`: how many answers had accepted the credentials before. */
type Refusal = { readonly sinceMs: number; readonly accepted: number; lastMs: number };

const REFUSED_WAIT_MS = 30_000;
/** Two further answers, because one may be the next mishap. */
const CONFIRMED_MS = 55_000;
const LASTING_MS = 330_000;
/** After this time without a refusal the next one is a new one. */
const FORGOTTEN_MS = 900_000;
const MAX_KINDS = 500;

export const REFUSED_CREDENTIALS = 'the EHR refuses our credentials (401): look at ehr.auth of that site';

export function makeWatchRefusals({ monotonicMs }: { readonly monotonicMs: () => number }): WatchRefusals {
  const refusals = new Map<string, Refusal>();
  let accepted = 0;

  const note = (kind: string, nowMs: number): Refusal => {
    const before = refusals.get(kind);
    const isNew = before === undefined || nowMs - before.lastMs > FORGOTTEN_MS;
    const refusal = isNew ? { sinceMs: nowMs, accepted, lastMs: nowMs } : before;
    refusal.lastMs = nowMs;
    const [oldest] = refusals.keys();
    if (before === undefined && refusals.size >= MAX_KINDS && oldest !== undefined) refusals.delete(oldest);
    refusals.set(kind, refusal);
    return refusal;
  };

  return {
    judge(request, { status }) {
      const kind = kindOf(request);
      const nowMs = monotonicMs();
      if (status !== 401) {
        refusals.delete(kind);
        // An EHR that is down has not looked at the credentials.
        if (status < 500 && status !== 429) accepted += 1;
        return undefined;
      }
      const refusal = note(kind, nowMs);
      const passedMs = nowMs - refusal.sinceMs;
      const isAboutThis = passedMs >= CONFIRMED_MS && accepted > refusal.accepted;
      if (passedMs >= LASTING_MS || isAboutThis) return undefined;
      return new TransportFailure(REFUSED_CREDENTIALS, {
        kind: 'credentials',
        wasSent: false,
        isPassing: true,
        retryAfterMs: REFUSED_WAIT_MS,
      });
    },
  };
}

/** Requests of one kind need one right: `GET Condition?patient&clinical-status`, `GET Patient/`; a batch only reads, and a transaction writes. */
function kindOf({ method, url, body = '' }: EhrRequest): string {
  const [path = '', query = ''] = url.split('?');
  if (path === '') return `${method} ${/"type":"(batch|transaction)"/.exec(body.slice(0, 100))?.[1] ?? ''}`;
  const type = path.split('/').findLast((part) => /^[A-Z][A-Za-z]+$/.test(part)) ?? path;
  const isOne = !path.endsWith(type);
  const names = [...new URLSearchParams(query).keys()].toSorted().join('&');
  return `${method} ${type}${isOne ? '/' : ''}?${names}`;
}
