// Attacks on the sign-in by the identity provider and on sessions of browsers: each must end in a refusal that opens no session and says nothing.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { type Browser, openSignInDoor, type SignInDoor } from '../inbound/http/people/sign-in-door.ts';

const COOKIE = '__Host-chartwright';
const ATTEMPT = '__Host-chartwright-attempt';
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

let door: SignInDoor;

beforeAll(async () => {
  door = await openSignInDoor();
});

afterAll(() => door.close());

async function aSignedIn(sub = 'ada'): Promise<Browser> {
  const browser = door.makeBrowser();
  expect((await browser.signIn(sub)).status).toBe(303);
  return browser;
}

async function requireRefused(browser: Browser, answer: Response): Promise<void> {
  expect(answer.status).toBe(401);
  expect(browser.cookies.has(COOKIE)).toBe(false);
}

describe('session fixation', () => {
  it('a session that an attacker put into the browser is not continued by the sign-in, and ends', async () => {
    const attacker = await aSignedIn();
    const planted = attacker.cookies.get(COOKIE) ?? '';
    const victim = door.makeBrowser();
    victim.cookies.set(COOKIE, planted);
    await victim.signIn('ada');
    expect(victim.cookies.get(COOKIE)?.slice(0, 16)).not.toBe(planted.slice(0, 16));
    expect((await attacker.ask('/me')).status).toBe(303);
    expect((await victim.ask('/me')).status).toBe(200);
  });

  it.each(['0123456789abcdef', `0123456789abcdef_${'A'.repeat(43)}`, '', 'x'.repeat(5_000)])(
    'a made-up cookie is no session and does not become one: %.20s',
    async (value) => {
      const browser = door.makeBrowser();
      browser.cookies.set(COOKIE, value);
      expect((await browser.ask('/me')).status).toBe(303);
      await browser.signIn('ada');
      expect(browser.cookies.get(COOKIE)).not.toBe(value);
    },
  );

  it('a cookie that is given twice is none', async () => {
    const browser = await aSignedIn();
    const cookie = `${COOKIE}=${browser.cookies.get(COOKIE)}`;
    const answer = await fetch(`${door.url}/me`, { headers: { cookie: `${cookie}; ${cookie}` }, redirect: 'manual' });
    expect(answer.status).toBe(303);
  });
});

describe('sign-in with another browser’s attempt', () => {
  it('the callback of another browser opens no session (login CSRF), and its code is burnt with its state', async () => {
    const [attacker, victim] = [door.makeBrowser(), door.makeBrowser()];
    const callback = await attacker.callback(await attacker.begin(), 'ada');
    await victim.begin();
    await requireRefused(victim, await victim.ask(callback.pathname + callback.search));
    await requireRefused(attacker, await attacker.ask(callback.pathname + callback.search));
  });

  it('a callback without an attempt opens none', async () => {
    const attacker = door.makeBrowser();
    const callback = await attacker.callback(await attacker.begin(), 'ada');
    const victim = door.makeBrowser();
    await requireRefused(victim, await victim.ask(callback.pathname + callback.search));
  });

  it('a callback that is played again opens none: state and code are used once', async () => {
    const browser = door.makeBrowser();
    const attempt = await browser.begin();
    const cookie = browser.cookies.get(ATTEMPT) ?? '';
    const callback = await browser.callback(attempt, 'ada');
    expect((await browser.ask(callback.pathname + callback.search)).status).toBe(303);
    const thief = door.makeBrowser();
    thief.cookies.set(ATTEMPT, cookie);
    await requireRefused(thief, await thief.ask(callback.pathname + callback.search));
  });

  it('a code with the state of the own attempt opens none (code injection)', async () => {
    const [attacker, victim] = [door.makeBrowser(), door.makeBrowser()];
    const stolen = await victim.callback(await victim.begin(), 'ada');
    const own = await attacker.callback(await attacker.begin(), 'eve');
    own.searchParams.set('code', stolen.searchParams.get('code') ?? '');
    await requireRefused(attacker, await attacker.ask(own.pathname + own.search));
  });

  it.each<[string, (callback: URL) => void]>([
    ['of another issuer (mix-up)', ({ searchParams }) => searchParams.set('iss', 'https://other.example')],
    ['with a second state', ({ searchParams }) => searchParams.append('state', 'x')],
    ['with a second code', ({ searchParams }) => searchParams.append('code', 'x')],
    ['without its state', ({ searchParams }) => searchParams.delete('state')],
  ])('a callback %s opens none', async (_, change) => {
    const browser = door.makeBrowser();
    const callback = await browser.callback(await browser.begin(), 'ada');
    change(callback);
    await requireRefused(browser, await browser.ask(callback.pathname + callback.search));
  });

  it('the words are the same for an unknown state and for that of another browser', async () => {
    const [attacker, victim] = [door.makeBrowser(), door.makeBrowser()];
    const callback = await attacker.callback(await attacker.begin(), 'ada');
    const foreign = await (await victim.ask(callback.pathname + callback.search)).text();
    const unknown = await (await victim.ask('/sign-in/provider/callback?code=x&state=y')).text();
    expect(foreign).toBe(unknown);
  });
});

