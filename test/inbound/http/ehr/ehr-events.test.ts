// POST /ehr/{site}/events: who is authenticated, what the flow receives, and what the sender gets as answer.
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '../../../../src/domain/errors.ts';
import type { RawDelivery } from '../../../../src/domain/event/delivery.ts';
import type { AcceptAnswer } from '../../../../src/flows/intake/accept-answer.ts';
import { makeFakeRuntime } from '../../../fakes/runtime.ts';
import { RawClient, rawRequest } from '../../../support/raw-http.ts';
import { until } from '../../../support/until.ts';
import {
  ACCEPTED,
  type EhrDoor,
  type EhrDoorOptions,
  HOOK_SECRET,
  NO_RATE,
  openEhrDoor,
  PUSH_SECRET,
  signature,
  siteNamed,
} from './ehr-door.ts';

const PATH = '/ehr/mercy/events';
const EVENT = JSON.stringify({ resourceType: 'Encounter', id: '1', status: 'finished' });
const FHIR = { 'content-type': 'application/fhir+json' };
const MEBIBYTE = 1_048_576;
const hook = { kind: 'rest-hook', secret: HOOK_SECRET } as const;
const push = { secret: PUSH_SECRET } as const;

const SITES = [
  siteNamed('mercy', { events: { subscription: hook, push } }),
  siteNamed('hooked', { events: { subscription: hook } }),
  siteNamed('pushed', { events: { push } }),
  siteNamed('polled', { events: { poll: { query: 'Encounter?_lastUpdated=gt{since}', everyMs: 60_000 } } }),
  siteNamed('none', { events: { subscription: { kind: 'none', secret: HOOK_SECRET } } }),
  siteNamed('switched-off', { mode: 'off', events: { subscription: hook } }),
  siteNamed('shadowed', { mode: 'shadow', events: { subscription: hook } }),
  siteNamed('open', { events: { subscription: { kind: 'rest-hook' } } }),
  siteNamed('half-open', { events: { subscription: { kind: 'rest-hook' }, push } }),
];

let door: EhrDoor;
const open = async (options: EhrDoorOptions = {}) => {
  door = await openEhrDoor({ sites: SITES, ...options });
  return door;
};
afterEach(async () => {
  await until(() => door.largeBodies() === 0);
  await door.close();
});

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
const signed = (body: string | Uint8Array, secret = HOOK_SECRET) => ({ 'x-signature': signature(body, secret) });

/** A valid notification, with the changes of the test. */
function send(
  headers: Readonly<Record<string, string>>,
  { path = PATH, method = 'POST', body = EVENT as string | Uint8Array<ArrayBuffer> | undefined } = {},
) {
  return door.ask(path, { method, headers: { ...FHIR, ...headers }, ...(body !== undefined && { body }) });
}

function answering(outcome: AcceptAnswer['outcome'], why?: string): AcceptAnswer {
  return { ...ACCEPTED, outcome, ...(why !== undefined && { why }) };
}

