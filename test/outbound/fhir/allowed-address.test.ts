import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { makeAllowAddress, plainHttpWarning } from '../../../src/outbound/fhir/allowed-address.ts';
import { makeLocalServers } from '../../support/local-servers.ts';
import { aTransport, failureOf, get } from './transport-stage.ts';

const servers = makeLocalServers();
afterAll(() => servers.close());

const NEVER_CALLED = [
  'http://127.1',
  'http://2130706433',
  'http://0x7f.1',
  'http://017700000001',
  'http://[::1]',
  'http://[::ffff:7f00:1]',
  'http://[64:ff9b::7f00:1]',
  'http://0',
  'http://localhost.',
  'http://LOCALHOST',
  'http://①②⑦.0.0.1',
  'http://１２７.0.0.1',
  'http://127。0。0。1',
  'http://[fe80::1%25eth0]/',
  'http://169.254.169.254/latest/meta-data',
  'https://ehr@evil.example',
  'https://ehr.example.org@evil.example/fhir/R4/Patient/1',
  'https://evil.example#@ehr.example.org',
  'https://ehr.example.org\\@evil.example',
  'https://ehr.example.org:443@evil.example',
  'https://user:password@ehr.example.org/fhir/R4/Patient/1',
  'https://user@ehr.example.org/fhir/R4/Patient/1',
  'https://ehr.example.org.evil.example/fhir/R4/Patient/1',
  'https://ehr.example.orgevil.example',
  'https://sub.ehr.example.org/fhir/R4',
  'https://ehr.example.org./fhir/R4',
  'https://ehr.example.org:8443/fhir/R4',
  'https://ehr.example.org:22/',
  'https://ehr.example.org:6379/',
  'https://ehr.example.org:5672/',
  'http://ehr.example.org/fhir/R4/Patient/1',
  'http://ehr.example.org:443/fhir/R4/Patient/1',
  'https://еhr.example.org/fhir/R4',
  'https://xn--hr-okc.example.org/fhir/R4',
  'https://ｅhr.example.org/fhir/R4',
  'https://%65hr.example.org/fhir/R4',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '\t//evil.example',
  '/\t/evil.example',
  'https:/evil.example',
  'https:evil.example',
  'https:///evil.example',
  'http:Patient/1',
  'ht\ttps://evil.example',
  'ht\ntps://evil.example',
  ' https://ehr.example.org/fhir/R4/Patient/1',
  'https://ehr.example.org/fhir/R4/Patient/1 ',
  'https://ehr.example.org/fhir/R4/Pat\u0000ient/1',
  'https://ehr.example.org\u200b/fhir/R4',
  'Patient/1\r\nx-evil: 1',
  'Patient/1 2',
  'data:text/plain,x',
  'file:///etc/passwd',
  'ftp://ehr.example.org/x',
  'blob:https://ehr.example.org/1',
  'gopher://ehr.example.org/',
  'javascript:alert(1)',
  'urn:uuid:00000000-0000-4000-8000-000000000000',
  'ws://ehr.example.org/',
  'wss://ehr.example.org/',
  '#contained',
  `https://ehr.example.org/fhir/R4/Patient?_id=${'1'.repeat(8200)}`,
  `https://ehr.example.org/${'x'.repeat(3_000_000)}`,
];

describe('The address check of the FHIR transport', () => {
  const allow = makeAllowAddress({
    baseUrl: 'https://ehr.example.org/fhir/R4',
    attachmentOrigins: ['https://media.example.org', 'http://plain.example.org'],
  });

  it.each(NEVER_CALLED.map((address) => [shown(address), address]))('the address %s is not called', (_, address) => {
    expect(allow(address)).toBeUndefined();
    expect(allow(address, { isAttachment: true })).toBeUndefined();
  });

  it.each([
    ['Patient/1', 'https://ehr.example.org/fhir/R4/Patient/1'],
    ['Patient/1?x=y', 'https://ehr.example.org/fhir/R4/Patient/1?x=y'],
    ['', 'https://ehr.example.org/fhir/R4'],
    ['?_getpages=abc', 'https://ehr.example.org/fhir/R4?_getpages=abc'],
    ['Observation?code=http://loinc.org|1-8', 'https://ehr.example.org/fhir/R4/Observation?code=http://loinc.org|1-8'],
    ['/fhir/R4/Binary/1', 'https://ehr.example.org/fhir/R4/Binary/1'],
    ['https://ehr.example.org/fhir/R4/Patient/1', 'https://ehr.example.org/fhir/R4/Patient/1'],
    ['https://ehr.example.org:443/fhir/R4/Patient/1', 'https://ehr.example.org/fhir/R4/Patient/1'],
    ['HTTPS://EHR.example.org/fhir/R4/Patient/1#part', 'https://ehr.example.org/fhir/R4/Patient/1'],
    ['../../../../x', 'https://ehr.example.org/x'],
    ['Patient/..%2f..%2fx', 'https://ehr.example.org/fhir/R4/Patient/..%2f..%2fx'],
    ['evil.example/x', 'https://ehr.example.org/fhir/R4/evil.example/x'],
    ['／／evil.example', 'https://ehr.example.org/fhir/R4/%EF%BC%8F%EF%BC%8Fevil.example'],
  ])('the address %p is called at the EHR itself', (address, called) => {
    expect(allow(address)).toEqual({ url: new URL(called), isOwn: true });
  });

  it('a slash at the end of the base address changes nothing', () => {
    for (const baseUrl of ['https://ehr.example.org/fhir/R4/', 'https://ehr.example.org/fhir/R4//']) {
      const allowAt = makeAllowAddress({ baseUrl, attachmentOrigins: [] });
      expect(allowAt('Patient/1')?.url.href).toBe('https://ehr.example.org/fhir/R4/Patient/1');
      expect(allowAt('')?.url.href).toBe('https://ehr.example.org/fhir/R4');
    }
    const allowAtRoot = makeAllowAddress({ baseUrl: 'https://ehr.example.org', attachmentOrigins: [] });
    expect(allowAtRoot('Patient/1')?.url.href).toBe('https://ehr.example.org/Patient/1');
  });

  it('a listed origin is called for recordings only, and never over plain http', () => {
    expect(allow('https://media.example.org/a', { isAttachment: true })?.isOwn).toBe(false);
    expect(allow('https://media.example.org/a')).toBeUndefined();
    expect(allow('https://media.example.org.evil.example/a', { isAttachment: true })).toBeUndefined();
    expect(allow('https://media.example.org:444/a', { isAttachment: true })).toBeUndefined();
    expect(allow('http://media.example.org/a', { isAttachment: true })).toBeUndefined();
    expect(allow('http://plain.example.org/a', { isAttachment: true })).toBeUndefined();
  });

  it('a listed origin may be plain http if the base address is plain http', () => {
    const allowPlain = makeAllowAddress({
      baseUrl: 'http://ehr.example.org/fhir',
      attachmentOrigins: ['http://plain.example.org'],
    });
    expect(allowPlain('http://plain.example.org/a', { isAttachment: true })?.isOwn).toBe(false);
    expect(allowPlain('https://ehr.example.org/fhir/Patient/1')).toBeUndefined();
  });

  it('a base address with a user or a query is refused', () => {
    for (const baseUrl of [
      'https://user:password@ehr.example.org',
      'https://ehr.example.org?x=y',
      'ftp://x',
      'nothing',
    ]) {
      expect(makeAllowAddress({ baseUrl, attachmentOrigins: [] })('Patient/1')).toBeUndefined();
    }
  });
});

