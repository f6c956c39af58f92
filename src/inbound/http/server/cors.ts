// CORS: browsers of other origins are refused unless the operator lists their origin.
import type { RequestHandler } from 'express';

const ALLOWED_HEADERS =
  'x-api-key, authorization, content-type, accept, prefer, idempotency-key, traceparent, x-request-id';
const EXPOSED_HEADERS =
  'x-request-id, retry-after, ratelimit, ratelimit-policy, x-chartwright-check, preference-applied, idempotent-replayed';
const PREFLIGHT_SECONDS = 600;

export function makeCors(origins: readonly string[]): RequestHandler {
  const isAny = origins.includes('*');
  const allowed = new Set(origins.filter((origin) => origin !== '*').map((origin) => new URL(origin).origin));

  return (req, res, next) => {
    const { origin } = req.headers;
    if (origin === undefined || (!isAny && !allowed.has(origin))) return next();
    res.vary('Origin');
    res.setHeader('access-control-allow-origin', isAny ? '*' : origin);
    res.setHeader('access-control-expose-headers', EXPOSED_HEADERS);
    res.setHeader('cross-origin-resource-policy', 'cross-origin');
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) return next();
    res.setHeader('access-control-allow-methods', 'GET, POST, DELETE');
    res.setHeader('access-control-allow-headers', ALLOWED_HEADERS);
    res.setHeader('access-control-max-age', String(PREFLIGHT_SECONDS));
    res.status(204).end();
  };
}
