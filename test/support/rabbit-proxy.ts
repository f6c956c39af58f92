// A proxy to the broker that a test can cut or freeze, like a network failure.
import net, { type AddressInfo } from 'node:net';

export type BrokerProxy = {
  readonly url: string;
  /** The number of connections so far. */
  readonly count: () => number;
  /** Closes both ends of all connections; new ones are accepted. */
  readonly cut: () => void;
  /** Stops all traffic silently. New connections are accepted and not forwarded. */
  readonly freeze: () => void;
  /** Forwards new connections again; frozen ones stay frozen. */
  readonly thaw: () => void;
  readonly close: () => Promise<void>;
};

export async function startBrokerProxy(port: number): Promise<BrokerProxy> {
  const sockets = new Set<net.Socket>();
  let isFrozen = false;
  let count = 0;
  const keep = (socket: net.Socket): net.Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  // Half-open connections are wanted: while the proxy is frozen, the end of one side is not forwarded.
  const server = net.createServer({ allowHalfOpen: true }, (near) => {
    count += 1;
    keep(near);
    if (isFrozen) return void near.resume();
    const far = keep(net.connect({ port, host: '127.0.0.1', allowHalfOpen: true }));
    const pass = (from: net.Socket, to: net.Socket) => {
      from.on('data', (chunk) => isFrozen || isStale(from) || to.write(chunk));
      from.on('end', () => isFrozen || isStale(from) || to.end());
      from.on('error', () => isFrozen || isStale(from) || to.destroy());
    };
    pass(near, far);
    pass(far, near);
  });
  const stale = new WeakSet<net.Socket>();
  const isStale = (socket: net.Socket) => stale.has(socket);
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: `amqp://guest:guest@127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    cut,
    freeze: () => {
      isFrozen = true;
      for (const socket of sockets) stale.add(socket);
    },
    thaw: () => {
      isFrozen = false;
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
