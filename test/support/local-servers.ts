// Small servers on 127.0.0.1 for tests of outgoing calls. They are closed all at once, and with them every connection.
import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo, type Server } from 'node:net';

export type LocalServers = {
  readonly serve: (handler: http.RequestListener) => Promise<string>;
  /** Serves below HTTP, for answers that no HTTP library would send. */
  readonly serveRaw: (onSocket: (socket: net.Socket) => void) => Promise<string>;
  readonly close: () => Promise<void>;
};

export function makeLocalServers(): LocalServers {
  const sockets = new Set<net.Socket>();
  const servers = new Set<Server>();
  const listen = async (server: Server): Promise<string> => {
    servers.add(server);
    server.on('connection', (socket: net.Socket) => sockets.add(socket.on('error', () => undefined)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  return {
    serve: (handler) => listen(http.createServer(handler)),
    serveRaw: (onSocket) => listen(net.createServer(onSocket)),
    async close() {
      const closed = [...servers].map((server) => new Promise((resolve) => server.close(resolve)));
      for (const socket of sockets) socket.destroy();
      servers.clear();
      await Promise.all(closed);
    },
  };
}

export async function* pieces(chunks: readonly (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  for (const chunk of chunks) yield chunk;
}

/** Returns the number of timers. A forgotten timer keeps the process alive. */
export function runningTimers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}
