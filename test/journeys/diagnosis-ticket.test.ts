// A prepared stream that is opened without a header, with the ticket in its address: by hand, and by the EventSource of a real browser on a page of
// another origin.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';
import { CHROMIUM_ARGUMENTS, findChromium } from '../support/chromium.ts';
import type { Engine } from '../support/engine.ts';
import { get, getAnswer, postForm, readEvents } from '../support/journey-client.ts';
import {
  expectError,
  expectedFinal,
  historyPart,
  keyIdOf,
  openDiagnosisSetup,
  type StreamSession,
  sessionOf,
  untilFirstEvent,
} from '../support/journey-diagnosis.ts';
import { makeLocalServers } from '../support/local-servers.ts';
import { FAULTS, type Gate, makeGate } from '../support/openai-server.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { until } from '../support/until.ts';

const setup = openedForFile(openDiagnosisSetup);
const pages = makeLocalServers();
let origin: string;
let engine: Engine;
let key: string;
let gate: Gate;

beforeAll(async () => {
  origin = await pages.serve((_req, res) => res.setHeader('content-type', 'text/html').end('<title>a page</title>'));
  engine = await setup.startEngine({ CORS_ORIGINS: origin });
  key = await engine.makeKey();
});
afterAll(() => pages.close());
beforeEach(() => {
  gate = makeGate();
});
afterEach(() => {
  gate.openAll();
  setup.model.behave({ kind: 'answer' });
});

async function prepare(by = key): Promise<StreamSession> {
  return sessionOf(await postForm(engine, '/diagnose/stream/files', by, [historyPart]));
}

describe('the ticket of a prepared stream', () => {
  it('a prepared stream is opened with its ticket and without a key, once', async () => {
    const { sessionId, streamUrl, eventSourceUrl } = await prepare();
    expect(streamUrl).toBe(`/diagnose/stream/${sessionId}`);
    const response = await get(engine, eventSourceUrl, undefined);
    expect(response.status).toBe(200);
    expect((await readEvents(response)).at(-1)).toEqual(expectedFinal('en'));
    expectError(await getAnswer(engine, eventSourceUrl, undefined), 404);
    expectError(await getAnswer(engine, streamUrl, key), 404);
  });

  it('a ticket opens no stream while it is being answered', async () => {
    const { eventSourceUrl } = await prepare();
    setup.model.next({ kind: 'answer', gate, chunkChars: 8 });
    await untilFirstEvent(get(engine, eventSourceUrl, undefined), gate);
    const calls = setup.model.requests.length;
    expectError(await getAnswer(engine, eventSourceUrl, undefined), 404);
    expect(setup.model.requests).toHaveLength(calls);
  });

  it('a ticket is valid again if the stream failed before its headers', async () => {
    const { eventSourceUrl } = await prepare();
    setup.model.behave({ kind: 'status', status: 401 });
    expectError(await getAnswer(engine, eventSourceUrl, undefined), 500);
    setup.model.behave({ kind: 'answer' });
    expect((await readEvents(await get(engine, eventSourceUrl, undefined))).at(-1)).toEqual(expectedFinal('en'));
  });

  it.each<[string, (one: StreamSession, other: StreamSession) => string]>([
    ['no ticket', ({ streamUrl }) => streamUrl],
    ['an empty ticket', ({ streamUrl }) => `${streamUrl}?ticket=`],
    ['an invented ticket', ({ streamUrl }) => `${streamUrl}?ticket=${'A'.repeat(43)}`],
    ['the ticket of another stream', ({ streamUrl }, other) => `${streamUrl}?${other.eventSourceUrl.split('?')[1]}`],
    ['two tickets', ({ eventSourceUrl }) => `${eventSourceUrl}&ticket=x`],
  ])('a stream with %s and without a key is 401, and stays prepared', async (_, urlOf) => {
    const session = await prepare();
    expectError(await getAnswer(engine, urlOf(session, await prepare()), undefined), 401);
    expect((await readEvents(await get(engine, session.eventSourceUrl, undefined))).at(-1)).toEqual(
      expectedFinal('en'),
    );
  });

  it('the key counts if there are a key and a ticket', async () => {
    const { eventSourceUrl } = await prepare();
    expectError(await getAnswer(engine, eventSourceUrl, await engine.makeKey()), 401);
    expect((await get(engine, eventSourceUrl, key)).status).toBe(200);
  });

  it('a ticket ends with the key that prepared the stream, and with its ten minutes', async () => {
    const revoked = await engine.makeKey();
    const ended = await prepare(revoked);
    await engine.ops('DELETE', `/keys/${keyIdOf(revoked)}`);
    expectError(await getAnswer(engine, ended.eventSourceUrl, undefined), 401);

    const expired = await prepare();
    await setup.sql("update prepared_streams set expires_at = expires_at - interval '10 minutes'");
    expectError(await getAnswer(engine, expired.eventSourceUrl, undefined), 404);
  });

  it('a ticket is neither stored as it is nor written to the log', async () => {
    const { eventSourceUrl } = await prepare();
    const ticket = eventSourceUrl.split('=')[1] ?? '';
    expect(ticket).toMatch(/^[\w-]{43}$/);
    const rows = await setup.sql('select * from prepared_streams');
    const stored = rows
      .flatMap((row) => Object.values(row))
      .map((value) => Buffer.from(String(value)).toString('latin1'));
    expect(stored.join()).not.toContain(ticket);
    await readEvents(await get(engine, eventSourceUrl, undefined));
    const { stdout, stderr } = engine.output();
    expect(stdout + stderr).not.toContain(ticket);
  });
});

