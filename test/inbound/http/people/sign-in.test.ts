// Signing in with a browser by the identity provider, the own account, and every way by which a session ends.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openSignInDoor, ROLES, type SignInDoor } from './sign-in-door.ts';

const COOKIE = '__Host-chartwright';
const MINUTE_MS = 60_000;

let door: SignInDoor;

beforeAll(async () => {
  door = await openSignInDoor();
});

afterAll(() => door.close());

async function aSignedIn(sub = 'ada') {
  const browser = door.makeBrowser();
  const answer = await browser.signIn(sub);
  if (answer.status !== 303) throw new Error(`The sign-in was answered with ${answer.status}: ${await answer.text()}`);
  return browser;
}

describe('the page for signing in', () => {
  it('offers the identity provider, says how an account is made, and is not kept', async () => {
    const answer = await fetch(`${door.url}/sign-in`);
    const page = await answer.text();
    expect(page).toContain('Sign in with your organization');
    expect(page).toContain('chartwright people create');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("form-action 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(page).not.toMatch(/<script>|style=|onclick/);
  });

  it('sends a browser that is signed in to where it wanted to go', async () => {
    const browser = await aSignedIn();
    const answer = await browser.ask('/sign-in?return=/me');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/me']);
  });
});

describe('sign-in by the identity provider', () => {
  it('opens a session with the roles of the claims, and shows who one is', async () => {
    const browser = door.makeBrowser();
    const answer = await browser.signIn('ada', '/sign-in/provider?return=/me%3Fa=1');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/me?a=1']);
    expect(answer.headers.getSetCookie().join('\n')).toMatch(
      /^__Host-chartwright=[0-9a-f]{16}_[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax$/m,
    );
    const page = await browser.page('/me');
    expect(page).toContain('Dr. Ada Example');
    expect(page).toContain('viewer of mercy');
  });

  it('makes one account for a person, whose claims replace the roles at each sign-in', async () => {
    await aSignedIn();
    const identity = { issuer: door.oidc.issuer, subject: 'ada' };
    const before = await door.people.findByIdentity(identity);
    door.oidc.accounts.set('ada', { name: 'Dr. Ada Example-Newname', groups: ['chart-admins'] });
    await aSignedIn();
    const after = await door.people.findByIdentity(identity);
    expect(after?.id).toBe(before?.id);
    expect(after?.name).toBe('Dr. Ada Example-Newname');
    expect(after?.grants).toEqual([{ role: 'admin', site: '*', origin: 'claims' }]);
    door.oidc.accounts.set('ada', { name: 'Dr. Ada Example', groups: ['chart-watchers'] });
    await aSignedIn();
    expect((await door.people.findByIdentity(identity))?.grants).toEqual([
      { role: 'viewer', site: 'mercy', origin: 'claims' },
    ]);
  });

  it('gives no account to a person without a role, and says who that is for the provider', async () => {
    const browser = door.makeBrowser();
    const answer = await browser.signIn('eve');
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('you are eve at');
    expect(browser.cookies.has(COOKIE)).toBe(false);
    expect(await door.people.findByIdentity({ issuer: door.oidc.issuer, subject: 'eve' })).toBeUndefined();
  });

  it('takes the roles of a person whose claims give none any more, also from sessions that are open', async () => {
    door.oidc.accounts.set('kim', { name: 'Kim Example', groups: ['chart-watchers'] });
    const former = await aSignedIn('kim');
    door.oidc.accounts.set('kim', { name: 'Kim Example', groups: [] });
    const answer = await door.makeBrowser().signIn('kim');
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('gives you none any more');
    expect(await former.page('/me')).toContain('You have no role');
  });

  it('leaves roles that an admin gave', async () => {
    door.oidc.accounts.set('lee', { name: 'Lee Example', groups: ['chart-watchers'] });
    await aSignedIn('lee');
    const identity = { issuer: door.oidc.issuer, subject: 'lee' };
    const { id = '' } = (await door.people.findByIdentity(identity)) ?? {};
    await door.people.setGrants({ id, origin: 'admin', grants: [{ role: 'auditor', site: 'mercy' }], by: 'operator' });
    door.oidc.accounts.set('lee', { name: 'Lee Example', groups: [] });
    await aSignedIn('lee');
    expect((await door.people.findByIdentity(identity))?.grants).toEqual([
      { role: 'auditor', site: 'mercy', origin: 'admin' },
    ]);
  });

  it('refuses a person whom an admin has disabled', async () => {
    door.oidc.accounts.set('max', { name: 'Max Example', groups: ['chart-watchers'] });
    const browser = await aSignedIn('max');
    const { id = '' } = (await door.people.findByIdentity({ issuer: door.oidc.issuer, subject: 'max' })) ?? {};
    await door.people.disable(id);
    expect((await browser.ask('/me')).status).toBe(303);
    const answer = await door.makeBrowser().signIn('max');
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain('disabled');
  });

  it('says in words that the provider is away', async () => {
    const away = await openSignInDoor();
    away.oidc.set('away');
    const answer = await fetch(`${away.url}/sign-in/provider`, { redirect: 'manual' });
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('cannot be reached now');
    await away.close();
  });

  it('makes no account of its own without a file of roles', async () => {
    const other = await openSignInDoor({ roles: { ...ROLES, rules: [] } });
    expect((await other.makeBrowser().signIn('ada')).status).toBe(403);
    await other.close();
  });

  it('makes a reviewer who signs as the Practitioner of the claims, and no second one who signs as the same', async () => {
    const rule = { claim: ['groups'], values: ['doctors'], role: 'reviewer', sites: ['mercy'] } as const;
    const other = await openSignInDoor({ roles: { ...ROLES, rules: [{ ...rule, practitioner: ['practitioner'] }] } });
    for (const sub of ['una', 'tom'])
      other.oidc.accounts.set(sub, { name: sub, groups: ['doctors'], practitioner: '7' });
    const una = other.makeBrowser();
    await una.signIn('una');
    expect(await una.page('/me')).toContain('reviewer of mercy, signing as Practitioner/7');
    const refused = await other.makeBrowser().signIn('tom');
    expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('signs as')]);
    expect(await other.people.findByIdentity({ issuer: other.oidc.issuer, subject: 'tom' })).toBeUndefined();
    await other.close();
  });

  it('a sign-in and a refused one are in the audit trail, without a name', async () => {
    await aSignedIn();
    await door.makeBrowser().signIn('eve');
    const [refused, signedIn] = door.audit.entries.toReversed();
    expect(refused).toMatchObject({ action: 'person.sign-in-refused', details: { door: 'provider' } });
    expect(signedIn).toMatchObject({ action: 'person.sign-in', details: { way: 'oidc', kind: 'browser' } });
    expect(JSON.stringify(door.audit.entries)).not.toMatch(/Example|eve/);
  });
});

