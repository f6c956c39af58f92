// Gates between an engine and others: an HTTP gate in front of an EHR or a vendor, and a TCP gate in front of the broker. Each can hold a
// request at a chosen moment, so that a test kills or stops the engine exactly there.
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';

export type Moment = 'before' | 'after';

export type PassedRequest = {
  readonly method: string;
  /** Has path and query. */
  readonly path: string;
  readonly body: Buffer;
};

export type Hold = {
  /** `before` the request is passed on, or `after` its answer was made and before the engine gets it. */
  readonly moment: Moment;
  /** The number among the matching requests, counted from now. */
  readonly nth?: number;
  readonly fits?: (request: PassedRequest) => boolean;
};

export type Held = {
  readonly reached: Promise<PassedRequest>;
  /** Lets the request continue: it is passed on, or its answer is delivered. */
  readonly release: () => void;
};

export type Gate = {
  /** The address for the engine's settings. */
  readonly origin: string;
  /** All requests that arrived, in order, also those that were never passed on. */
  readonly asked: readonly PassedRequest[];
  readonly hold: (hold: Hold) => Held;
  /** Matching requests get no answer from now on. */
  readonly block: (fits: (request: PassedRequest) => boolean) => void;
  readonly close: () => Promise<void>;
};

type Waiting = {
  readonly hold: Required<Hold>;
  seen: number;
  readonly pass: Promise<void>;
  readonly reach: (request: PassedRequest) => void;
};

/** Starts a proxy in front of the server at `target`, on the same host. The server behind it names the proxy as its own address. */
export async function startGate(target: string): Promise<Gate> {
  const far = new URL(target).host;
  const asked: PassedRequest[] = [];
  const waiting: Waiting[] = [];
  const blocks: ((request: PassedRequest) => boolean)[] = [];
  const agent = new http.Agent({ keepAlive: true });
  let near = '';

  /** Each hold is for one request, and a held request belongs to one hold. */
  const holdOf = (request: PassedRequest): Waiting | undefined => {
    for (const one of waiting.filter(({ hold }) => hold.fits(request))) {
      one.seen += 1;
      if (one.seen < one.hold.nth) continue;
      waiting.splice(waiting.indexOf(one), 1);
      return one;
    }
    return undefined;
  };

  const server = http.createServer(async (req, res) => {
    try {
      const { method = 'GET', url = '/' } = req;
      const body = await readWhole(req);
      const request: PassedRequest = { method, path: url, body };
      asked.push(request);
      if (blocks.some((isBlocked) => isBlocked(request))) return;
      const held = holdOf(request);
      const stop = async (moment: Moment): Promise<void> => {
        if (held?.hold.moment !== moment) return;
        held.reach(request);
        await held.pass;
      };
      await stop('before');
      if (res.destroyed) return;
      const answer = await ask(
        { far, agent, headers: renamed(req.headers, near, far) },
        request,
        renameIn(body, near, far),
      );
      await stop('after');
      const answered = renameIn(answer.body, far, near);
      res.writeHead(
        answer.status,
        withLength(renamed(answer.headers, far, near), req.method === 'HEAD' ? undefined : answered),
      );
      res.end(answered);
    } catch {
      // The server behind the gate broke off, and so does the gate.
      res.destroy();
    }
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  near = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    origin: `http://${near}`,
    asked,
    hold: ({ moment, nth = 1, fits = () => true }) => {
      const reached = Promise.withResolvers<PassedRequest>();
      const pass = Promise.withResolvers<void>();
      waiting.push({ hold: { moment, nth, fits }, seen: 0, pass: pass.promise, reach: reached.resolve });
      return { reached: reached.promise, release: pass.resolve };
    },
    block: (fits) => void blocks.push(fits),
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Answer = { readonly status: number; readonly headers: http.IncomingHttpHeaders; readonly body: Buffer };
type Way = { readonly far: string; readonly agent: http.Agent; readonly headers: http.OutgoingHttpHeaders };

function ask({ far, agent, headers }: Way, { method, path }: PassedRequest, body: Buffer): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = http.request(
    { agent, method, path, host: '127.0.0.1', port: far.split(':')[1], headers },
    (answer) => {
      readWhole(answer).then(
        (whole) => resolve({ status: answer.statusCode ?? 500, headers: answer.headers, body: whole }),
        reject,
      );
    },
  );
  request.on('error', reject);
  request.end(body);
  return promise;
}

async function readWhole(stream: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  if (!stream.complete) throw new Error('it broke off');
  return Buffer.concat(chunks);
}

function renamed(headers: http.IncomingHttpHeaders, from: string, to: string): http.OutgoingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, typeof value === 'string' ? value.replaceAll(from, to) : value]),
  );
}

const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/** Replaces addresses in what is sent. Both have ports of five digits, so the length is unchanged; audio has no addresses. */
function renameIn(body: Buffer, from: string, to: string): Buffer {
  return body.includes(from) ? Buffer.from(body.toString('latin1').replaceAll(from, to), 'latin1') : body;
}

function withLength(headers: http.OutgoingHttpHeaders, body: Buffer | undefined): http.OutgoingHttpHeaders {
  return body === undefined ? headers : { ...headers, 'content-length': body.length };
}

export type BrokerGate = {
  readonly url: string;
  /** From now on the broker gets nothing more from the connected clients; what it sends still arrives. */
  readonly withhold: () => void;
  /** Clients that were cut off remain so, whatever they send; new ones are let through again. */
  readonly close: () => Promise<void>;
};

/** Starts a gate in front of the broker, between the acceptance of a message and its acknowledgement. */
export async function startBrokerGate(port: number): Promise<BrokerGate> {
  const sockets = new Set<net.Socket>();
  const silenced = new WeakSet<net.Socket>();
  const keep = (socket: net.Socket): net.Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const server = net.createServer((near) => {
    keep(near);
    const far = keep(net.connect({ port, host: '127.0.0.1' }));
    near.on('data', (chunk) => silenced.has(near) || far.write(chunk));
    near.on('close', () => far.destroy());
    far.pipe(near);
    far.on('close', () => near.destroy());
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `amqp://guest:guest@127.0.0.1:${(server.address() as AddressInfo).port}`,
    withhold: () => {
      for (const socket of sockets) silenced.add(socket);
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