describe('forms of other sites (CSRF)', () => {
  const DOORS = ['/sign-out', '/sign-out?everywhere=true', '/me/purpose', '/me/sessions/end', '/me/passkeys/remove'];
  const FOREIGN: readonly Readonly<Record<string, string>>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': '', origin: 'https://evil.example' },
    { 'sec-fetch-site': '', origin: 'null' },
  ];

  it.each(DOORS.flatMap((path) => FOREIGN.map((headers) => [path, headers] as const)))(
    '%s is refused with %j',
    async (path, { 'sec-fetch-site': site, ...headers }) => {
      const browser = await aSignedIn();
      const form = await browser.formToken();
      const sent = { ...headers, ...(site !== '' && { 'sec-fetch-site': String(site) }) };
      const answer = await browser.ask(path, {
        method: 'POST',
        headers: sent,
        body: new URLSearchParams({ form, purpose: 'TREAT' }),
      });
      expect(answer.status).toBe(403);
      expect((await browser.ask('/me')).status).toBe(200);
      expect(await browser.page('/me')).not.toContain('value="TREAT" selected');
    },
  );

  it.each(DOORS)('%s is refused without its token, and with that of another session', async (path) => {
    const [browser, other] = [await aSignedIn(), await aSignedIn()];
    for (const form of [undefined, '', 'x', await other.formToken()]) {
      const answer = await browser.post(path, { purpose: 'TREAT', ...(form !== undefined && { form }) });
      expect(answer.status).toBe(403);
    }
    expect((await browser.ask('/me')).status).toBe(200);
  });

  it.each(['/sign-in/password', '/sign-in/passkey', '/sign-in/link/made-up'])(
    '%s, which signs in, is refused from another site before anything is looked at',
    async (path) => {
      const fields = { account: '0', password: 'x', code: '0', challenge: 'x', answer: '{}', way: 'passkey' };
      for (const headers of FOREIGN) {
        const { 'sec-fetch-site': site, ...others } = headers;
        const sent = { ...others, ...(site !== '' && { 'sec-fetch-site': String(site) }) };
        const init = { method: 'POST', headers: sent, body: new URLSearchParams(fields) };
        expect((await door.makeBrowser().ask(path, init)).status).toBe(403);
      }
    },
  );

  it.each(DOORS)('%s does nothing by GET', async (path) => {
    const browser = await aSignedIn();
    await browser.ask(path);
    expect((await browser.ask('/me')).status).toBe(200);
  });
});

