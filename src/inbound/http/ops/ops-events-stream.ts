// Sends changes of runs as Server-Sent Events, until the caller may not see them any more. A client that lost the connection continues with Last-Event-ID. A client that reads too
// slowly is disconnected and can continue in the same way.
import { once } from 'node:events';
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import { AppError } from '../../../domain/errors.ts';
import type { RunChange } from '../../../ports/runs.ts';
import type { Runtime } from '../../../ports/runtime.ts';
import { validate } from '../body/validate.ts';
import { accessOf, isStillAdmitted } from './ops-caller.ts';
import type { RunFeed } from './ops-runs-feed.ts';
import { changeAnswer } from './run-answer.ts';

export type EventsLimits = {
  readonly heartbeatMs: number;
  /** A reader with more unread bytes is disconnected. */
  readonly maxBufferedBytes: number;
  /** A reader that reads nothing for this time is disconnected. */
  readonly stalledMs: number;
};

const LIMITS: EventsLimits = { heartbeatMs: 15_000, maxBufferedBytes: 1_048_576, stalledMs: 30_000 };
/** Spread, so that not all clients reconnect at once after a restart of the engine. */
const RETRY_MS = { least: 1_000, spread: 4_000 } as const;

type EventsParts = {
  readonly runFeed: RunFeed;
  readonly runtime: Pick<Runtime, 'chance'>;
  readonly limits?: EventsLimits;
};

const noQuery = z.strictObject({});

export function makeEventsHandler({ runFeed, runtime, limits = LIMITS }: EventsParts): RequestHandler {
  return async (req, res) => {
    validate(noQuery, { ...req.query });
    const since = readPosition(req);
    const { runs: scope } = accessOf(res);
    const watcher = makeWatcher(res, limits);
    const leave = await runFeed.join(scope, watcher);
    if (res.destroyed) return leave();
    res.once('close', leave);
    const retryMs = RETRY_MS.least + Math.floor(runtime.chance() * RETRY_MS.spread);
    watcher.open(retryMs);
    if (req.method === 'HEAD') return watcher.close();
    try {
      if (since !== undefined) for await (const change of runFeed.since(scope, since)) await watcher.catchUp(change);
    } catch {
      // The client reconnects and continues after its last event.
      return void res.destroy();
    }
    watcher.goLive();
  };
}

const POSITION = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_[0-9a-f-]{36}$/;

function readPosition(req: Request): Date | undefined {
  const given = req.headers['last-event-id'];
  if (given === undefined || given === '') return undefined;
  const time = new Date(POSITION.exec(String(given))?.[1] ?? Number.NaN);
  if (Number.isNaN(time.getTime())) {
    throw new AppError('invalidRequest', 'Last-Event-ID must be the id of an event that was sent before');
  }
  return time;
}

/** Changes that arrive while past changes are sent wait until those are sent. */
function makeWatcher(res: Response, { heartbeatMs, maxBufferedBytes, stalledMs }: EventsLimits) {
  let waiting: RunChange[] | undefined = [];
  const sent = new Set<string>();
  let heartbeat: NodeJS.Timeout | undefined;
  let stall: NodeJS.Timeout | undefined;

  const write = (text: string) => {
    if (res.destroyed || res.writableEnded) return;
    if (!res.write(text)) stall ??= setTimeout(() => res.destroy(), stalledMs);
    if (res.writableLength > maxBufferedBytes) res.destroy();
  };
  const writeEvent = (change: RunChange) => {
    const id = `${change.changedAt.toISOString()}_${change.id}`;
    write(`id: ${id}\nevent: run\ndata: ${JSON.stringify(changeAnswer(change))}\n\n`);
  };
  res.on('drain', () => {
    clearTimeout(stall);
    stall = undefined;
  });
  res.once('close', () => {
    clearInterval(heartbeat);
    clearTimeout(stall);
    waiting = undefined;
  });

  return {
    open(retryMs: number) {
      res.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        // Reverse proxies would otherwise collect the events.
        'x-accel-buffering': 'no',
        connection: 'close',
      });
      write(`retry: ${retryMs}\n\n`);
      heartbeat = setInterval(() => {
        if (!res.writableNeedDrain) write(': still here\n\n');
        void endIfRefused(res);
      }, heartbeatMs);
    },
    async catchUp(change: RunChange) {
      writeEvent(change);
      sent.add(JSON.stringify(change));
      if (res.destroyed) throw new AppError('cancelled', 'The client closed the connection');
      if (res.writableNeedDrain) await drained(res);
    },
    goLive() {
      for (const change of waiting ?? []) if (!sent.has(JSON.stringify(change))) writeEvent(change);
      waiting = undefined;
      sent.clear();
    },
    send(change: RunChange) {
      if (waiting === undefined) writeEvent(change);
      else waiting.push(change);
    },
    close() {
      res.end();
    },
  };
}

/** The session of the caller may have ended, or the role may be lost. Without a database it cannot be known, and there is nothing to send. */
async function endIfRefused(res: Response): Promise<void> {
  const isAdmitted = await isStillAdmitted(res).catch(() => true);
  if (!isAdmitted) res.end();
}

async function drained(res: Response): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]).finally(() => over.abort());
}
