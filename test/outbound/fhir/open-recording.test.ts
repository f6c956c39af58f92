import { once } from 'node:events';
import type http from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import type { RecordingSource } from '../../../src/domain/recording/recording-source.ts';
import type { EhrAuth } from '../../../src/domain/site/site.ts';
import { openRecording } from '../../../src/outbound/fhir/open-recording.ts';
import { type EhrTransportParts, makeEhrTransport } from '../../../src/outbound/fhir/transport.ts';
import { makeAudio } from '../../support/audio-samples.ts';
import { passDeadline } from '../../support/held-timers.ts';
import { makeLocalServers } from '../../support/local-servers.ts';
import { until } from '../../support/until.ts';

const servers = makeLocalServers();
const closings: (() => void)[] = [];

afterEach(async () => {
  for (const close of closings.splice(0)) close();
  await servers.close();
});

const WAV = makeAudio('wav', 200_000);
const BEARER: EhrAuth = { type: 'bearer', token: 'secret-token' };

type Stage = {
  readonly baseUrl: string;
  readonly origins?: readonly string[];
  readonly maxBytes?: number;
  readonly limits?: EhrTransportParts['limits'];
};

function anOpener({ baseUrl, origins = [], maxBytes, limits }: Stage) {
  const transport = makeEhrTransport({
    site: 'mercy',
    ehr: { baseUrl, auth: BEARER, maxConcurrentWrites: 2, headers: { 'x-site': 'mercy' } },
    attachmentOrigins: origins,
    ...(limits && { limits }),
  });
  closings.push(transport.close);
  const now = () => new Date('2026-03-02T10:00:00Z');
  return openRecording({ transport, site: 'mercy', baseUrl, now, ...(maxBytes !== undefined && { maxBytes }) });
}

function aLink(url = 'Binary/b-1', contentType = 'audio/wav'): RecordingSource {
  return { reference: 'DocumentReference/d-1', contentType, bytes: { kind: 'link', url } };
}

function inline(base64: string): RecordingSource {
  return { reference: 'Media/m-1', contentType: 'audio/wav', bytes: { kind: 'inline', base64 } };
}

/** Reads to the end or to the error, and returns both. */
async function readAll(bytes: AsyncIterable<Uint8Array>): Promise<{ read: Buffer; error?: unknown }> {
  const read: Uint8Array[] = [];
  try {
    for await (const piece of bytes) read.push(piece);
  } catch (error) {
    return { read: Buffer.concat(read), error };
  }
  return { read: Buffer.concat(read) };
}

/** Reads a recording from an EHR with this handler. */
async function fetchFrom(handler: http.RequestListener, stage: Partial<Stage> = {}, source = aLink()) {
  const baseUrl = await servers.serve(handler);
  const open = anOpener({ baseUrl: `${baseUrl}/fhir`, ...stage });
  return readAll(open(source, AbortSignal.timeout(20_000)));
}

function sendWav(_: http.IncomingMessage, response: http.ServerResponse): void {
  response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': WAV.length }).end(WAV);
}

