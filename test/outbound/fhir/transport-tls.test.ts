import type { ServerOptions } from 'node:https';
import { afterEach, describe, expect, it } from '@jest/globals';
import { makeLocalServers } from '../../support/local-servers.ts';
import { startTlsServer, type TlsServer, tlsFile } from '../../support/tls-server.ts';
import { aTransport, failureOf, get } from './transport-stage.ts';

const servers = makeLocalServers();
const started: TlsServer[] = [];
afterEach(async () => {
  await Promise.all([servers.close(), ...started.splice(0).map((server) => server.close())]);
});

type Seen = { readonly authorization: string | undefined; readonly client: string | undefined };

async function aTlsEhr(certificate: Parameters<typeof startTlsServer>[0] = 'server', options: ServerOptions = {}) {
  const seen: Seen[] = [];
  const server = await startTlsServer(certificate, {
    ...options,
    onRequest: (request, response) => {
      const socket = request.socket as import('node:tls').TLSSocket;
      const { subject } = socket.getPeerCertificate?.() ?? {};
      seen.push({ authorization: request.headers.authorization, client: subject?.CN?.toString() });
      response.end('{}');
    },
  });
  started.push(server);
  return { baseUrl: `${server.origin}/fhir`, origin: server.origin, seen };
}

const ca = tlsFile('ca.pem');
const client = { ca, cert: tlsFile('client.pem'), key: tlsFile('client.key.pem') };
const auth = { type: 'bearer', token: 't' } as const;

describe('An EHR with TLS', () => {
  it('is trusted by the authority of the settings', async () => {
    const { baseUrl, seen } = await aTlsEhr();
    expect((await get(aTransport({ baseUrl, auth, tls: { ca } }), 'Patient/1')).status).toBe(200);
    expect(seen).toEqual([{ authorization: 'Bearer t', client: undefined }]);
  });

  it('is not trusted without that authority, and gets nothing', async () => {
    const { baseUrl, seen } = await aTlsEhr();
    expect(await failureOf(get(aTransport({ baseUrl, auth }), 'Patient/1'))).toMatchObject({
      kind: 'tls',
      wasSent: false,
      isPassing: false,
      message: 'The EHR has a TLS certificate from an unknown authority: name the authority in ehr.tls.ca',
    });
    expect(seen).toEqual([]);
  });

  it('is not trusted with the certificate of another name', async () => {
    const { baseUrl, seen } = await aTlsEhr('other-name');
    const failure = await failureOf(get(aTransport({ baseUrl, auth, tls: { ca } }), 'Patient/1'));
    expect(failure).toMatchObject({ kind: 'tls', wasSent: false, isPassing: false });
    expect(failure.message).toContain('for another name');
    expect(seen).toEqual([]);
  });

  it('is not trusted with an expired certificate', async () => {
    const { baseUrl, seen } = await aTlsEhr('expired');
    const failure = await failureOf(get(aTransport({ baseUrl, auth, tls: { ca } }), 'Patient/1'));
    expect(failure).toMatchObject({ kind: 'tls', wasSent: false, isPassing: false });
    expect(failure.message).toContain('not valid today');
    expect(seen).toEqual([]);
  });

  it('is not called with TLS 1.1', async () => {
    const { baseUrl, seen } = await aTlsEhr('server', {
      minVersion: 'TLSv1.1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });
    const failure = await failureOf(get(aTransport({ baseUrl, auth, tls: { ca } }), 'Patient/1'));
    expect(failure).toMatchObject({ kind: 'tls', wasSent: false });
    expect(seen).toEqual([]);
  });

  it('gets nothing if it speaks plain http behind https', async () => {
    const plain = await servers.serve((_, response) => response.end('{}'));
    const baseUrl = plain.replace('http:', 'https:');
    expect(await failureOf(get(aTransport({ baseUrl, auth }), ''))).toMatchObject({ kind: 'tls', wasSent: false });
  });

  it('gets the client certificate on request, and the error names the setting if there is none', async () => {
    const { baseUrl, seen } = await aTlsEhr('server', { requestCert: true, rejectUnauthorized: true, ca });
    expect((await get(aTransport({ baseUrl, tls: client }), 'Patient/1')).status).toBe(200);
    expect(seen).toEqual([{ authorization: undefined, client: 'chartwright' }]);
    const failure = await failureOf(get(aTransport({ baseUrl, tls: { ca } }), 'Patient/1'));
    expect(failure).toMatchObject({ kind: 'tls', wasSent: false, isPassing: false });
    expect(failure.message).toContain('ehr.tls.cert');
  });

  it('is not called with settings that are not a certificate', async () => {
    const { baseUrl } = await aTlsEhr();
    const failure = await failureOf(get(aTransport({ baseUrl, tls: { ca, cert: 'x', key: 'y' } }), ''));
    expect(failure).toMatchObject({ kind: 'tls', wasSent: false, isPassing: false });
    expect(failure.message).toContain('ehr.tls');
  });

  it('never redirects the engine to plain http', async () => {
    let plainCalls = 0;
    const plain = await servers.serve((_, response) => {
      plainCalls += 1;
      response.end();
    });
    const server = await startTlsServer('server', {
      onRequest: (_, response) => void response.writeHead(307, { location: `${plain}/` }).end(),
    });
    started.push(server);
    const transport = aTransport({ baseUrl: server.origin, auth, tls: { ca } });
    expect((await get(transport, 'Patient/1')).status).toBe(307);
    expect(await failureOf(get(transport, `${plain}/Patient/1`, { isAttachment: true }))).toMatchObject({
      kind: 'address',
    });
    expect(plainCalls).toBe(0);
  });

  it('is the only server that sees the client certificate, although others are trusted by the same authority', async () => {
    const ehr = await aTlsEhr();
    const media = await aTlsEhr('server', { requestCert: true, rejectUnauthorized: false, ca });
    const transport = aTransport({ baseUrl: ehr.baseUrl, auth, tls: client }, { attachmentOrigins: [media.origin] });
    expect((await get(transport, `${media.origin}/a`, { isAttachment: true })).status).toBe(200);
    expect(media.seen).toEqual([{ authorization: undefined, client: undefined }]);
  });
});
