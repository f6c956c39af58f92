// Listens from the start of the process on, so that a port in use is reported at once. Until the engine is ready, it answers 503.
import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { memberOf } from '../../../domain/raw-members.ts';
import { failureBody } from './error-response.ts';
import { makeHttpServer } from './http-server.ts';

type DoorAddress = { readonly host: string; readonly port: number };

export type ListeningDoor = {
  readonly server: Server;
  /** Its address from this machine. */
  readonly url: string;
  /** Sets the listener that answers from now on. */
  readonly answerWith: (listener: RequestListener) => void;
};

const BODY = JSON.stringify(failureBody(503, 'The service is starting; try again in a moment'));

/** Throws an Error with a message for the operator if the address cannot be used. */
export async function openDoor({ host, port }: DoorAddress): Promise<ListeningDoor> {
  let listener: RequestListener = refuseWhileStarting;
  const server = makeHttpServer((req, res) => listener(req, res));
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const isTaken = memberOf(cause, 'code') === 'EADDRINUSE';
    const reason = isTaken ? 'the port is in use; set PORT to another one' : 'check HOST and PORT';
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
