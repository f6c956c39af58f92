import { beforeEach, describe, expect, it } from '@jest/globals';
import type { LaunchSettings } from '../../../src/domain/site/launch-settings.ts';
import { type LaunchAnswer, makeLaunch } from '../../../src/flows/people/launch.ts';
import { makeOpenSession } from '../../../src/flows/people/open-session.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { makeFakeAudit } from '../../fakes/audit.ts';
import { makeFakeEhrSignIn } from '../../fakes/ehr-sign-in.ts';
import { makeFakePeople } from '../../fakes/people.ts';
import { makeFakePersonSessions } from '../../fakes/person-sessions.ts';
import { makeFakeSignInAttempts } from '../../fakes/sign-in-attempts.ts';
import { aSite } from '../../support/chart-facts.ts';

const BASE = 'https://ehr.example.org/fhir';
const BROWSER = 'b'.repeat(43);
const signal = new AbortController().signal;

function startLaunches() {
  let time = new Date('2026-11-21T08:00:00Z');
  const now = () => time;
  const people = makeFakePeople({ now });
  const personSessions = makeFakePersonSessions({ people, now });
  const audit = makeFakeAudit({ now });
  const ehrSignIn = makeFakeEhrSignIn();
  const sites = new Map<string, LoadedSite>();
  const parts = { people, personSessions, audit, ehrSignIn, runtime: systemRuntime };
  const launch = makeLaunch({
    ...parts,
    sites: { current: () => ({ sites, problems: [], stale: new Set(), unavailable: new Set() }) },
    signInAttempts: makeFakeSignInAttempts({ now }),
    openSession: makeOpenSession(parts),
    publicUrl: 'https://cw.example.org/',
  });
  const setSite = (name: string, settings: Partial<LaunchSettings> = {}) =>
    sites.set(name, aSiteWithLaunch(name, settings));
  setSite('mercy');
  return {
    ...parts,
    launch,
    setSite,
    pass: (ms: number) => {
      time = new Date(time.getTime() + ms);
    },
  };
}

function aSiteWithLaunch(name: string, settings: Partial<LaunchSettings>): LoadedSite {
  const site = aSite({});
  const launch: LaunchSettings = {
    clientId: 'chartwright',
    client: { kind: 'secret', clientSecret: 's' },
    issuers: [BASE],
    scopes: ['launch', 'openid', 'fhirUser'],
    newReviewers: true,
    frameOrigins: ['https://ehr.example.org'],
    idTokenAlgorithms: ['ES256'],
    ...settings,
  };
  return { ...site, name, settings: { ...site.settings, launch } };
}

let world: ReturnType<typeof startLaunches>;
beforeEach(() => {
  world = startLaunches();
});

async function begin(more: Partial<Parameters<typeof world.launch.begin>[0]> = {}): Promise<string> {
  const order = { site: 'mercy', issuer: BASE, launch: 'xyz', kind: 'browser', browser: BROWSER, ...more } as const;
  return (await world.launch.begin(order, signal)).searchParams.get('state') ?? '';
}

function finish(state: string, more: Partial<LaunchAnswer> = {}) {
  const answer = new URLSearchParams({ code: 'c', state });
  const order = { site: 'mercy', kind: 'browser', browser: BROWSER, answer, address: '192.0.2.1', ...more } as const;
  return world.launch.finish(order, signal);
}

const wholeLaunch = async () => finish(await begin());

async function actions(): Promise<readonly string[]> {
  return (await world.audit.list({ limit: 100, ...{ scope: 'all' } })).entries.map(({ action }) => action).toReversed();
}

async function aReviewer(practitioner = 'Practitioner/7') {
  const grants = [{ role: 'reviewer', site: 'mercy', practitioner, origin: 'admin' }] as const;
  return world.people.create({ id: 'a'.repeat(16), name: 'Dr Okafor', origin: 'local', grants });
}

async function callerOf(secretText: string) {
  const [id = '', secret = ''] = secretText.split('_');
  return world.personSessions.use(id, systemRuntime.digest(secretText.slice(id.length + 1) || secret));
}

