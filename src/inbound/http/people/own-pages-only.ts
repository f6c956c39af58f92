// Tells whether a request that carries a cookie was made by a page of the engine itself. Another site's page can make a browser send cookies, but
// not these headers.
import type { IncomingMessage } from 'node:http';

/** `origin`: that of PUBLIC_URL. Without Fetch Metadata (older browsers) the Origin header decides; a browser that sends neither is refused. */
export function isFromOwnPage(
  { headers, method }: Pick<IncomingMessage, 'headers' | 'method'>,
  origin: string,
): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && isReading(method));
  if (headers.origin !== undefined) return headers.origin === origin;
  return isReading(method);
}

function isReading(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}
