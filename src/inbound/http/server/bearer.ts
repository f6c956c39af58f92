// The key of an Authorization header.
import type { IncomingMessage } from 'node:http';

/** Empty if there is none. Two headers count as none: a proxy in front of the engine must not decide which one is used. */
export function bearerOf({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): string {
  const given = headersDistinct['authorization'] ?? [];
  const [, key = ''] = /^bearer +([\x21-\x7e]+) *$/i.exec(given.length === 1 ? (given[0] ?? '') : '') ?? [];
  return key;
}