describe('A launch', () => {
  it('opens a session for treatment in which one visit of one site is open', async () => {
    const { secretText, opened } = await wholeLaunch();
    expect(opened).toEqual({ site: 'mercy', encounter: 'Encounter/123', patient: 'Patient/1' });
    expect(await callerOf(secretText)).toMatchObject({
      session: { kind: 'browser', way: 'launch', purpose: 'TREAT', opened },
      person: { name: 'Ines Okafor', origin: 'launch' },
    });
    expect(await actions()).toEqual(['person.create', 'person.sign-in', 'person.purpose']);
  });

  it('sends the browser back to an address of its own site', async () => {
    world.setSite('general');
    await begin({ site: 'general' });
    expect(world.ehrSignIn.orders[0]?.redirectUri).toBe('https://cw.example.org/launch/general/callback');
  });

  it('from a frame opens a session for frames', async () => {
    const state = await begin({ kind: 'frame' });
    const { secretText } = await finish(state, { kind: 'frame' });
    expect(await callerOf(secretText)).toMatchObject({ session: { kind: 'frame' } });
  });

  it('from a frame is refused at a site that names no frames, before the EHR is asked', async () => {
    world.setSite('mercy', { frameOrigins: [] });
    await expect(begin({ kind: 'frame' })).rejects.toMatchObject({ why: 'frame' });
    expect(world.ehrSignIn.orders).toEqual([]);
  });

  it('of a person who comes without the chart opens no visit, and a session that is a reviewer of this site alone', async () => {
    const { encounter: _, patient: __, ...clinician } = world.ehrSignIn.clinician;
    world.ehrSignIn.clinician = clinician;
    const state = (await world.launch.begin({ site: 'mercy', kind: 'browser', browser: BROWSER }, signal)).searchParams;
    expect(world.ehrSignIn.orders[0]).toMatchObject({ issuer: BASE });
    const { secretText, opened } = await finish(state.get('state') ?? '');
    expect(opened).toEqual({ site: 'mercy' });
    expect((await callerOf(secretText))?.session.opened).toEqual({ site: 'mercy' });
  });

  it('of the chart without a visit is refused, and opens no session', async () => {
    const { encounter: _, ...clinician } = world.ehrSignIn.clinician;
    world.ehrSignIn.clinician = clinician;
    await expect(wholeLaunch()).rejects.toMatchObject({ why: 'no-encounter', practitioner: 'Practitioner/7' });
    expect(await actions()).not.toContain('person.sign-in');
  });

  it('is not there at a site without the setting, or at one that does not exist', async () => {
    await expect(begin({ site: 'general' })).rejects.toMatchObject({ code: 'notFound' });
    await expect(finish('state', { site: 'general' })).rejects.toMatchObject({ code: 'notFound' });
  });

  it('is refused if it does not say which EHR it comes from, or names one that is not listed', async () => {
    const order = { site: 'mercy', launch: 'xyz', kind: 'browser', browser: BROWSER } as const;
    await expect(world.launch.begin(order, signal)).rejects.toMatchObject({ why: 'no-issuer' });
    for (const issuer of [`${BASE}/`, 'https://evil.example.org/fhir', BASE.toUpperCase(), '']) {
      await expect(begin({ issuer })).rejects.toMatchObject({ why: 'issuer' });
    }
    expect(world.ehrSignIn.orders).toEqual([]);
  });
});

describe('The way back of a launch', () => {
  it.each([
    ['with a state that was used', async (state: string) => void (await finish(state)), {}],
    ['in another browser', async () => undefined, { browser: 'x'.repeat(43) }],
    ['without the cookie', async () => undefined, { browser: undefined }],
    ['after ten minutes', async () => world.pass(600_001), {}],
    ['without a state', async () => undefined, { answer: new URLSearchParams({ code: 'c' }) }],
  ] as const)('is refused %s, without a word to the EHR', async (_, meanwhile, more) => {
    const state = await begin();
    await meanwhile(state);
    const asked = world.ehrSignIn.orders.length;
    await expect(finish(state, more)).rejects.toMatchObject({ why: 'attempt' });
    expect(world.ehrSignIn.orders).toHaveLength(asked);
  });

  it('is burnt by another browser that has seen it', async () => {
    const state = await begin();
    await expect(finish(state, { browser: 'x'.repeat(43) })).rejects.toMatchObject({ why: 'attempt' });
    await expect(finish(state)).rejects.toMatchObject({ why: 'attempt' });
  });

  it('of one site is refused at another, though both trust the same EHR', async () => {
    world.setSite('general');
    await expect(finish(await begin(), { site: 'general' })).rejects.toMatchObject({ fault: 'other-site' });
  });

  it('with the secrets of one launch is not mixed with another of the same browser', async () => {
    const [one, other] = [await begin(), await begin()];
    await finish(other);
    await finish(one);
    const [first, second, third, fourth] = world.ehrSignIn.orders;
    expect(third).toMatchObject({ nonce: second?.nonce, verifier: second?.verifier });
    expect(fourth).toMatchObject({ nonce: first?.nonce, verifier: first?.verifier });
    expect(new Set([first?.state, first?.nonce, first?.verifier, second?.state, second?.nonce]).size).toBe(5);
  });
});

