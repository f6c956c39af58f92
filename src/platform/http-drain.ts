// The end of an HTTP server: no new connections, those in use finish, and after the grace they are cut.
import type { Server } from 'node:http';

type DrainParts = {
  readonly server: Server;
  /** How long running requests may take. */
  readonly graceMs: number;
  /** Told when the grace is over: the last chance to say goodbye on open connections. */
  readonly onGraceOver: () => void;
  /** How long the goodbye may take. */
  readonly goodbyeMs: number;
};

const IDLE_SWEEP_MS = 50;

export async function drainHttp({ server, graceMs, onGraceOver, goodbyeMs }: DrainParts): Promise<void> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  // A connection that becomes idle later would otherwise be waited for until it times out.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  const graceTimer = setTimeout(onGraceOver, graceMs);
  const cutTimer = setTimeout(() => server.closeAllConnections(), graceMs + goodbyeMs);
  try {
    await closed;
  } finally {
    clearInterval(sweep);
    clearTimeout(graceTimer);
    clearTimeout(cutTimer);
  }
}
