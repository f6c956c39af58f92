import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import { chromium } from 'playwright-core';
import { AppError } from '../../../../src/domain/errors.ts';
import { makeOpenApiDocument } from '../../../../src/inbound/http/docs/openapi.ts';
import { makeDocsRouter } from '../../../../src/inbound/http/pages/docs-routes.ts';
import { sendError } from '../../../../src/inbound/http/server/error-response.ts';
import { CHROMIUM_ARGUMENTS, findChromium } from '../../../support/chromium.ts';
import { makeLocalServers } from '../../../support/local-servers.ts';

const SERVER_URL = 'https://charts.example.org';
const servers = makeLocalServers();
let baseUrl: string;

beforeAll(async () => {
  const app = express();
  const makeDocument = async () => makeOpenApiDocument({ serverUrl: SERVER_URL, version: '1.2.3' });
  app.use(makeDocsRouter({ makeDocument }));
  app.use((req, res) => sendError(req, res, 'ops', new AppError('notFound', 'There is nothing here')));
  const answerFailure: ErrorRequestHandler = (thrown, req, res, _next) => sendError(req, res, 'ops', thrown);
  app.use(answerFailure);
  baseUrl = await servers.serve(app);
});

afterAll(() => servers.close());

describe('the documentation', () => {
  it.each([
    ['/openapi.json', 'application/json'],
    ['/docs', 'text/html'],
    ['/docs/swagger-ui.css', 'text/css'],
    ['/docs/swagger-ui-bundle.js', 'text/javascript'],
    ['/docs/start.js', 'text/javascript'],
    ['/docs/home.css', 'text/css'],
    ['/docs/home-runs.css', 'text/css'],
    ['/docs/home.js', 'text/javascript'],
    ['/docs/icon.svg', 'image/svg+xml'],
  ])('serves %s as %s', async (path, type) => {
    const response = await fetch(baseUrl + path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain(type);
    expect((await response.text()).length).toBeGreaterThan(100);
  });

  it.each([
    '/docs/index.html',
    '/docs/package.json',
    '/docs/swagger-ui-bundle.js.map',
    '/docs/home.html',
    '/docs/..%2fdocs.html',
    '/docs/%2e%2e%2fpackage.json',
    '/docs/__proto__',
    '/docs/a/b',
    '/swagger-ui.css',
  ])('does not serve %s', async (path) => {
    expect((await fetch(baseUrl + path)).status).toBe(404);
  });

  it.each(['/docs', '/docs/start.js'])(
    '%s has a policy that allows the browser only content of the engine',
    async (path) => {
      const policy = (await fetch(baseUrl + path)).headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toMatch(/http|unsafe-eval|\*/);
    },
  );

  it('allows only GET and HEAD', async () => {
    for (const path of ['/docs', '/openapi.json', '/docs/start.js']) {
      const response = await fetch(baseUrl + path, { method: 'POST' });
      expect([path, response.status, response.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD']);
    }
    expect((await fetch(`${baseUrl}/docs`, { method: 'HEAD' })).status).toBe(200);
  });

  it('redirects /docs/ to /docs', async () => {
    const response = await fetch(`${baseUrl}/docs/`);
    expect([response.status, response.url]).toEqual([200, `${baseUrl}/docs`]);
  });
});

describe('in a browser', () => {
  it('the page of Swagger UI is complete, without requests to other servers and without violations of its policy', async () => {
    const browser = await chromium.launch({
      executablePath: findChromium() ?? 'chromium',
      args: [...CHROMIUM_ARGUMENTS],
    });
    try {
      const page = await browser.newPage();
      const complaints: string[] = [];
      const outside: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('response', (response) => {
        if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
      });
      page.on('request', (request) => {
        if (!request.url().startsWith(baseUrl) && !request.url().startsWith('data:')) outside.push(request.url());
      });
      await page.goto(`${baseUrl}/docs`);
      await page.getByText('Turn a recording into a clinical note').waitFor();
      await page.getByText('Create an API key', { exact: true }).waitFor();
      const { paths } = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as {
        readonly paths: Record<string, object>;
      };
      const operations = Object.values(paths).flatMap((path) => Object.keys(path));
      expect(operations.length).toBeGreaterThan(40);
      expect(await page.locator('.opblock').count()).toBe(operations.length);
      expect(await page.locator('.errors-wrapper').count()).toBe(0);
      expect(await page.locator('.servers select').inputValue()).toBe(baseUrl);
      expect({ complaints, outside }).toEqual({ complaints: [], outside: [] });
    } finally {
      await browser.close();
    }
  });
});

describe.each(['/openapi.json', '/docs', '/docs/swagger-ui-bundle.js'])('the fixed document %s', (path) => {
  const ask = (headers: Record<string, string>, method = 'GET') => fetch(baseUrl + path, { method, headers });

  it('is compressed only for who takes it, and says so to caches', async () => {
    const [plain, gzipped] = await Promise.all([
      ask({ 'accept-encoding': 'identity' }),
      ask({ 'accept-encoding': 'gzip, br' }),
    ]);
    expect([plain.headers.get('content-encoding'), gzipped.headers.get('content-encoding')]).toEqual([null, 'gzip']);
    expect(plain.headers.get('vary')).toContain('Accept-Encoding');
    expect(gzipped.headers.get('etag')).not.toBe(plain.headers.get('etag'));
    expect(await gzipped.text()).toBe(await plain.text());
    const refused = await ask({ 'accept-encoding': 'gzip;q=0' });
    expect(refused.headers.get('content-encoding')).toBeNull();
  });

  it('is not sent again to who has it', async () => {
    const first = await ask({ 'accept-encoding': 'gzip' });
    const etag = first.headers.get('etag') ?? '';
    const second = await ask({ 'accept-encoding': 'gzip', 'if-none-match': `"other", W/${etag}` });
    expect([second.status, await second.text(), second.headers.get('etag')]).toEqual([304, '', etag]);
    const other = await ask({ 'accept-encoding': 'gzip', 'if-none-match': '"other"' });
    expect(other.status).toBe(200);
  });

  it('has a length and no body for HEAD', async () => {
    const answer = await ask({ 'accept-encoding': 'identity' }, 'HEAD');
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(100);
    expect(await answer.text()).toBe('');
  });
});