describe('The person of a launch', () => {
  it('is the reviewer who signs as this Practitioner, and from then on known by the EHR’s own name', async () => {
    const { id } = await aReviewer();
    world.setSite('mercy', { newReviewers: false });
    expect(await callerOf((await wholeLaunch()).secretText)).toMatchObject({ person: { id, name: 'Dr Okafor' } });
    expect(await world.people.findByIdentity(world.ehrSignIn.clinician.identity)).toMatchObject({ id });
    await wholeLaunch();
    expect(await actions()).toEqual([
      'person.link',
      ...['person.sign-in', 'person.purpose'],
      ...['person.sign-in', 'person.purpose'],
    ]);
  });

  it('may be a reviewer by a role of the EHR', async () => {
    const { id } = await aReviewer('PractitionerRole/3');
    world.ehrSignIn.clinician = { ...world.ehrSignIn.clinician, practitionerRole: 'PractitionerRole/3' };
    expect(await callerOf((await wholeLaunch()).secretText)).toMatchObject({ person: { id } });
  });

  it('without an account learns who may give one, if the site makes none at the first launch', async () => {
    world.setSite('mercy', { newReviewers: false });
    await expect(wholeLaunch()).rejects.toMatchObject({
      why: 'no-role',
      message: expect.stringContaining('An admin of mercy gives you the role reviewer, as Practitioner/7'),
    });
    expect(await actions()).toEqual([]);
  });

  it('gets the role of a further site of the same EHR, and keeps the first', async () => {
    await wholeLaunch();
    world.setSite('general');
    await finish(await begin({ site: 'general' }), { site: 'general' });
    const person = await world.people.findByIdentity(world.ehrSignIn.clinician.identity);
    expect(person?.grants.map(({ site, origin }) => [site, origin])).toEqual([
      ['general', 'launch'],
      ['mercy', 'launch'],
    ]);
  });

  it.each([
    ['by an identity', true],
    ['by a Practitioner', false],
  ])('is refused if the account, known %s, is disabled', async (_, isLinked) => {
    const { id } = await aReviewer();
    if (isLinked) await wholeLaunch();
    await world.people.disable(id);
    await expect(wholeLaunch()).rejects.toMatchObject({ why: 'disabled' });
  });

  it('is refused if the account signs as another Practitioner than the one at the EHR', async () => {
    await aReviewer();
    await wholeLaunch();
    world.ehrSignIn.clinician = { ...world.ehrSignIn.clinician, practitioner: 'Practitioner/8' };
    await expect(wholeLaunch()).rejects.toMatchObject({ why: 'other-practitioner' });
  });

  it('is refused if the EHR’s name and the Practitioner belong to two accounts', async () => {
    await wholeLaunch();
    const grants = [{ role: 'reviewer', site: 'mercy', practitioner: 'Practitioner/8', origin: 'admin' }] as const;
    await world.people.create({ id: 'b'.repeat(16), name: 'Juan Sola', origin: 'local', grants });
    world.ehrSignIn.clinician = { ...world.ehrSignIn.clinician, practitioner: 'Practitioner/8' };
    await expect(wholeLaunch()).rejects.toMatchObject({ why: 'other-practitioner' });
  });

  it('is made once, though two first launches arrive at once', async () => {
    const [one, other] = [await begin(), await begin()];
    await Promise.all([finish(one), finish(other)]);
    expect((await world.people.list({ scope: 'all', limit: 10 })).people).toHaveLength(1);
  });
});
