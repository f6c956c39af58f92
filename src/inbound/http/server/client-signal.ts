// Whether anybody still waits for the answer: a signal for everything that is done for one request.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../../domain/errors.ts';

export type ClientWatch = {
  /** Aborted with an AppError: `cancelled` where the client left before its answer was complete. */
  readonly signal: AbortSignal;
  /** Ends the work for a reason of ours (the engine stops, the key was revoked). */
  readonly abort: (reason: AppError) => void;
  /** Watches no longer. */
  readonly stop: () => void;
};

export function watchClient(req: IncomingMessage, res: ServerResponse): ClientWatch {
  const controller = new AbortController();
  const stop = (): void => {
    res.off('close', onClose);
  };
  const onClose = (): void => {
    stop();
    if (!res.writableFinished) controller.abort(new AppError('cancelled', 'The client closed the connection'));
  };
  // Node tells every answer of the connection's end, also one that waits behind others on it.
  res.once('close', onClose);
  if (req.socket.destroyed || res.destroyed) onClose();
  return { signal: controller.signal, abort: (reason) => controller.abort(reason), stop };
}
