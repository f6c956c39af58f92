// What a sender of notifications shows of itself: signatures over the bytes, a secret, a time. Read strictly, before the body; which
// of two would count must never depend on who reads.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** `X-Signature: <hex>`, `sha256=<hex>`, or `t=<time>,v1=<hex>` over `<time>.<body>`: several v1 while a secret is being changed. */
type Signature = { readonly digests: readonly Uint8Array[]; readonly time?: string };

export type Credentials = {
  readonly signatures: readonly Signature[];
  /** Of `Authorization: Bearer`. */
  readonly bearer?: string;
  /** Texts as they were given: a signature may be over them, too. */
  readonly times: readonly string[];
};

const SIGNATURE_HEADERS = ['x-signature', 'x-hub-signature-256', 'x-signature-256'] as const;
const TIME_HEADERS = ['x-timestamp', 'x-signature-timestamp'] as const;
const HEX_DIGEST = /^(?:sha256=)?([0-9a-f]{64})$/i;
const MAX_DIGESTS = 5;
const MAX_CLOCK_DIFFERENCE_MS = 5 * 60_000;
const SECONDS = /^\d{1,11}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** Undefined where something of it is malformed or given twice: that is nobody. */
export function readCredentials({ headersDistinct }: IncomingMessage): Credentials | undefined {
  const signatureTexts = readOnce(headersDistinct, SIGNATURE_HEADERS);
  const times = readOnce(headersDistinct, TIME_HEADERS);
  const authorizations = readOnce(headersDistinct, ['authorization']);
  if (signatureTexts === undefined || times === undefined || authorizations === undefined) return undefined;
  const signatures = signatureTexts.map(readSignature);
  if (!signatures.every((signature) => signature !== undefined)) return undefined;
  const [authorization] = authorizations;
  const [, bearer] = /^bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '') ?? [];
  // Another scheme beside a signature is for somebody on the way here.
  if (authorization !== undefined && bearer === undefined && signatures.length === 0) return undefined;
  return { signatures, times, ...(bearer !== undefined && { bearer }) };
}

/** True where no time is given, too. */
export function isTimely({ signatures, times }: Credentials, now: Date): boolean {
  const given = [...times, ...signatures.flatMap(({ time }) => time ?? [])];
  return given.every((text) => Math.abs(readTime(text) - now.getTime()) <= MAX_CLOCK_DIFFERENCE_MS);
}

/** Every signature must be good: over these bytes, as they came or unpacked, never over what somebody has made of them. */
export function isSignedBy(secret: string, { signatures, times }: Credentials, bodies: readonly Uint8Array[]): boolean {
  const isGood = ({ digests, time }: Signature): boolean => {
    const prefixes = time === undefined ? ['', ...times.map((text) => `${text}.`)] : [`${time}.`];
    return prefixes.some((prefix) =>
      bodies.some((body) => {
        const wanted = createHmac('sha256', secret).update(prefix).update(body).digest();
        return digests.some((digest) => timingSafeEqual(digest, wanted));
      }),
    );
  };
  return signatures.length > 0 && signatures.every(isGood);
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

/** Not a number for what is no time. */
function readTime(text: string): number {
  if (SECONDS.test(text)) return Number(text) * 1000;
  return INSTANT.test(text) ? Date.parse(text) : Number.NaN;
}
