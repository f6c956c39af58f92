// Attacks on the door of launches, over HTTP, with an EHR that plays along.
import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import { makeBrowser, type Page } from '../inbound/http/review/review-browser.ts';
import { type ReviewEngine, startReviewEngine } from '../inbound/http/review/review-engine.ts';
import { makeLocalServers } from '../support/local-servers.ts';
import { startSmartServer } from '../support/smart-server.ts';

let engine: ReviewEngine;
let browser: ReturnType<typeof makeBrowser>;
beforeEach(async () => {
  engine = await startReviewEngine();
  browser = makeBrowser();
});
afterEach(() => engine.stop());

const seconds = () => Math.floor(Date.now() / 1000);

function launchAddress(issuer = engine.smart.fhirBase, site = 'mercy'): string {
  return `${engine.baseUrl}/launch/${site}?${new URLSearchParams({ iss: issuer, launch: 'xyz' })}`;
}

const launch = (by = browser): Promise<Page> => by.visit(launchAddress());

/** The way back that the EHR gives a browser, which has not gone it yet. */
async function wayBack(by = browser, site = 'mercy'): Promise<URL> {
  const cookies = [...by.jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { 'sec-fetch-dest': 'document', ...(cookies !== '' && { cookie: cookies }) };
  const begun = await fetch(launchAddress(undefined, site), { redirect: 'manual', headers });
  for (const line of begun.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    by.jar.set(name, value);
  }
  return engine.smart.authorize(begun.headers.get('location') ?? '');
}

async function refusals(): Promise<readonly unknown[]> {
  const { entries } = await engine.audit.list({ scope: 'all', action: 'person.sign-in-refused', limit: 100 });
  return entries.map(({ details }) => details?.['why']);
}

async function expectNoSession(page: Page, by = browser): Promise<void> {
  expect(page.status).toBe(403);
  expect(page.text).toContain('You could not be let in');
  expect(by.jar.has('__Host-chartwright') || by.jar.has('__Host-chartwright-frame')).toBe(false);
  const { entries } = await engine.audit.list({ scope: 'all', action: 'person.sign-in', limit: 100 });
  expect(entries).toEqual([]);
}

describe('A forged launch', () => {
  it.each([
    ['of an EHR that is not listed', (base: string) => base.replace('/fhir', '/other')],
    ['with a slash too many', (base: string) => `${base}/`],
    ['with a user in the address', (base: string) => base.replace('//', '//ehr.example.org@')],
    ['in capitals', (base: string) => base.toUpperCase()],
    ['with another port', (base: string) => base.replace(/:\d+/, ':1')],
    ['with a space', (base: string) => `${base} `],
    ['without an address', () => ''],
  ])('%s reaches no server, and is recorded', async (_, forge) => {
    await expectNoSession(await browser.visit(launchAddress(forge(engine.smart.fhirBase))));
    expect(engine.smart.requests).toEqual([]);
    expect(await refusals()).toEqual(['issuer']);
  });

  it('that names two EHRs, or two launches, is refused', async () => {
    const two = await browser.visit(`${launchAddress()}&iss=https://evil.example.org`);
    expect([two.status, engine.smart.requests]).toEqual([400, []]);
    expect((await browser.visit(`${launchAddress()}&launch=abc`)).status).toBe(400);
  });

  it('writes nothing of its own onto the page', async () => {
    const { text } = await browser.visit(launchAddress('https://evil.example.org/<script>alert(1)</script>'));
    expect(text).not.toContain('evil');
    expect(text).not.toContain('<script>alert');
  });

  it('is slowed down after many from one address, and a good one is not', async () => {
    await engine.stop();
    engine = await startReviewEngine({ maxRefusals: 3 });
    const statuses: number[] = [];
    for (let time = 0; time < 5; time += 1) statuses.push((await browser.visit(launchAddress('https://x'))).status);
    expect(statuses).toEqual([403, 403, 403, 429, 429]);
    expect(await refusals()).toHaveLength(3);
    await engine.aDraft();
    expect((await launch()).status).toBe(200);
  });
});

describe('The way back of a launch', () => {
  it('opens a session that begins there: one that was put into the browser before is worth nothing', async () => {
    await engine.aDraft();
    browser.jar.set('__Host-chartwright', `${'0'.repeat(16)}_${'A'.repeat(43)}`);
    await launch();
    expect(browser.jar.get('__Host-chartwright')).toMatch(/^(?!0{16})[0-9a-f]{16}_/);
  });

  it('is refused in another browser, and worth nothing afterwards', async () => {
    const back = await wayBack();
    const thief = makeBrowser();
    await expectNoSession(await thief.visit(back), thief);
    await expectNoSession(await browser.visit(back));
    expect(await refusals()).toEqual(['attempt', 'attempt']);
    expect(engine.smart.tokenForms).toEqual([]);
  });

  it('is refused with the cookie of another browser’s own launch', async () => {
    const [back, thief] = [await wayBack(), makeBrowser()];
    await wayBack(thief);
    await expectNoSession(await thief.visit(back), thief);
  });

  it('is used once: neither code nor state opens a second session', async () => {
    await engine.aDraft();
    const back = await wayBack();
    expect((await browser.visit(back)).status).toBe(200);
    const again = await browser.visit(back);
    expect([again.status, engine.smart.tokenForms.length]).toEqual([403, 1]);
  });

  it('with the code of another launch is refused: the code belongs to another secret', async () => {
    const [victim, attacker] = [await wayBack(), await wayBack(makeBrowser())];
    victim.searchParams.set('code', attacker.searchParams.get('code') ?? '');
    await expectNoSession(await browser.visit(victim));
    expect(await refusals()).toEqual(['attempt']);
  });

  it('of one site is refused at another that has the same EHR', async () => {
    engine.setSite('general', {});
    const back = await wayBack();
    back.pathname = back.pathname.replace('mercy', 'general');
    await expectNoSession(await browser.visit(back));
    expect(engine.smart.tokenForms).toEqual([]);
  });

  it('shows the code and the name of the launch to no further page', async () => {
    const back = await wayBack();
    const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(back, { redirect: 'manual', headers: { cookie } });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '../../review']);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(engine.logged.join('')).not.toContain(back.searchParams.get('code') ?? 'no code');
  });
});

