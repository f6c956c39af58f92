// Why the broker cannot be reached, in words for a person. The thrown message is not repeated: it may hold addresses and user names.
import { isNativeError } from 'node:util/types';

const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at the address in AMQP_URL',
  ENOTFOUND: 'the host in AMQP_URL is not known',
  EAI_AGAIN: 'the host in AMQP_URL is not known',
  EHOSTUNREACH: 'there is no way to the host in AMQP_URL',
  ENETUNREACH: 'there is no way to the host in AMQP_URL',
  ETIMEDOUT: 'it does not answer',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
};

const BY_WORDS: readonly (readonly [RegExp, string])[] = [
  [/ACCESS.REFUSED/, 'it refuses the user or password in AMQP_URL'],
  [/Expected ConnectionOpenOk|NOT.ALLOWED/, 'it refuses the virtual host in AMQP_URL, or has too many connections'],
  [/ETIMEDOUT/, 'it does not answer'],
  [/Heartbeat timeout/, 'it was silent for too long'],
  [/CONNECTION.FORCED/, 'it was shut down'],
  [/Unexpected close|Socket closed abruptly/, 'the connection was cut'],
  [/Handshake|SASL|Expected|Invalid frame|Frame size|frame type/, 'what answers there does not speak AMQP as expected'],
];

export function describeLoss(thrown: unknown): string {
  if (!isNativeError(thrown)) return 'the connection was closed';
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
  if (BY_CODE[code] !== undefined) return BY_CODE[code];
  if (/SSL|TLS|CERT|SIGNATURE/.test(code)) return 'its TLS certificate or protocol is not accepted';
  return BY_WORDS.find(([pattern]) => pattern.test(thrown.message))?.[1] ?? 'the connection failed';
}
