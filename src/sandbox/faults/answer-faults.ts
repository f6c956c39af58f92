// Faults of answers: missing, late, broken, or refusals such as 401 and 429.
import { isSigned } from '../fhir/signed-links.ts';
import {
  type FaultHandler,
  type FaultRequest,
  type FaultTools,
  jsonReply,
  outcomeOf,
  type Reply,
  refusal,
} from './exchange.ts';
import type { FaultOf, LostAnswer, RetryAdvice } from './faults.ts';

const always = () => true;
/** Requests that need a token: neither the open ones nor the request for a token itself. */
const needsCredentials = ({ kind, path }: FaultRequest) =>
  !kind.isMetadata && !path.includes('/.well-known/') && !path.endsWith('/oauth2/token');

export function lostAnswer({ how, isStored, on }: FaultOf<'lost-answer'>): FaultHandler {
  return {
    // Only writes, unless the fault names its requests.
    isFor: (request) => on !== undefined || request.kind.isWrite,
    handle: async (request, next) => {
      const reply = isStored ? await next(request) : NEVER_MADE;
      return lose(reply, how);
    },
  };
}

/** The answer as if the resource had been stored. */
const NEVER_MADE: Reply = {
  status: 201,
  headers: { 'content-type': 'application/fhir+json' },
  body: '{"resourceType":"Bundle","type":"transaction-response","entry":[]}',
};

function lose(reply: Reply, how: LostAnswer): Reply {
  if (how === 'hang' || how === 'reset' || how === 'cut') return { ...reply, delivery: how };
  if (typeof reply.body !== 'string') reply.body.resume();
  if (how === 'empty') return { status: 200, headers: {}, body: '' };
  if (how === 'garbage') return { status: 200, headers: { 'content-type': 'application/fhir+json' }, body: '{"resou' };
  return brokenServer(how);
}

/** 500 comes from the EHR itself, the other codes from a proxy in front of it. */
function brokenServer(status: 500 | 502 | 503 | 504): Reply {
  if (status === 500) return refusal(500, { code: 'exception', text: 'Internal server error' });
  const body = `<html><body><h1>${status}</h1><p>The server behind this one does not answer.</p></body></html>`;
  return { status, headers: { 'content-type': 'text/html' }, body };
}

export function serverErrors({ status = 503 }: FaultOf<'server-errors'>): FaultHandler {
  return { isFor: always, handle: async () => brokenServer(status) };
}

export function down(_: FaultOf<'down'>): FaultHandler {
  return { isFor: always, handle: async () => ({ status: 503, headers: {}, body: '', delivery: 'reset' }) };
}

export function slow({ ms }: FaultOf<'slow'>, { wait }: FaultTools): FaultHandler {
  return {
    isFor: always,
    handle: async (request, next) => {
      await wait(ms);
      return next(request);
    },
  };
}

export function tooManyRequests(fault: FaultOf<'too-many-requests'>, { now }: FaultTools): FaultHandler {
  const { advice = 'seconds', seconds = 2 } = fault;
  return {
    isFor: always,
    handle: async () => {
      const outcome = outcomeOf({ code: 'throttled', text: 'Too Many Requests' });
      const [issue] = outcome['issue'] as readonly object[];
      const diagnostics = JSON.stringify({ _remainingPoints: 0, _msBeforeNext: seconds * 1000 });
      const json = advice === 'rate-limit' ? { ...outcome, issue: [{ ...issue, diagnostics }] } : outcome;
      return jsonReply(429, json, adviceHeaders(advice, { seconds, now: now() }));
    },
  };
}

function adviceHeaders(
  advice: RetryAdvice,
  { seconds, now }: { readonly seconds: number; readonly now: Date },
): Readonly<Record<string, string>> {
  const headers: Readonly<Record<RetryAdvice, Readonly<Record<string, string>>>> = {
    seconds: { 'retry-after': String(seconds) },
    date: { 'retry-after': new Date(now.getTime() + seconds * 1000).toUTCString() },
    garbage: { 'retry-after': 'soon' },
    negative: { 'retry-after': String(-seconds) },
    'rate-limit': { ratelimit: `"requests";r=0;t=${seconds}` },
    none: {},
  };
  return headers[advice];
}

export function unauthorized(_: FaultOf<'unauthorized'>): FaultHandler {
  return { isFor: needsCredentials, handle: async () => refusal(401, { code: 'login', text: 'Unauthorized' }) };
}

export function expiringTokens({ requestsPerToken }: FaultOf<'expiring-tokens'>): FaultHandler {
  const usedByToken = new Map<string, number>();
  return {
    isFor: needsCredentials,
    handle: async (request, next) => {
      const token = request.headers.authorization ?? '';
      const used = usedByToken.get(token) ?? 0;
      if (token === '' || used >= requestsPerToken) return refusal(401, { code: 'login', text: 'Unauthorized' });
      usedByToken.set(token, used + 1);
      return next(request);
    },
  };
}

export function endedLinks({ status = 403, isLasting = false }: FaultOf<'ended-links'>): FaultHandler {
  /** By the path of the recording: the query of the link that was tried first. */
  const ended = new Map<string, string>();
  return {
    isFor: ({ method, query }) => method === 'GET' && isSigned(query),
    handle: async (request, next) => {
      const first = ended.get(request.path) ?? request.query;
      ended.set(request.path, first);
      if (!isLasting && request.query !== first) return next(request);
      return refusal(status, { code: 'forbidden', text: 'This link does not open any more' });
    },
  };
}
