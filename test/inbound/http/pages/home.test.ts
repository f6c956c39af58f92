// The first page: complete without a script, kept up to date by its script, and without content of other servers.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import { type Browser, chromium, type Page } from 'playwright-core';
import { RUN_STATUSES, RUN_STEPS, type StepStatus } from '../../../../src/domain/run/run.ts';
import type { EngineHealth, RecentRun } from '../../../../src/flows/operations/show-engine-health.ts';
import { makeOpenApiDocument } from '../../../../src/inbound/http/docs/openapi.ts';
import { makeDocsRouter } from '../../../../src/inbound/http/pages/docs-routes.ts';
import { agoWords, TITLES } from '../../../../src/inbound/http/pages/home-answer.ts';
import { makeHomeRouter } from '../../../../src/inbound/http/pages/home-routes.ts';
import { sendError } from '../../../../src/inbound/http/server/error-response.ts';
import { CHROMIUM_ARGUMENTS, findChromium } from '../../../support/chromium.ts';
import { makeLocalServers } from '../../../support/local-servers.ts';
import { until } from '../../../support/until.ts';

const MARKUP = '"><script>alert(1)</script><i>\'&amp;';
const NOW = new Date('2026-03-02T10:00:00Z');
const WELL: EngineHealth = {
  parts: [
    { name: 'database', status: 'ok', detail: 'The database answers.' },
    { name: 'broker', status: 'degraded' },
  ],
  silentParts: 0,
  runs: [],
};

/** Runs in the browser: returns the parts of the page that both the engine and the script render. */
const PARSE = `(html) => {
  const drawn = new DOMParser().parseFromString(html, 'text/html');
  for (const time of drawn.querySelectorAll('#runs time')) time.textContent = '';
  const lists = ['summary', 'parts', 'runs'].map((id) => drawn.getElementById(id).outerHTML);
  return [...lists, drawn.getElementById('last').dataset.runs];
}`;

let testbed: EngineHealth = WELL;
let asked = 0;
const servers = makeLocalServers();
let baseUrl: string;

beforeAll(async () => {
  const about = { serverUrl: `https://charts.example.org/${MARKUP}/`, version: '1.2.3' };
  const command = 'chartwright';
  const showEngineHealth = async () => {
    asked += 1;
    return testbed;
  };
  const app = express();
  app.use(
    makeHomeRouter({
      ...about,
      command,
      showEngineHealth: showEngineHealth,
      runtime: { now: () => NOW },
      guard: (_req, _res, next) => next(),
    }),
  );
  app.use(makeDocsRouter({ makeDocument: async () => makeOpenApiDocument(about) }));
  const answerFailure: ErrorRequestHandler = (thrown, req, res, _next) => sendError(req, res, 'ops', thrown);
  app.use(answerFailure);
  baseUrl = await servers.serve(app);
});
afterAll(() => servers.close());
beforeEach(() => {
  testbed = WELL;
});

function aRun(changes: Partial<RecentRun> = {}, marks: Partial<Record<string, StepStatus>> = {}): RecentRun {
  return {
    id: '3fa9c1d2-0000-4000-8000-000000000000',
    site: 'mercy',
    status: 'running',
    source: 'upload',
    createdAt: new Date(NOW.getTime() - 5_000),
    steps: RUN_STEPS.map((name) => ({ name, status: marks[name] ?? 'pending' })),
    ...changes,
  };
}

const textOf = async (path: string) => (await fetch(baseUrl + path)).text();

