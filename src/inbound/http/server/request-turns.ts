// The requests of one connection take turns. A client may send many requests before it reads an answer (pipelining); beyond a few the
// rest waits, and the connection is read no further, so that answers which are not read cannot fill the memory.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type TurnLimits = {
  /** Requests of one connection that are worked on, or whose answers are not sent yet. */
  readonly mostUnanswered: number;
  /** Bytes of answers that one connection holds before its next request is begun. */
  readonly mostUnsentBytes: number;
};

export type RequestTurns = {
  readonly answer: RequestListener;
  /** The bytes of answers that wait for the client of this connection. */
  readonly unsentBytes: (socket: Socket) => number;
};

type Waiting = { readonly req: IncomingMessage; readonly res: ServerResponse };
type Turns = {
  readonly unanswered: Set<ServerResponse>;
  readonly waiting: Waiting[];
  /** It is paused by its turns. Others pause it, too, and resume it themselves. */
  isHeld: boolean;
};

export function makeRequestTurns(answer: RequestListener, limits: TurnLimits): RequestTurns {
  const bySocket = new WeakMap<Socket, Turns>();

  const isFree = ({ unanswered }: Turns, socket: Socket): boolean =>
    unanswered.size < limits.mostUnanswered && unsentOf(socket, unanswered) < limits.mostUnsentBytes;

  const begin = (turns: Turns, { req, res }: Waiting): void => {
    turns.unanswered.add(res);
    res.once('close', () => {
      turns.unanswered.delete(res);
      beginNext(turns, req.socket);
    });
    answer(req, res);
  };

  const beginNext = (turns: Turns, socket: Socket): void => {
    if (socket.destroyed) turns.waiting.length = 0;
    while (turns.waiting.length > 0 && isFree(turns, socket)) {
      const next = turns.waiting.shift();
      if (next !== undefined) begin(turns, next);
    }
    if (turns.waiting.length > 0 || !turns.isHeld) return;
    turns.isHeld = false;
    socket.resume();
  };

  return {
    answer: (req, res) => {
      const { socket } = req;
      const turns = bySocket.get(socket) ?? { unanswered: new Set(), waiting: [], isHeld: false };
      bySocket.set(socket, turns);
      if (turns.waiting.length === 0 && isFree(turns, socket)) {
        begin(turns, { req, res });
      } else {
        turns.waiting.push({ req, res });
        turns.isHeld = true;
        socket.pause();
      }
    },
    unsentBytes: (socket) => unsentOf(socket, bySocket.get(socket)?.unanswered ?? []),
  };
}

/** Only the answer whose turn it is has the socket; the others keep what they have written. */
function unsentOf(socket: Socket, unanswered: Iterable<ServerResponse>): number {
  let bytes = socket.writableLength;
  for (const res of unanswered) if (res.socket === null) bytes += res.writableLength;
  return bytes;
}
