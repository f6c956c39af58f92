// Sends replies to the client, complete or broken by a fault.
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Reply } from './exchange.ts';

export type Delivery = {
  readonly deliver: (reply: Reply, response: ServerResponse) => Promise<void>;
  /** Ends hanging replies by closing their connections. */
  readonly release: () => void;
};

/** The reply is a stream of unknown length. */
const CUT_AFTER_BYTES = 32_768;

export function makeDelivery(): Delivery {
  const hanging = new Set<ServerResponse>();
  return {
    deliver: async (reply, response) => {
      if (reply.delivery === 'hang') {
        drop(reply);
        hanging.add(response);
        response.once('close', () => hanging.delete(response));
        return;
      }
      if (reply.delivery === 'reset') {
        drop(reply);
        response.socket?.resetAndDestroy();
        return;
      }
      if (reply.delivery === 'cut') return sendHalf(reply, response);
      const { status, headers, body } = reply;
      const length = typeof body === 'string' ? { 'content-length': String(Buffer.byteLength(body)) } : {};
      response.writeHead(status, { ...headers, ...length });
      if (typeof body === 'string') response.end(body);
      else await pipeline(body, response);
    },
    release: () => {
      for (const response of [...hanging]) response.destroy();
    },
  };
}

/** Announces the full length and sends half of it. */
async function sendHalf({ status, headers, body }: Reply, response: ServerResponse): Promise<void> {
  const announced = typeof body === 'string' ? Buffer.byteLength(body) : Number(headers['content-length']);
  const isKnown = Number.isFinite(announced);
  const { 'content-length': _, ...others } = headers;
  response.writeHead(status, { ...others, ...(isKnown && { 'content-length': String(announced) }) });
  const sendBytes = isKnown ? Math.floor(announced / 2) : CUT_AFTER_BYTES;
  let leftBytes = sendBytes;
  const bytes: AsyncIterable<Buffer> = typeof body === 'string' ? Readable.from([Buffer.from(body)]) : body;
  for await (const chunk of bytes) {
    const part = chunk.subarray(0, leftBytes);
    leftBytes -= part.length;
    await new Promise<void>((resolve) => response.write(part, () => resolve()));
    if (leftBytes <= 0) break;
  }
  response.destroy();
}

function drop({ body }: Reply): void {
  if (typeof body !== 'string') body.resume();
}
