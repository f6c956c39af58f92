// An answer to a request whose body nobody wants to read. Closing at once would make the kernel reset the connection, and
// the client, still writing, would lose the answer: so a little more is read and thrown away, and the end is held back.
import type { IncomingMessage, ServerResponse } from 'node:http';

export type LingerLimits = {
  /** Read and thrown away at most; then the client's bytes stay in its socket. */
  readonly discardBytes: number;
  /** From the answer to the end of the connection, whatever the client does. */
  readonly lingerMs: number;
};

const LINGER_LIMITS: LingerLimits = { discardBytes: 1_048_576, lingerMs: 2_000 };

/** True where the client may still be sending a body. */
export function hasUnreadBody(req: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = req.headers;
  return !req.complete && (coding !== undefined || Number(length ?? 0) > 0);
}

/** Sends `body` as the whole answer, with the status and headers that `res` has already, then ends the connection. */
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
