// The media type of a request, without its parameters.
import type { IncomingMessage } from 'node:http';

export function isMediaType(req: IncomingMessage, mediaType: string): boolean {
  return (req.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() === mediaType;
}