describe('a link that leads elsewhere', () => {
  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/%5cevil.example',
    '/%09/evil.example',
    '/%2f%2fevil.example',
    'javascript:alert(1)',
    '/./../..//evil.example',
    '/sign-in/provider',
    `/${'x'.repeat(600)}`,
  ])('leads no person away after the sign-in: %.40s', async (address) => {
    const answer = await door.makeBrowser().signIn('ada', `/sign-in/provider?return=${encodeURIComponent(address)}`);
    const location = new URL(answer.headers.get('location') ?? '', door.url);
    expect(location.origin).toBe(door.url);
    expect(location.pathname).not.toMatch(/^\/(sign-in|\/)/);
  });
});

describe('escalation by claims', () => {
  it.each<[string, unknown]>([
    ['an object', { 'chart-admins': true }],
    ['a list in a list', [['chart-admins']]],
    ['other letters', ['Chart-Admins', 'chart-admins ', 'CHART-ADMINS']],
    ['the name of the role', ['admin', '*', 'admin@*']],
    ['many thousand groups', Array.from({ length: 20_000 }, (_, index) => `chart-admin${index}`)],
  ])('%s gives no role', async (_, groups) => {
    door.oidc.accounts.set('mallory', { name: 'Mallory', groups });
    const browser = door.makeBrowser();
    expect((await browser.signIn('mallory')).status).toBe(403);
    expect(browser.cookies.has(COOKIE)).toBe(false);
  });

  it('the name and address of another person do not make the account of that person', async () => {
    await aSignedIn('ada');
    const copy = { name: 'Dr. Ada Example', email: 'ada@hospital.example', preferred_username: 'ada', groups: [] };
    door.oidc.accounts.set('mallory', copy);
    expect((await door.makeBrowser().signIn('mallory')).status).toBe(403);
  });

  it('a name with markup stays a name', async () => {
    door.oidc.accounts.set('mark', { name: '<img src=x onerror=alert(1)>"\'', groups: ['chart-watchers'] });
    const browser = await aSignedIn('mark');
    expect(await browser.page('/me')).not.toContain('<img src=x');
  });
});

describe('a forged logout of the provider', () => {
  async function forged(change: Readonly<Record<string, unknown>>, key: 'own' | 'foreign' = 'own'): Promise<number> {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: door.oidc.issuer,
      aud: 'engine',
      iat: now,
      exp: now + 60,
      jti: crypto.randomUUID(),
      sub: 'ada',
    };
    const token = await door.oidc.sign(
      { header: { typ: 'logout+jwt' }, claims: { ...claims, events: { [LOGOUT_EVENT]: {} }, ...change } },
      key,
    );
    return logout(token);
  }

  async function logout(token: string): Promise<number> {
    const body = new URLSearchParams({ logout_token: token });
    const answer = await fetch(`${door.url}/sign-in/provider/logout`, { method: 'POST', body });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    return answer.status;
  }

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['of another issuer', { iss: 'https://other.example' }],
    ['for another client', { aud: 'another' }],
    ['with a nonce', { nonce: 'x' }],
    ['without the event', { events: {} }],
    ['that is old', { iat: 1_700_000_000, exp: undefined }],
    ['from the future', { iat: Math.floor(Date.now() / 1000) + 600 }],
  ])('%s ends nothing', async (_, change) => {
    const browser = await aSignedIn();
    expect(await forged(change)).toBe(400);
    expect((await browser.ask('/me')).status).toBe(200);
  });

  it('by a foreign key, or an ID token in its place, ends nothing', async () => {
    let idToken = '';
    door.oidc.faults.idToken = (token) => {
      idToken = token;
      return token;
    };
    const browser = await aSignedIn();
    door.oidc.faults.idToken = undefined;
    expect(decodeProtectedHeader(idToken).alg).toBe('RS256');
    expect(decodeJwt(idToken).sub).toBe('ada');
    expect(await logout(idToken)).toBe(400);
    expect(await forged({}, 'foreign')).toBe(400);
    expect((await browser.ask('/me')).status).toBe(200);
  });

  it('is used once: played again it ends no later session', async () => {
    const jti = 'logout-1';
    const first = await aSignedIn();
    expect(await forged({ jti })).toBe(200);
    expect((await first.ask('/me')).status).toBe(303);
    const later = await aSignedIn();
    expect(await forged({ jti })).toBe(400);
    expect((await later.ask('/me')).status).toBe(200);
  });
});