describe('A recording at the EHR', () => {
  it('is requested as audio, with the credentials of the site, and arrives byte for byte', async () => {
    const seen: http.IncomingMessage[] = [];
    const { read, error } = await fetchFrom((request, response) => {
      seen.push(request);
      sendWav(request, response);
    });
    expect(error).toBeUndefined();
    expect(read.equals(WAV)).toBe(true);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      method: 'GET',
      url: '/fhir/Binary/b-1',
      headers: { accept: 'audio/wav, audio/*;q=0.9, */*;q=0.1', authorization: 'Bearer secret-token' },
    });
    // Ranges are not used, because the parts may be of different recordings.
    expect(seen[0]?.headers).not.toHaveProperty('range');
  });

  it.each([
    ['', 'audio/*;q=0.9, */*;q=0.1'],
    ['audio/webm; codecs=opus', 'audio/webm, audio/*;q=0.9, */*;q=0.1'],
    ['audio/wav\r\nx-evil: 1', 'audio/*;q=0.9, */*;q=0.1'],
  ])('is requested with a valid Accept header, whatever its type in the chart: %j', async (contentType, accept) => {
    let accepted: string | undefined;
    const { error } = await fetchFrom(
      (request, response) => {
        accepted = request.headers.accept;
        sendWav(request, response);
      },
      {},
      aLink('Binary/b-1', contentType),
    );
    expect(error).toBeUndefined();
    expect(accepted).toBe(accept);
  });

  it('is decoded if the EHR answers with a Binary in JSON', async () => {
    const binary = JSON.stringify({ resourceType: 'Binary', data: Buffer.from(WAV).toString('base64') });
    const { read } = await fetchFrom((_, response) => {
      response.writeHead(200, { 'content-type': 'application/fhir+json;charset=utf-8' }).end(binary);
    });
    expect(read.equals(WAV)).toBe(true);
  });

  it('may be as large as the limit, even if its JSON is larger', async () => {
    const binary = JSON.stringify({ resourceType: 'Binary', data: Buffer.from(WAV).toString('base64') });
    const raw = await fetchFrom(sendWav, { maxBytes: WAV.length });
    const json = await fetchFrom(
      (_, response) => {
        const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(binary) };
        response.writeHead(200, headers).end(binary);
      },
      { maxBytes: WAV.length },
    );
    expect([raw.read.length, json.read.length]).toEqual([WAV.length, WAV.length]);
  });

  it('can be opened repeatedly, and is requested again each time', async () => {
    let requests = 0;
    const baseUrl = await servers.serve((request, response) => {
      requests += 1;
      sendWav(request, response);
    });
    const open = anOpener({ baseUrl });
    const signal = new AbortController().signal;
    const bytes = open(aLink(), signal);
    expect(requests).toBe(0);
    expect((await readAll(bytes)).read.equals(WAV)).toBe(true);
    expect((await readAll(open(aLink(), signal))).read.equals(WAV)).toBe(true);
    expect(requests).toBe(2);
  });

  it('arrives with others in the order in which they are requested', async () => {
    const baseUrl = await servers.serve((request, response) => {
      response.writeHead(200, { 'content-type': 'audio/wav' }).end(`sound of ${request.url}`);
    });
    const open = anOpener({ baseUrl });
    const heard: string[] = [];
    for (const id of ['b-2', 'b-1', 'b-3']) {
      heard.push((await readAll(open(aLink(`Binary/${id}`), AbortSignal.timeout(20_000)))).read.toString());
    }
    expect(heard).toEqual(['sound of /Binary/b-2', 'sound of /Binary/b-1', 'sound of /Binary/b-3']);
  });

  it('is passed on unchanged if the EHR sends a page instead, which its first bytes will show', async () => {
    const { read, error } = await fetchFrom((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Please log in</html>');
    });
    expect(error).toBeUndefined();
    expect(read.toString()).toBe('<html>Please log in</html>');
  });
});

