// Sign-in of a program without a browser: as openid-client, an independent client, does it, and as one does who should not.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import * as client from 'openid-client';
import type { OpenedEncounter } from '../../../../src/domain/people/caller.ts';
import { deviceErrorResponse, deviceTokenResponse } from '../../../../src/wire/device.ts';
import { formTokenOf } from '../ops/ops-accounts.ts';
import { type Answered, askOps } from '../ops/ops-asking.ts';
import { type OpsEngine, startOpsEngine } from '../ops/ops-engine.ts';

let engine: OpsEngine;
beforeEach(async () => {
  engine = await startOpsEngine();
});
afterEach(() => engine.stop());

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

/** The client knows the endpoints as an OAuth server would name them in its metadata. */
function configuration(): client.Configuration {
  const metadata = {
    issuer: engine.baseUrl,
    token_endpoint: `${engine.baseUrl}/device/token`,
    device_authorization_endpoint: `${engine.baseUrl}/device/code`,
  };
  const made = new client.Configuration(metadata, 'chartwright-cli', undefined, client.None());
  client.allowInsecureRequests(made);
  return made;
}

async function aBrowser(kind: 'browser' | 'frame' = 'browser', opened?: OpenedEncounter) {
  const person = await engine.accounts.aPerson([{ role: 'operator', site: 'mercy' }], 'Sam <b>Example</b>');
  const bearer = await engine.accounts.signIn(person, kind, opened);
  const name = kind === 'browser' ? '__Host-chartwright' : '__Host-chartwright-frame';
  return { person, cookie: `${name}=${bearer.replace(/^ps_/, '')}` };
}

type Form = Readonly<Record<string, string>>;

/** The form has the token of the cookie's session, as that of the page has, if it names no other. */
function page(fields: Form | undefined, headers: Readonly<Record<string, string>>) {
  const [, session = ''] = /=([0-9a-f]{16})_/.exec(headers['cookie'] ?? '') ?? [];
  const form = fields && { form: formTokenOf(session), ...fields };
  const body = form && new URLSearchParams(form);
  const method = form === undefined ? 'GET' : 'POST';
  return fetch(`${engine.baseUrl}/device`, { method, headers, redirect: 'manual', ...(body && { body }) });
}

async function ask(
  path: string,
  form: Form | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const body = typeof form === 'string' ? form : new URLSearchParams(form).toString();
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const response = await fetch(`${engine.baseUrl}${path}`, { method: 'POST', headers: { ...type, ...headers }, body });
  return { status: response.status, headers: response.headers, answer: await response.json() };
}

const poll = (code: string) => ask('/device/token', { grant_type: GRANT, device_code: code });

