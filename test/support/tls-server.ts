// An HTTPS server on this machine for tests, with the certificates of test/fixtures/tls.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import path from 'node:path';

export type TlsServer = { readonly origin: string; readonly close: () => Promise<void> };

/** The name of a certificate in test/fixtures/tls, for example `ca.pem`. */
export function tlsFile(name: string): string {
  return readFileSync(path.join('test/fixtures/tls', name), 'utf8');
}

export async function startTlsServer(
  certificate: 'server' | 'other-name' | 'expired',
  handler: https.ServerOptions & { readonly onRequest: Parameters<typeof https.createServer>[1] },
): Promise<TlsServer> {
  const { onRequest, ...options } = handler;
  const pair = { cert: tlsFile(`${certificate}.pem`), key: tlsFile(`${certificate}.key.pem`) };
  const server = https.createServer({ ...pair, ...options }, onRequest);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `https://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