describe('the first page', () => {
  it.each(['/', '/home.json'])('%s is not cached and allows only GET and HEAD', async (path) => {
    const response = await fetch(baseUrl + path);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-cache']);
    const head = await fetch(baseUrl + path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const refused = await fetch(baseUrl + path, { method: 'POST' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('has a policy that allows the browser only content of the engine', async () => {
    const policy = (await fetch(baseUrl)).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/http|unsafe-eval|\*/);
  });

  it('has links, and shows settings without parsing them as HTML', async () => {
    const page = await textOf('/');
    for (const link of ['docs', 'openapi.json', 'metrics', 'healthz', 'readyz']) {
      expect(page).toContain(`href="${link}"`);
    }
    expect(page).toContain('version 1.2.3');
    expect(page).toContain('keys create --organization my-clinic');
    expect(page).toContain('curl https://charts.example.org/');
    expect(page.match(/<script[^>]*>/g)).toEqual(['<script type="module" src="docs/home.js?v=1.2.3">']);
    expect(page).not.toMatch(/\{\{|undefined|https?:\/\/(?!charts)/);
  });

  it('shows the status of each part', async () => {
    testbed = { ...WELL, silentParts: 1 };
    const page = await textOf('/');
    expect(page).toContain('<h3>Database</h3><span class="state ok">ok</span><p>The database answers.</p>');
    expect(page).toContain('<h3>Broker</h3><span class="state degraded">degraded</span>');
    expect(page).toContain('2 of 3 parts need attention');
  });

  it('links each part that needs attention to what a person can do, and no other part', async () => {
    testbed = WELL;
    const page = await textOf('/');
    expect([...page.matchAll(/href="docs\/what-to-do\.html#(\w+)"/g)].map(([, part]) => part)).toEqual(['broker']);
    const response = await fetch(`${baseUrl}/docs/what-to-do.html`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const advice = await response.text();
    expect(Object.keys(TITLES).filter((name) => !advice.includes(`<h2 id="${name}">`))).toEqual([]);
  });
});

describe('the last runs on the first page', () => {
  it('show site, state, age, source and the nine steps by name', async () => {
    const marks = { 'read-chart': 'done', 'fetch-recording': 'skipped', transcribe: 'failed' } as const;
    testbed = { ...WELL, runs: [aRun({ status: 'parked' }, marks)] };
    const page = await textOf('/');
    expect(page).toContain('mercy <code>3fa9c1d2</code>');
    expect(page).toContain('<span class="state parked">parked</span><span>transcribe</span>');
    expect(page).toContain('5 s ago</time><span>uploaded recording</span>');
    const titles = [...page.matchAll(/<li class="(\w+)" title="([^"]+)"><span>\2<\/span>/g)].map(
      ([, , title]) => title,
    );
    expect(titles.slice(0, 4)).toEqual([
      'read-chart: done',
      'fetch-recording: skipped',
      'transcribe: failed',
      'write-note: pending',
    ]);
    expect(titles).toHaveLength(9);
  });

  it('show the remaining steps of a skipped run as skipped', async () => {
    testbed = { ...WELL, runs: [aRun({ status: 'skipped' }, { 'read-chart': 'done' })] };
    const page = await textOf('/');
    expect(page).toContain('title="read-chart: done"');
    expect(page).toContain('title="publish: skipped"');
    expect(page).not.toContain(': pending');
  });

  it('contain only the beginning of the id of a run, in the page and in the JSON', async () => {
    testbed = { ...WELL, runs: [aRun()] };
    for (const path of ['/', '/home.json']) expect(await textOf(path)).not.toContain('3fa9c1d2-0000');
  });

  it('show the name of a site as text, whatever it contains', async () => {
    testbed = { ...WELL, parts: [{ name: MARKUP, status: 'ok', detail: MARKUP }], runs: [aRun({ site: MARKUP })] };
    const page = await textOf('/');
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toContain('<i>');
    expect(page.match(/&#60;script&#62;alert\(1\)/g)).toHaveLength(4);
  });

  it.each([
    ['none', [], 'chartwright sandbox finish en-chest-pressure'],
    ['away', undefined, 'The runs cannot be read now'],
  ])('are replaced by a message if there is nothing to show (%s)', async (state, runs, words) => {
    const { runs: _, ...parts } = WELL;
    testbed = { ...parts, ...(runs !== undefined && { runs }) };
    const page = await textOf('/');
    expect(page).toContain(`data-runs="${state}"`);
    expect(page).toContain(words);
    expect(JSON.parse(await textOf('/home.json'))).toMatchObject({ runs: runs ?? null });
  });

  it.each([
    [-2_000, 'just now'],
    [999, 'just now'],
    [1_000, '1 s ago'],
    [59_999, '59 s ago'],
    [60_000, '1 min ago'],
    [3_599_999, '59 min ago'],
    [3_600_000, '1 h ago'],
    [86_400_000, '1 d ago'],
    [864_000_000, '10 d ago'],
  ])('show an age of %d ms as "%s"', (ms, words) => {
    expect(agoWords(ms)).toBe(words);
  });
});

describe('in a browser', () => {
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: findChromium() ?? 'chromium', args: [...CHROMIUM_ARGUMENTS] });
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    complaints.length = 0;
    page = await browser.newPage();
    await page.clock.install();
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(baseUrl)) complaints.push(request.url());
    });
  });
  afterEach(() => page.close());

  /** Advances the page's clock to its next poll. */
  const look = () => page.clock.runFor(2_000);
  const open = async () => {
    await page.goto(baseUrl);
    await page.getByText('Live').waitFor();
  };

  /** The lists as the engine and as the script render them, without the ages. */
  async function drawings() {
    const of = (html: string) => page.evaluate(`(${PARSE})(${JSON.stringify(html)})`);
    return { byEngine: await of(await textOf('/')), byScript: await of(await page.content()) };
  }

  it('the script of the first page renders the same as the engine, without violations of the policy', async () => {
    await open();
    const { runs: _, ...away } = WELL;
    const statuses = ['pending', 'running', 'done', 'failed', 'skipped'] as const;
    const all = RUN_STATUSES.map((status, n) =>
      aRun({ status, site: MARKUP }, { 'read-chart': 'done', [RUN_STEPS[n] ?? '']: statuses[n % 5] ?? 'done' }),
    );
    const testbeds: readonly EngineHealth[] = [
      { ...WELL, runs: all },
      WELL,
      away,
      { ...WELL, silentParts: 3, runs: [aRun()] },
    ];
    for (const [index, next] of testbeds.entries()) {
      const parts = [...next.parts, { name: `look ${index}${MARKUP}`, status: 'down' as const, detail: MARKUP }];
      testbed = { ...next, parts };
      await look();
      await page.getByText(`look ${index}`).waitFor();
      const { byEngine, byScript } = await drawings();
      expect(byScript).toEqual(byEngine);
    }
    expect(complaints).toEqual([]);
  });

  it('the first page is complete without a script', async () => {
    testbed = { ...WELL, runs: [aRun()] };
    const still = await browser.newPage({ javaScriptEnabled: false });
    await still.goto(baseUrl);
    expect(await still.locator('.run').innerText()).toMatch(/mercy[\s\S]*running[\s\S]*5 s ago/);
    expect(await still.locator('.steps li').count()).toBe(9);
    expect(await still.getByText('No run yet').isVisible()).toBe(false);
    expect(await still.getByText('As of 2026-03-02').isVisible()).toBe(true);
    await still.close();
  });

  it('the first page polls only while it is visible', async () => {
    await open();
    const see = (isSeen: boolean) =>
      page.evaluate(`
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${!isSeen} });
        document.dispatchEvent(new Event('visibilitychange'));
      `);
    await see(false);
    const before = asked;
    await page.clock.runFor(60_000);
    expect(asked).toBe(before);
    await see(true);
    await until(() => asked === before + 1);
  });

  it('the first page shows that the engine does not answer, keeps its content, and continues when the engine is back', async () => {
    testbed = { ...WELL, runs: [aRun()] };
    await open();
    await page.route('**/home.json', (route) => route.abort());
    await look();
    await page.getByText('The engine does not answer').waitFor();
    expect(await page.locator('.run').count()).toBe(1);
    await page.unroute('**/home.json');
    await look();
    await page.getByText('Live').waitFor();
  });

  it('a run that does not change is not rendered again', async () => {
    testbed = { ...WELL, runs: [aRun()] };
    await open();
    await page.locator('.run').evaluate((run) => run.setAttribute('data-seen', 'yes'));
    testbed = { ...testbed, parts: [...testbed.parts, { name: 'newcomer', status: 'ok' }] };
    await look();
    await page.getByText('newcomer').waitFor();
    expect(await page.locator('.run').getAttribute('data-seen')).toBe('yes');
  });

  it.each([320, 390, 768, 1024, 1600])('the first page fits into %d pixels', async (width) => {
    testbed = { ...WELL, runs: [aRun({ site: `a-site-with-a-name-${'long'.repeat(15)}` }), aRun()] };
    await page.setViewportSize({ width, height: 700 });
    await open();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  });
});
