// The passkeys on the page of the own account: added and removed while signed in, by the person alone. Real passkeys are tried in a real browser.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SessionKind, SignInWay } from '../../../../src/ports/person-sessions.ts';
import { type Browser, openSignInDoor, type SignInDoor } from './sign-in-door.ts';

const COOKIE = '__Host-chartwright';
const [ADA, EVE] = ['000000000000000a', '000000000000000e'];

let door: SignInDoor;
beforeEach(async () => {
  door = await openSignInDoor({ host: 'localhost', passkeyChecks: CHECKS });
  await door.people.create({ id: ADA, name: 'Ada Example', origin: 'local', grants: [] });
  await door.people.create({ id: EVE, name: 'Eve Example', origin: 'local', grants: [] });
});
afterEach(() => door.close());

/** A device that answers with the challenge and the id of its passkey. */
const CHECKS = {
  askForNew: async ({ known }: { readonly known: readonly { readonly id: string }[] }) => {
    const challenge = randomBytes(32).toString('base64url');
    return { challenge, options: JSON.stringify({ challenge, known: known.map(({ id }) => id) }) };
  },
  readNew: async ({ answer, challenge }: { readonly answer: string; readonly challenge: string }) => {
    const [given, id = ''] = answer.split(' ');
    return given === challenge ? { id, publicKey: Uint8Array.of(1), counter: 0, transports: [] } : undefined;
  },
  ask: () => Promise.reject(new Error('not in this test')),
  idIn: () => undefined,
  read: async () => undefined,
};

type Session = { readonly kind?: SessionKind; readonly way?: SignInWay; readonly isOpened?: boolean };

async function signedIn(
  person: string,
  { kind = 'browser', way = 'password', isOpened = false }: Session = {},
): Promise<Browser & { readonly form: string }> {
  const opened = isOpened ? { opened: { site: 'mercy', encounter: 'Encounter/1', patient: 'Patient/1' } } : {};
  const { session, secretText } = await door.openSession({ person, kind, way, address: '192.0.2.9', ...opened });
  const browser = door.makeBrowser();
  browser.cookies.set(COOKIE, secretText);
  return { ...browser, form: door.formTokenOf(session.id) };
}

/** The fields of the form of the page, as the script of the page completes them. */
async function answered(browser: Browser, id: string) {
  const page = await browser.page('/me/passkeys/new');
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
  return { form: field('form'), challenge: field('challenge'), answer: `${field('challenge')} ${id}` };
}

const idsOf = async (person: string) => (await door.localAccounts.passkeysOf(person)).map(({ id }) => id);
const entries = () => door.audit.entries.filter(({ action }) => action.startsWith('passkey.'));

describe('A passkey of the own account', () => {
  it('is added while signed in, shown, and recorded with who it is of and from where', async () => {
    const ada = await signedIn(ADA);
    expect(await ada.page('/me')).toContain('href="/me/passkeys/new"');
    const before = ada.cookies.get(COOKIE);
    const answer = await ada.post('/me/passkeys', await answered(ada, 'key-1'));
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/me']);
    expect(await idsOf(ADA)).toEqual(['key-1']);
    expect(await ada.page('/me')).toContain('passkey, made ');
    expect(entries()).toMatchObject([
      { action: 'passkey.add', actor: `person/${ADA}`, details: { person: ADA, passkey: 'key-1' } },
    ]);
    expect(Object.keys(entries()[0]?.details ?? {}).toSorted()).toEqual(['address', 'passkey', 'person']);
    // What signs the person in has grown: the secret of the session is another one.
    expect(ada.cookies.get(COOKIE)).not.toBe(before);
  });

  it('is asked for in view of those that the person has', async () => {
    const ada = await signedIn(ADA);
    await ada.post('/me/passkeys', await answered(ada, 'key-1'));
    expect(await ada.page('/me/passkeys/new')).toContain('key-1');
  });

  it('is removed, and that is recorded, too', async () => {
    const ada = await signedIn(ADA);
    await ada.post('/me/passkeys', await answered(ada, 'key-1'));
    expect((await ada.post('/me/passkeys/remove', { form: ada.form, passkey: 'key-1' })).status).toBe(303);
    expect(await idsOf(ADA)).toEqual([]);
    expect(entries().map(({ action }) => action)).toContain('passkey.remove');
  });

  it('is added once with each answer', async () => {
    const ada = await signedIn(ADA);
    const fields = await answered(ada, 'key-1');
    await ada.post('/me/passkeys', fields);
    await ada.post('/me/passkeys/remove', { form: ada.form, passkey: 'key-1' });
    const cookie = ada.cookies.get('__Host-chartwright-attempt');
    expect([(await ada.post('/me/passkeys', fields)).status, cookie]).toEqual([401, undefined]);
    expect(await idsOf(ADA)).toEqual([]);
  });

  it('that another account has is not added', async () => {
    const [ada, eve] = [await signedIn(ADA), await signedIn(EVE)];
    await ada.post('/me/passkeys', await answered(ada, 'key-1'));
    expect((await eve.post('/me/passkeys', await answered(eve, 'key-1'))).status).toBe(409);
    expect([await idsOf(ADA), await idsOf(EVE)]).toEqual([['key-1'], []]);
  });
});

