// The door from the first moment on: it listens before anybody can answer, so that a port that is taken is told at once, and
// says so until the engine is ready.
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeHttpServer } from './http-server.ts';

export type ListeningDoor = {
  readonly server: Server;
  /** How this machine reaches it. */
  readonly url: string;
  /** From here on this is who answers. */
  readonly answerWith: (listener: RequestListener) => void;
};

const BODY = JSON.stringify({
  statusCode: 503,
  message: 'The service is starting; try again in a moment',
  error: 'Service Unavailable',
});

/** Throws an Error for the operator where the address cannot be listened on. */
export async function openDoor({
  host,
  port,
}: {
  readonly host: string;
  readonly port: number;
}): Promise<ListeningDoor> {
  let listener: RequestListener = refuseWhileStarting;
  const server = makeHttpServer((req, res) => listener(req, res));
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const isTaken = typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'EADDRINUSE';
    const reason = isTaken ? 'it is taken; set PORT to another one' : 'check HOST and PORT';
    throw new Error(`cannot listen on ${host}:${port}: ${reason}`, { cause });
  }
  return {
    server,
    url: urlOf(host, (server.address() as AddressInfo).port),
    answerWith: (next) => {
      listener = next;
    },
  };
}

function urlOf(host: string, port: number): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const name = isEverywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

const refuseWhileStarting: RequestListener = (req, res) => {
  const isAlive = req.url === '/healthz';
  res.writeHead(isAlive ? 200 : 503, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
    ...(!isAlive && { 'retry-after': '2' }),
  });
  res.end(isAlive ? '{"status":"ok"}' : BODY);
};
