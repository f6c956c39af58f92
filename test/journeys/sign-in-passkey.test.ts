// A person with a local account makes a passkey by the one-time link and signs in with it, in a real browser with a virtual authenticator.
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { CHROMIUM_ARGUMENTS, findChromium } from '../support/chromium.ts';
import { type Engine, startEngine } from '../support/engine.ts';
import { findFreePort } from '../support/free-port.ts';
import { makeMigratedDatabase } from '../support/postgres.ts';

const PERSON = '00000000000000ab';

let engine: Engine;
let url: string;
let database: Awaited<ReturnType<typeof makeMigratedDatabase>>;
let browser: Browser;

beforeAll(async () => {
  const port = await findFreePort();
  // Browsers make no passkeys for addresses of numbers.
  url = `http://localhost:${port}`;
  database = await makeMigratedDatabase();
  engine = await startEngine({
    env: { PORT: String(port), PUBLIC_URL: url, DATABASE_URL: database.connectionString },
  });
  await runSql(`insert into people (id, name, origin) values ('${PERSON}', 'Dr. Ada Example', 'local')`);
  browser = await chromium.launch({ executablePath: findChromium() ?? 'chromium', args: [...CHROMIUM_ARGUMENTS] });
});

afterAll(async () => {
  await browser?.close();
  await engine?.stop();
  await database?.drop();
});

async function makeLink(): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const digest = createHash('sha256').update(token).digest('hex');
  await runSql(
    `insert into sign_in_links (digest, person_id, made_by, expires_at)
     values (decode('${digest}', 'hex'), '${PERSON}', 'operator', now() + interval '1 hour')`,
  );
  return `${url}/sign-in/link/${token}`;
}

/** A browser whose device verifies its person, or does not. */
async function openDevice({
  verifies = true,
} = {}): Promise<{ readonly page: Page; readonly device: CDPSession; readonly id: string }> {
  const context = await browser.newContext({ viewport: { width: 400, height: 800 } });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const device = await context.newCDPSession(page);
  await device.send('WebAuthn.enable');
  const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: verifies,
      automaticPresenceSimulation: true,
    },
  });
  return { page, device, id: authenticatorId };
}

describe('a passkey', () => {
  it('is made by the one-time link, signs in, and signs in no longer after it was removed', async () => {
    const { page } = await openDevice();
    const link = await makeLink();
    await page.goto(link);
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await page.waitForURL(`${url}/me`);
    expect(await page.locator('main').innerText()).toMatch(/Dr\. Ada Example[\s\S]*Passkeys/);

    await page.getByRole('button', { name: 'Sign out here' }).click();
    await page.getByRole('link', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL(`${url}/me`);
    expect(await page.locator('main').innerText()).toContain('passkey, ');

    await page.goto(link);
    await page.getByText('This link was used').waitFor();

    await page.goto(`${url}/me`);
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Sign out here' }).click();
    await page.getByRole('link', { name: 'Sign in with a passkey' }).click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('The passkey was not accepted').waitFor();
    await page.context().close();
  });

  it('is added by a person who is signed in, and signs in', async () => {
    const { page, device, id } = await openDevice();
    await page.goto(await makeLink());
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.waitForURL(`${url}/me`);
    const remove = page.getByRole('button', { name: 'Remove' });
    const before = await remove.count();
    // As another device of the person would be.
    await device.send('WebAuthn.clearCredentials', { authenticatorId: id });
    await page.getByRole('link', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.waitForURL(`${url}/me`);
    expect(await remove.count()).toBe(before + 1);

    await page.getByRole('link', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.getByText('This device has a passkey for this account already').waitFor();

    await page.goto(`${url}/me`);
    await page.getByRole('button', { name: 'Sign out here' }).click();
    await page.goto(`${url}/sign-in/passkey`);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL(`${url}/me`);
    await page.context().close();
  });

  it('is not made by a device that does not verify the person', async () => {
    const { page } = await openDevice({ verifies: false });
    await page.goto(await makeLink());
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.getByText('The browser gave no passkey').waitFor();
    await page.context().close();
  });

  it('signs in once with each answer, and not with the counter of a copy', async () => {
    const { page, device, id } = await openDevice();
    await page.goto(await makeLink());
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.waitForURL(`${url}/me`);
    await page.getByRole('button', { name: 'Sign out here' }).click();

    await page.goto(`${url}/sign-in/passkey`);
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    const answer = (await sent).postData() ?? '';
    await page.waitForURL(`${url}/me`);
    const replayed = await page.request.post(`${url}/sign-in/passkey`, {
      data: answer,
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    });
    expect(replayed.status()).toBe(401);

    await page.goto(`${url}/me`);
    await page.getByRole('button', { name: 'Sign out here' }).click();
    const [copied] = (await device.send('WebAuthn.getCredentials', { authenticatorId: id })).credentials;
    if (copied === undefined) throw new Error('The device has no passkey');
    await device.send('WebAuthn.clearCredentials', { authenticatorId: id });
    await device.send('WebAuthn.addCredential', { authenticatorId: id, credential: { ...copied, signCount: 0 } });
    await page.goto(`${url}/sign-in/passkey`);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('The passkey was not accepted').waitFor();
    await page.context().close();
  });
});

async function runSql(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  await client.query(text);
  await client.end();
}