describe('The FHIR transport sends no request', () => {
  let connections: string[] = [];
  beforeEach(() => {
    connections = [];
  });
  const canary = async (name: string) => {
    const url = await servers.serveRaw((socket) => {
      connections.push(name);
      socket.destroy();
    });
    return new URL(url);
  };

  it('to another spelling of a server on this machine than that of the settings', async () => {
    const [ehr, other] = [await canary('ehr'), await canary('other')];
    const transport = aTransport({ baseUrl: ehr.href, auth: { type: 'bearer', token: 'x' } });
    const spellings = [
      '127.1',
      '2130706433',
      '0x7f.1',
      '017700000001',
      'localhost',
      'localhost.',
      '[::1]',
      '①②⑦.0.0.1',
    ];
    const addresses = [ehr, other].flatMap(({ port }) => [
      ...spellings.map((host) => `http://${host}:${port}/Patient/1`),
      `http://127.0.0.1:${port}@127.0.0.1:${other.port}/`,
      `//127.0.0.1:${port}/`,
      `http:/127.0.0.1:${port}/`,
      `http:\\\\127.0.0.1:${port}/`,
    ]);
    for (const address of [...addresses, other.href, `${other.href}Patient/1`, `https://127.0.0.1:${ehr.port}/`]) {
      for (const isAttachment of [false, true]) {
        const failure = await failureOf(get(transport, address, { isAttachment }));
        expect([failure.kind, failure.wasSent, failure.isPassing]).toEqual(['address', false, false]);
        expect(failure.message).not.toMatch(/\d|Patient/);
      }
    }
    expect(connections).toEqual([]);
  });

  it('to the target of a redirect, and returns the redirect unchanged', async () => {
    const other = await canary('other');
    for (const status of [301, 302, 303, 307, 308]) {
      for (const location of [`${other.href}x`, '/again', `https://127.0.0.1:${other.port}/`, '//evil.example/']) {
        let calls = 0;
        const baseUrl = await servers.serve((_, response) => {
          calls += 1;
          response.writeHead(status, { location }).end();
        });
        const transport = aTransport({ baseUrl, auth: { type: 'bearer', token: 'x' } });
        const body = status === 307 ? '{}' : undefined;
        const answer = await transport.send(
          { method: body === undefined ? 'GET' : 'POST', url: 'Patient', ...(body !== undefined && { body }) },
          new AbortController().signal,
        );
        expect([answer.status, answer.headers.get('location'), calls]).toEqual([status, location, 1]);
      }
    }
    expect(connections).toEqual([]);
  });
});

describe('The warning about plain http', () => {
  it.each([
    'http://ehr.example.org/fhir',
    'http://10.0.0.5:8080/fhir',
    'http://128.0.0.1/',
    'http://localhost.example.org/',
  ])('%s is reported as plain http', (baseUrl) => expect(plainHttpWarning({ baseUrl })).toContain('use https'));

  it.each([
    'https://ehr.example.org',
    'http://localhost:3001/fhir',
    'http://127.0.0.1',
    'http://127.8.9.1:80',
    'http://[::1]:1',
  ])('%s is not reported', (baseUrl) => expect(plainHttpWarning({ baseUrl })).toBeUndefined());
});

function shown(address: string): string {
  const written = JSON.stringify(address);
  return written.length > 80 ? `${written.slice(0, 60)}… (${address.length} characters)` : written;
}