describe('a program that signs in', () => {
  it('gets the session of the person who confirms its code on the page, by the functions of openid-client', async () => {
    const { person, cookie } = await aBrowser();
    const config = configuration();
    const begun = await client.initiateDeviceAuthorization(config, {});
    expect(begun).toMatchObject({
      user_code: expect.stringMatching(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/),
      verification_uri: 'https://charts.example.org/device',
      expires_in: 600,
      interval: 5,
    });
    const asked = await page({ code: begun.user_code.toLowerCase().replace('-', ' ') }, { cookie, ...OWN_PAGE });
    const text = await asked.text();
    expect([asked.status, text]).toEqual([200, expect.stringContaining('127.0.0.1')]);
    expect(text).toContain('Sam &#60;b&#62;Example');
    expect(text).not.toContain('<b>');
    const allowed = await page({ code: begun.user_code, decision: 'allow' }, { cookie, ...OWN_PAGE });
    expect(await allowed.text()).toContain('The command line is signed in');
    const tokens = await client.pollDeviceAuthorizationGrant(config, { ...begun, interval: 0.01 });
    expect(tokens.expires_in).toBe(43_200);
    const { answer } = await askOps(engine, 'GET /me', { key: tokens.access_token });
    expect(answer).toMatchObject({ person, session: { kind: 'cli', way: 'device' } });
    expect((await poll(begun.device_code)).answer).toMatchObject({ error: 'invalid_grant' });
  });

  it('gets the refusal of the person', async () => {
    const { person, cookie } = await aBrowser();
    const config = configuration();
    const begun = await client.initiateDeviceAuthorization(config, {});
    const denied = await page({ code: begun.user_code, decision: 'deny' }, { cookie, ...OWN_PAGE });
    expect(await denied.text()).toContain('The program was refused');
    await expect(client.pollDeviceAuthorizationGrant(config, { ...begun, interval: 0.01 })).rejects.toMatchObject({
      error: 'access_denied',
    });
    expect(engine.audit.entries.at(-1)).toMatchObject({
      action: 'person.sign-in-refused',
      actor: `person/${person}`,
      details: { door: 'device', why: 'denied' },
    });
  });

  it('waits until it is confirmed, no more often than every 5 seconds, and for 10 minutes', async () => {
    const { answer: begun } = await ask('/device/code', {});
    const first = await poll(begun.device_code);
    expect([first.status, first.answer.error]).toEqual([400, 'authorization_pending']);
    expect(deviceErrorResponse.safeParse(first.answer).error).toBeUndefined();
    expect([first.headers.get('cache-control'), first.headers.get('pragma')]).toEqual(['no-store', 'no-cache']);
    expect((await poll(begun.device_code)).answer.error).toBe('slow_down');
    engine.setTime('2026-11-21T08:00:10Z');
    expect((await poll(begun.device_code)).answer.error).toBe('authorization_pending');
    engine.setTime('2026-11-21T08:10:00Z');
    expect((await poll(begun.device_code)).answer.error).toBe('expired_token');
  });

  it.each([
    ['device_code=x', 'invalid_request'],
    [`grant_type=${GRANT}`, 'invalid_request'],
    ['grant_type=authorization_code&code=x', 'unsupported_grant_type'],
    [`grant_type=${GRANT}&device_code=x&device_code=y`, 'invalid_request'],
    [`grant_type=${GRANT}&device_code=guessed`, 'invalid_grant'],
  ])('is refused with the form %s', async (form, error) => {
    const { status, answer } = await ask('/device/token', form);
    expect([status, answer.error]).toEqual([400, error]);
  });

  it('cannot guess codes of other programs without end, nor begin sign-ins without end', async () => {
    const statuses = [];
    for (let count = 0; count < 21; count += 1) statuses.push((await poll(`guess-${count}`)).status);
    expect([statuses.at(0), statuses.at(-1)]).toEqual([400, 429]);
    expect((await ask('/device/code', {})).status).toBe(429);
  });
});

