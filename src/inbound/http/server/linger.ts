// Answers a request without using its body. If the engine closed the connection at once, the kernel would reset it, and a client
// that is still writing would lose the answer. So a limited part of the body is read and discarded before the connection ends.
import type { IncomingMessage, ServerResponse } from 'node:http';

export type LingerLimits = {
  /** The maximum that is read and discarded; further bytes stay in the client's socket. */
  readonly discardBytes: number;
  /** The maximum time from the answer to the end of the connection. */
  readonly lingerMs: number;
};

const LINGER_LIMITS: LingerLimits = { discardBytes: 1_048_576, lingerMs: 2_000 };

/** Returns true if the client may still be sending a body. */
export function hasUnreadBody(req: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = req.headers;
  return !req.complete && (coding !== undefined || Number(length ?? 0) > 0);
}

/** Sends `body` as the whole answer, with the status and headers of `res`, then ends the connection. */
export function refuseBody(
  req: IncomingMessage,
  res: ServerResponse,
  body: string,
  { discardBytes, lingerMs }: LingerLimits = LINGER_LIMITS,
): void {
  let leftBytes = discardBytes;
  const onData = (bytes: Uint8Array): void => {
    leftBytes -= bytes.length;
    if (leftBytes <= 0) req.pause();
  };
  const finish = (): void => {
    clearTimeout(timer);
    req.off('data', onData).off('end', finish);
    res.off('close', finish);
    res.end();
  };
  const timer = setTimeout(finish, lingerMs);
  res.setHeader('connection', 'close');
  res.setHeader('content-length', Buffer.byteLength(body));
  res.flushHeaders();
  res.write(body);
  res.once('close', finish);
  req.on('data', onData).once('end', finish).resume();
}
