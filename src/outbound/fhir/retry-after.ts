// Reads how long a server asks the client to wait, from the several headers in use. Invalid values are ignored.
import type { FhirAnswer } from './fhir-answer.ts';
import { readOutcome } from './outcome.ts';

const MAX_WAIT_MS = 3_600_000;
/** A reset above it is a moment (seconds since 1970), below it a duration. */
const FIRST_MOMENT_S = 1_000_000_000;

export function retryAfterMs(answer: FhirAnswer, now: Date): number | undefined {
  const { headers } = answer;
  const waitMs =
    fromRetryAfter(headers.get('retry-after'), now) ??
    readOutcome(answer, []).waitMs ??
    fromRateLimit(headers.get('ratelimit'), answer.status) ??
    fromReset(headers.get('ratelimit-reset') ?? headers.get('x-ratelimit-reset'), answer.status, now);
  return waitMs === undefined ? undefined : Math.min(Math.ceil(waitMs), MAX_WAIT_MS);
}

function fromRetryAfter(header: string | null, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,15}(?:\.\d{1,6})?$/.test(text)) return positive(Number(text) * 1000);
  // A date has a name of a day or a month in it; `Date` reads much else as one.
  if (!/[A-Za-z]{3}/.test(text)) return undefined;
  return positive(Date.parse(text) - now.getTime());
}

/**
 * `"requests";r=0;t=60`, one for each limit, and the older `limit=100, remaining=0, reset=50`. Sent with every answer: it asks for a wait only at
 * zero. The limit that is exhausted counts, and with 429 any that has a time.
 */
function fromRateLimit(header: string | null, status: number): number | undefined {
  const text = header ?? '';
  const limits = (text.includes(';') ? text.split(',') : [text]).map((limit) => ({
    left: numberIn(limit, 'r') ?? numberIn(limit, 'remaining'),
    seconds: numberIn(limit, 't') ?? numberIn(limit, 'reset'),
  }));
  const exhausted = limits.filter(({ left }) => left === 0);
  const counted = exhausted.length > 0 || status !== 429 ? exhausted : limits;
  return positive(Math.max(0, ...counted.map(({ seconds = 0 }) => seconds)) * 1000);
}

function numberIn(text: string, name: string): number | undefined {
  const found = new RegExp(`(?:^|[;,\\s])${name}=(\\d{1,15})(?=$|[;,\\s])`).exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

function fromReset(header: string | null, status: number, now: Date): number | undefined {
  if (status !== 429 || !/^\d{1,15}$/.test(header?.trim() ?? '')) return undefined;
  const seconds = Number(header);
  return positive(seconds >= FIRST_MOMENT_S ? seconds * 1000 - now.getTime() : seconds * 1000);
}

function positive(ms: number): number | undefined {
  return ms > 0 ? ms : undefined;
}
