// A prepared stream: an upload of POST /diagnose/stream/files that waits for its one connection.

export const STREAM_SESSION_TTL_MS = 10 * 60 * 1000;

/** The path of the prepared stream, relative to the base address. */
export function streamUrl(sessionId: string): string {
  return `/diagnose/stream/${sessionId}`;
}

/** The same with a ticket instead of the key: an EventSource in a browser sends no headers of its own. */
export function eventSourceUrl(sessionId: string, ticket: string): string {
  return `${streamUrl(sessionId)}?ticket=${ticket}`;
}
