// The only way to an EHR: every call goes to an address that the site's settings allow, with its credentials and deadlines, and never
// follows a redirect. A call without an answer throws a TransportFailure that says whether anything was sent.
import type { EhrSettings } from '../../domain/site/site.ts';
import { openHttpFetch } from '../../platform/http-fetch.ts';
import type { Tracing } from '../../platform/tracing/tracing.ts';
import { type AllowedAddress, makeAllowAddress } from './allowed-address.ts';
import { makeCredentials } from './auth/make-credentials.ts';
import { toTransportFailure } from './network-failure.ts';
import { TransportFailure } from './transport-failure.ts';
import { abortedFailure, type BodyLimits, watchBody } from './watch-body.ts';

export { TransportFailure, type TransportFailureKind } from './transport-failure.ts';

export type EhrRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH';
  /** Relative to the base (`Patient/1?x=y`, `` for the base itself), or absolute: must have the EHR's own origin, unless `isAttachment`. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** A link of an attachment: may also lead to the site's `recording.origins`; there it goes without credentials and without the site's headers. */
  readonly isAttachment?: boolean;
  /** Until the headers of the answer; the body has its own idle limit. */
  readonly timeoutMs?: number;
};

export type EhrTransport = {
  /**
   * Authorised; a 401 is answered by a new token and one more try. Redirects are returned, never followed. The body streams; it breaks
   * off, with a TransportFailure, when it is idle or far too slow. Throws nothing but TransportFailures.
   */
  readonly send: (request: EhrRequest, signal: AbortSignal) => Promise<Response>;
  /** Closes idle connections; calls in progress end by themselves. */
  readonly close: () => void;
};

export type EhrTransportParts = {
  readonly site: string;
  readonly ehr: EhrSettings;
  /** The site's `recording.origins`. */
  readonly attachmentOrigins: readonly string[];
  /** For tests; by default connections of its own, with the site's TLS settings and proxy. */
  readonly fetch?: typeof fetch;
  readonly tracing?: Pick<Tracing, 'startSpan'>;
  readonly now?: () => Date;
  /** For tests; the defaults are right for a hospital. */
  readonly limits?: Partial<TransportLimits>;
};

type TransportLimits = BodyLimits & {
  /** Until the headers, if the request sets no limit. */
  readonly answerMs: number;
  /** The limit of each call that a token needs. */
  readonly tokenMs: number;
};
type Connections = {
  /** Adds what the site's settings require at its own origin; the certificate of `ehr.tls` is shown nowhere else. */
  readonly fetchAt: (url: URL, init: RequestInit) => Promise<Response>;
  readonly close: () => void;
};
type Call = {
  readonly address: AllowedAddress;
  readonly request: EhrRequest;
  readonly authorization: string | undefined;
  readonly signal: AbortSignal;
};

/** The second renewal is needed only if the first new token expired before this call used it. */
const MAX_RENEWALS = 2;
const DEFAULT_LIMITS: TransportLimits = {
  answerMs: 30_000,
  tokenMs: 10_000,
  idleMs: 30_000,
  totalMs: 120_000,
  minBytesPerMs: 10,
};
/** Headers of the connection, and those that would break a rule of this file. */
const NOT_FOR_SITES = ['accept-encoding', 'connection', 'content-length', 'host', 'transfer-encoding', 'upgrade', 'te'];

export function makeEhrTransport(parts: EhrTransportParts): EhrTransport {
  const { ehr, attachmentOrigins, now = () => new Date() } = parts;
  const limits: TransportLimits = { ...DEFAULT_LIMITS, ...parts.limits };
  const allowAddress = makeAllowAddress({ baseUrl: ehr.baseUrl, attachmentOrigins });
  const connections = openConnections(parts);
  const credentials = makeCredentials({ ehr, fetchAt: connections.fetchAt, now, timeoutMs: limits.tokenMs });

  const send: EhrTransport['send'] = async (request, signal) => {
    if (signal.aborted) throw abortedFailure(signal, false);
    const { isAttachment = false } = request;
    const address = allowAddress(request.url, { isAttachment });
    if (address === undefined) throw addressRefused(isAttachment);
    const attempt = (authorization: string | undefined) =>
      sendOnce({ connections, limits, call: { address, request, authorization, signal } });
    if (!address.isOwn) return attempt(undefined);

    const authorization = await beforeCall(() => credentials.get(signal), signal);
    let [shown, answer] = [authorization, await attempt(authorization)];
    // A 401 is a definite refusal: nothing was done, and even a write may be sent once more.
    for (let renewals = 0; shown !== undefined && answer.status === 401 && renewals < MAX_RENEWALS; renewals += 1) {
      const refused = shown;
      const renewed = await beforeCall(() => credentials.renew(refused, signal), signal);
      if (renewed === undefined) break;
      answer.body?.cancel().catch(() => undefined);
      [shown, answer] = [renewed, await attempt(renewed)];
    }
    if (shown !== undefined && answer.status !== 401) credentials.noteAccepted(shown);
    else if (shown !== authorization) credentials.noteFutile();
    return answer;
  };
  return { send, close: connections.close };
}