describe('a session', () => {
  it('ends after 15 minutes without use', async () => {
    const browser = await aSignedIn();
    door.advance(14 * MINUTE_MS);
    expect((await browser.ask('/me')).status).toBe(200);
    door.advance(16 * MINUTE_MS);
    const answer = await browser.ask('/me');
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/sign-in?return=%2Fme']);
  });

  it('has a new secret after five minutes of use, and the former one is good for seconds only', async () => {
    const browser = await aSignedIn();
    const former = browser.cookies.get(COOKIE) ?? '';
    await browser.ask('/me');
    expect(browser.cookies.get(COOKIE)).toBe(former);
    door.advance(6 * MINUTE_MS);
    await browser.ask('/me');
    const now = browser.cookies.get(COOKIE) ?? '';
    expect(now).not.toBe(former);
    expect(now.slice(0, 16)).toBe(former.slice(0, 16));
    const thief = door.makeBrowser();
    thief.cookies.set(COOKIE, former);
    expect((await thief.ask('/me')).status).toBe(200);
    expect(thief.cookies.get(COOKIE)).toBe(former);
    door.advance(11_000);
    expect((await thief.ask('/me')).status).toBe(303);
    expect((await browser.ask('/me')).status).toBe(200);
  });

  it('has a new secret when its purpose changes', async () => {
    const browser = await aSignedIn();
    const former = browser.cookies.get(COOKIE);
    const answer = await browser.postForm('/me/purpose', { purpose: 'TREAT' });
    expect(answer.status).toBe(303);
    expect(browser.cookies.get(COOKIE)).not.toBe(former);
    expect(await browser.page('/me')).toContain('<option value="TREAT" selected>');
    expect((await browser.postForm('/me/purpose', { purpose: 'BTG' })).status).toBe(400);
  });

  it('is ended by signing out, here or everywhere', async () => {
    const [one, other] = [await aSignedIn(), await aSignedIn()];
    expect((await one.postForm('/sign-out')).headers.get('location')).toBe('/sign-in?signed-out=here');
    expect(one.cookies.has(COOKIE)).toBe(false);
    expect((await other.ask('/me')).status).toBe(200);
    const third = await aSignedIn();
    await third.postForm('/sign-out?everywhere=true');
    expect((await other.ask('/me')).status).toBe(303);
  });

  it('is ended from another one of the same person, but not from another person’s', async () => {
    door.oidc.accounts.set('noa', { name: 'Noa Example', groups: ['chart-watchers'] });
    const [ada, other, noa] = [await aSignedIn(), await aSignedIn(), await aSignedIn('noa')];
    const session = (other.cookies.get(COOKIE) ?? '').slice(0, 16);
    await noa.postForm('/me/sessions/end', { session });
    expect((await other.ask('/me')).status).toBe(200);
    await ada.postForm('/me/sessions/end', { session });
    expect((await other.ask('/me')).status).toBe(303);
  });

  it('is ended by the identity provider (back-channel logout), once it is signed out there', async () => {
    const browser = await aSignedIn();
    const end = (await browser.ask('/sign-in/provider/end')).headers.get('location') ?? '';
    await door.oidc.signOut(end, browser.atProvider);
    expect((await browser.ask('/me')).status).toBe(303);
    expect(door.audit.entries.at(-1)).toMatchObject({ action: 'session.end', details: { why: 'by-provider' } });
  });
});
