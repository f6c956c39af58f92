// A client may close its side of the connection behind its request and still wait for the answer. One that has gone away sends the same
// sign, and work for it should end. So an answer that takes longer is announced (102) again and again: a client that has gone away
// resets the connection.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Node keeps a half-closed connection only with this property, which its types do not have. */
type HalfOpenServer = Server & { httpAllowHalfOpen: boolean };

/** Returns what has to see each answer before it is begun. */
export function answerHalfClosed(server: Server, announceEveryMs: number): (res: ServerResponse) => void {
  (server as HalfOpenServer).httpAllowHalfOpen = true;
  const answers = new WeakMap<Socket, Set<ServerResponse>>();
  server.on('connection', (socket) => {
    const open = new Set<ServerResponse>();
    answers.set(socket, open);
    socket.once('end', () => {
      const stop = repeatLater(announceEveryMs, () => open.forEach(announce));
      socket.once('close', stop);
    });
  });
  return (res) => {
    const open = answers.get(res.req.socket);
    open?.add(res);
    res.once('close', () => open?.delete(res));
  };
}

/** The first bytes make a client that has gone away reset the connection, and only the next ones find it reset: then there is time. */
function repeatLater(pauseMs: number, work: () => void): () => void {
  let timer: NodeJS.Timeout;
  const next = (afterMs: number, times: number): void => {
    timer = setTimeout(() => {
      work();
      next(times < QUICK_TIMES ? pauseMs : Math.min(2 * afterMs, LONGEST_PAUSE_MS), times + 1);
    }, afterMs);
  };
  next(pauseMs, 1);
  return () => clearTimeout(timer);
}

const QUICK_TIMES = 2;
const LONGEST_PAUSE_MS = 5_000;

function announce(res: ServerResponse): void {
  // An answer behind others cannot be written yet, and one that is complete needs no announcement.
  if (res.destroyed || res.writableEnded || res.socket === null) return;
  if (res.headersSent && isEventStream(res)) return;
  // HTTP/1.0 knows no interim answers: such a client would take it for the answer.
  if (res.headersSent || isOfHttp10(res.req)) res.socket.destroy();
  else res.writeProcessing();
}

/** Its heartbeats find out whether the client has gone away. */
function isEventStream(res: ServerResponse): boolean {
  return String(res.getHeader('content-type')).startsWith('text/event-stream');
}

function isOfHttp10({ httpVersionMinor }: IncomingMessage): boolean {
  return httpVersionMinor === 0;
}
