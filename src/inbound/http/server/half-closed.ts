// A client may close its side of the connection behind its request and still wait for the answer. One that has gone away sends the same
// sign, and work for it should end. So an answer that takes longer is announced (102) again and again: a client that has gone away resets the connection.
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
      // The first bytes make a client that has gone away reset the connection; only the next ones find it reset.
      const timer = setInterval(() => open.forEach(announce), announceEveryMs);
      socket.once('close', () => clearInterval(timer));
    });
  });
  return (res) => {
    const open = answers.get(res.req.socket);
    open?.add(res);
    res.once('close', () => open?.delete(res));
  };
}

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
