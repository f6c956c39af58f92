// `Expect: 100-continue`: the client is told to send its body only when somebody is about to read it, so that a refusal
// (no key, too much, no room) costs it no upload.
import type { IncomingMessage, ServerResponse } from 'node:http';

const held = new WeakMap<IncomingMessage, ServerResponse>();

/** The server calls it instead of answering 100 by itself. */
export function holdContinue(req: IncomingMessage, res: ServerResponse): void {
  held.set(req, res);
}

/** Whoever reads a body calls it first. Does nothing where no client waits. */
export function continueBody(req: IncomingMessage): void {
  const res = held.get(req);
  held.delete(req);
  if (res !== undefined && !res.headersSent && !res.destroyed) res.writeContinue();
}
