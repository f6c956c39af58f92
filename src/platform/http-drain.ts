// Ends an HTTP server: no new connections, running requests finish, and after the grace period they are cut.
import type { Server } from 'node:http';

type DrainParts = {
  readonly server: Server;
  /** How long running requests may take. */
  readonly graceMs: number;
  /** Called at the end of the grace period: the last chance to send a final message on open connections. */
  readonly onGraceOver: () => void;
  /** How long the final messages may take. */
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
