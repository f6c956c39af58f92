// Reads the credentials of a notification: signatures over the body, a secret, a time. Duplicates are refused, because two readers
// could choose different ones.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** `X-Signature: <hex>`, `sha256=<hex>`, or `t=<time>,v1=<hex>` over `<time>.<body>`. Several v1 may come while a secret is replaced. */
type Signature = { readonly digests: readonly Uint8Array[]; readonly time?: string };

export type Credentials = {
  readonly signatures: readonly Signature[];
  /** The token of `Authorization: Bearer`. */
  readonly bearer?: string;
  /** The unparsed texts, because a signature can cover them. */
  readonly times: readonly string[];
};

const SIGNATURE_HEADERS = ['x-signature', 'x-hub-signature-256', 'x-signature-256'] as const;
const TIME_HEADERS = ['x-timestamp', 'x-signature-timestamp'] as const;
const HEX_DIGEST = /^(?:sha256=)?([0-9a-f]{64})$/i;
const MAX_DIGESTS = 5;
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60_000;
const SECONDS = /^\d{1,11}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Returns undefined if a credential is malformed or given twice. */
export function readCredentials({ headersDistinct }: IncomingMessage): Credentials | undefined {
  const signatureTexts = readOnce(headersDistinct, SIGNATURE_HEADERS);
  const times = readOnce(headersDistinct, TIME_HEADERS);
  const authorizations = readOnce(headersDistinct, ['authorization']);
  if (signatureTexts === undefined || times === undefined || authorizations === undefined) return undefined;
  const signatures = signatureTexts.map(readSignature);
  if (!signatures.every((signature) => signature !== undefined)) return undefined;
  const [authorization] = authorizations;
  const [, bearer] = /^bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '') ?? [];
  // Beside a signature, another scheme is meant for a proxy in between.
  if (authorization !== undefined && bearer === undefined && signatures.length === 0) return undefined;
  return { signatures, times, ...(bearer !== undefined && { bearer }) };
}

/** Returns true if every time is recent, and if no time is given. */
export function isTimely({ signatures, times }: Credentials, now: Date): boolean {
  const given = [...times, ...signatures.flatMap(({ time }) => time ?? [])];
  return given.every((text) => Math.abs(readTime(text) - now.getTime()) <= MAX_CLOCK_DIFFERENCE_MS);
}

/** Every signature must be valid over the body as it was sent or decompressed, never over parsed and re-encoded content. */
export function isSignedBy(secret: string, { signatures, times }: Credentials, bodies: readonly Uint8Array[]): boolean {
  const isValid = ({ digests, time }: Signature): boolean => {
    const prefixes = time === undefined ? ['', ...times.map((text) => `${text}.`)] : [`${time}.`];
    return prefixes.some((prefix) =>
      bodies.some((body) => {
        const wanted = createHmac('sha256', secret).update(prefix).update(body).digest();
        return digests.some((digest) => timingSafeEqual(digest, wanted));
      }),
    );
  };
  return signatures.length > 0 && signatures.every(isValid);
}

function readOnce(headers: IncomingMessage['headersDistinct'], names: readonly string[]): string[] | undefined {
  const given = names.flatMap((name) => (headers[name] === undefined ? [] : [headers[name]]));
  return given.every((values) => values.length === 1) ? given.flat() : undefined;
}

function readSignature(text: string): Signature | undefined {
  const [, plain] = HEX_DIGEST.exec(text.trim()) ?? [];
  if (plain !== undefined) return { digests: [Buffer.from(plain, 'hex')] };
  const pairs = text.split(',').map((pair) => pair.trim().split('=') as [string, ...string[]]);
  const valuesOf = (name: string) => pairs.filter(([key]) => key === name).map(([, ...rest]) => rest.join('='));
  const [time, ...otherTimes] = valuesOf('t');
  const digests = valuesOf('v1');
  const isWhole =
    digests.length > 0 && digests.length <= MAX_DIGESTS && digests.every((digest) => HEX_DIGEST.test(digest));
  if (time === undefined || otherTimes.length > 0 || !isWhole) return undefined;
  return { time, digests: digests.map((digest) => Buffer.from(digest, 'hex')) };
}

/** Returns NaN if the text is not a time. */
function readTime(text: string): number {
  if (SECONDS.test(text)) return Number(text) * 1000;
  return INSTANT.test(text) ? Date.parse(text) : Number.NaN;
}
