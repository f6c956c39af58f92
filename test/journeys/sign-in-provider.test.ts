// A person signs in with a real browser, on a whole engine, by a real identity provider: in, out, expired, and ended from elsewhere.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { CHROMIUM_ARGUMENTS, findChromium } from '../support/chromium.ts';
import { type Engine, spawnEngine, startEngine } from '../support/engine.ts';
import { findFreePort } from '../support/free-port.ts';
import { type OidcServer, startOidcServer } from '../support/oidc-server.ts';
import { makeMigratedDatabase } from '../support/postgres.ts';

const SECRET = 'a-made-up-secret-of-the-engine-0123456789';
const ROLES = `claim: groups
scopes: [openid, profile]
roles:
  - { values: [chart-admins], role: admin, sites: ["*"] }
  - { values: [chart-watchers], role: viewer, sites: [mercy] }
`;

let oidc: OidcServer;
let engine: Engine;
let url: string;
let folder: string;
let database: Awaited<ReturnType<typeof makeMigratedDatabase>>;
let browser: Browser;
const complaints: string[] = [];

beforeAll(async () => {
  const port = await findFreePort();
  url = `http://localhost:${port}`;
  oidc = await startOidcServer({
    clients: [
      {
        client_id: 'engine',
        client_secret: SECRET,
        redirect_uris: [`${url}/sign-in/provider/callback`],
        post_logout_redirect_uris: [`${url}/sign-in`],
        backchannel_logout_uri: `http://127.0.0.1:${port}/sign-in/provider/logout`,
        backchannel_logout_session_required: true,
        // The provider asks that addresses on this machine be those of a program.
        application_type: 'native',
      },
    ],
    accounts: [{ sub: 'ada', claims: { name: 'Dr. Ada Example', groups: ['chart-watchers'] } }],
  });
  // The engine starts without its provider.
  oidc.set('away');
  folder = await mkdtemp(path.join(tmpdir(), 'chartwright-sign-in-'));
  const roles = path.join(folder, 'roles.yaml');
  await writeFile(roles, ROLES);
  database = await makeMigratedDatabase();
  engine = await startEngine({
    env: {
      PORT: String(port),
      PUBLIC_URL: url,
      DATABASE_URL: database.connectionString,
      OIDC_ISSUER: oidc.issuer,
      OIDC_CLIENT_ID: 'engine',
      OIDC_CLIENT_SECRET: SECRET,
      OIDC_ROLES: roles,
    },
  });
  browser = await chromium.launch({ executablePath: findChromium() ?? 'chromium', args: [...CHROMIUM_ARGUMENTS] });
});