describe('A recording at another server', () => {
  it('is not requested if the site does not list the origin, and no packet is sent', async () => {
    let connections = 0;
    const elsewhere = await servers.serveRaw(() => {
      connections += 1;
    });
    const { error } = await fetchFrom(sendWav, {}, aLink(`${elsewhere}/patients/secret-id/visit.wav`));
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'ehrRefused', message: expect.stringContaining('recording.origins') });
    expect((error as AppError).message).toContain(`leads to ${elsewhere}, which`);
    expect((error as AppError).message).not.toContain('secret-id');
    expect(connections).toBe(0);
  });

  it.each([
    [401, 'ehrRefused', 'no credentials are sent there'],
    [403, 'ehrRefused', 'no credentials are sent there'],
    [404, 'notFound', 'no longer has'],
    [410, 'notFound', 'no longer has'],
    [400, 'ehrRefused', 'refuses to give'],
  ])(
    'that answers %i is named by its origin alone, and the credentials are not blamed',
    async (status, code, words) => {
      const elsewhere = await servers.serve((_, response) => void response.writeHead(status).end());
      const source = aLink(`${elsewhere}/media/jane-doe.wav?Signature=a-secret`);
      const { error } = await fetchFrom(sendWav, { origins: [elsewhere] }, source);
      expect(error).toMatchObject({ code, owner: 'listed', status, mayHaveEnded: true });
      const { message } = error as AppError;
      expect(message).toMatch(new RegExp(`^mercy: ${elsewhere} .*\\(${status}\\)`));
      expect(message).toContain(words);
      expect(message).not.toMatch(/jane|secret|ehr\.auth/);
    },
  );

  it('that sends us elsewhere or is too busy is not taken for a link that has ended', async () => {
    for (const status of [302, 406, 429, 500]) {
      const { error } = await fetchFrom((_, response) => void response.writeHead(status).end());
      expect(error).not.toMatchObject({ mayHaveEnded: true });
    }
  });

  it('with an address that hides where it leads is refused, and the message says so', async () => {
    const { error } = await fetchFrom(sendWav, {}, aLink('http://user@127.0.0.1:9/x.wav'));
    expect(error).toMatchObject({ code: 'ehrRefused', owner: 'unlisted', mayHaveEnded: false });
    const base = await servers.serve(sendWav);
    const hidden = base.replace('127.0.0.1', '2130706433');
    const open = anOpener({ baseUrl: base });
    const { error: spelled } = await readAll(open(aLink(`${hidden}/x.wav`), AbortSignal.timeout(20_000)));
    expect(spelled).toMatchObject({ message: expect.stringContaining('hides where it leads') });
  });

  it('is requested without credentials and headers of the site if the site lists its origin', async () => {
    let headers: http.IncomingHttpHeaders = {};
    const elsewhere = await servers.serve((request, response) => {
      headers = request.headers;
      sendWav(request, response);
    });
    const source = aLink(`${elsewhere}/media/visit.wav?signature=1`);
    const { read } = await fetchFrom(sendWav, { origins: [elsewhere] }, source);
    expect(read.equals(WAV)).toBe(true);
    expect(headers).toHaveProperty('host');
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('x-site');
  });

  it.each(['file:///etc/passwd', 'ftp://127.0.0.1/x.wav', 'data:audio/wav;base64,UklG', 'urn:uuid:1', '//127.0.0.1/x'])(
    'is refused if its link is not of the web: %s',
    async (url) => {
      expect((await fetchFrom(sendWav, {}, aLink(url))).error).toMatchObject({ code: 'ehrRefused' });
    },
  );

  it.each([301, 302, 303, 307, 308])('is not requested if the EHR redirects to it with %i', async (status) => {
    let connections = 0;
    const elsewhere = await servers.serveRaw(() => {
      connections += 1;
    });
    const { error } = await fetchFrom((_, response) => {
      response.writeHead(status, { location: `${elsewhere}/visit.wav` }).end();
    });
    expect(error).toMatchObject({ code: 'ehrRefused', message: expect.stringContaining('recording.origins') });
    expect(connections).toBe(0);
  });
});

describe('An answer without a recording', () => {
  it.each([
    [404, 'notFound'],
    [410, 'notFound'],
    [401, 'ehrRefused'],
    [403, 'ehrRefused'],
    [400, 'ehrRefused'],
    [406, 'ehrRefused'],
    [408, 'ehrUnavailable'],
    [429, 'ehrUnavailable'],
    [500, 'ehrUnavailable'],
    [503, 'ehrUnavailable'],
    [202, 'ehrAnswer'],
    [206, 'ehrAnswer'],
  ])('with status %i is %s, and the error quotes nothing of it', async (status, code) => {
    const { read, error } = await fetchFrom((_, response) => {
      response.writeHead(status, { 'content-type': 'text/plain' }).end('no recording for Jane Doe');
    });
    expect(read).toHaveLength(0);
    expect(error).toMatchObject({ code, message: expect.stringContaining(`${status}`) });
    expect((error as AppError).message).not.toMatch(/Jane|b-1/);
  });

  it('reports the pause that the EHR asks for', async () => {
    const { error } = await fetchFrom((_, response) => {
      response.writeHead(429, { 'retry-after': '7' }).end();
    });
    expect(error).toMatchObject({ code: 'ehrUnavailable', retryAfterSeconds: 7 });
  });

  it('is refused if the EHR answers with an OperationOutcome and status 200', async () => {
    const { error } = await fetchFrom((_, response) => {
      response.writeHead(200, { 'content-type': 'application/fhir+json' }).end('{"resourceType":"OperationOutcome"}');
    });
    expect(error).toMatchObject({ code: 'ehrAnswer' });
  });

  it('is refused if it is compressed, however small it is', async () => {
    const { read, error } = await fetchFrom((_, response) => {
      response.writeHead(200, { 'content-type': 'audio/wav', 'content-encoding': 'gzip' }).end(gzipSync(WAV));
    });
    expect(error).toMatchObject({ code: 'ehrAnswer' });
    expect(read).toHaveLength(0);
  });

  it('is reported as unavailable if the EHR cannot be reached', async () => {
    const baseUrl = await servers.serve(sendWav);
    await servers.close();
    const { error } = await readAll(anOpener({ baseUrl })(aLink(), AbortSignal.timeout(20_000)));
    expect(error).toMatchObject({ code: 'ehrUnavailable' });
  });
});

