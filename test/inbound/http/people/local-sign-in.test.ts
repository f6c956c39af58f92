// Local accounts without an identity provider: the one-time link, password and one-time code. Passkeys are tried in a real browser.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { totpCode } from '../../../../src/domain/people/totp.ts';
import { type Browser, openSignInDoor, type SignInDoor } from './sign-in-door.ts';

const COOKIE = '__Host-chartwright';
const PASSWORD = 'mauve tractor 7 lamps';
const STEP_MS = 30_000;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

let door: SignInDoor;
let count = 0;

beforeAll(async () => {
  door = await openSignInDoor();
});

afterAll(() => door.close());

async function aPerson() {
  count += 1;
  const id = String(count).padStart(16, '0');
  await door.people.create({ id, name: `Person ${count}`, origin: 'local', grants: [] });
  return id;
}

async function aLink(person: string, lifeMs = 3_600_000): Promise<string> {
  count += 1;
  const token = `link-${count}`;
  const expiresAt = new Date(door.runtime.now().getTime() + lifeMs);
  await door.localAccounts.addLink({ digest: door.runtime.digest(token), person, madeBy: 'operator', expiresAt });
  return `/sign-in/link/${token}`;
}

/** What the page of a link shows. */
async function open(browser: Browser, link: string) {
  const page = await browser.page(link);
  const [, state = ''] = /name="state" value="([^"]+)"/.exec(page) ?? [];
  const [, shown = ''] = /<code id="secret">([^<]+)</.exec(page) ?? [];
  return { state, secret: bytesOf(shown) };
}

