// A port that is free now, for a server whose address must be known before it starts.
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';

export async function findFreePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