describe('A recording that breaks off', () => {
  it('before its announced end is an error that may be tried again', async () => {
    const { read, error } = await fetchFrom((_, response) => {
      response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': WAV.length });
      response.write(WAV.subarray(0, 100_000), () => response.destroy());
    });
    expect(read.length).toBeLessThan(WAV.length);
    expect(error).toMatchObject({ code: 'ehrUnavailable', retryability: 'transient' });
  });

  it('without an announced end is an error', async () => {
    const { error } = await fetchFrom((_, response) => {
      response.writeHead(200, { 'content-type': 'audio/wav' });
      response.write(WAV.subarray(0, 100_000), () => response.destroy());
    });
    expect(error).toMatchObject({ code: 'ehrUnavailable' });
  });

  it('within a Binary in JSON is an error, even after a valid group of base64', async () => {
    const binary = JSON.stringify({ resourceType: 'Binary', data: Buffer.from(WAV).toString('base64') });
    const { error } = await fetchFrom((_, response) => {
      response.writeHead(200, { 'content-type': 'application/fhir+json' }).end(binary.slice(0, 90_000));
    });
    expect(error).toMatchObject({ code: 'ehrAnswer', retryability: 'transient' });
  });

  it('is an error even if the connection does not report it', async () => {
    // A proxy may pass on the header content-length without its bytes.
    const body = ReadableStream.from([Buffer.from(WAV.subarray(0, 1000))]);
    const response = new Response(body, { headers: { 'content-type': 'audio/wav', 'content-length': '2000' } });
    const open = openRecording({
      transport: { send: async () => response },
      site: 'mercy',
      baseUrl: 'https://ehr.example',
    });
    const { error } = await readAll(open(aLink(), new AbortController().signal));
    expect(error).toMatchObject({ code: 'ehrUnavailable' });
  });

  it('because no bytes arrive any more is given up', async () => {
    const baseUrl = await servers.serve((_, response) => {
      response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': WAV.length });
      response.write(WAV.subarray(0, 1000));
    });
    const open = anOpener({ baseUrl: `${baseUrl}/fhir`, limits: { idleMs: 5_000 } });
    let receivedBytes = 0;
    const reading = async () => {
      for await (const piece of open(aLink(), new AbortController().signal)) receivedBytes += piece.length;
    };
    const read = passDeadline(reading, { after: () => receivedBytes === 1000, ms: 5_000 });
    await expect(read).rejects.toMatchObject({ code: 'ehrUnavailable' });
  });

  it('because it arrives too slowly is given up', async () => {
    const limits = { totalMs: 100, minBytesPerMs: 10 };
    const { error } = await fetchFrom(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'audio/wav' });
        const timer = setInterval(() => response.write('x'), 5);
        response.on('close', () => clearInterval(timer));
      },
      { limits },
    );
    expect(error).toMatchObject({ code: 'ehrUnavailable' });
  });
});

