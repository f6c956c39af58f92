// Every request passes this gate before any route. It sets the request id and refuses hostile addresses: after it, every path can be
// decoded and contains no control characters and no hidden separators.
import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { AppError } from '../../../domain/errors.ts';

type RequestGateParts = { readonly makeId?: () => string };

const REQUEST_ID_HEADER = 'x-request-id';

const MAX_URL_CHARS = 8_192;
const MAX_QUERY_PARAMETERS = 100;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'];
const KEY_PARAMETERS = new Set(['x-api-key', 'api_key', 'apikey', 'api-key']);
const CONTROL_CHARACTER = /\p{Cc}/u;

/** It passes refusals to the error handler as AppErrors, after it has set the id. */
export function makeRequestGate({ makeId = randomUUID }: RequestGateParts = {}): RequestHandler {
  return (req, res, next) => {
    const given = req.headers[REQUEST_ID_HEADER];
    const id = typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : makeId();
    res.locals['requestId'] = id;
    res.setHeader(REQUEST_ID_HEADER, id);
    res.removeHeader('x-powered-by');
    next(findRefusal(req, res));
  };
}

/** Returns the id that the gate has set. */
export function requestIdOf(res: Response): string {
  return String(res.locals['requestId'] ?? '');
}

function findRefusal(req: Request, res: Response): AppError | undefined {
  if (!METHODS.includes(req.method)) {
    res.setHeader('allow', METHODS.join(', '));
    return new AppError('methodNotAllowed', 'This method is not supported');
  }
  if (req.httpVersionMajor !== 1) return invalid('The request must be HTTP/1.1 or HTTP/1.0');
  if (req.httpVersionMinor === 1 && req.headersDistinct['host']?.length !== 1) {
    return invalid('The request must have one Host header');
  }
  if (req.url.length > MAX_URL_CHARS) return invalid(`The address is longer than ${MAX_URL_CHARS} characters`);
  const queryStart = req.url.indexOf('?');
  const path = queryStart < 0 ? req.url : req.url.slice(0, queryStart);
  const query = queryStart < 0 ? '' : req.url.slice(queryStart + 1);
  return pathRefusal(path) ?? queryRefusal(query);
}

function pathRefusal(path: string): AppError | undefined {
  if (!path.startsWith('/')) return invalid('The address must begin with a slash');
  const decoded = decode(path);
  if (decoded === undefined) return invalid('The address is not valid percent-encoded UTF-8');
  if (CONTROL_CHARACTER.test(decoded)) return invalid('The address has a control character in it');
  const hasHiddenSeparator = decoded.includes('\\') || /%2f/i.test(path);
  const hasDotSegment = decoded.split('/').some((segment) => segment === '.' || segment === '..');
  return hasHiddenSeparator || hasDotSegment ? new AppError('notFound', 'There is nothing at this address') : undefined;
}

function queryRefusal(query: string): AppError | undefined {
  if (query === '') return undefined;
  const parameters = query.split('&');
  if (parameters.length > MAX_QUERY_PARAMETERS) {
    return invalid(`There are more than ${MAX_QUERY_PARAMETERS} query parameters`);
  }
  const decoded = decode(query.replaceAll('+', ' '));
  if (decoded === undefined) return invalid('The query is not valid percent-encoded UTF-8');
  if (CONTROL_CHARACTER.test(decoded)) return invalid('The query has a control character in it');
  const names = parameters.map(
    (parameter) =>
      decode(parameter.split('=', 1)[0] ?? '')
        ?.trim()
        .toLowerCase() ?? '',
  );
  return names.some((name) => KEY_PARAMETERS.has(name))
    ? invalid('The API key belongs in the x-api-key header, never in the address')
    : undefined;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function invalid(message: string): AppError {
  return new AppError('invalidRequest', message);
}
