// The HTTP server itself: limits on headers, time and connections, and JSON answers to what is no proper HTTP.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError } from '../../../domain/errors.ts';
import { errorBody } from './error-response.ts';
import { holdContinue } from './expect-continue.ts';
import { refuseBody } from './linger.ts';

export type HttpLimits = {
  readonly headersTimeoutMs: number;
  /** For a whole request with its body. A little longer than the bodies' own deadlines, whose answers are better. */
  readonly requestTimeoutMs: number;
  /** Longer than the usual 60 s of reverse proxies, which must be the ones to close. */
  readonly keepAliveTimeoutMs: number;
  readonly maxHeaderBytes: number;
  readonly maxRequestsPerSocket: number;
  readonly maxConnections: number;
  readonly checkIntervalMs: number;
  /** How long a connection stays open after such an answer, so that it can be read. */
  readonly lingerMs: number;
};

export const HTTP_LIMITS: HttpLimits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 15 * 60_000 + 10_000,
  keepAliveTimeoutMs: 65_000,
  maxHeaderBytes: 16 * 1024,
  maxRequestsPerSocket: 1_000,
  maxConnections: 10_000,
  checkIntervalMs: 1_000,
  lingerMs: 1_000,
};

export function makeHttpServer(app: RequestListener, limits: HttpLimits = HTTP_LIMITS): Server {
  const answers = new WeakMap<Duplex, ServerResponse>();
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    maxHeaderSize: limits.maxHeaderBytes,
    // The request gate looks for it, and says so in JSON.
    requireHostHeader: false,
  });
  server.maxRequestsPerSocket = limits.maxRequestsPerSocket;
  server.maxConnections = limits.maxConnections;

  closeSilentOnesToo(server);

  const serve = (req: IncomingMessage, res: ServerResponse): void => {
    answers.set(req.socket, res);
    app(req, res);
  };
  server.on('request', serve);
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    holdContinue(req, res);
    serve(req, res);
  });
  server.on('checkExpectation', refuseExpectation);
  // Without a listener for `upgrade`, Node answers such a request as an ordinary one, which is what HTTP asks for.
  server.on('connect', (_req, socket) => refuseSocket(socket, 405, 'CONNECT is not taken', limits.lingerMs));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Once an answer has begun, anything more would be read as a part of it.
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

/** Node counts a connection as idle only after its first request; one that is opened ahead would hold up a stop until the end of its grace. */
function closeSilentOnesToo(server: Server): void {
  const silent = new Set<Socket>();
  server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  for (const event of ['request', 'checkContinue', 'checkExpectation'] as const) {
    server.on(event, (req: IncomingMessage) => silent.delete(req.socket));
  }
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    closeIdle();
    for (const socket of silent) socket.destroy();
  };
}

function describeClientError(code: string | undefined): { readonly status: number; readonly message: string } {
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, message: 'The request line and headers are too large' };
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return { status: 413, message: 'The chunk extensions are too large' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { status: 408, message: 'The request came too slowly' };
  return { status: 400, message: 'The request is not valid HTTP' };
}

function refuseExpectation(req: IncomingMessage, res: ServerResponse): void {
  const body = JSON.stringify(errorBody(417, new AppError('invalidRequest', 'The only Expect known is 100-continue')));
  res.statusCode = 417;
  res.setHeader('content-type', 'application/json; charset=utf-8');
  refuseBody(req, res, body);
}

/** For what never became a request: the answer is written by hand. A second failure of the same socket says nothing more. */
function refuseSocket(socket: Duplex, status: number, message: string, lingerMs: number): void {
  if (socket.writableEnded || socket.destroyed) return;
  const reply = errorBody(status, new AppError('invalidRequest', message));
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