afterAll(async () => {
  await browser?.close();
  await engine?.stop();
  await oidc?.close();
  await database?.drop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** A browser of its own, with its cookies. */
async function openPage(): Promise<{ readonly page: Page; readonly context: BrowserContext }> {
  const context = await browser.newContext({ viewport: { width: 400, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  page.on('console', (message) => {
    if (message.type() === 'error' && page.url().startsWith(url)) complaints.push(message.text());
  });
  return { page, context };
}

async function signIn(page: Page, sub = 'ada'): Promise<void> {
  await page.goto(`${url}/me`);
  await page.getByRole('link', { name: 'Sign in with your organization' }).click();
  await page.locator('input[name=login]').fill(sub);
  await page.locator('input[name=password]').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
}

describe('the settings of the identity provider', () => {
  it('stop the start with the line of a mistake in the file of roles', async () => {
    const roles = path.join(folder, 'wrong.yaml');
    await writeFile(roles, 'roles:\n  - values: [chart-doctors]\n    role: reviewer\n    sites: ["*"]\n');
    const { output, exited } = spawnEngine({
      DATA_DIR: folder,
      DATABASE_URL: database.connectionString,
      OIDC_ISSUER: oidc.issuer,
      OIDC_CLIENT_ID: 'engine',
      OIDC_CLIENT_SECRET: SECRET,
      OIDC_ROLES: roles,
    });
    expect(await exited).toBe(1);
    expect(output().stderr).toMatch(
      /Chartwright cannot start: The file of OIDC_ROLES has problems:\n.*wrong\.yaml:4: .*exactly one site/,
    );
    expect(output().stderr).not.toContain(SECRET);
  });
});

describe('sign-in by the identity provider, in a browser', () => {
  it('says that the provider is away, and works as soon as it is back', async () => {
    const { page, context } = await openPage();
    await page.goto(`${url}/sign-in`);
    await page.getByRole('link', { name: 'Sign in with your organization' }).click();
    await page.getByText('cannot be reached now').waitFor();
    complaints.length = 0;
    oidc.set('there');
    await signIn(page);
    expect(page.url()).toBe(`${url}/me`);
    expect(await page.locator('main').innerText()).toMatch(/Dr\. Ada Example[\s\S]*viewer of mercy/);
    await context.close();
  });

  it('sets a cookie that no script and no other site gets', async () => {
    const { page, context } = await openPage();
    await signIn(page);
    const cookies = await context.cookies(url);
    expect(cookies.filter(({ name }) => name.startsWith('__Host-'))).toMatchObject([
      { name: '__Host-chartwright', httpOnly: true, secure: true, sameSite: 'Lax', path: '/' },
    ]);
    expect(await page.evaluate('document.cookie')).toBe('');
    await context.close();
  });

  it('opens /ops for the roles of the person, to own pages', async () => {
    const { page, context } = await openPage();
    await signIn(page);
    const ask = (what: string) => page.evaluate(`fetch(${JSON.stringify(what)}).then((answer) => answer.status)`);
    // Its page forbids connections, so the browser itself asks.
    expect(
      (await page.request.get(`${url}/ops/sites`, { headers: { 'sec-fetch-site': 'same-origin' } })).status(),
    ).toBe(200);
    expect((await page.request.get(`${url}/ops/keys`, { headers: { 'sec-fetch-site': 'same-origin' } })).status()).toBe(
      403,
    );
    expect((await page.request.get(`${url}/ops/sites`, { headers: { 'sec-fetch-site': 'cross-site' } })).status()).toBe(
      403,
    );
    await expect(ask('/ops/sites')).rejects.toThrow();
    complaints.length = 0;
    await context.close();
  });

  it('remembers the purpose that the person chooses', async () => {
    const { page, context } = await openPage();
    await signIn(page);
    await page.getByLabel('Why you read patient data').selectOption('TREAT');
    await page.getByRole('button', { name: 'Set' }).click();
    await page.locator('option[value=TREAT][selected]').waitFor({ state: 'attached' });
    await context.close();
  });

  it('asks to sign in again when the session has expired', async () => {
    const { page, context } = await openPage();
    await signIn(page);
    await runSql("update person_sessions set last_used_at = now() - interval '16 minutes' where ended_at is null");
    await page.goto(`${url}/me`);
    expect(page.url()).toContain('/sign-in?return=%2Fme');
    await context.close();
  });

  it('is ended everywhere by one click in another browser', async () => {
    const [here, there] = [await openPage(), await openPage()];
    await signIn(here.page);
    await signIn(there.page);
    await there.page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await there.page.getByText('You are signed out here').waitFor();
    await here.page.goto(`${url}/me`);
    await here.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await here.context.close();
    await there.context.close();
  });

  it('is ended by signing out at the provider', async () => {
    const { page, context } = await openPage();
    await signIn(page);
    const second = await context.newPage();
    await second.goto(`${url}/sign-in/provider/end`);
    await second.getByRole('button', { name: /yes/i }).click();
    await second.waitForURL(`${url}/sign-in**`);
    await page.goto(`${url}/me`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await context.close();
  });

  it('fits a narrow screen, and no page breaks its own rules for content', async () => {
    const { page, context } = await openPage();
    await signIn(page);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

async function runSql(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  await client.query(text);
  await client.end();
}
