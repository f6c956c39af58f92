import { request } from 'node:http';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import { RawClient } from '../../../support/raw-http.ts';
import { until } from '../../../support/until.ts';
import { FORM_TYPE, postHead } from '../body/form-bytes.ts';
import { type Door, openDoor } from '../body/upload-door.ts';

const MEBIBYTE = 1_048_576;

describe('a client that is still sending when it is refused', () => {
  let door: Door;
  afterEach(() => door.close());

  const open = async () => {
    door = await openDoor({ maxRecordingBytes: 200 * MEBIBYTE, linger: { discardBytes: MEBIBYTE, lingerMs: 500 } });
    return door;
  };

  it('gets its 401 with fetch', async () => {
    const { url } = await open();
    const response = await fetch(url('/refused'), { method: 'POST', body: Buffer.alloc(30 * MEBIBYTE) });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ statusCode: 401 });
    expect(response.headers.get('connection')).toBe('close');
  });

  it('gets its 401 with fetch while it streams an endless body', async () => {
    const { url } = await open();
    const pour = async function* () {
      for (;;) yield Buffer.alloc(65_536);
    };
    const init = { method: 'POST', body: Readable.toWeb(Readable.from(pour())), duplex: 'half' } as RequestInit;
    const response = await fetch(url('/refused'), init);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ statusCode: 401 });
  });

  it('gets its 415 with http.request', async () => {
    const { port } = await open();
    const answer = await new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const req = request({
        port,
        host: '127.0.0.1',
        path: '/transcribe',
        method: 'POST',
        headers: { 'content-type': FORM_TYPE },
      });
      req.once('response', (res) => {
        const pieces: Buffer[] = [];
        res.on('data', (piece: Buffer) => pieces.push(piece));
        res.once('end', () => {
          req.destroy();
          resolve({ status: res.statusCode, body: Buffer.concat(pieces).toString() });
        });
      });
      req.on('error', reject);
      const head = `--chartwright-test-boundary\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n`;
      req.write(head);
      const write = () => {
        while (!req.destroyed && req.write(Buffer.alloc(65_536, 'no audio ')));
        if (!req.destroyed) req.once('drain', write);
      };
      write();
    });
    expect(answer.status).toBe(415);
    expect(JSON.parse(answer.body)).toMatchObject({ statusCode: 415, error: 'Unsupported Media Type' });
  });

  it('gets its complete answer over a raw socket while it keeps sending', async () => {
    const { port } = await open();
    const client = await RawClient.connect(port);
    client.write(postHead('/refused', 100 * MEBIBYTE));
    let sentBytes = 0;
    const pouring = client.pour(Buffer.alloc(65_536), () => {
      sentBytes += 65_536;
      return sentBytes > 100 * MEBIBYTE;
    });
    const answer = await client.answer();
    expect(answer.status).toBe(401);
    expect(answer.headers.get('connection')).toBe('close');
    await client.closed;
    await pouring;
    expect(sentBytes).toBeLessThan(20 * MEBIBYTE);
  });

  it('is disconnected after a time, even if it neither sends nor closes', async () => {
    const { port } = await open();
    const client = await RawClient.connect(port);
    client.write(postHead('/refused', 1_000));
    expect((await client.answer()).status).toBe(401);
    await client.closed;
  });

  it('is disconnected at once when the rest of its body has arrived', async () => {
    door = await openDoor({ linger: { discardBytes: MEBIBYTE, lingerMs: 3_600_000 } });
    const client = await RawClient.connect(door.port);
    client.write(postHead('/refused', 1_000));
    expect((await client.answer()).status).toBe(401);
    client.write(Buffer.alloc(1_000));
    client.end();
    await client.closed;
  });

  it('leaves no connection behind if it resets the connection after its answer', async () => {
    door = await openDoor({ linger: { discardBytes: MEBIBYTE, lingerMs: 3_600_000 } });
    const client = await RawClient.connect(door.port);
    client.write(postHead('/refused', 1_000));
    expect((await client.answer()).status).toBe(401);
    client.reset();
    await until(() => new Promise((resolve) => door.server.getConnections((_, count) => resolve(count === 0))));
  });
});
