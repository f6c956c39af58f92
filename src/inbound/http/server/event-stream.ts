// Sends Server-Sent Events to one client. It delays the headers until the first event, sends heartbeats, and limits the data that
// waits for a slow reader: a newer partial replaces an older one that is not sent yet. The data of each event has the name of the event as
// `type`, because clients that were generated from the OpenAPI document see only the data.
import type { ServerResponse } from 'node:http';

/** How long an EventSource waits before it connects again, which ends it: a stream is opened once. */
const RECONNECT_MS = 3_000;

export type EventStreamLimits = {
  /** After this time the headers are sent even without an event. */
  readonly holdHeadersMs: number;
  readonly heartbeatMs: number;
  /** A reader with more unread bytes is disconnected. */
  readonly maxBufferedBytes: number;
  /** A reader that reads nothing for this time is disconnected. */
  readonly stalledMs: number;
};

export const EVENT_STREAM_LIMITS: EventStreamLimits = {
  holdHeadersMs: 5_000,
  heartbeatMs: 15_000,
  maxBufferedBytes: 1_048_576,
  stalledMs: 30_000,
};

type EventStreamParts = {
  readonly res: ServerResponse;
  /** 201 for a stream that POST opened, 200 for a prepared one. */
  readonly status: number;
  /** Awaited before the headers are sent. If it throws, they are not sent, and the call that would send them throws. */
  readonly beforeHeaders: () => Promise<void>;
  readonly limits: EventStreamLimits;
};

export class EventStream {
  readonly #parts: EventStreamParts;
  readonly #holdTimer: NodeJS.Timeout;
  readonly #onHalfClosed = (): void => {
    if (this.#parts.res.headersSent) this.#beat();
  };
  #heartbeat: NodeJS.Timeout | undefined;
  #stallTimer: NodeJS.Timeout | undefined;
  #opening: Promise<void> | undefined;
  #lastPartial = '';
  #waitingPartial: string | undefined;
  #isEnding = false;
  #sent = 0;

  constructor(parts: EventStreamParts) {
    this.#parts = parts;
    // A failure here is not lost: the next event awaits the same opening and throws it.
    this.#holdTimer = setTimeout(() => this.open().catch(() => undefined), parts.limits.holdHeadersMs);
    parts.res.on('drain', () => this.#drained());
    parts.res.once('close', () => this.dispose());
    // A client that closed its side may have gone away: then the next bytes to it reset the connection.
    parts.res.req.socket.once('end', this.#onHalfClosed);
  }

  /** If true, a failure can only be sent as an `error` event. Waits for headers that are being sent. */
  async hasBegun(): Promise<boolean> {
    await this.#opening?.catch(() => undefined);
    return this.#parts.res.headersSent;
  }

  /** Sends the headers, unless they are already sent. */
  open(): Promise<void> {
    this.#opening ??= this.#sendHeaders();
    return this.#opening;
  }

  async partial(data: object): Promise<void> {
    const text = JSON.stringify({ type: 'partial', ...data });
    if (text === this.#lastPartial) return;
    await this.open();
    this.#lastPartial = text;
    if (this.#parts.res.writableNeedDrain) {
      this.#waitingPartial = text;
      return;
    }
    this.#write('partial', text);
  }

  /** Sends the last event. A waiting partial is older and is dropped. */
  async end(event: 'final' | 'error', data: object): Promise<void> {
    await this.open();
    this.#isEnding = true;
    this.#waitingPartial = undefined;
    this.#stopBeating();
    this.#write(event, JSON.stringify({ type: event, ...data }));
    this.#parts.res.end();
    this.#watchForStall();
  }

  /** Stops all timers; it does not end the response. */
  dispose(): void {
    clearTimeout(this.#holdTimer);
    clearTimeout(this.#stallTimer);
    this.#stallTimer = undefined;
    this.#parts.res.req.socket.off('end', this.#onHalfClosed);
    this.#stopBeating();
  }

  async #sendHeaders(): Promise<void> {
    clearTimeout(this.#holdTimer);
    await this.#parts.beforeHeaders();
    const { res, status, limits } = this.#parts;
    if (res.headersSent || res.destroyed) return;
    res.writeHead(status, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Reverse proxies would otherwise collect the events.
      'x-accel-buffering': 'no',
      connection: 'close',
    });
    res.flushHeaders();
    this.#heartbeat = setInterval(() => this.#beat(), limits.heartbeatMs);
  }

  #beat(): void {
    if (!this.#parts.res.writableNeedDrain) this.#writeRaw(': still here\n\n');
  }

  #stopBeating(): void {
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  #write(event: string, data: string): void {
    this.#sent += 1;
    // In the first event and not alone: a reader that takes each block for an event needs data in it. Name and data come first, as simple
    // readers expect them.
    const retry = this.#sent === 1 ? `retry: ${RECONNECT_MS}\n` : '';
    this.#writeRaw(`event: ${event}\ndata: ${data}\nid: ${this.#sent}\n${retry}\n`);
  }

  #writeRaw(text: string): void {
    const { res, limits } = this.#parts;
    if (res.destroyed) return;
    if (!res.write(text)) this.#watchForStall();
    if (res.writableLength > limits.maxBufferedBytes) res.destroy();
  }

  #watchForStall(): void {
    this.#stallTimer ??= setTimeout(() => this.#parts.res.destroy(), this.#parts.limits.stalledMs);
  }

  #drained(): void {
    if (!this.#isEnding) {
      clearTimeout(this.#stallTimer);
      this.#stallTimer = undefined;
    }
    const waiting = this.#waitingPartial;
    this.#waitingPartial = undefined;
    if (waiting !== undefined) this.#write('partial', waiting);
  }
}
