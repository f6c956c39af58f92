// One connection serves one call after another, whether an answer ends with its last bytes or a moment later.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { makeOpenAiReasoner } from '../../../src/outbound/openai/openai-reasoner.ts';
import { openHttpFetch } from '../../../src/platform/http-fetch.ts';
import { aHistory } from '../../contracts/reasoner-contract.ts';
import { diagnosisAnswer } from '../../support/openai-answers.ts';

const WHOLE = `data: ${JSON.stringify({
  choices: [{ delta: { content: JSON.stringify(diagnosisAnswer('en')) }, finish_reason: 'stop' }],
})}\n\ndata: [DONE]\n\n`;

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function aVendor(answer: (response: ServerResponse) => void) {
  let connections = 0;
  const server = createServer((request, response) => {
    request.resume().once('end', () => answer(response.writeHead(200, { 'content-type': 'text/event-stream' })));
  });
  server.on('connection', () => {
    connections += 1;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { fetch, close } = openHttpFetch();
  cleanups.push(
    close,
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const reasoner = makeOpenAiReasoner({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    model: 'made-up-model',
    timeouts: { firstByteMs: 50_000, idleMs: 50_000, totalMs: 55_000 },
    fetch,
    backoffMs: 1,
  });
  return { ask: () => reasoner.diagnose(aHistory, new AbortController().signal), connections: () => connections };
}

describe('The connection to the vendor', () => {
  it.each([
    ['with its last bytes', (response: ServerResponse) => void response.end(WHOLE)],
    [
      'right after them',
      (response: ServerResponse) => {
        response.write(WHOLE, () => setImmediate(() => response.end()));
      },
    ],
  ])('serves the next call if an answer ends %s', async (_, answer) => {
    const { ask, connections } = await aVendor(answer);
    for (let count = 0; count < 3; count += 1) await ask();
    expect(connections()).toBe(1);
  });

  it('is closed without a wait if the answer does not end', async () => {
    const { ask, connections } = await aVendor((response) => void response.write(WHOLE));
    await ask();
    await ask();
    expect(connections()).toBe(2);
  });
});