describe('a clock that is wrong', () => {
  it.each([
    ['an ID token from the future', { iat: 600, exp: 1_200 }],
    ['an ID token of yesterday', { iat: -86_400, exp: -86_000 }],
  ])('%s opens no session', async (_, { iat, exp }) => {
    const now = Math.floor(Date.now() / 1000);
    door.oidc.faults.idToken = (token) =>
      door.oidc.sign({ header: {}, claims: { ...decodeJwt(token), iat: now + iat, exp: now + exp } });
    const browser = door.makeBrowser();
    await requireRefused(browser, await browser.signIn('ada'));
    door.oidc.faults.idToken = undefined;
  });
});

describe('guessing', () => {
  it.each<[string, (browser: Browser) => Promise<Response>]>([
    ['the callback', (browser) => browser.ask('/sign-in/provider/callback?code=x&state=y')],
    ['the logout', (browser) => browser.post('/sign-in/provider/logout', { logout_token: 'x' })],
    ['the one-time link', (browser) => browser.ask('/sign-in/link/made-up')],
    [
      'the form of a link',
      (browser) => browser.post('/sign-in/link/made-up', { way: 'passkey', challenge: 'x', answer: '{}' }),
    ],
    ['the passkey', (browser) => browser.post('/sign-in/passkey', { challenge: 'x', answer: '{"id":"x"}' })],
  ])('at %s is slowed down, recorded with the door and address, and keeps nobody else out', async (_, guess) => {
    const own = await openSignInDoor({ mostFailures: 20 });
    const guesser = own.makeBrowser();
    const statuses = [];
    for (let count = 0; count < 25; count++) statuses.push((await guess(guesser)).status);
    expect(statuses.slice(0, 20)).not.toContain(429);
    expect(statuses.slice(20)).toEqual([429, 429, 429, 429, 429]);
    expect((await own.makeBrowser().signIn('ada')).status).toBe(303);
    const kept = own.audit.entries.filter(({ action }) => action === 'person.sign-in-refused');
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThanOrEqual(20);
    for (const { details = {} } of kept) expect(Object.keys(details).toSorted()).toEqual(['address', 'door']);
    await own.close();
  });

  it('at the password waits longer for one account with each failure, and keeps no other account and no passkey out', async () => {
    const own = await openSignInDoor();
    const guess = (account: string) =>
      own.makeBrowser().post('/sign-in/password', { account, password: 'x', code: '1' });
    const statuses = [];
    for (let count = 0; count < 8; count++) statuses.push((await guess('00000000000000aa')).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    expect((await guess('00000000000000bb')).status).toBe(401);
    expect((await own.makeBrowser().post('/sign-in/passkey', { challenge: 'x', answer: '{}' })).status).toBe(401);
    // The tries during the wait have not made it longer.
    own.advance(1_100);
    expect((await guess('00000000000000aa')).status).toBe(401);
    own.advance(300_000);
    expect((await guess('00000000000000aa')).status).toBe(401);
    await own.close();
  });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '{"id":{}}',
    '{"id":"x","rawId":"x","type":"public-key","response":null}',
    'x'.repeat(60_000),
  ])('with an answer of a passkey that is none is a refusal and no failure: %.30s', async (answer) => {
    const browser = door.makeBrowser();
    const [, challenge = ''] = /name="challenge" value="([^"]+)"/.exec(await browser.page('/sign-in/passkey')) ?? [];
    expect((await browser.post('/sign-in/passkey', { challenge, answer })).status).toBe(401);
  });

  it('nothing of these attacks was an unexpected failure', () => {
    expect(door.failures).toEqual([]);
  });
});
