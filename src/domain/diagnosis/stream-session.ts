// A prepared stream: an upload of POST /diagnose/stream/files that waits for its one connection.

export const STREAM_SESSION_TTL_MS = 10 * 60 * 1000;

/** The path of the prepared stream, relative to the base address. */
export function streamUrl(sessionId: string): string {
  return `/diagnose/stream/${sessionId}`;
}
