import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { drainHttp } from '../../src/platform/http-drain.ts';
import { makeShutdown } from '../../src/platform/shutdown.ts';

describe('a shutdown', () => {
  it('closes in reverse order, goes on after a failure and a part that hangs, and names both', async () => {
    const order: string[] = [];
    const shutdown = makeShutdown();
    shutdown.add({ name: 'database', close: () => void order.push('database') });
    shutdown.add({ name: 'hanging', close: () => new Promise(() => undefined), timeoutMs: 5 });
    shutdown.add({
      name: 'failing',
      close: () => {
        throw new Error('no');
      },
    });
    shutdown.add({ name: 'door', close: async () => void order.push('door') });
    expect(await shutdown.run()).toEqual(['failing', 'hanging']);
    expect(order).toEqual(['door', 'database']);
  });

  it('closes a part that is being opened once it is open, also if its opening fails', async () => {
    const closed: string[] = [];
    const shutdown = makeShutdown();
    const { promise: opening, reject } = Promise.withResolvers<void>();
    shutdown.opens(opening);
    const running = shutdown.run();
    shutdown.add({ name: 'late', close: () => void closed.push('late') });
    reject(new Error('no'));
    expect(await running).toEqual([]);
    expect(closed).toEqual(['late']);
  });

  it('runs once, however often it is called', async () => {
    const counted: number[] = [];
    const shutdown = makeShutdown();
    shutdown.add({ name: 'one', close: () => void counted.push(1) });
    await Promise.all([shutdown.run(), shutdown.run()]);
    expect(counted).toHaveLength(1);
  });
});

describe('draining an HTTP server', () => {
  async function serve(listener: http.RequestListener) {
    const server = http.createServer(listener);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
  }

  it('lets a running request finish, and takes no new connection', async () => {
    const { promise: mayEnd, resolve: letEnd } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { server, url } = await serve(async (_req, res) => {
      begin();
      await mayEnd;
      res.end('whole');
    });
    const answer = fetch(url);
    await begun;
    const drained = drainHttp({ server, graceMs: 60_000, goodbyeMs: 1, onGraceOver: () => undefined });
    await expect(fetch(url)).rejects.toThrow();
    letEnd();
    expect(await (await answer).text()).toBe('whole');
    await drained;
  });

  it('cuts open connections after the grace period and a final message', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    let isWarned = false;
    const { server, url } = await serve(() => begin());
    const answer = fetch(url);
    await begun;
    const drained = drainHttp({
      server,
      graceMs: 1,
      goodbyeMs: 1,
      onGraceOver: () => {
        isWarned = true;
      },
    });
    await expect(answer).rejects.toThrow();
    await drained;
    expect(isWarned).toBe(true);
  });
});