describe('the sender of a notification', () => {
  it.each<[string, RawDelivery['source'], Readonly<Record<string, string>>]>([
    ['the hex HMAC of the bytes in X-Signature', 'subscription', signed(EVENT)],
    ['the same HMAC in capitals', 'subscription', { 'x-signature': signature(EVENT).toUpperCase() }],
    ['sha256=… in X-Hub-Signature-256', 'subscription', { 'x-hub-signature-256': `sha256=${signature(EVENT)}` }],
    ['sha256=… in X-Signature-256', 'subscription', { 'x-signature-256': `sha256=${signature(EVENT)}` }],
    ['the secret as a bearer', 'subscription', bearer(HOOK_SECRET)],
    ['the push secret as a bearer', 'push', bearer(PUSH_SECRET)],
    ['the HMAC with the push secret', 'push', signed(EVENT, PUSH_SECRET)],
    ['both a valid signature and the bearer', 'subscription', { ...signed(EVENT), ...bearer(HOOK_SECRET) }],
    [
      'a valid signature beside Basic credentials for a proxy',
      'subscription',
      { ...signed(EVENT), authorization: 'Basic eDp5' },
    ],
  ])('is authenticated by %s', async (_title, source, headers) => {
    await open();
    const { status, body } = await send(headers);
    expect([status, body]).toEqual([200, { outcome: 'accepted' }]);
    expect(door.deliveries).toMatchObject([{ source, contentType: 'application/fhir+json' }]);
    expect(Buffer.from(door.deliveries[0]?.body ?? []).toString()).toBe(EVENT);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['no credentials', {}],
    ['a signature of other bytes', signed(`${EVENT} `)],
    ['a signature over the same JSON with other spaces', signed(JSON.stringify(JSON.parse(EVENT), null, 2))],
    ['a signature with another secret', signed(EVENT, 'another-secret')],
    ['a signature that is too short', { 'x-signature': signature(EVENT).slice(0, 63) }],
    ['a signature that is too long', { 'x-signature': `${signature(EVENT)}0` }],
    ['an empty signature', { 'x-signature': '' }],
    ['a signature that is not hex', { 'x-signature': 'z'.repeat(64) }],
    ['two signatures in one line', { 'x-signature': `${signature(EVENT)}, ${signature(EVENT)}` }],
    ['a valid and an invalid signature', { ...signed(EVENT), 'x-signature-256': `sha256=${signature('other')}` }],
    ['signatures of two secrets', { ...signed(EVENT), 'x-signature-256': signature(EVENT, PUSH_SECRET) }],
    ['an invalid signature and a valid bearer', { ...signed('other'), ...bearer(HOOK_SECRET) }],
    ['another bearer', bearer('another-secret')],
    ['a bearer that is too short', bearer(HOOK_SECRET.slice(0, -1))],
    ['an empty bearer', { authorization: 'Bearer ' }],
    ['Basic credentials', { authorization: `Basic ${Buffer.from(`x:${HOOK_SECRET}`).toString('base64')}` }],
    ['the secret as an API key', { 'x-api-key': HOOK_SECRET }],
  ])('with %s is 401, and the body is not read', async (_title, headers) => {
    await open();
    const answer = await send(headers);
    expect(answer.body).toEqual({ statusCode: 401, message: expect.any(String) });
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    expect(door.deliveries).toEqual([]);
  });

  it.each([
    ['X-Signature', [`X-Signature: ${signature(EVENT)}`, `X-Signature: ${signature(EVENT)}`]],
    ['Authorization', [`Authorization: Bearer ${HOOK_SECRET}`, `Authorization: Bearer ${HOOK_SECRET}`]],
    ['X-Timestamp', [`Authorization: Bearer ${HOOK_SECRET}`, 'X-Timestamp: 1', 'X-Timestamp: 2']],
  ])('that sends %s twice is 401, even if both are valid', async (_name, lines) => {
    await open();
    const head = [`POST ${PATH} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...lines];
    const request = `${head.join('\r\n')}\r\nContent-Length: ${EVENT.length}\r\n\r\n${EVENT}`;
    expect((await rawRequest(door.port, request)).status).toBe(401);
    expect(door.deliveries).toEqual([]);
  });

  it('with a wrong bearer is refused before the body has arrived', async () => {
    await open();
    const client = await RawClient.connect(door.port);
    client.write(
      `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\nContent-Length: 9000000\r\n\r\n`,
    );
    expect((await client.answer()).status).toBe(401);
    client.destroy();
  });

  it('with repeated wrong credentials is throttled, and a valid sender at the same address is not', async () => {
    await open({ maxWrongKeys: 3 });
    const wrong = [1, 2, 3, 4].map(() => send(signed('other')));
    const statuses = (await Promise.all(wrong)).map(({ status }) => status).toSorted();
    expect(statuses).toEqual([401, 401, 401, 429]);
    expect((await send(bearer('other'))).headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await send(signed(EVENT))).status).toBe(200);
  });

  it.each(['hooked', 'pushed'])('is not authenticated by the secret of another kind of events: %s', async (name) => {
    await open();
    const other = name === 'hooked' ? PUSH_SECRET : HOOK_SECRET;
    const path = `/ehr/${name}/events`;
    expect((await send(bearer(other), { path })).status).toBe(401);
    expect((await send(signed(EVENT, other), { path })).status).toBe(401);
  });
});

describe('the time of a notification', () => {
  const NOW = '2026-03-02T10:00:00.000Z';
  const seconds = (offset: number) => String(Date.parse(NOW) / 1000 + offset);
  const instant = (offset: number) => new Date(Date.parse(NOW) + offset * 1000).toISOString();
  const stamped = (time: string, body = EVENT) => ({ 'x-signature': `t=${time},v1=${signature(`${time}.${body}`)}` });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['in X-Timestamp, in seconds', { ...signed(EVENT), 'x-timestamp': seconds(-300) }],
    ['in X-Timestamp, as an instant', { ...signed(EVENT), 'x-timestamp': instant(300) }],
    [
      'in X-Signature-Timestamp, with a zone',
      { ...signed(EVENT), 'x-signature-timestamp': '2026-03-02T11:00:00+01:00' },
    ],
    ['in X-Timestamp and in what is signed', { ...signed(`${seconds(0)}.${EVENT}`), 'x-timestamp': seconds(0) }],
    ['within X-Signature', stamped(seconds(-299))],
    [
      'within X-Signature, with an old and a new secret',
      { 'x-signature': `${stamped(seconds(1))['x-signature']},v1=${signature('x')}` },
    ],
    ['beside a bearer', { ...bearer(HOOK_SECRET), 'x-timestamp': seconds(10) }],
  ])('is accepted within five minutes: %s', async (_title, headers) => {
    await open({ runtime: makeFakeRuntime({ start: NOW }) });
    expect((await send(headers)).status).toBe(200);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['six minutes old', { ...signed(EVENT), 'x-timestamp': seconds(-360) }],
    ['six minutes ahead', { ...signed(EVENT), 'x-timestamp': seconds(360) }],
    ['six minutes old within X-Signature', stamped(seconds(-360))],
    ['six minutes ahead within X-Signature', stamped(seconds(360))],
    ['old, and beside a bearer', { ...bearer(HOOK_SECRET), 'x-signature-timestamp': instant(-301) }],
    ['recent, with an old one beside it', { ...stamped(seconds(0)), 'x-timestamp': seconds(-400) }],
    ['not the one that was signed', { 'x-signature': `t=${seconds(0)},v1=${signature(`${seconds(-900)}.${EVENT}`)}` }],
    ['not signed at all', { 'x-signature': `t=${seconds(0)},v1=${signature(EVENT)}` }],
    ['given twice', { 'x-signature': `t=${seconds(0)},t=${seconds(1)},v1=${signature(`${seconds(0)}.${EVENT}`)}` }],
    ['without a signature', { 'x-signature': `t=${seconds(0)}` }],
    ['not a time', { ...signed(EVENT), 'x-timestamp': 'now' }],
    ['empty', { ...signed(EVENT), 'x-timestamp': '' }],
    ['a day', { ...signed(EVENT), 'x-timestamp': '2026-03-02' }],
    ['without a zone', { ...signed(EVENT), 'x-timestamp': '2026-03-02T10:00:00' }],
  ])('is 401 if it is %s', async (_title, headers) => {
    await open({ runtime: makeFakeRuntime({ start: NOW }) });
    expect((await send(headers)).status).toBe(401);
    expect(door.deliveries).toEqual([]);
  });
});

describe('a site that accepts notifications without a secret', () => {
  it('accepts them from this machine', async () => {
    await open();
    expect((await send({}, { path: '/ehr/open/events' })).body).toEqual({ outcome: 'accepted' });
    expect(door.deliveries).toMatchObject([{ source: 'subscription' }]);
  });

  it.each([
    ['a proxy forwarded', { 'x-forwarded-for': '127.0.0.1' }],
    ['a proxy forwarded with the standard header', { forwarded: 'for=127.0.0.1' }],
    ['a page in a browser sent', { origin: 'http://127.0.0.1:3000' }],
    ['a browser sent', { 'sec-fetch-site': 'same-origin' }],
  ])('refuses those that %s, and logs the reason', async (_title, headers) => {
    await open();
    // fetch does not send some of these headers.
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST /ehr/open/events HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${lines.join('')}`;
    const answer = await rawRequest(door.port, `${head}Content-Length: ${EVENT.length}\r\n\r\n${EVENT}`);
    expect([answer.status, door.deliveries]).toEqual([401, []]);
    expect(door.logged.join('')).toContain('events.subscription.secret is not set');
  });

  it.each(['engine.example.org', 'engine.example.org:443', 'localhost.example.org'])(
    'refuses those that were sent to %s, because a proxy that adds no headers forwarded them',
    async (host) => {
      await open();
      const head = `POST /ehr/open/events HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
      const answer = await rawRequest(door.port, `${head}Content-Length: ${EVENT.length}\r\n\r\n${EVENT}`);
      expect([answer.status, door.deliveries]).toEqual([401, []]);
    },
  );

  it.each(['localhost', 'LOCALHOST:3000', '127.0.0.1', '[::1]:3000'])(
    'accepts those that were sent to %s',
    async (host) => {
      await open();
      const head = `POST /ehr/open/events HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
      const answer = await rawRequest(door.port, `${head}Content-Length: ${EVENT.length}\r\n\r\n${EVENT}`);
      expect(answer.status).toBe(200);
    },
  );

  it('still requires the other secret of a sender with credentials', async () => {
    await open();
    const path = '/ehr/half-open/events';
    expect((await send(bearer(PUSH_SECRET), { path })).status).toBe(200);
    expect((await send(bearer('another'), { path })).status).toBe(401);
    expect((await send({}, { path })).status).toBe(200);
    expect(door.deliveries.map(({ source }) => source)).toEqual(['push', 'subscription']);
  });
});

describe('a site', () => {
  it.each(['nowhere', 'switched-off', 'polled', 'none', '__proto__', 'constructor'])(
    'named %s accepts no notifications, and the message does not reveal which sites exist',
    async (name) => {
      await open();
      for (const headers of [{}, signed(EVENT), bearer(HOOK_SECRET)]) {
        const { body } = await send(headers, { path: `/ehr/${name}/events` });
        expect(body).toEqual({ statusCode: 404, message: 'There is no such site', error: 'Not Found' });
      }
      expect(door.deliveries).toEqual([]);
    },
  );

  it('in shadow mode accepts notifications too', async () => {
    await open();
    expect((await send(signed(EVENT), { path: '/ehr/shadowed/events' })).status).toBe(200);
  });

  it.each([
    ['GET', PATH, 'POST'],
    ['PUT', PATH, 'POST'],
    ['POST', `${PATH}/Encounter/1`, 'PUT, DELETE'],
  ])('answers 405 to %s at %s', async (method, path, allow) => {
    await open();
    const { status, headers } = await door.ask(path, { method, headers: bearer(HOOK_SECRET) });
    expect([status, headers.get('allow')]).toEqual([405, allow]);
  });
});

describe('the delivery that the flow receives', () => {
  it('has the bytes, the relevant headers and the message id of the notification', async () => {
    await open();
    await send({
      ...signed(EVENT),
      'content-type': 'Application/FHIR+JSON; charset=UTF-8',
      'x-medplum-subscription': 'sub-1',
      'x-subscription-topic': 'encounters',
      'ce-source': '/ehr',
      'x-message-id': 'm-1',
      'ce-id': 'other',
      cookie: 'secret=1',
    });
    expect(door.deliveries).toEqual([
      {
        source: 'subscription',
        contentType: 'application/fhir+json',
        headers: {
          'content-type': 'Application/FHIR+JSON; charset=UTF-8',
          'x-medplum-subscription': 'sub-1',
          'x-subscription-topic': 'encounters',
          'ce-source': '/ehr',
          'ce-id': 'other',
        },
        body: Buffer.from(EVENT),
        messageId: 'm-1',
        receivedAt: door.runtime.now(),
      },
    ]);
  });

  it.each(['x-message-id', 'idempotency-key', 'ce-id'])('has its message id from %s', async (header) => {
    await open();
    await send({ ...signed(EVENT), [header]: 'm-7' });
    expect(door.deliveries).toMatchObject([{ messageId: 'm-7' }]);
  });

  it.each([
    ['empty', ''],
    ['too long', 'x'.repeat(256)],
    ['not printable', 'caf\u00e9'],
  ])('is not made from a message id that is %s, which is 400', async (_title, id) => {
    await open();
    expect((await send({ ...signed(EVENT), 'idempotency-key': id })).status).toBe(400);
    expect(door.deliveries).toEqual([]);
  });

  it('has the resource that a HAPI server sends with PUT', async () => {
    await open();
    const { body } = await send(bearer(HOOK_SECRET), { path: `${PATH}/Encounter/1`, method: 'PUT' });
    expect(body).toEqual({ outcome: 'accepted' });
    expect(door.deliveries).toMatchObject([{ source: 'subscription', body: Buffer.from(EVENT) }]);
  });

  it('reports a deleted resource if a HAPI server sends DELETE', async () => {
    await open();
    const order = { path: `${PATH}/Encounter/1`, method: 'DELETE', body: undefined };
    expect((await send(bearer(HOOK_SECRET), order)).status).toBe(200);
    expect(door.deliveries).toMatchObject([
      {
        body: Buffer.from('{}'),
        headers: { 'x-medplum-interaction': 'delete', 'x-medplum-deleted-resource': 'Encounter/1' },
      },
    ]);
  });

  it.each(['PUT', 'DELETE'])('needs an authenticated sender for %s too', async (method) => {
    await open();
    expect((await send({}, { path: `${PATH}/Encounter/1`, method })).status).toBe(401);
    expect(door.deliveries).toEqual([]);
  });

  it('is empty if the notification has no content', async () => {
    await open();
    const { body } = await door.ask(PATH, { method: 'POST', headers: bearer(HOOK_SECRET) });
    expect(body).toEqual({ outcome: 'accepted' });
    expect(door.deliveries).toMatchObject([{ source: 'subscription', contentType: '', body: Buffer.alloc(0) }]);
  });

  it('is decompressed, whether the sender signed it before or after compression', async () => {
    await open();
    const packed = new Uint8Array(gzipSync(EVENT));
    const headers = { 'content-encoding': 'gzip' };
    for (const credentials of [bearer(HOOK_SECRET), signed(EVENT), signed(packed)]) {
      expect((await send({ ...headers, ...credentials }, { body: packed })).status).toBe(200);
    }
    expect(door.deliveries.map(({ body }) => Buffer.from(body).toString())).toEqual([EVENT, EVENT, EVENT]);
  });
});

describe('a malformed notification', () => {
  it.each([
    ['XML', 'application/fhir+xml', '<Encounter/>'],
    ['XML with a bomb in it', 'text/xml', '<!DOCTYPE x [<!ENTITY a "a">]><x>&a;</x>'],
    ['a form', 'application/x-www-form-urlencoded', 'a=b'],
    ['JSON with the type text/plain', 'text/plain', EVENT],
    ['JSON in UTF-16', 'application/json; charset=utf-16', EVENT],
    ['JSON in UTF-7', 'application/json; charset=utf-7', EVENT],
    ['not a media type', 'json', EVENT],
    ['bytes', 'application/octet-stream', EVENT],
  ])('is 415 if it is %s', async (_title, contentType, body) => {
    await open();
    const answer = await send({ ...signed(body), 'content-type': contentType }, { body });
    expect([answer.status, answer.body.error]).toEqual([415, 'Unsupported Media Type']);
    expect(door.deliveries).toEqual([]);
  });

  it.each(['br', 'deflate', 'evil', 'gzip, gzip'])('is 415 with the Content-Encoding %s', async (encoding) => {
    await open();
    expect((await send({ ...signed(EVENT), 'content-encoding': encoding })).status).toBe(415);
  });

  it('is 400 if it does not match its Content-Encoding', async () => {
    await open();
    expect((await send({ ...signed(EVENT), 'content-encoding': 'gzip' })).status).toBe(400);
  });

  it('is accepted with 16 MiB, and 413 with one byte more, with and without a Content-Length', async () => {
    await open();
    const whole = new Uint8Array(Buffer.alloc(16 * MEBIBYTE, ' '));
    expect((await send(signed(whole), { body: whole })).status).toBe(200);
    const larger = new Uint8Array(Buffer.alloc(16 * MEBIBYTE + 1, ' '));
    expect((await send(signed(larger), { body: larger })).status).toBe(413);
    const client = await RawClient.connect(door.port);
    client.write(
      `POST ${PATH} HTTP/1.1\r\nHost: x\r\nX-Signature: ${signature(larger)}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const chunk = Buffer.alloc(65_536, ' ');
    await client.pour(
      Buffer.concat([Buffer.from('10000\r\n'), chunk, Buffer.from('\r\n')]),
      () => client.received !== '',
    );
    expect((await client.answer()).status).toBe(413);
    client.destroy();
    expect(door.deliveries).toHaveLength(1);
  });

  it('is 413 if it is larger after decompression, which stops at the limit', async () => {
    await open();
    const bomb = new Uint8Array(gzipSync(Buffer.alloc(50 * MEBIBYTE)));
    const answer = await send({ ...signed(bomb), 'content-encoding': 'gzip' }, { body: bomb });
    expect([answer.status, answer.body.message]).toEqual([413, 'The request body is larger than 16 MB when unpacked']);
    expect(door.deliveries).toEqual([]);
  });

  it('is 400 if it arrives too slowly', async () => {
    const minimumRate = { bytesPerSecond: 100_000, windowMs: 200, graceMs: 200 };
    await open({ bodyLimits: { minimumRate } });
    const client = await RawClient.connect(door.port);
    client.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\nX-Signature: ${signature('')}\r\nContent-Length: 100\r\n\r\n{`);
    expect((await client.answer()).status).toBe(400);
    client.destroy();
  });

  it('is refused with Retry-After if there are too many large ones at once, and small ones are accepted', async () => {
    await open({ largeBodies: 1, bodyLimits: { smallBytes: 1_000, minimumRate: NO_RATE } });
    const client = await RawClient.connect(door.port);
    client.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\nX-Signature: ${signature('')}\r\nContent-Length: 90000\r\n\r\n`);
    client.write(Buffer.alloc(2_000, ' '));
    await until(() => door.largeBodies() === 1);
    const large = new Uint8Array(Buffer.alloc(2_000, ' '));
    const refused = await send(signed(large), { body: large });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    expect((await send(signed(EVENT))).status).toBe(200);
    client.destroy();
  });

  it('leaves nothing behind if its sender disconnects in the middle', async () => {
    await open();
    const client = await RawClient.connect(door.port);
    client.write(`POST ${PATH} HTTP/1.1\r\nHost: x\r\nX-Signature: ${signature('')}\r\nContent-Length: 900000\r\n\r\n`);
    client.write(Buffer.alloc(500_000, ' '));
    await until(() => door.largeBodies() === 1);
    client.destroy();
    await until(() => door.largeBodies() === 0);
    expect(door.deliveries).toEqual([]);
  });

  it('is 503 while the engine stops', async () => {
    await open({ isStopping: () => true });
    const answer = await send(signed(EVENT));
    expect([answer.status, answer.headers.get('retry-after'), door.deliveries]).toEqual([503, '5', []]);
  });
});

describe('the answer to a notification', () => {
  it.each(['accepted', 'repeated', 'nothing'] as const)('is 200 for an event that is %s', async (outcome) => {
    await open({ acceptEvent: async () => answering(outcome, 'It is a heartbeat.') });
    const answer = await send(signed(EVENT));
    expect([answer.status, answer.body]).toEqual([200, { outcome }]);
  });

  it.each(['not-understood', 'id-reused'] as const)(
    'is 422 with the reason for an event that is %s',
    async (outcome) => {
      await open({ acceptEvent: async () => answering(outcome, 'It has none of the supported formats') });
      const answer = await send(signed(EVENT));
      expect(answer.body).toEqual({
        statusCode: 422,
        message: 'It has none of the supported formats',
        error: 'Unprocessable Entity',
      });
    },
  );

  it('is 503 while the database is down, so that the EHR sends it again', async () => {
    const away = new AppError('overloaded', 'The database cannot be reached');
    await open({ acceptEvent: () => Promise.reject(away) });
    const answer = await send(signed(EVENT));
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(answer.body.message).toBe('The database cannot be reached');
  });

  it('is 500 for an unexpected error, without details', async () => {
    await open({ acceptEvent: () => Promise.reject(new TypeError('canary of the inside')) });
    const answer = await send(signed(EVENT));
    expect(answer.body).toMatchObject({ statusCode: 500, message: 'Internal server error' });
    expect(door.logged.join('')).not.toContain('canary');
  });

  it('is sent only after the flow has finished', async () => {
    const keeping = Promise.withResolvers<AcceptAnswer>();
    await open({ acceptEvent: () => keeping.promise });
    const client = await RawClient.connect(door.port);
    const head = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nX-Signature: ${signature(EVENT)}\r\nContent-Type: application/json`;
    client.write(`${head}\r\nContent-Length: ${EVENT.length}\r\n\r\n${EVENT}`);
    await until(() => door.deliveries.length === 1);
    expect(client.received).toBe('');
    keeping.resolve(ACCEPTED);
    expect((await client.answer()).status).toBe(200);
    client.destroy();
  });
});

describe('an HL7 v2 message', () => {
  const MESSAGE = [
    'MSH|^~\\&|ADT|MERCY|CHARTWRIGHT|ENGINE|20260302100000||ADT^A03^ADT_A03|m-42|P|2.5.1',
    'PV1|1|O|||||||||||||||||V-77',
  ].join('\r');
  const hl7 = (type: string) => ({ ...bearer(PUSH_SECRET), 'content-type': type });
  const segments = (text: string) => text.split('\r').map((segment) => segment.split('|'));

  it.each(['application/hl7-v2', 'application/hl7-v2; charset=utf-8', 'x-application/hl7-v2+er7', 'text/plain'])(
    'with the type %s is answered with an HL7 acknowledgement',
    async (type) => {
      await open();
      const { status, headers, text } = await send(hl7(type), { body: MESSAGE });
      expect([status, headers.get('content-type')]).toEqual([200, type.split(';', 1)[0]]);
      const [header, acknowledgement] = segments(text);
      expect(header?.slice(2, 6)).toEqual(['CHARTWRIGHT', 'ENGINE', 'ADT', 'MERCY']);
      expect(acknowledgement?.slice(0, 3)).toEqual(['MSA', 'AA', 'm-42']);
      expect(door.deliveries).toMatchObject([{ source: 'push', body: Buffer.from(MESSAGE) }]);
    },
  );

  it.each(['repeated', 'nothing'] as const)('is acknowledged with AA if it is %s', async (outcome) => {
    await open({ acceptEvent: async () => answering(outcome) });
    const { status, text } = await send(hl7('application/hl7-v2'), { body: MESSAGE });
    expect([status, segments(text)[1]?.[1]]).toEqual([200, 'AA']);
  });

  it.each(['not-understood', 'id-reused'] as const)('is acknowledged with AR if it is %s', async (outcome) => {
    await open({ acceptEvent: async () => answering(outcome, 'It has no visit number') });
    const { status, text } = await send(hl7('application/hl7-v2'), { body: MESSAGE });
    expect([status, segments(text)[1]?.slice(0, 4)]).toEqual([422, ['MSA', 'AR', 'm-42', 'It has no visit number']]);
  });

  it('is acknowledged with AE while the database is down', async () => {
    const away = new AppError('overloaded', 'The database cannot be reached');
    await open({ acceptEvent: () => Promise.reject(away) });
    const { status, headers, text } = await send(hl7('application/hl7-v2'), { body: MESSAGE });
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    expect(segments(text)[1]?.slice(0, 3)).toEqual(['MSA', 'AE', 'm-42']);
  });

  it('is acknowledged with AE after an unexpected error, without details', async () => {
    await open({ acceptEvent: () => Promise.reject(new TypeError('canary of the inside')) });
    const { status, text } = await send(hl7('application/hl7-v2'), { body: MESSAGE });
    expect([status, segments(text)[1]?.[1]]).toEqual([500, 'AE']);
    expect([text, ...door.logged].join('')).not.toContain('canary');
  });

  it('is acknowledged as the sender asks in the enhanced mode', async () => {
    await open();
    const asking = (condition: string) => MESSAGE.replace('|2.5.1', `|2.5.1|||${condition}|NE`);
    const always = await send(hl7('application/hl7-v2'), { body: asking('AL') });
    expect(segments(always.text)[1]?.slice(0, 3)).toEqual(['MSA', 'CA', 'm-42']);
    const onError = await send(hl7('application/hl7-v2'), { body: asking('ER') });
    expect([onError.status, onError.text]).toEqual([200, '']);
  });

  it('in a batch is acknowledged in a batch', async () => {
    const stored = { ...ACCEPTED, outcome: 'accepted' } as const;
    const refused = answering('not-understood', 'It has no visit number');
    await open({ acceptEvent: async () => ({ ...refused, why: '1 of 2', messages: [stored, refused] }) });
    const body = `BHS|^~\\&|ADT|MERCY|CHARTWRIGHT|ENGINE|||||B-1\r${MESSAGE}\r${MESSAGE.replace('m-42', 'm-43')}\rBTS|2\r`;
    const { status, text } = await send(hl7('application/hl7-v2'), { body });
    expect([status, segments(text).map(([name]) => name)]).toEqual([
      422,
      ['BHS', 'MSH', 'MSA', 'MSH', 'MSA', 'BTS', ''],
    ]);
    expect(segments(text)[0]?.slice(9)).toEqual(['1 of 2', expect.any(String), 'B-1']);
    expect([segments(text)[2]?.slice(1), segments(text)[4]?.slice(1)]).toEqual([
      ['AA', 'm-42'],
      ['AR', 'm-43', 'It has no visit number'],
    ]);
  });

  it('in a batch is acknowledged with AE while the database is down', async () => {
    await open({ acceptEvent: () => Promise.reject(new AppError('overloaded', 'The database cannot be reached')) });
    const body = `BHS|^~\\&|ADT|||||||||B-1\r${MESSAGE}\r${MESSAGE.replace('m-42', 'm-43')}\rBTS|2\r`;
    const { status, headers, text } = await send(hl7('application/hl7-v2'), { body });
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
    expect([segments(text)[2]?.slice(0, 3), segments(text)[4]?.slice(0, 3)]).toEqual([
      ['MSA', 'AE', 'm-42'],
      ['MSA', 'AE', 'm-43'],
    ]);
  });

  it('from an unknown sender is not acknowledged', async () => {
    await open();
    const { status, text } = await send({ 'content-type': 'application/hl7-v2' }, { body: MESSAGE });
    expect([status, text.includes('MSA'), door.deliveries]).toEqual([401, false, []]);
  });
});

describe('the handshake of a sender of CloudEvents', () => {
  const ask = (path: string, headers: Readonly<Record<string, string>>) =>
    door.ask(path, { method: 'OPTIONS', headers });
  const origin = { 'webhook-request-origin': 'events.example.org', 'webhook-request-rate': '120' };

  it.each(['mercy', 'pushed', 'hooked'])('is answered with the consent of the site %s', async (site) => {
    await open();
    const { status, headers, text } = await ask(`/ehr/${site}/events`, origin);
    expect([status, text, headers.get('allow')]).toEqual([200, '', 'POST']);
    expect(headers.get('webhook-allowed-origin')).toBe('events.example.org');
    expect(headers.get('webhook-allowed-rate')).toBe('*');
    expect(door.deliveries).toEqual([]);
  });

  it.each(['polled', 'switched-off', 'unknown'])('gets no consent of the site %s', async (site) => {
    await open();
    const { status, headers } = await ask(`/ehr/${site}/events`, origin);
    expect([status, headers.get('webhook-allowed-origin')]).toEqual([404, null]);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['no origin', {}],
    ['an origin that is no name', { 'webhook-request-origin': 'https://events.example.org/a path' }],
    ['two origins', { 'webhook-request-origin': 'a.example.org, b.example.org' }],
  ])('gets no consent with %s', async (_title, headers) => {
    await open();
    const answer = await ask(PATH, headers);
    expect(answer.headers.get('allow')).toBe('POST');
    expect(answer.headers.get('webhook-allowed-origin')).toBeNull();
  });

  it('opens nothing: a delivery still needs the secret of the site', async () => {
    await open();
    await ask(PATH, origin);
    expect((await send({ origin: 'events.example.org' })).status).toBe(401);
  });
});

describe('Azure Event Grid', () => {
  const question = (data: unknown) =>
    JSON.stringify([{ id: 'v-1', eventType: 'Microsoft.EventGrid.SubscriptionValidationEvent', data }]);

  it('gets its validation code from a new receiver', async () => {
    await open();
    const body = question({ validationCode: '512d38b6-c7b8-40c8-89fe-f46f9e9622b6' });
    const answer = await send({ ...bearer(PUSH_SECRET), 'aeg-event-type': 'SubscriptionValidation' }, { body });
    expect([answer.status, answer.body]).toEqual([200, { validationResponse: '512d38b6-c7b8-40c8-89fe-f46f9e9622b6' }]);
    expect(door.deliveries).toEqual([]);
  });

  it('gets no validation code without the secret', async () => {
    await open();
    const answer = await send({}, { body: question({ validationCode: '512d38b6' }) });
    expect([answer.status, answer.text.includes('512d38b6')]).toEqual([401, false]);
  });

  it.each([[{}], [{ validationCode: 7 }], [{ validationCode: 'x'.repeat(500) }], [{ validationCode: 'a\nb' }]])(
    'gets an ordinary answer to an invalid validation request: %j',
    async (data) => {
      await open();
      expect((await send(bearer(PUSH_SECRET), { body: question(data) })).body).toEqual({ outcome: 'accepted' });
      expect(door.deliveries).toHaveLength(1);
    },
  );
});