describe('The EHR of one site', () => {
  it('cannot sign in the clinicians of another, though it names their issuer', async () => {
    const servers = makeLocalServers();
    const evil = await startSmartServer(servers, {
      user: 'Practitioner/7',
      configuration: { issuer: `${engine.smart.origin}/oidc` },
      claims: (claims) => ({ ...claims, iss: `${engine.smart.origin}/oidc`, sub: 'sub of Practitioner/7' }),
    });
    engine.setSite('evil', { issuers: [evil.fhirBase], newReviewers: true });
    const run = await engine.aDraft();
    await launch();
    const [good] = (await engine.people.list({ scope: 'all', limit: 10 })).people;
    const attacker = makeBrowser();
    expect((await attacker.visit(launchAddress(evil.fhirBase, 'evil'))).status).toBe(200);
    const { people } = await engine.people.list({ scope: 'all', limit: 10 });
    expect(people).toHaveLength(2);
    expect(people.find(({ id }) => id === good?.id)?.grants.map(({ site }) => site)).toEqual(['mercy']);
    expect((await attacker.visit(`${engine.baseUrl}/review/${run.id}`)).status).toBe(404);
    await servers.close();
  });

  it('is not asked for the clinicians of another', async () => {
    const servers = makeLocalServers();
    const other = await startSmartServer(servers);
    engine.setSite('general', { issuers: [other.fhirBase] });
    await expectNoSession(await browser.visit(launchAddress(other.fhirBase, 'mercy')));
    expect(other.requests).toEqual([]);
    await servers.close();
  });
});

describe('An ID token that is', () => {
  const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const b64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = (claims: Record<string, unknown>, alg: string, key: Parameters<SignJWT['sign']>[0]) =>
    new SignJWT(claims).setProtectedHeader({ alg, kid: 'one' }).sign(key);

  it.each<[string, () => void]>([
    [
      'not signed',
      () =>
        Object.assign(engine.smart.behaviour, {
          sign: async (claims: unknown) => `${b64({ alg: 'none' })}.${b64(claims)}.`,
        }),
    ],
    [
      'signed with the secret that both know',
      () =>
        Object.assign(engine.smart.behaviour, {
          sign: (claims: Record<string, unknown>) => signed(claims, 'HS256', Buffer.from('a secret made up for tests')),
        }),
    ],
    [
      'signed by another key',
      () =>
        Object.assign(engine.smart.behaviour, {
          sign: (claims: Record<string, unknown>) => signed(claims, 'ES256', foreign),
        }),
    ],
    [
      'without the nonce of this launch',
      () =>
        Object.assign(engine.smart.behaviour, { claims: ({ nonce: _, ...claims }: Record<string, unknown>) => claims }),
    ],
    [
      'of a clock that is far ahead',
      () =>
        Object.assign(engine.smart.behaviour, {
          claims: (claims: object) => ({ ...claims, iat: seconds() + 300, exp: seconds() + 600 }),
        }),
    ],
    [
      'of a clock that is far behind',
      () =>
        Object.assign(engine.smart.behaviour, {
          claims: (claims: object) => ({ ...claims, iat: seconds() - 900, exp: seconds() - 600 }),
        }),
    ],
  ])('%s opens no session', async (_, spoil) => {
    spoil();
    await expectNoSession(await launch());
    expect(await refusals()).toEqual(['token']);
  });
});

