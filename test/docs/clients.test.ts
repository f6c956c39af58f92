import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { exampleDiagnosis } from '../../src/wire/diagnosis.ts';
import { PROJECT, run } from '../cli/run-cli.ts';

const [flu, asthma] = ['Influenza – “flu”', 'Asma'];
const partials = [
  { diagnosis: { diseases: [{ name: flu }] } },
  { diagnosis: { diseases: [{ name: flu }, { name: asthma }] }, triage: { triage_level: 'WHITE' } },
];

type ReceivedRequest = { readonly headers: IncomingHttpHeaders; readonly body: unknown };
let server: Server;
let requests: ReceivedRequest[];
let answer: (res: ServerResponse) => Promise<void>;

beforeAll(async () => {
  server = createServer(async (req, res) => {
    requests.push({ headers: req.headers, body: JSON.parse(await text(req)) });
    await answer(res);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  requests = [];
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** Sends the events in pieces of a few bytes, so that events, lines and characters are all split somewhere. */
async function stream(res: ServerResponse, events: readonly (readonly [string, unknown])[]) {
  res.writeHead(201, { 'content-type': 'text/event-stream; charset=utf-8', connection: 'close' });
  const whole = events
    .map(([name, data], index) => {
      const head = `${index === 0 ? 'retry: 3000\n' : ''}id: ${index + 1}\nevent: ${name}\n`;
      return `${head}data: ${JSON.stringify({ type: name, ...(data as object) })}\n\n`;
    })
    .join(': still here\n\n');
  const bytes = Buffer.from(whole);
  for (let at = 0; at < bytes.length; at += 7) {
    await new Promise((resolve) => res.write(bytes.subarray(at, at + 7), resolve));
  }
  res.end();
}

const hasPython = await run('python3', ['--version'], { environment: { ...environment() }, folder: PROJECT }).then(
  ({ code }) => code === 0,
  () => false,
);

function environment() {
  return { PATH: process.env['PATH'] ?? '', PYTHONIOENCODING: 'utf-8' };
}

type Client = readonly [language: string, command: string, file: string];
const TYPESCRIPT: Client = ['TypeScript', process.execPath, 'stream.ts'];
const PYTHON: Client = ['Python', 'python3', 'stream.py'];
const CLIENTS: readonly Client[] = hasPython ? [TYPESCRIPT, PYTHON] : [TYPESCRIPT];

function runClient([, command, file]: Client) {
  const { port } = server.address() as AddressInfo;
  return run(command, [join(PROJECT, 'docs/clients', file), 'cough for three days, “no fever”'], {
    environment: { ...environment(), CHARTWRIGHT_URL: `http://127.0.0.1:${port}`, CHARTWRIGHT_KEY: 'cw_key' },
    folder: PROJECT,
  });
}

describe.each(CLIENTS)('the %s client in the documentation', (...client) => {
  it('prints each partial diagnosis, then the complete one', async () => {
    answer = (res) =>
      stream(res, [
        ['partial', partials[0]],
        ['partial', partials[1]],
        ['final', exampleDiagnosis],
      ]);
    const { code, stdout, stderr } = await runClient(client);
    expect([code, stderr]).toEqual([0, '']);
    const [first, second, final, ...whole] = stdout.split('\n').map((line) => line.trimEnd());
    expect(first).toBe(`partial: ${flu}`);
    expect(second).toBe(`partial: ${flu}, ${asthma} WHITE`);
    expect(final).toBe('final: Acute myocardial infarction, Aortic dissection RED');
    expect(JSON.parse(whole.join('\n'))).toMatchObject(exampleDiagnosis);
  });

  it('sends headers and body as docs/service-interface.md requires', async () => {
    answer = (res) => stream(res, [['final', exampleDiagnosis]]);
    await runClient(client);
    expect(requests).toEqual([
      {
        headers: expect.objectContaining({
          'x-api-key': 'cw_key',
          'content-type': 'application/json',
          accept: 'text/event-stream',
        }),
        body: { clinical_history: 'cough for three days, “no fever”', language: 'en' },
      },
    ]);
  });

  it('fails if the stream ends with an error event', async () => {
    answer = (res) =>
      stream(res, [
        ['partial', partials[0]],
        ['error', { statusCode: 500, message: 'The diagnosis could not be completed' }],
      ]);
    const { code, stderr } = await runClient(client);
    expect(code).toBe(1);
    expect(stderr).toContain('The diagnosis could not be completed');
  });

  it.each([
    ['ends without a final event', (res: ServerResponse) => void res.end()],
    ['is cut off', (res: ServerResponse) => void res.destroy()],
  ])('fails if the stream %s, and prints no partial diagnosis as the final one', async (_, leave) => {
    answer = async (res) => {
      res.writeHead(201, { 'content-type': 'text/event-stream' });
      await new Promise((resolve) => res.write(`event: partial\ndata: ${JSON.stringify(partials[1])}\n\n`, resolve));
      leave(res);
    };
    const { code, stdout } = await runClient(client);
    expect(code).toBe(1);
    expect(stdout).not.toContain('final');
  });

  it('prints the status and the message of a refused request, and fails', async () => {
    answer = async (res) => {
      res.writeHead(401, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ statusCode: 401, message: 'The API key is missing or invalid' }));
    };
    const { code, stderr } = await runClient(client);
    expect(code).toBe(1);
    expect(stderr).toContain('401');
    expect(stderr).toContain('The API key is missing or invalid');
  });
});
