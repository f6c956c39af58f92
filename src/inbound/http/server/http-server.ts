// The HTTP server: limits on headers, time and connections, and JSON answers to malformed HTTP.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { failureBody } from './error-response.ts';
import { holdContinue } from './expect-continue.ts';
import { answerHalfClosed } from './half-closed.ts';
import { refuseBody } from './linger.ts';
import { makeRequestTurns, type TurnLimits } from './request-turns.ts';
import { closeUnreadConnections, type UnsentLimits } from './unsent-answers.ts';

export type HttpLimits = {
  readonly headersTimeoutMs: number;
  /** For a whole request with its body. It is a little longer than the deadlines of bodies, whose error messages are better. */
  readonly requestTimeoutMs: number;
  /** Longer than the usual 60 s of reverse proxies, so that the proxy closes the connection first. */
  readonly keepAliveTimeoutMs: number;
  readonly maxHeaderBytes: number;
  readonly maxRequestsPerSocket: number;
  readonly maxConnections: number;
  readonly checkIntervalMs: number;
  /** How long a connection stays open after the answer to malformed HTTP, so that the client can read it. */
  readonly lingerMs: number;
  /** Until an answer is announced to a client that has closed its side; later announcements take their time. */
  readonly announceEveryMs: number;
} & TurnLimits &
  UnsentLimits;

export const HTTP_LIMITS: HttpLimits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 15 * 60_000 + 10_000,
  keepAliveTimeoutMs: 65_000,
  maxHeaderBytes: 16 * 1024,
  maxRequestsPerSocket: 1_000,
  maxConnections: 10_000,
  checkIntervalMs: 1_000,
  lingerMs: 1_000,
  announceEveryMs: 200,
  mostUnanswered: 16,
  mostUnsentBytes: 1_048_576,
  mostUnsentInAllBytes: 64 * 1_048_576,
  stalledMs: 60_000,
};

export function makeHttpServer(app: RequestListener, limits: HttpLimits = HTTP_LIMITS): Server {
  const answers = new WeakMap<Duplex, ServerResponse>();
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    maxHeaderSize: limits.maxHeaderBytes,
    // The request gate checks the header and answers in JSON.
    requireHostHeader: false,
  });
  server.maxRequestsPerSocket = limits.maxRequestsPerSocket;
  server.maxConnections = limits.maxConnections;

  closeUnusedConnectionsToo(server);

  // Each request of a connection may listen to its end.
  server.on('connection', (socket) => socket.setMaxListeners(4 * limits.mostUnanswered));
  const keepHalfOpen = answerHalfClosed(server, limits.announceEveryMs);
  const turns = makeRequestTurns((req, res) => {
    keepHalfOpen(res);
    app(req, res);
  }, limits);
  closeUnreadConnections({ server, limits, unsentBytes: turns.unsentBytes });

  const serve = (req: IncomingMessage, res: ServerResponse): void => {
    answers.set(req.socket, res);
    turns.answer(req, res);
  };
  server.on('request', serve);
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    holdContinue(req, res);
    serve(req, res);
  });
  server.on('checkExpectation', refuseExpectation);
  // Without a listener for `upgrade`, Node treats such a request as an ordinary one, as HTTP requires.
  server.on('connect', (_req, socket) => refuseSocket(socket, 405, 'CONNECT is not supported', limits.lingerMs));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // After an answer has started, more bytes would be read as a part of it.
    const answer = answers.get(socket);
    if (answer?.headersSent === true && !answer.writableFinished) {
      socket.destroy();
      return;
    }
    const { status, message } = describeClientError(error.code);
    refuseSocket(socket, status, message, limits.lingerMs);
  });
  return server;
}

/** Node counts a connection as idle only after its first request. Without this, unused connections would delay a stop until its deadline. */
function closeUnusedConnectionsToo(server: Server): void {
  const unused = new Set<Socket>();
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  for (const event of ['request', 'checkContinue', 'checkExpectation'] as const) {
    server.on(event, (req: IncomingMessage) => unused.delete(req.socket));
  }
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    closeIdle();
    for (const socket of unused) socket.destroy();
  };
}

function describeClientError(code: string | undefined): { readonly status: number; readonly message: string } {
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, message: 'The request line and headers are too large' };
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return { status: 413, message: 'The chunk extensions are too large' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { status: 408, message: 'The request came too slowly' };
  return { status: 400, message: 'The request is not valid HTTP' };
}

function refuseExpectation(req: IncomingMessage, res: ServerResponse): void {
  const body = JSON.stringify(failureBody(417, 'The only supported Expect value is 100-continue'));
  res.statusCode = 417;
  res.setHeader('content-type', 'application/json; charset=utf-8');
  refuseBody(req, res, body);
}

/** Answers malformed HTTP, for which Node makes no response object. A second failure of the same socket is ignored. */
function refuseSocket(socket: Duplex, status: number, message: string, lingerMs: number): void {
  if (socket.writableEnded || socket.destroyed) return;
  const reply = failureBody(status, message);
  const body = JSON.stringify(reply);
  socket.on('error', () => undefined);
  socket.pause();
  socket.end(
    [
      `HTTP/1.1 ${status} ${reply.error}`,
      'content-type: application/json; charset=utf-8',
      'cache-control: no-store',
      'connection: close',
      `content-length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  );
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}
