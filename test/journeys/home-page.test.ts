// The first page while a hospital works: a run appears on it and reaches its end without a reload of the page and without a word about the
// patient.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';
import { CHROMIUM_ARGUMENTS, findChromium } from '../support/chromium.ts';
import { listenAnswer } from '../support/deepgram-server.ts';
import { type Engine, startEngine } from '../support/engine.ts';
import { eventually, untilRun } from '../support/journey-runs.ts';
import { makeGate } from '../support/openai-server.ts';
import { makeMigratedDatabase } from '../support/postgres.ts';
import { type BrokerProxy, startBrokerProxy } from '../support/rabbit-proxy.ts';
import { startWorld, type Visit, type World } from '../support/run-world.ts';

const NAME = 'Canaria Nobodysdaughter';
const SAID = 'My chest hurts since this morning, and the left arm too, says the canaryword.';

let world: World;
let engine: Engine;
let browser: Browser | undefined;
let page: Page;
let visit: Visit;
let eventId: string;
const complaints: string[] = [];

beforeAll(async () => {
  world = await startWorld();
  engine = await world.start();
  world.speech.behave({ kind: 'answer', body: listenAnswer([[0, SAID]]) });
  browser = await chromium.launch({ executablePath: findChromium() ?? 'chromium', args: [...CHROMIUM_ARGUMENTS] });
  page = await browser.newPage();
  page.setDefaultTimeout(50_000);
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(engine.url)) complaints.push(request.url());
  });
});
afterAll(async () => {
  await browser?.close();
  await world?.close();
});

const shown = async () => {
  const answers = await Promise.all(['/', '/home.json'].map((path) => fetch(engine.url + path)));
  return (await Promise.all(answers.map((answer) => answer.text()))).join('\n');
};

describe('the first page', () => {
  it('the first page shows the parts of the engine, and what to do if there is no run yet', async () => {
    await page.goto(engine.url);
    await page.getByText('Live').waitFor();
    const parts = await page.locator('#parts').innerText();
    for (const part of ['Database', 'Diagnoses and notes', 'Sites', 'Events', 'Broker']) expect(parts).toContain(part);
    expect(parts).toContain('RabbitMQ is connected.');
    expect(await page.getByText('sandbox finish en-chest-pressure').isVisible()).toBe(true);
    await page.evaluate("document.documentElement.dataset.opened = 'once'");
  });

  /** Fails if there are two: a search for missed events, or an event during the first look, looks at the encounter again without a row. */
  const onlyRun = () => page.locator('.run');

  it('the first page shows a run step by step while it is processed', async () => {
    const gate = makeGate();
    world.model.next({ kind: 'answer', gate });
    visit = world.admit({ id: 'canaryvisit', name: NAME });
    eventId = await world.tell(visit);
    const run = onlyRun();
    await run.locator('.state.running').waitFor();
    await run.locator('li[title="transcribe: done"]').waitFor();
    await run.locator('.steps .running').waitFor();
    expect(await run.innerText()).toContain(visit.site);
    expect(await shown()).toContain(visit.site);
    gate.openAll();
  });

  it('the first page shows the end of a run without a reload', async () => {
    await untilRun(engine, visit.encounter);
    const run = onlyRun();
    await run.locator('.state.written').waitFor();
    expect(await run.locator('.steps .done').count()).toBe(9);
    expect(await page.evaluate('document.documentElement.dataset.opened')).toBe('once');
    expect(complaints).toEqual([]);
  });

  it('the first page has nothing of the patient, of the conversation, or of the connections between the engine and others', async () => {
    const { id } = await untilRun(engine, visit.encounter);
    const text = await eventually(async () => {
      const now = await shown();
      return now.includes('publish: done') ? now : undefined;
    });
    const secrets = [NAME, 'canaryvisit', 'canaryword', 'Patient/', 'Encounter/', id, eventId, world.ehr.baseUrl];
    const found = [...secrets, world.connectionString, world.exchange, world.folder].filter((one) =>
      text.includes(one),
    );
    expect(found).toEqual([]);
    expect(text).toContain(id.slice(0, 8));
  });
});

describe('the first page of an engine whose database does not answer', () => {
  let proxy: BrokerProxy | undefined;
  let drop: (() => Promise<void>) | undefined;
  let alone: Engine | undefined;

  beforeAll(async () => {
    const database = await makeMigratedDatabase();
    drop = database.drop;
    const address = new URL(database.connectionString);
    proxy = await startBrokerProxy(Number(address.port));
    address.port = new URL(proxy.url).port;
    address.hostname = '127.0.0.1';
    alone = await startEngine({ env: { DATABASE_URL: address.href } });
  });
  afterAll(async () => {
    proxy?.thaw();
    proxy?.cut();
    await alone?.stop();
    await proxy?.close();
    await drop?.();
  });

  it('the first page reports a database that does not answer instead of failing, and is as before after the database answers again', async () => {
    const ask = async () => {
      const response = await fetch(`${alone?.url}/`);
      return { status: response.status, text: await response.text() };
    };
    expect(await ask()).toMatchObject({ status: 200, text: expect.stringContaining('data-runs="none"') });
    proxy?.freeze();
    const away = await eventually(async () => {
      const now = await ask();
      return now.text.includes('data-runs="away"') && now.text.includes('state down') ? now : undefined;
    });
    expect(away.status).toBe(200);
    expect(away.text).toContain('The database does not answer');
    expect(away.text).not.toMatch(/127\.0\.0\.1:\d+\/test_|ECONN/);
    proxy?.thaw();
    proxy?.cut();
    await eventually(async () => ((await ask()).text.includes('data-runs="none"') ? true : undefined));
  });
});
