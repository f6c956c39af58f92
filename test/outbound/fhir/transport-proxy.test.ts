import { afterEach, describe, expect, it } from '@jest/globals';
import { makeLocalServers } from '../../support/local-servers.ts';
import { startProxyServer } from '../../support/proxy-server.ts';
import { startTlsServer, type TlsServer, tlsFile } from '../../support/tls-server.ts';
import { startTokenServer } from '../../support/token-server.ts';
import { aTransport, failureOf, get } from './transport-stage.ts';

const servers = makeLocalServers();
const started: TlsServer[] = [];
afterEach(async () => {
  await Promise.all([servers.close(), ...started.splice(0).map((server) => server.close())]);
});

const tls = { ca: tlsFile('ca.pem') };

async function aTlsEhr() {
  const calls: string[] = [];
  const server = await startTlsServer('server', {
    onRequest: (request, response) => {
      calls.push(`${request.method} ${request.url}`);
      response.end('{}');
    },
  });
  started.push(server);
  return { baseUrl: server.origin, calls };
}

describe('A site with a proxy', () => {
  it('calls an https EHR through it, and the proxy sees only the name', async () => {
    const ehr = await aTlsEhr();
    const { origin, asked } = await startProxyServer(servers);
    const proxy = origin.replace('//', '//us%40er:p%3Ass@');
    const transport = aTransport({ baseUrl: ehr.baseUrl, tls, proxy });
    for (let turn = 0; turn < 3; turn += 1) await (await get(transport, `Patient/${turn}`)).text();
    expect(ehr.calls).toEqual(['GET /Patient/0', 'GET /Patient/1', 'GET /Patient/2']);
    const authorization = `Basic ${Buffer.from('us@er:p:ss').toString('base64')}`;
    expect(asked).toEqual([{ what: `CONNECT ${new URL(ehr.baseUrl).host}`, authorization }]);
  });

  it('calls a plain http EHR and its token server through it, also on this machine', async () => {
    const server = await startTokenServer(servers);
    const { origin, asked } = await startProxyServer(servers);
    const auth = {
      type: 'client-credentials',
      clientId: 'chartwright',
      clientSecret: server.behaviour.client.secret,
    } as const;
    const transport = aTransport({ baseUrl: server.baseUrl, auth, proxy: origin });
    expect((await get(transport, 'Patient/1')).status).toBe(200);
    expect(asked.map(({ what }) => what)).toEqual([
      `GET ${server.baseUrl}/.well-known/smart-configuration`,
      `POST ${server.tokenUrl}`,
      `GET ${server.baseUrl}/Patient/1`,
    ]);
  });

  it.each([403, 407, 502])('has sent nothing to the EHR if the proxy refuses the tunnel with %i', async (status) => {
    const ehr = await aTlsEhr();
    const { origin } = await startProxyServer(servers, { status });
    const failure = await failureOf(get(aTransport({ baseUrl: ehr.baseUrl, tls, proxy: origin }), 'Patient/1'));
    expect(failure).toMatchObject({
      kind: 'proxy',
      wasSent: false,
      message: 'The EHR cannot be reached through the proxy: check ehr.proxy',
    });
    expect(ehr.calls).toEqual([]);
  });

  it('has sent nothing to the EHR if the proxy asks for credentials for plain http', async () => {
    const { origin } = await startProxyServer(servers, { status: 407 });
    const baseUrl = await servers.serve((_, response) => response.end('{}'));
    const failure = await failureOf(get(aTransport({ baseUrl, proxy: origin }), 'Patient/1'));
    expect(failure).toMatchObject({ kind: 'proxy', wasSent: false, isPassing: false });
    expect(failure.message).toContain('the user and the password in ehr.proxy');
  });

  it('has sent nothing to the EHR if the proxy cannot be reached', async () => {
    const ehr = await aTlsEhr();
    const gone = makeLocalServers();
    const { origin } = await startProxyServer(gone);
    await gone.close();
    for (const baseUrl of [ehr.baseUrl, 'http://ehr.example.org']) {
      const failure = await failureOf(get(aTransport({ baseUrl, tls, proxy: origin }), 'Patient/1'));
      expect(failure).toMatchObject({ kind: 'network', wasSent: false });
    }
    expect(ehr.calls).toEqual([]);
  });

  it('gives up a proxy that never answers', async () => {
    const proxy = await servers.serveRaw((socket) => void socket.resume());
    const transport = aTransport({ baseUrl: 'https://ehr.example.org', proxy });
    expect(await failureOf(get(transport, 'Patient/1', { timeoutMs: 100 }))).toMatchObject({ kind: 'timeout' });
  });
});