describe('an EventSource in a browser', () => {
  let browser: Browser | undefined;
  let page: Page;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: findChromium() ?? 'chromium', args: [...CHROMIUM_ARGUMENTS] });
    page = await browser.newPage();
    page.setDefaultTimeout(50_000);
    await page.goto(origin);
  });
  afterAll(async () => browser?.close());

  /** Opens the stream in the page, and returns what it saw until the browser gave up: events, and the states of the EventSource at its errors. */
  function follow(
    url: string,
  ): Promise<{ readonly events: readonly (readonly [string, string, unknown])[]; readonly states: readonly number[] }> {
    return page.evaluate(async (address) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const events: (readonly [string, string, unknown])[] = [];
      const states: number[] = [];
      const source = new EventSource(address);
      for (const name of ['partial', 'final']) {
        source.addEventListener(name, (event) => {
          const { lastEventId, data } = event as unknown as { readonly lastEventId: string; readonly data: string };
          events.push([name, lastEventId, JSON.parse(data)]);
        });
      }
      source.onerror = () => {
        states.push(source.readyState);
        if (source.readyState === EventSource.CLOSED) resolve();
      };
      await promise;
      return { events, states };
    }, url);
  }

  /** The lines of the engine's log about streams. */
  const streamRequests = () =>
    engine
      .output()
      .stderr.split('\n')
      .filter((line) => line.includes('"route":"/diagnose/stream/:sessionId"'));

  it('an EventSource follows a prepared stream without a header, connects again after its end, and stops at the 404', async () => {
    const { eventSourceUrl } = await prepare();
    const calls = setup.model.requests.length;
    const { events, states } = await follow(engine.url + eventSourceUrl);
    expect(events.at(-1)).toEqual(['final', String(events.length), expectedFinal('en').data]);
    expect(events.slice(0, -1).map(([name]) => name)).toEqual(Array(events.length - 1).fill('partial'));
    // 0: it connects again; 2: it has stopped.
    expect(states).toEqual([0, 2]);
    expect(setup.model.requests).toHaveLength(calls + 1);
    // The browser may know the answer before its line of the log has come through the pipe.
    await until(() => streamRequests().at(-1)?.includes('"status":404') === true);
  });

  it('an EventSource whose stream is refused stops at once', async () => {
    setup.model.behave(FAULTS.serverError);
    const { streamUrl } = await prepare();
    expect(await follow(`${engine.url}${streamUrl}?ticket=invented`)).toEqual({ events: [], states: [2] });
  });
});