describe('An attack on the passkeys of a person', () => {
  it('by the id of another person’s passkey removes nothing, and is answered as if there were none', async () => {
    const [ada, eve] = [await signedIn(ADA), await signedIn(EVE)];
    await ada.post('/me/passkeys', await answered(ada, 'key-1'));
    const other = await eve.post('/me/passkeys/remove', { form: eve.form, passkey: 'key-1' });
    const none = await eve.post('/me/passkeys/remove', { form: eve.form, passkey: 'key-9' });
    expect([other.status, await other.text()]).toEqual([none.status, await none.text()]);
    expect(await idsOf(ADA)).toEqual(['key-1']);
    expect(entries().map(({ action }) => action)).toEqual(['passkey.add']);
  });

  it('by a challenge that another person was given adds nothing', async () => {
    const [ada, eve] = [await signedIn(ADA), await signedIn(EVE)];
    const ofEve = await answered(eve, 'key-evil');
    ada.cookies.set('__Host-chartwright-attempt', eve.cookies.get('__Host-chartwright-attempt') ?? '');
    expect((await ada.post('/me/passkeys', { ...ofEve, form: ada.form })).status).toBe(401);
    expect([await idsOf(ADA), await idsOf(EVE)]).toEqual([[], []]);
  });

  it('from another browser with the same session adds nothing', async () => {
    const ada = await signedIn(ADA);
    const fields = await answered(ada, 'key-1');
    ada.cookies.delete('__Host-chartwright-attempt');
    expect((await ada.post('/me/passkeys', fields)).status).toBe(401);
    expect(await idsOf(ADA)).toEqual([]);
  });

  it.each([
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of another page of the same hospital', { 'sec-fetch-site': 'same-site' }],
  ])('by a form %s adds and removes nothing', async (_, headers) => {
    const ada = await signedIn(ADA);
    await ada.post('/me/passkeys', await answered(ada, 'key-1'));
    const added = await ada.post('/me/passkeys', await answered(ada, 'key-2'), headers);
    const removed = await ada.post('/me/passkeys/remove', { form: ada.form, passkey: 'key-1' }, headers);
    expect([added.status, removed.status]).toEqual([403, 403]);
    expect(await idsOf(ADA)).toEqual(['key-1']);
  });

  it('by a form of another session adds and removes nothing', async () => {
    const [ada, eve] = [await signedIn(ADA), await signedIn(EVE)];
    const added = await ada.post('/me/passkeys', { ...(await answered(ada, 'key-2')), form: eve.form });
    const removed = await ada.post('/me/passkeys/remove', { form: eve.form, passkey: 'key-1' });
    expect([added.status, removed.status]).toEqual([403, 403]);
    expect(await idsOf(ADA)).toEqual([]);
  });

  it.each<readonly [string, Session]>([
    ['that an EHR opened for a visit', { way: 'launch', isOpened: true }],
    ['that an EHR opened without a visit', { way: 'launch' }],
    ['of a frame', { kind: 'frame', way: 'launch', isOpened: true }],
  ])('by a session %s adds and removes nothing', async (_, session) => {
    const ada = await signedIn(ADA);
    await ada.post('/me/passkeys', await answered(ada, 'key-1'));
    const fromEhr = await signedIn(ADA, session);
    expect(await fromEhr.page('/me')).not.toContain('/me/passkeys/new');
    expect((await fromEhr.ask('/me/passkeys/new')).status).toBe(403);
    const { challenge, answer } = await answered(ada, 'key-2');
    fromEhr.cookies.set('__Host-chartwright-attempt', ada.cookies.get('__Host-chartwright-attempt') ?? '');
    const added = await fromEhr.post('/me/passkeys', { form: fromEhr.form, challenge, answer });
    const removed = await fromEhr.post('/me/passkeys/remove', { form: fromEhr.form, passkey: 'key-1' });
    expect([added.status, removed.status]).toEqual([403, 403]);
    expect(await idsOf(ADA)).toEqual(['key-1']);
  });

  it('by the session of a command line adds nothing', async () => {
    const cli = await signedIn(ADA, { kind: 'cli', way: 'device' });
    expect((await cli.ask('/me/passkeys/new')).status).toBe(403);
  });

  it('is not open to people of the identity provider', async () => {
    const person = '000000000000000b';
    await door.people.create({ id: person, name: 'Bo Example', origin: 'oidc', grants: [] });
    const provided = await signedIn(person, { way: 'oidc' });
    expect(await provided.page('/me')).not.toContain('/me/passkeys/new');
    expect((await provided.ask('/me/passkeys/new')).status).toBe(403);
  });

  it('without a session leads to the sign-in, and adds nothing', async () => {
    const stranger = door.makeBrowser();
    const page = await stranger.ask('/me/passkeys/new');
    expect([page.status, page.headers.get('location')]).toEqual([303, '/sign-in?return=%2Fme']);
    expect((await stranger.post('/me/passkeys', { form: '', challenge: 'x', answer: 'x' })).status).toBe(401);
  });
});
