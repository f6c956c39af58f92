// A prepared stream: what was uploaded with POST /diagnose/stream/files, waiting for its one connection.

export const STREAM_SESSION_TTL_MS = 10 * 60 * 1000;

/** Where the caller opens the prepared stream, relative to the base address. */
export function streamUrl(sessionId: string): string {
  return `/diagnose/stream/${sessionId}`;
}
