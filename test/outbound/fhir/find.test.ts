import { afterEach, describe, expect, it } from '@jest/globals';
import type { Identity } from '../../../src/domain/chart/identity.ts';
import type { FindAnswer, FindOrder } from '../../../src/ports/ehr.ts';
import { makeFakeEhrKnowledge } from '../../fakes/ehr-knowledge.ts';
import { anOutcome, type ScriptedAnswer, type ScriptedEhr, startScriptedEhr } from './scripted-ehr.ts';

const SYSTEM = 'urn:chartwright:mercy';
const never = new AbortController().signal;
const named = (value: string): Identity => ({ system: SYSTEM, value });

let server: ScriptedEhr | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

type Held = { readonly resourceType: string; readonly id: string; readonly [element: string]: unknown };
/** What one parameter does with its value. The server does not support the parameter if undefined. */
type Searches = Readonly<
  Record<string, ((value: string, all: readonly Held[]) => readonly Held[] | ScriptedAnswer) | undefined>
>;

const byIdentifier = (value: string, all: readonly Held[]) =>
  all.filter(({ identifier }) =>
    (identifier as Identity[] | undefined)?.some((one) => `${one.system}|${one.value}` === value),
  );
const byAnyIdentifier = (value: string, all: readonly Held[]) =>
  value.split(',').flatMap((one) => byIdentifier(one, all));
const byElement = (element: string) => (value: string, all: readonly Held[]) =>
  all.filter((resource) => JSON.stringify(resource[element] ?? '').includes(`"${value}"`));
const everything = (_: string, all: readonly Held[]) => all;

type ServerParts = {
  readonly searches: Searches;
  /** The parameters of the CapabilityStatement. All supported ones if absent. */
  readonly listed?: readonly string[];
  readonly types?: readonly string[];
  readonly held?: readonly Held[];
  readonly pageSize?: number;
  readonly knowledge?: ReturnType<typeof makeFakeEhrKnowledge>;
};

async function serverOf({ searches, listed, held = [], pageSize = 100, ...rest }: ServerParts): Promise<ScriptedEhr> {
  const { types = ['Condition', 'Provenance', 'Device'], knowledge = makeFakeEhrKnowledge() } = rest;
  const statement = {
    resourceType: 'CapabilityStatement',
    software: { name: 'Script', version: '1' },
    rest: [
      {
        mode: 'server',
        resource: types.map((type) => ({
          type,
          interaction: [{ code: 'search-type' }],
          searchParam: (listed ?? Object.keys(searches)).map((name) => ({ name })),
        })),
      },
    ],
  };
  const answer = (url: string): ScriptedAnswer => {
    if (url === 'metadata') return { status: 200, body: statement };
    const { pathname, searchParams } = new URL(url, 'http://script');
    const offset = Number(searchParams.get('page') ?? 0);
    const [[name = '', value = ''] = []] = [...searchParams].filter(([one]) => one !== '_count' && one !== 'page');
    const search = searches[name];
    if (search === undefined) return { status: 400, body: anOutcome({ code: 'not-supported' }) };
    const found = search(
      value,
      held.filter(({ resourceType }) => `/${resourceType}` === pathname),
    );
    if (!Array.isArray(found)) return found as ScriptedAnswer;
    const next = `?${name}=${encodeURIComponent(value)}&page=${offset + pageSize}`;
    const body = {
      resourceType: 'Bundle',
      type: 'searchset',
      link: offset + pageSize < found.length ? [{ relation: 'next', url: next }] : [],
      entry: found.slice(offset, offset + pageSize).map((resource) => ({ resource })),
    };
    return { status: 200, body };
  };
  await server?.close();
  server = await startScriptedEhr(({ url }) => answer(url), { knowledge });
  return server;
}

function aCondition(id: string, value: string, extra: object = {}): Held {
  return {
    resourceType: 'Condition',
    id,
    identifier: [{ system: 'urn:somebody', value: '7' }, named(value)],
    subject: { reference: 'Patient/1' },
    encounter: { reference: 'Encounter/2' },
    ...extra,
  };
}

async function find(ehr: ScriptedEhr, values: readonly string[], order: Partial<FindOrder> = {}) {
  const where = { patient: 'Patient/1', encounter: 'Encounter/2' };
  const answer = await ehr.ehr.find({ type: 'Condition', identities: values.map(named), ...where, ...order }, never);
  return shown(answer);
}