describe('the page on which a person confirms', () => {
  it('sends a person who has not signed in to the sign-in, and back afterwards', async () => {
    const answer = await page(undefined, OWN_PAGE);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sign-in?return=%2Fdevice']);
    const sent = await page({ code: 'WDJB-MJHT' }, OWN_PAGE);
    expect([sent.status, await sent.text()]).toEqual([401, expect.stringContaining('sign in again')]);
  });

  it('does not take a session that an EHR opened, in a frame or outside, or a bearer', async () => {
    const { cookie } = await aBrowser('frame');
    expect((await page(undefined, { cookie })).status).toBe(303);
    const { key } = await engine.accounts.someone({ role: 'operator', site: 'mercy' });
    expect((await page(undefined, { authorization: `Bearer ${key}` })).status).toBe(303);
    const opened = await aBrowser('browser', { site: 'mercy', encounter: 'Encounter/1' });
    const { answer: begun } = await ask('/device/code', {});
    const form = { code: begun.user_code, decision: 'allow' };
    for (const sent of [undefined, form]) {
      const answer = await page(sent, { cookie: opened.cookie, ...OWN_PAGE });
      expect([answer.status, await answer.text()]).toEqual([
        403,
        expect.stringContaining('Your EHR opened this session'),
      ]);
    }
    expect((await poll(begun.device_code)).answer.error).toBe('authorization_pending');
  });

  it('has a strict policy, no script, and a label for its field', async () => {
    const { cookie } = await aBrowser();
    const answer = await page(undefined, { cookie });
    const text = await answer.text();
    expect(answer.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(text).not.toMatch(/<script|style=|onclick/);
    expect(text).toMatch(/<label>Code\s+<input name="code"/);
  });

  it('takes no form that another site has sent with the cookie', async () => {
    const { cookie } = await aBrowser();
    const { answer: begun } = await ask('/device/code', {});
    const form = { code: begun.user_code, decision: 'allow' };
    const foreign = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      {},
    ];
    for (const headers of foreign) expect((await page(form, { cookie, ...headers })).status).toBe(403);
    expect((await poll(begun.device_code)).answer.error).toBe('authorization_pending');
    const other = await aBrowser();
    expect((await page({ ...form, form: formTokenOf('another') }, { cookie: other.cookie, ...OWN_PAGE })).status).toBe(
      403,
    );
    expect((await page(form, { cookie, origin: 'https://charts.example.org' })).status).toBe(200);
  });

  it('says that a code is wrong, and stops the guesses of an address before it looks any further', async () => {
    const { person, cookie } = await aBrowser();
    const { answer: begun } = await ask('/device/code', {});
    const wrong = await page({ code: 'WDJB-MJHT' }, { cookie, ...OWN_PAGE });
    expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('This code is wrong')]);
    expect(engine.audit.entries.at(-1)).toMatchObject({
      action: 'person.sign-in-refused',
      actor: `person/${person}`,
      details: { door: 'device', why: 'wrong code', address: expect.any(String) },
    });
    expect(JSON.stringify(engine.audit.entries)).not.toContain('WDJB');
    for (let count = 0; count < 4; count += 1) await page({ code: `wrong-${count}` }, { cookie, ...OWN_PAGE });
    const late = await page({ code: begun.user_code, decision: 'allow' }, { cookie, ...OWN_PAGE });
    expect([late.status, await late.text()]).toEqual([429, expect.stringContaining('Wait a minute')]);
    expect((await poll(begun.device_code)).answer.error).toBe('authorization_pending');
  });

  it('does not confirm a code twice', async () => {
    const { cookie } = await aBrowser();
    const { answer: begun } = await ask('/device/code', {});
    const allow = () => page({ code: begun.user_code, decision: 'allow' }, { cookie, ...OWN_PAGE });
    expect([(await allow()).status, (await allow()).status]).toEqual([200, 400]);
  });
});

describe('a one-time link', () => {
  async function aLink(): Promise<{ readonly person: string; readonly link: string; readonly key: string }> {
    const { key } = await engine.accounts.someone({ role: 'admin', site: '*' });
    const person = await engine.accounts.aPerson([{ role: 'operator', site: 'mercy' }]);
    const { answer } = await askOps(engine, `POST /people/${person}/link`, { key });
    return { person, link: answer.link, key };
  }

  const use = (token: string) => ask('/device/link', JSON.stringify({ token }), { 'content-type': 'application/json' });

  it('gives a session once, whole or by what is at its end', async () => {
    const { person, link } = await aLink();
    const { status, answer } = await use(link);
    expect([status, deviceTokenResponse.safeParse(answer).error]).toEqual([200, undefined]);
    expect((await askOps(engine, 'GET /me', { key: answer.access_token })).answer).toMatchObject({
      person,
      session: { kind: 'cli', way: 'link' },
    });
    const again = await use(link.split('/').at(-1) ?? '');
    expect([again.status, again.answer.message]).toEqual([401, expect.stringContaining('ask an admin for a new one')]);
    const refusals = engine.audit.entries.filter(({ action }) => action === 'person.sign-in-refused');
    expect(refusals).toMatchObject([{ actor: 'unknown', details: { door: 'device', address: '127.0.0.1' } }]);
    expect(JSON.stringify(refusals)).not.toContain(link.split('/').at(-1));
  });

  it('ends after 72 hours, by a newer one, and with the account', async () => {
    const first = await aLink();
    engine.setTime('2026-11-24T08:00:00Z');
    expect((await use(first.link)).status).toBe(401);
    engine.setTime('2026-11-21T08:00:00Z');
    const newer = await askOps(engine, `POST /people/${first.person}/link`, { key: first.key });
    expect((await use(first.link)).status).toBe(401);
    await askOps(engine, `POST /people/${first.person}/disable`, { key: first.key });
    expect((await use(newer.answer.link)).status).toBe(401);
  });

  it('cannot be guessed without end', async () => {
    const statuses = [];
    for (let count = 0; count < 21; count += 1) statuses.push((await use('A'.repeat(43))).status);
    expect([statuses.at(0), statuses.at(-1)]).toEqual([401, 429]);
    expect((await use('../../people')).status).toBe(400);
  });
});