describe('A clinician', () => {
  it('of another server is refused in words', async () => {
    engine.smart.behaviour.claims = (claims) => ({
      ...claims,
      fhirUser: 'https://evil.example.org/fhir/Practitioner/7',
    });
    const page = await launch();
    await expectNoSession(page);
    expect(page.text).toContain('The EHR names a clinician of another server');
  });

  it.each([
    ['was deleted in the EHR', undefined, 'does not have you among its clinicians any more'],
    ['is not active any more', { resourceType: 'Practitioner', id: '7', active: false }, 'no longer active'],
  ] as const)('who %s is refused in words, though an account is there', async (_, resource, words) => {
    await engine.aDraft();
    expect((await launch()).status).toBe(200);
    engine.smart.behaviour.resources['Practitioner/7'] = resource;
    const page = await makeBrowser().visit(launchAddress());
    expect([page.status, page.text.includes(words)]).toEqual([403, true]);
  });

  it.each(['Patient/1', 'RelatedPerson/1', 'Person/1'])('is not %s', async (user) => {
    engine.smart.behaviour.user = user;
    const page = await launch();
    await expectNoSession(page);
    expect(page.text).toContain('Only clinicians can review drafts');
  });

  it('without the role learns who gives it', async () => {
    engine.setSite('mercy', { newReviewers: false });
    const page = await launch();
    await expectNoSession(page);
    expect(page.text).toContain('An admin of mercy gives you the role reviewer, as Practitioner/7');
  });

  it('whose account is disabled loses the session at once, and is refused', async () => {
    const run = await engine.aDraft();
    await launch();
    const [person] = (await engine.people.list({ scope: 'all', limit: 1 })).people;
    await engine.people.disable(person?.id ?? '');
    expect((await browser.visit(`${engine.baseUrl}/review/${run.id}`)).status).toBe(401);
    expect((await makeBrowser().visit(launchAddress())).text).toContain('Your account is disabled');
  });
});

describe('A frame', () => {
  const frame = () => makeBrowser({ isFrame: true });

  it('is refused at a site that names none, before the EHR is asked', async () => {
    const by = frame();
    const page = await by.visit(launchAddress());
    await expectNoSession(page, by);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(engine.smart.requests).toEqual([]);
  });

  it('gets cookies that are of this frame alone, and a page that only the origins of the site may show', async () => {
    engine.setSite('mercy', { frameOrigins: ['https://ehr.example.org', 'https://portal.example.org'] });
    await engine.aDraft();
    const by = frame();
    const page = await by.visit(launchAddress());
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain(
      'frame-ancestors https://ehr.example.org https://portal.example.org',
    );
    expect(page.headers.has('x-frame-options')).toBe(false);
    const inFrame = /; Path=\/; Secure; HttpOnly; SameSite=None; Partitioned$/;
    expect(by.setCookies.map((line) => [line.split('=')[0], inFrame.test(line)])).toEqual([
      ['__Host-chartwright-launch-frame', true],
      ['__Host-chartwright-frame', true],
    ]);
  });

  it('does not use the session of a window, in which another visit may be open, nor a window that of a frame', async () => {
    engine.setSite('mercy', { frameOrigins: ['https://ehr.example.org'] });
    const run = await engine.aDraft();
    const by = frame();
    await by.visit(launchAddress());
    await launch();
    const onlyWindow = frame();
    onlyWindow.jar.set('__Host-chartwright', browser.jar.get('__Host-chartwright') ?? '');
    const onlyFrame = makeBrowser();
    onlyFrame.jar.set('__Host-chartwright-frame', by.jar.get('__Host-chartwright-frame') ?? '');
    const address = `${engine.baseUrl}/review/${run.id}`;
    const statuses = [await onlyWindow.visit(address), await onlyFrame.visit(address)].map(({ status }) => status);
    expect(statuses).toEqual([401, 401]);
    expect((await by.visit(address)).status).toBe(200);
  });

  it('of another site’s EHR shows no page of this one', async () => {
    engine.setSite('general', { frameOrigins: ['https://general.example.org'] });
    await engine.aDraft();
    await launch();
    const page = await browser.visit(`${engine.baseUrl}/review`, { headers: { 'sec-fetch-dest': 'document' } });
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });
});
