// Watches whether the client still waits for the answer, and aborts the work for the request if not.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../../domain/errors.ts';

export type ClientWatch = {
  /** Aborted with an AppError: `cancelled` if the client disconnected before its answer was complete. */
  readonly signal: AbortSignal;
  /** Ends the work for another reason (the engine stops, the key was revoked). */
  readonly abort: (reason: AppError) => void;
  /** Stops watching. */
  readonly stop: () => void;
};

/** Runs work whose signal is aborted if the client disconnects meanwhile. */
export async function forClient<Result>(
  req: IncomingMessage,
  res: ServerResponse,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const client = watchClient(req, res);
  try {
    return await work(client.signal);
  } finally {
    client.stop();
  }
}

export function watchClient(req: IncomingMessage, res: ServerResponse): ClientWatch {
  const controller = new AbortController();
  const stop = (): void => {
    res.off('close', onClose);
  };
  const onClose = (): void => {
    stop();
    if (!res.writableFinished) controller.abort(new AppError('cancelled', 'The client closed the connection'));
  };
  // Node emits `close` on every response when the connection ends, also on a pipelined one that waits for others.
  res.once('close', onClose);
  if (req.socket.destroyed || res.destroyed) onClose();
  return { signal: controller.signal, abort: (reason) => controller.abort(reason), stop };
}
