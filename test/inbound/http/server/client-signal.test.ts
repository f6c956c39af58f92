import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '../../../../src/domain/errors.ts';
import { type ClientWatch, watchClient } from '../../../../src/inbound/http/server/client-signal.ts';
import { RawClient } from '../../../support/raw-http.ts';
import { until } from '../../../support/until.ts';
import { type Door, openDoor } from '../body/upload-door.ts';

type Watched = { readonly watch: ClientWatch; readonly res: ServerResponse };

describe('the signal of a client', () => {
  let door: Door;
  let watched: Watched[];
  beforeEach(async () => {
    watched = [];
    door = await openDoor({
      addRoutes: (app) => {
        app.get('/held', (req, res) => {
          watched.push({ watch: watchClient(req, res), res });
        });
      },
    });
  });
  afterEach(() => door.close());

  async function hold(client: RawClient, requests = 1): Promise<Watched> {
    client.write('GET /held HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(requests));
    await until(() => watched.length === requests);
    const last = watched.at(-1);
    if (last === undefined) throw new Error('nothing is watched');
    return last;
  }

  it('fires if the client disconnects before its answer', async () => {
    const client = await RawClient.connect(door.port);
    const { watch } = await hold(client);
    expect(watch.signal.aborted).toBe(false);
    client.reset();
    await until(() => watch.signal.aborted);
    expect(watch.signal.reason).toMatchObject({ code: 'cancelled' });
  });

  it('fires if the client disconnects in the middle of its answer', async () => {
    const client = await RawClient.connect(door.port);
    const { watch, res } = await hold(client);
    res.write('half');
    await client.until('half');
    client.destroy();
    await until(() => watch.signal.aborted);
  });

  it('fires for an answer that waits behind another on the same connection', async () => {
    const client = await RawClient.connect(door.port);
    const { watch } = await hold(client, 2);
    client.reset();
    await until(() => watch.signal.aborted && watched.every((each) => each.watch.signal.aborted));
  });

  it('does not fire after the answer is complete, even if the client disconnects then', async () => {
    const client = await RawClient.connect(door.port);
    const { watch, res } = await hold(client);
    res.end('done');
    await client.until('done');
    client.destroy();
    await client.closed;
    await until(() => res.closed);
    expect(watch.signal.aborted).toBe(false);
  });

  it('does not fire after it was stopped', async () => {
    const client = await RawClient.connect(door.port);
    const { watch, res } = await hold(client);
    watch.stop();
    client.reset();
    await until(() => res.closed);
    expect(watch.signal.aborted).toBe(false);
  });

  it('fires with a reason of the engine', async () => {
    const client = await RawClient.connect(door.port);
    const { watch } = await hold(client);
    watch.abort(new AppError('shuttingDown', 'The engine stops'));
    expect(watch.signal.reason).toMatchObject({ code: 'shuttingDown' });
    client.destroy();
  });

  it('leaves no listener on a connection that stays open', async () => {
    const client = await RawClient.connect(door.port);
    for (let round = 1; round <= 20; round += 1) {
      client.write('GET /held HTTP/1.1\r\nHost: a\r\n\r\n');
      await until(() => watched.length === round);
      const { res } = watched.at(-1) ?? {};
      const { socket } = res ?? {};
      res?.end(`round${round};`);
      await client.until(`round${round};`);
      await until(() => res?.closed === true);
      expect(socket?.listenerCount('close')).toBeLessThan(10);
    }
    client.destroy();
  });
});
