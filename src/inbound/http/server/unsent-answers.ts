// Closes connections whose answers are not read: one that took nothing for a time, and, if all connections together hold too much, those
// that hold most. A slow reader that goes on reading keeps its connection.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export type UnsentLimits = {
  /** How long a client may take nothing of what waits for it. */
  readonly stalledMs: number;
  /** What all connections together may hold. */
  readonly mostUnsentInAllBytes: number;
  readonly checkIntervalMs: number;
};

type Parts = {
  readonly server: Server;
  readonly limits: UnsentLimits;
  readonly unsentBytes: (socket: Socket) => number;
};
type Reader = { takenBytes: number; sinceMs: number };

export function closeUnreadConnections({ server, limits, unsentBytes }: Parts): void {
  const readers = new Map<Socket, Reader>();
  server.on('connection', (socket) => {
    readers.set(socket, { takenBytes: 0, sinceMs: performance.now() });
    socket.once('close', () => readers.delete(socket));
  });
  const timer = setInterval(check, limits.checkIntervalMs).unref();
  server.once('close', () => clearInterval(timer));

  function check(): void {
    const holding: { readonly socket: Socket; readonly bytes: number }[] = [];
    for (const [socket, reader] of readers) {
      const bytes = unsentBytes(socket);
      if (isStalled(socket, reader, bytes)) socket.destroy();
      else if (bytes > 0) holding.push({ socket, bytes });
    }
    let inAll = holding.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { socket, bytes } of holding.sort((one, other) => other.bytes - one.bytes)) {
      if (inAll <= limits.mostUnsentInAllBytes) break;
      socket.destroy();
      inAll -= bytes;
    }
  }

  function isStalled(socket: Socket, reader: Reader, unsent: number): boolean {
    const takenBytes = socket.bytesWritten - socket.writableLength;
    if (unsent === 0 || takenBytes > reader.takenBytes) reader.sinceMs = performance.now();
    reader.takenBytes = takenBytes;
    return performance.now() - reader.sinceMs >= limits.stalledMs;
  }
}
