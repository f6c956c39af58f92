// `Expect: 100-continue`: the engine answers 100 only when it is about to read the body, so that a refused client (no key, too
// large, no space) does not upload it.
import type { IncomingMessage, ServerResponse } from 'node:http';

const held = new WeakMap<IncomingMessage, ServerResponse>();

/** The server calls it instead of answering 100. */
export function holdContinue(req: IncomingMessage, res: ServerResponse): void {
  held.set(req, res);
}

/** A reader of the body calls it first. It does nothing if the client does not wait. */
export function continueBody(req: IncomingMessage): void {
  const res = held.get(req);
  held.delete(req);
  if (res !== undefined && !res.headersSent && !res.destroyed) res.writeContinue();
}