/** A failure while a token is requested: the EHR received nothing, or refused it. */
async function beforeCall<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    if (signal.aborted) throw abortedFailure(signal, false);
    throw toTransportFailure(thrown, { who: 'The token server', isBeforeCall: true });
  }
}

async function sendOnce({
  connections,
  limits,
  call: { address, request, authorization, signal },
}: {
  readonly connections: Connections;
  readonly limits: TransportLimits;
  readonly call: Call;
}): Promise<Response> {
  const headers = requestHeaders(request, authorization);
  const stop = new AbortController();
  const abort = (reason: unknown) => stop.abort(reason);
  const timer = setTimeout(() => abort(tooLate()), request.timeoutMs ?? limits.answerMs);
  const init = {
    method: request.method,
    headers,
    signal: AbortSignal.any([signal, stop.signal]),
    ...(request.body !== undefined && { body: request.body }),
  };
  try {
    return watchBody(await connections.fetchAt(address.url, init), { limits, abort, signal });
  } catch (thrown) {
    if (signal.aborted) throw abortedFailure(signal, true);
    throw toTransportFailure(thrown, { who: address.isOwn ? 'The EHR' : 'The server of the recording' });
  } finally {
    clearTimeout(timer);
  }
}

function requestHeaders(request: EhrRequest, authorization: string | undefined): Headers {
  try {
    const headers = new Headers(request.headers);
    headers.set('accept-encoding', 'identity');
    if (authorization !== undefined) headers.set('authorization', authorization);
    return headers;
  } catch {
    throw unusable('The credentials hold characters that no HTTP header can: check ehr.auth');
  }
}

function openConnections({ ehr, fetch: given, tracing }: EhrTransportParts): Connections {
  const { tls: { ca, cert, key } = {}, proxy, baseUrl } = ehr;
  const ownOrigin = URL.parse(baseUrl)?.origin;
  // Writes are not resent on a reset connection: the write may have been processed, and is searched for before it is sent again.
  const own = openHttpFetch({ tls: { ca, cert, key }, proxy, tracing, resends: 'reads' });
  const elsewhere = openHttpFetch({ tls: { furtherCa: ca }, proxy, tracing, resends: 'reads' });
  return {
    async fetchAt(url, init) {
      const isOwn = url.origin === ownOrigin;
      const headers = isOwn ? withSiteHeaders(ehr, init.headers) : new Headers(init.headers);
      const { fetch } = isOwn ? own : elsewhere;
      const answer = await (given ?? fetch)(url, { ...init, headers, redirect: 'manual' });
      // With plain http the proxy itself answers.
      if (answer.status === 407 && proxy !== undefined && url.protocol === 'http:') throw proxyRefused(answer);
      return answer;
    },
    close() {
      own.close();
      elsewhere.close();
    },
  };
}

/** If both set a header, that of the call wins. */
function withSiteHeaders({ headers: ofSite, auth }: EhrSettings, ofCall: RequestInit['headers']): Headers {
  const headers = readSiteHeaders(ofSite);
  for (const name of NOT_FOR_SITES) headers.delete(name);
  if (auth.type !== 'none') headers.delete('authorization');
  new Headers(ofCall).forEach((value, name) => {
    headers.set(name, value);
  });
  return headers;
}

function readSiteHeaders(ofSite: EhrSettings['headers']): Headers {
  try {
    return new Headers(ofSite);
  } catch {
    throw unusable('ehr.headers of this site hold what no HTTP header can: check them');
  }
}

function unusable(message: string): TransportFailure {
  return new TransportFailure(message, { kind: 'credentials', wasSent: false, isPassing: false });
}

function addressRefused(isAttachment: boolean): TransportFailure {
  const message = isAttachment
    ? "The link of a recording leads to a server that is neither the site's EHR nor listed in recording.origins"
    : "An address leads to a server that is not the site's EHR: it was not called";
  return new TransportFailure(message, { kind: 'address', wasSent: false, isPassing: false });
}

function proxyRefused(answer: Response): TransportFailure {
  answer.body?.cancel().catch(() => undefined);
  const message = 'The proxy refuses us: check the user and the password in ehr.proxy';
  return new TransportFailure(message, { kind: 'proxy', wasSent: false, isPassing: false });
}

function tooLate(): TransportFailure {
  return new TransportFailure('The EHR did not answer in time', { kind: 'timeout', wasSent: true, isPassing: true });
}
