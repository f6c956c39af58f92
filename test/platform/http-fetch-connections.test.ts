import { afterAll, describe, expect, it } from '@jest/globals';
import { FetchFailure, openHttpFetch } from '../../src/platform/http-fetch.ts';
import { makeLocalServers } from '../support/local-servers.ts';
import { startTlsServer, tlsFile } from '../support/tls-server.ts';

const servers = makeLocalServers();
afterAll(() => servers.close());

async function failureOf(call: Promise<unknown>): Promise<FetchFailure> {
  const thrown = await call.catch((error: unknown) => error);
  if (thrown instanceof FetchFailure) return thrown;
  throw new Error('it did not fail as a fetch does', { cause: thrown });
}

describe('a failure of the network', () => {
  it('says that nothing was sent if there was no connection', async () => {
    const gone = makeLocalServers();
    const url = await gone.serve(() => undefined);
    await gone.close();
    const silent = await servers.serveRaw(() => undefined);
    const { fetch } = openHttpFetch({ connectTimeoutMs: 50 });
    for (const address of [url, silent.replace('http:', 'https:'), 'ftp://127.0.0.1/']) {
      const failure = await failureOf(fetch(address, { method: 'POST', body: 'x' }));
      expect([failure.name, failure.wasSent]).toEqual(['TypeError', false]);
    }
  });

  it('says that something may have been sent if there was a connection', async () => {
    const { fetch } = openHttpFetch();
    for (const end of ['resetAndDestroy', 'destroy'] as const) {
      const url = await servers.serveRaw((socket) => void socket.once('data', () => socket[end]()));
      expect((await failureOf(fetch(url, { method: 'POST', body: 'x' }))).wasSent).toBe(true);
    }
  });
});

describe('with resends of reads only', () => {
  it('a read on a closed connection is sent again, a write fails as possibly sent', async () => {
    const stale = async () => {
      let requests = 0;
      const url = await servers.serveRaw((socket) => {
        let onThisOne = 0;
        socket.on('data', () => {
          requests += 1;
          onThisOne += 1;
          if (onThisOne > 1) socket.resetAndDestroy();
          else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
        });
      });
      return { url, count: () => requests };
    };
    const direct = await stale();
    const { fetch } = openHttpFetch({ resends: 'reads' });
    await (await fetch(direct.url)).text();
    expect((await failureOf(fetch(direct.url, { method: 'POST', body: 'x' }))).wasSent).toBe(true);
    expect(direct.count()).toBe(2);
    await (await fetch(direct.url)).text();
    expect(await (await fetch(direct.url)).text()).toBe('ok');
    expect(direct.count()).toBe(5);
  });
});

describe('certificates', () => {
  it('a configured authority is trusted, instead of the usual ones or in addition', async () => {
    const server = await startTlsServer('server', { onRequest: (_, response) => response.end('ok') });
    const ca = tlsFile('ca.pem');
    for (const tls of [{ ca }, { furtherCa: ca }]) {
      const { fetch, close } = openHttpFetch({ tls });
      expect(await (await fetch(server.origin)).text()).toBe('ok');
      close();
    }
    const failure = await failureOf(openHttpFetch().fetch(server.origin));
    expect([failure.wasSent, failure.cause]).toEqual([
      false,
      expect.objectContaining({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }),
    ]);
    await server.close();
  });
});
