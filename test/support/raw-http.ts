// A raw HTTP client on a socket, for requests that no client library would send.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export type RawAnswer = {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
};

export class RawClient {
  readonly #socket: Socket;
  /** Resolves when the server has closed or reset the connection. */
  readonly closed: Promise<void>;
  #received = '';

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      this.#received += bytes.toString('latin1');
      socket.emit('received');
    });
  }

  static async connect(port: number): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1' });
    const client = new RawClient(socket);
    await once(socket, 'connect');
    return client;
  }

  get received(): string {
    return this.#received;
  }

  get isClosed(): boolean {
    return this.#socket.closed;
  }

  /** Returns false if the bytes wait because the server does not read. */
  write(bytes: string | Uint8Array): boolean {
    return (
      this.#socket.destroyed || this.#socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
    );
  }

  /** Writes the same bytes repeatedly, as fast as the server reads them, until the connection ends or `isEnough` returns true. */
  async pour(bytes: Uint8Array, isEnough: () => boolean): Promise<void> {
    while (!this.#socket.destroyed && !isEnough()) {
      if (this.write(bytes)) await new Promise((resolve) => setImmediate(resolve));
      else await this.#nextEvent('drain');
    }
  }

  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  reset(): void {
    this.#socket.resetAndDestroy();
  }

  /** Resolves with the first complete answer other than 100; throws if the connection ends before. */
  async answer(): Promise<RawAnswer> {
    for (;;) {
      const answer = parseAnswer(this.#received);
      if (answer !== undefined) return answer;
      if (this.isClosed) throw new Error(`closed after: ${this.#received.slice(0, 500)}`);
      await this.#nextEvent('received');
    }
  }

  async until(text: string): Promise<void> {
    while (!this.#received.includes(text)) {
      if (this.isClosed) throw new Error(`closed after: ${this.#received.slice(0, 500)}`);
      await this.#nextEvent('received');
    }
  }

  /** Resolves at the event or at the end of the connection. It never rejects. */
  async #nextEvent(event: string): Promise<void> {
    if (this.isClosed) return;
    await new Promise<void>((resolve) => {
      const onEvent = () => {
        this.#socket.off(event, onEvent).off('close', onEvent);
        resolve();
      };
      this.#socket.on(event, onEvent).on('close', onEvent);
    });
  }
}

/** Sends these bytes, returns the answer and closes the connection. */
export async function rawRequest(port: number, ...pieces: readonly (string | Uint8Array)[]): Promise<RawAnswer> {
  const client = await RawClient.connect(port);
  for (const piece of pieces) client.write(piece);
  try {
    return await client.answer();
  } finally {
    client.destroy();
  }
}

function parseAnswer(text: string): RawAnswer | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = text.slice(0, headEnd).split('\r\n');
  const status = Number(statusLine.split(' ')[1]);
  const rest = text.slice(headEnd + 4);
  if (status === 100) return parseAnswer(rest);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const length = Number(headers.get('content-length') ?? 0);
  return rest.length < length
    ? undefined
    : { status, headers, body: Buffer.from(rest.slice(0, length), 'latin1').toString('utf8') };
}
