// Hostile uploads leave no files, descriptors or promises behind.

import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RawClient, rawRequest } from '../../../support/raw-http.ts';
import { until } from '../../../support/until.ts';
import { BOUNDARY, field, file, formBytes, openPart, part, postHead } from './form-bytes.ts';
import { type Door, openDoor, PDF_HEAD, WAV_HEAD } from './upload-door.ts';

const FORM = '/diagnose/form';
const AUDIO = '/transcribe';
const ROUNDS = 10;

const sound = Buffer.concat([WAV_HEAD, Buffer.alloc(60_000, 'sound')]);
const paper = Buffer.concat([PDF_HEAD, Buffer.alloc(60_000, 'paper')]);

const whole: readonly [string, Buffer][] = [
  [FORM, formBytes([field('clinical_history', 'text'), file('files', 'a.pdf', paper)])],
  [FORM, formBytes([file('files', 'a.pdf', paper), file('files', 'b.html', '<html>'), file('files', 'c.pdf', '')])],
  [FORM, formBytes([1, 2, 3, 4].map((number) => file('files', `${number}.pdf`, paper)))],
  [FORM, formBytes([file('files', 'a.pdf', Buffer.alloc(300_000, '%PDF'))])],
  [FORM, formBytes([file('files', '../../x\0.pdf', paper), part('Content-Disposition: form-data')])],
  [FORM, openPart(file('files', 'a.pdf', paper))],
  [FORM, Buffer.from('no form')],
  [AUDIO, formBytes([file('file', 'a.wav', sound), field('language', 'es')])],
  [AUDIO, formBytes([field('template', 'SOAP'), file('file', 'a.wav', sound), field('language', 'es')])],
  [AUDIO, formBytes([field('template', 'SOAP'), file('file', 'a.wav', sound), file('file', 'b.wav', sound)])],
  [AUDIO, formBytes([file('file', 'a.wav', sound), file('file', 'b.wav', sound)])],
  [AUDIO, formBytes([field('language', 'es'), file('file', 'a.wav', Buffer.alloc(300_000, 'RIFF'))])],
  [AUDIO, formBytes([file('file', 'a.wav', Buffer.alloc(300_000, 'RIFF'))])],
  [AUDIO, formBytes([field('language', 'es'), file('file', 'a.mp3', paper)])],
  [AUDIO, openPart(file('file', 'a.wav', sound))],
];

/** Sends half a body, then nothing, until the client disconnects. */
const cut: readonly [string, Buffer][] = [
  [FORM, openPart(file('files', 'a.pdf', paper))],
  [FORM, Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="fi`)],
  [AUDIO, openPart(file('file', 'a.wav', sound))],
  [AUDIO, Buffer.concat([openPart(field('language', 'es')), openPart(file('file', 'a.wav', sound))])],
  [AUDIO, Buffer.concat([openPart(field('template', 'SOAP')), openPart(file('file', 'a.wav', sound)).subarray(0, -2)])],
  ['/diagnose/json', Buffer.from('{"a":')],
];

describe('after hostile uploads', () => {
  let door: Door;
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown) => rejections.push(reason);

  beforeAll(async () => {
    process.on('unhandledRejection', onRejection);
    door = await openDoor({ maxRecordingBytes: 200_000, linger: { discardBytes: 1_048_576, lingerMs: 50 } });
  });
  afterAll(async () => {
    process.off('unhandledRejection', onRejection);
    await door.close();
  });

  const connections = () =>
    new Promise<number>((resolve, reject) =>
      door.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  const isAtRest = async () =>
    (await connections()) === 0 && door.uploadsInFlight() === 0 && (await door.filesLeft()).length === 0;
  const descriptors = async () => (await readdir('/dev/fd')).length;

  async function sendWhole(): Promise<number[]> {
    const statuses: number[] = [];
    for (const [path, body] of whole)
      statuses.push((await rawRequest(door.port, postHead(path, body.length), body)).status);
    return statuses;
  }

  async function sendCut(): Promise<void> {
    const before = door.failures.length;
    const clients = await Promise.all(cut.map(() => RawClient.connect(door.port)));
    for (const [index, [path, body]] of cut.entries()) {
      const type = path === '/diagnose/json' ? 'application/json' : undefined;
      clients[index]?.write(postHead(path, body.length + 100_000, type));
      clients[index]?.write(body);
    }
    await until(async () => door.uploadsInFlight() === 5 && (await door.filesLeft()).length === 3);
    for (const [index, client] of clients.entries()) index % 2 === 0 ? client.reset() : client.destroy();
    await until(() => door.failures.length === before + cut.length);
  }

  it('no file, descriptor or promise is left behind, and valid uploads still work', async () => {
    await sendWhole();
    await sendCut();
    await until(isAtRest);
    const before = await descriptors();
    for (let round = 0; round < ROUNDS; round += 1) {
      expect(await sendWhole()).toEqual([200, 400, 400, 400, 400, 400, 400, 200, 200, 400, 400, 413, 413, 415, 400]);
      await sendCut();
    }
    await until(isAtRest);
    await until(async () => (await descriptors()) <= before);
    expect(rejections).toEqual([]);
    expect(new Set(door.failures.map(({ code }) => code))).toEqual(
      new Set(['invalidRequest', 'payloadTooLarge', 'unsupportedMedia', 'cancelled']),
    );
  });
});
