// The calls of one sign-in at an EHR: bounded in time and size, never redirected, with the certificates and the proxy of the site.
import { AppError } from '../../domain/errors.ts';
import { isObject } from '../../domain/raw-members.ts';
import { parseStrictJson } from '../../domain/strict-json.ts';
import { openHttpFetch } from '../../platform/http-fetch.ts';
import type { LoadedSite } from '../../ports/sites.ts';

export type SmartCall = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
};

export type SmartCalls = {
  /** The whole answer; a redirect is an answer like any other. Throws `ehrUnavailable`, `ehrAnswer`. */
  readonly call: (url: string, call: SmartCall) => Promise<Response>;
  /** Undefined if the answer is no JSON object. */
  readonly json: (answer: Response) => Promise<Readonly<Record<string, unknown>> | undefined>;
  readonly close: () => void;
};

const MOST_BYTES = 262_144;

export function openSmartCalls(
  { settings: { ehr } }: LoadedSite,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): SmartCalls {
  const { tls: { ca, cert, key } = {}, proxy, baseUrl = '', headers: ofSite = {} } = ehr ?? {};
  const ownOrigin = URL.parse(baseUrl)?.origin;
  const own = openHttpFetch({ tls: { ca, cert, key }, proxy, resends: 'reads' });
  const elsewhere = openHttpFetch({ tls: { furtherCa: ca }, proxy, resends: 'reads' });
  return {
    async call(url, { method, headers, body }) {
      const isOwn = new URL(url).origin === ownOrigin;
      const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const init = {
        method,
        headers: { ...(isOwn && ofSite), ...headers },
        signal: until,
        redirect: 'manual',
      } as const;
      try {
        const answer = await (isOwn ? own : elsewhere).fetch(url, { ...init, ...(body !== undefined && { body }) });
        return await readWhole(answer);
      } catch (thrown) {
        if (thrown instanceof AppError) throw thrown;
        signal.throwIfAborted();
        throw new AppError('ehrUnavailable', 'The EHR cannot be reached for the sign-in', { cause: thrown });
      }
    },
    async json(answer) {
      try {
        const value = parseStrictJson(await answer.text());
        return isObject(value) ? value : undefined;
      } catch {
        return undefined;
      }
    },
    close() {
      own.close();
      elsewhere.close();
    },
  };
}

async function readWhole(answer: Response): Promise<Response> {
  const { status, headers } = answer;
  if (answer.body === null) return new Response(null, { status, headers });
  const reader = answer.body.getReader();
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Response(Buffer.concat(pieces), { status, headers });
    sizeBytes += value.length;
    if (sizeBytes > MOST_BYTES) {
      await reader.cancel().catch(() => undefined);
      throw new AppError('ehrAnswer', 'An answer of the EHR for the sign-in is too long');
    }
    pieces.push(value);
  }
}