function bytesOf(text: string): Buffer {
  const bits = [...text.replaceAll(' ', '')]
    .map((letter) => LETTERS.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

const codeOf = (secret: Uint8Array) => totpCode(secret, Math.floor(door.runtime.now().getTime() / STEP_MS));

/** An account with a password. The next code is that of the next step. */
async function aPasswordAccount() {
  const account = await aPerson();
  const browser = door.makeBrowser();
  const link = await aLink(account);
  const { state, secret } = await open(browser, link);
  const answer = await browser.post(link, { way: 'password', state, password: PASSWORD, code: codeOf(secret) });
  if (answer.status !== 303) throw new Error(await answer.text());
  door.advance(STEP_MS);
  return { account, browser, secret, link };
}

async function trySignIn(fields: Readonly<Record<string, string>>, browser = door.makeBrowser()) {
  const answer = await browser.post('/sign-in/password', fields);
  return { status: answer.status, text: await answer.text(), isIn: browser.cookies.has(COOKIE) };
}

describe('a one-time link', () => {
  it('sets a password and one-time codes, and signs the person in', async () => {
    const { browser, account } = await aPasswordAccount();
    expect(await browser.page('/me')).toContain(`Person ${Number(account)}`);
    expect(JSON.stringify(door.audit.entries)).not.toContain(PASSWORD);
  });

  it('is not used up by looking at it, works once, and ends', async () => {
    const { link } = await aPasswordAccount();
    expect((await door.makeBrowser().ask(link)).status).toBe(401);
    const unused = await aLink(await aPerson());
    const browser = door.makeBrowser();
    for (let look = 0; look < 3; look++) expect((await browser.ask(unused)).status).toBe(200);
    door.advance(3_600_001);
    expect((await browser.ask(unused)).status).toBe(401);
    expect((await browser.ask('/sign-in/link/made-up')).status).toBe(401);
  });

  it('takes no weak password and no wrong code, and stays good', async () => {
    const link = await aLink(await aPerson());
    const browser = door.makeBrowser();
    const first = await open(browser, link);
    const weak = { way: 'password', state: first.state, password: 'password1234', code: codeOf(first.secret) };
    const answer = await browser.post(link, weak);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('guessed first')]);
    expect((await browser.post(link, { ...weak, password: PASSWORD, code: '000000' })).status).toBe(400);
    const second = await open(browser, link);
    const code = codeOf(second.secret);
    expect((await browser.post(link, { way: 'password', state: second.state, password: PASSWORD, code })).status).toBe(
      303,
    );
  });

  it('works in no other browser than the one that opened its page, and from no other site', async () => {
    const link = await aLink(await aPerson());
    const browser = door.makeBrowser();
    const { state, secret } = await open(browser, link);
    const fields = { way: 'password', state, password: PASSWORD, code: codeOf(secret) };
    expect((await browser.post(link, fields, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await door.makeBrowser().post(link, fields)).status).toBe(401);
  });

  it('ends the sessions that the person had before', async () => {
    const { browser, account } = await aPasswordAccount();
    const link = await aLink(account);
    const other = door.makeBrowser();
    const { state, secret } = await open(other, link);
    await other.post(link, { way: 'password', state, password: PASSWORD, code: codeOf(secret) });
    expect((await browser.ask('/me')).status).toBe(303);
    expect((await other.ask('/me')).status).toBe(200);
  });

  it('of a person who is disabled does not work', async () => {
    const person = await aPerson();
    const link = await aLink(person);
    await door.people.disable(person);
    expect((await door.makeBrowser().ask(link)).status).toBe(401);
  });
});

describe('sign-in by password and one-time code', () => {
  it('opens a session, with a code that works once', async () => {
    const { account, secret } = await aPasswordAccount();
    const fields = { account, password: PASSWORD, code: codeOf(secret) };
    expect(await trySignIn(fields)).toMatchObject({ status: 303, isIn: true });
    expect(await trySignIn(fields)).toMatchObject({ status: 401, isIn: false });
  });

  it('refuses a wrong password, a wrong code and an unknown account in the same words', async () => {
    const { account, secret } = await aPasswordAccount();
    const good = { account, password: PASSWORD, code: codeOf(secret) };
    const refusals = [
      await trySignIn({ ...good, password: 'another password' }),
      await trySignIn({ ...good, code: '000000' }),
      await trySignIn({ ...good, account: 'ffffffffffffffff' }),
      await trySignIn({ ...good, account: '../etc/passwd' }),
    ];
    expect(new Set(refusals.map(({ status }) => status))).toEqual(new Set([401]));
    expect(new Set(refusals.map(({ text }) => text)).size).toBe(1);
    expect(await trySignIn(good)).toMatchObject({ status: 303 });
  });

  it('makes an account wait after failures, also with the right password, and for a short time only', async () => {
    const { account, secret } = await aPasswordAccount();
    const wrong = { account, password: 'another password', code: '000000' };
    for (let tries = 0; tries < 5; tries++) expect((await trySignIn(wrong)).status).toBe(401);
    const good = () => ({ account, password: PASSWORD, code: codeOf(secret) });
    const waiting = await door.makeBrowser().post('/sign-in/password', good());
    expect(waiting.status).toBe(429);
    expect(Number(waiting.headers.get('retry-after'))).toBeLessThanOrEqual(300);
    door.advance(1_500);
    expect(await trySignIn(good())).toMatchObject({ status: 303 });
  });

  it('many guesses at once do not get round the wait', async () => {
    const { account } = await aPasswordAccount();
    const wrong = { account, password: 'another password', code: '000000' };
    const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await trySignIn(wrong)).status));
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(7);
  });

  it('refuses the form of another site', async () => {
    const { account, secret } = await aPasswordAccount();
    const fields = { account, password: PASSWORD, code: codeOf(secret) };
    const answer = await door.makeBrowser().post('/sign-in/password', fields, { 'sec-fetch-site': 'cross-site' });
    expect(answer.status).toBe(403);
  });

  it('refuses a person who is disabled', async () => {
    const { account, secret } = await aPasswordAccount();
    await door.people.disable(account);
    expect(await trySignIn({ account, password: PASSWORD, code: codeOf(secret) })).toMatchObject({
      isIn: false,
      status: 403,
    });
  });

  it('leaves refusals in the trail with door and address only', () => {
    const refused = door.audit.entries.filter(({ action }) => action === 'person.sign-in-refused');
    expect(new Set(refused.map(({ details }) => details?.['door']))).toEqual(new Set(['link', 'password']));
    for (const { details = {} } of refused) expect(Object.keys(details).toSorted()).toEqual(['address', 'door']);
    expect(door.failures).toEqual([]);
  });
});