describe('A recording that is too large', () => {
  it('is refused before its first byte if the EHR announces its size', async () => {
    let isClosed = false;
    const { read, error } = await fetchFrom(
      (_, response) => {
        response.on('close', () => {
          isClosed = true;
        });
        response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': WAV.length });
        response.write(WAV.subarray(0, 10));
      },
      { maxBytes: WAV.length - 1 },
    );
    expect(error).toMatchObject({ code: 'payloadTooLarge' });
    expect(read).toHaveLength(0);
    await until(() => isClosed);
  });

  it('is refused at the first byte beyond the limit if its size is not announced', async () => {
    let isClosed = false;
    const { read, error } = await fetchFrom(
      (_, response) => {
        response.on('close', () => {
          isClosed = true;
        });
        response.writeHead(200, { 'content-type': 'audio/wav' });
        const send = () => {
          while (!response.destroyed && response.write(WAV));
        };
        response.on('drain', send);
        send();
      },
      { maxBytes: 1_000_000 },
    );
    expect(error).toMatchObject({ code: 'payloadTooLarge', message: expect.not.stringContaining('b-1') });
    expect(read.length).toBeLessThanOrEqual(1_000_000);
    await until(() => isClosed);
  });

  it('is refused in JSON and in the chart, too', async () => {
    const data = Buffer.from(WAV).toString('base64');
    const json = await fetchFrom(
      (_, response) => {
        const binary = JSON.stringify({ resourceType: 'Binary', data });
        response.writeHead(200, { 'content-type': 'application/fhir+json' }).end(binary);
      },
      { maxBytes: WAV.length - 1 },
    );
    const inChart = await fetchFrom(sendWav, { maxBytes: WAV.length - 1 }, inline(data));
    expect([json.error, inChart.error]).toMatchObject([{ code: 'payloadTooLarge' }, { code: 'payloadTooLarge' }]);
  });
});

describe('A recording in the chart itself', () => {
  it.each([
    ['in one line', (base64: string) => base64],
    ['in lines', (base64: string) => base64.replace(/.{76}/g, '$&\r\n')],
  ])('is decoded without a request: %s', async (_, write) => {
    let requests = 0;
    const count: http.RequestListener = (request, response) => {
      requests += 1;
      sendWav(request, response);
    };
    const { read } = await fetchFrom(count, {}, inline(write(Buffer.from(WAV).toString('base64'))));
    expect(read.equals(WAV)).toBe(true);
    expect(requests).toBe(0);
  });

  it.each(['UklG*klG', 'UklGR', 'UklGRg==UklG', 'not base64 at all!'])(
    'is refused if it is damaged: %s',
    async (base64) => {
      expect((await fetchFrom(sendWav, {}, inline(base64))).error).toMatchObject({ code: 'unsupportedMedia' });
    },
  );
});

describe('A reader of a recording', () => {
  it('that reads slowly makes the EHR wait, so that no bytes pile up', async () => {
    let sentBytes = 0;
    const baseUrl = await servers.serve((_, response) => {
      response.writeHead(200, { 'content-type': 'audio/wav' });
      const send = () => {
        while (!response.destroyed && response.write(WAV)) sentBytes += WAV.length;
      };
      response.on('drain', send);
      send();
    });
    const reading = anOpener({ baseUrl })(aLink(), new AbortController().signal)[Symbol.asyncIterator]();
    await reading.next();
    let before = -1;
    await until(() => {
      const isStill = before === sentBytes;
      before = sentBytes;
      return isStill;
    });
    // The sockets of both sides buffer this much.
    expect(sentBytes).toBeLessThan(20 * 1_048_576);
    await reading.return?.();
  });

  it('that leaves early closes the connection', async () => {
    const { promise, resolve } = Promise.withResolvers<http.ServerResponse>();
    const baseUrl = await servers.serve((_, response) => {
      response.writeHead(200, { 'content-type': 'audio/wav' });
      response.write(WAV);
      resolve(response);
    });
    for await (const piece of anOpener({ baseUrl })(aLink(), new AbortController().signal)) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    const response = await promise;
    if (!response.closed) await once(response, 'close');
    expect(response.writableFinished).toBe(false);
  });

  it.each(['before the request', 'in the middle'])('that cancels %s gets its own reason', async (moment) => {
    const reason = new AppError('shuttingDown', 'the engine stops');
    const stop = new AbortController();
    let requests = 0;
    const baseUrl = await servers.serve((_, response) => {
      requests += 1;
      response.writeHead(200, { 'content-type': 'audio/wav' });
      response.write(WAV);
    });
    if (moment !== 'in the middle') stop.abort(reason);
    const reading = anOpener({ baseUrl })(aLink(), stop.signal)[Symbol.asyncIterator]();
    if (moment === 'in the middle') {
      await reading.next();
      stop.abort(reason);
    }
    const rest = readAll({ [Symbol.asyncIterator]: () => reading });
    expect((await rest).error).toBe(reason);
    expect(requests).toBe(moment === 'in the middle' ? 1 : 0);
  });
});