function shown(answer: FindAnswer) {
  if (!answer.canFind) return answer.why;
  return Object.fromEntries([...answer.found].map(([value, all]) => [value, all.map(({ reference }) => reference)]));
}

const searchesOf = ({ requests }: ScriptedEhr) =>
  requests
    .filter(({ url }) => url !== 'metadata')
    .map(({ url }) => decodeURIComponent(url.replace(/_count=\d+&?/, '')));

describe('Finding written resources', () => {
  it('several identities are searched at once, and those not found are searched alone before they count as missing', async () => {
    const ehr = await serverOf({ searches: { identifier: byAnyIdentifier }, held: [aCondition('1', 'a')] });
    expect(await find(ehr, ['a', 'b'])).toEqual({ a: ['Condition/1'] });
    expect(searchesOf(ehr)).toEqual([
      `Condition?identifier=${SYSTEM}|a,${SYSTEM}|b`,
      `Condition?identifier=${SYSTEM}|b`,
    ]);
  });

  it('a server that reads a comma as a part of the value misses no identity', async () => {
    const held = [aCondition('1', 'a'), aCondition('2', 'b')];
    const ehr = await serverOf({ searches: { identifier: byIdentifier }, held });
    expect(await find(ehr, ['a', 'b', 'c'])).toEqual({ a: ['Condition/1'], b: ['Condition/2'] });
  });

  it('a server that refuses several values is asked one by one from then on', async () => {
    const identifier = (value: string, all: readonly Held[]) =>
      value.includes(',') ? { status: 400 } : byIdentifier(value, all);
    const ehr = await serverOf({ searches: { identifier }, held: [aCondition('1', 'a'), aCondition('2', 'b')] });
    for (const _ of [1, 2]) expect(await find(ehr, ['a', 'b'])).toEqual({ a: ['Condition/1'], b: ['Condition/2'] });
    expect(searchesOf(ehr).filter((url) => url.includes(','))).toHaveLength(1);
  });

  it('a server that has found several values at once is trusted if it does not show one', async () => {
    const held = [aCondition('1', 'a'), aCondition('2', 'b')];
    const ehr = await serverOf({ searches: { identifier: byAnyIdentifier }, held });
    await find(ehr, ['a', 'b']);
    expect(await find(ehr, ['a', 'b', 'c'])).toEqual({ a: ['Condition/1'], b: ['Condition/2'] });
    expect(searchesOf(ehr)).toHaveLength(2);
  });

  it('identities that were never sent are searched once, and each alone if any of them is found', async () => {
    const ehr = await serverOf({ searches: { identifier: byAnyIdentifier }, held: [aCondition('1', 'a')] });
    expect(await find(ehr, ['b', 'c'], { wasNeverSent: true })).toEqual({});
    expect(searchesOf(ehr)).toHaveLength(1);
    expect(await find(ehr, ['a', 'b', 'c'], { wasNeverSent: true })).toEqual({ a: ['Condition/1'] });
    expect(searchesOf(ehr)).toHaveLength(4);
  });

  it('a server that reads a comma as a part of the value is asked one by one, even for what was never sent', async () => {
    const held = [aCondition('1', 'a'), aCondition('2', 'b')];
    const ehr = await serverOf({ searches: { identifier: byIdentifier }, held });
    await find(ehr, ['a', 'b']);
    expect(await find(ehr, ['a', 'b'], { wasNeverSent: true })).toEqual({ a: ['Condition/1'], b: ['Condition/2'] });
  });

  it('many identities are searched in several requests', async () => {
    const values = Array.from({ length: 23 }, (_, index) => `v${index}`);
    const held = values.map((value, index) => aCondition(String(index), value));
    const ehr = await serverOf({ searches: { identifier: byAnyIdentifier }, held });
    expect(Object.keys((await find(ehr, values)) as object)).toHaveLength(23);
    expect(searchesOf(ehr)).toHaveLength(3);
    expect(Math.max(...ehr.requests.map(({ url }) => url.length))).toBeLessThan(2000);
  });

  it('all resources with the same identity are returned, with their versions', async () => {
    const held = [aCondition('1', 'a', { meta: { versionId: '4' } }), aCondition('2', 'a')];
    const ehr = await serverOf({ searches: { identifier: byIdentifier }, held });
    const answer = await ehr.ehr.find({ type: 'Condition', identities: [named('a')] }, never);
    expect(answer.canFind && answer.found.get('a')).toMatchObject([
      { reference: 'Condition/1', version: '4', resource: { id: '1' } },
      { reference: 'Condition/2' },
    ]);
  });

  it('resources that a server returns without regard to the search are ignored', async () => {
    const held = [
      aCondition('1', 'a'),
      aCondition('2', 'other'),
      { ...aCondition('3', 'x'), identifier: [{ system: 'urn:somebody', value: 'a' }] },
      { ...aCondition('4', 'x'), identifier: [{ system: SYSTEM }, { value: 'a' }, 'a', null] },
      { ...aCondition('5', 'x'), identifier: undefined },
    ];
    const ehr = await serverOf({ searches: { identifier: everything }, held, pageSize: 2 });
    expect(await find(ehr, ['a', 'b'])).toEqual({ a: ['Condition/1'] });
  });

  it('a server that returns too many resources is searched another way, from then on at once', async () => {
    const others = Array.from({ length: 1200 }, (_, index) => aCondition(`o${index}`, 'o', { encounter: {} }));
    const held = [...others, aCondition('1', 'a')];
    const searches = { identifier: everything, encounter: byElement('encounter'), patient: byElement('encounter') };
    const ehr = await serverOf({ searches, held });
    expect(await find(ehr, ['a'])).toEqual({ a: ['Condition/1'] });
    const before = ehr.requests.length;
    expect(await find(ehr, ['a'])).toEqual({ a: ['Condition/1'] });
    expect(ehr.requests.length - before).toBe(1);
  });

  it('the result is unknown if no search distinguishes the resources', async () => {
    const held = Array.from({ length: 1200 }, (_, index) => aCondition(`o${index}`, 'o'));
    const searches = { identifier: everything, encounter: everything, patient: everything };
    const ehr = await serverOf({ searches, held });
    expect(await find(ehr, ['a'])).toMatch(/shows more than can be looked through/);
    expect(await find(await serverOf({ searches: {}, listed: ['code'] }), ['a'])).toBe(
      'this EHR offers no search that could find a Condition',
    );
  });

  it('the encounter is searched, and then the patient, if identifiers cannot be searched', async () => {
    const held = [aCondition('1', 'a'), aCondition('2', 'b', { encounter: undefined }), aCondition('3', 'other')];
    const searches = { encounter: byElement('encounter'), patient: byElement('subject') };
    const ehr = await serverOf({ searches, held });
    expect(await find(ehr, ['a'])).toEqual({ a: ['Condition/1'] });
    expect(searchesOf(ehr)).toEqual(['Condition?encounter=Encounter/2']);
    expect(await find(ehr, ['a', 'b', 'c'])).toEqual({ a: ['Condition/1'], b: ['Condition/2'] });
    expect(searchesOf(ehr).slice(1)).toEqual(['Condition?encounter=Encounter/2', 'Condition?patient=Patient/1']);
  });

  it('`subject` is searched if there is no `patient`, and only the encounter if there is neither', async () => {
    const held = [aCondition('1', 'a')];
    const bySubject = await serverOf({ searches: { subject: byElement('subject') }, held });
    expect(await find(bySubject, ['a', 'b'])).toEqual({ a: ['Condition/1'] });
    const byEncounter = await serverOf({ searches: { encounter: byElement('encounter') }, held });
    expect(await find(byEncounter, ['a', 'b'])).toEqual({ a: ['Condition/1'] });
  });

  it('a refused search is remembered, and another one is used', async () => {
    const knowledge = makeFakeEhrKnowledge();
    const searches = { patient: byElement('subject') };
    const ehr = await serverOf({
      searches,
      listed: ['identifier', 'patient'],
      held: [aCondition('1', 'a')],
      knowledge,
    });
    for (const _ of [1, 2]) expect(await find(ehr, ['a'])).toEqual({ a: ['Condition/1'] });
    expect(searchesOf(ehr)).toHaveLength(3);
    const learned = await knowledge.recall('mercy', 'Script 1');
    expect(learned.map(({ name, value }) => `${name} ${value}`)).toContain('search:Condition:identifier refused');
  });

  it('a learned fact counts more than the CapabilityStatement', async () => {
    const knowledge = makeFakeEhrKnowledge();
    await knowledge.learn('mercy', 'Script 1', { name: 'search:Condition:identifier', value: 'works' });
    const searches = { identifier: byIdentifier };
    const ehr = await serverOf({ searches, listed: ['code'], held: [aCondition('1', 'a')], knowledge });
    expect(await find(ehr, ['a'])).toEqual({ a: ['Condition/1'] });
  });

  it('a forbidden search finds nothing, and teaches nothing', async () => {
    const knowledge = makeFakeEhrKnowledge();
    const ehr = await serverOf({ searches: { identifier: () => ({ status: 403 }) }, knowledge });
    expect(await find(ehr, ['a'])).toBe('this EHR does not search Condition by identifier (403)');
    expect(await knowledge.recall('mercy', 'Script 1')).toEqual([]);
  });

  it.each([
    { status: 404, body: '<html>Not here</html>', headers: { 'content-type': 'text/html' } },
    { status: 404, body: { message: 'no route matched' } },
    { status: 404 },
  ])('status 404 of a gateway while the EHR is away teaches nothing (%#)', async (away) => {
    const knowledge = makeFakeEhrKnowledge();
    const ehr = await serverOf({ searches: { identifier: () => away }, knowledge });
    expect(await find(ehr, ['a', 'b'])).toBe('this EHR does not search Condition by identifier (404)');
    expect(await knowledge.recall('mercy', 'Script 1')).toEqual([]);
  });

  it('refused credentials and a failing EHR are errors', async () => {
    const refused = await serverOf({ searches: { identifier: () => ({ status: 401 }) } });
    await expect(find(refused, ['a'])).rejects.toMatchObject({ code: 'ehrUnavailable' });
    refused.runtime.advance(330_000);
    await expect(find(refused, ['a'])).rejects.toMatchObject({ code: 'ehrRefused' });
    const failing = await serverOf({ searches: { identifier: () => ({ status: 500 }) } });
    await expect(find(failing, ['a'])).rejects.toMatchObject({ code: 'ehrUnavailable' });
  });

  it('a resource without an identifier is found by its tag, even if the server does not list that search', async () => {
    const provenance = (id: string, value: string): Held => ({
      resourceType: 'Provenance',
      id,
      meta: { tag: [{ system: SYSTEM, code: value }] },
    });
    const searches = { _tag: everything };
    const ehr = await serverOf({ searches, listed: ['target'], held: [provenance('1', 'p'), provenance('2', 'q')] });
    expect(await find(ehr, ['p', 'r'], { type: 'Provenance' })).toEqual({ p: ['Provenance/1'] });
  });

  it('the result for a Provenance is unknown if tags cannot be searched', async () => {
    const ehr = await serverOf({ searches: { target: () => [] } });
    expect(await find(ehr, ['p'], { type: 'Provenance' })).toMatch(/does not search Provenance by _tag/);
  });

  it('a Provenance is found by its target if tags cannot be searched, or is missing', async () => {
    const held = [{ resourceType: 'Provenance', id: '1', meta: { tag: [{ system: SYSTEM, code: 'p' }] } }];
    const ehr = await serverOf({ searches: { target: everything }, held });
    const order = { type: 'Provenance', target: 'Composition/1' } as const;
    expect(await find(ehr, ['p', 'q'], order)).toEqual({ p: ['Provenance/1'] });
  });

  it('a search by patient never shows that a resource without a patient is missing', async () => {
    const ehr = await serverOf({ searches: { patient: () => [] } });
    expect(await find(ehr, ['d'], { type: 'Device' })).toBe('this EHR offers no search that could find a Device');
  });

  it('a type that the EHR does not offer cannot be found', async () => {
    const ehr = await serverOf({ searches: { identifier: byIdentifier }, types: ['Patient'] });
    expect(await find(ehr, ['a'])).toBe('this EHR offers no search that could find a Condition');
    expect(await find(ehr, [])).toEqual({});
  });

  it('an EHR without a CapabilityStatement is searched nevertheless', async () => {
    const held = [aCondition('1', 'a')];
    const body = { resourceType: 'Bundle', entry: held.map((resource) => ({ resource })) };
    server = await startScriptedEhr(({ url }) => (url === 'metadata' ? { status: 404 } : { status: 200, body }));
    expect(await find(server, ['a'])).toEqual({ a: ['Condition/1'] });
  });
});
