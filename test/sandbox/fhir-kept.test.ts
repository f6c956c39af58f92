// The sandbox's EHR with a folder: stored charts are complete after a restart, and partial changes are not there.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Encounter, Subscription } from '@medplum/fhirtypes';
import { openSandboxEhr, type SandboxEhr, type SandboxEhrOptions } from '../../src/sandbox/fhir/sandbox-ehr.ts';
import { type LocalServers, makeLocalServers } from '../support/local-servers.ts';
import { until } from '../support/until.ts';
import { aCondition, anEntry, aTransaction, type Call, callsTo, someConditions, withIdentity } from './fhir-calls.ts';

let folder: string;
let opened: SandboxEhr[];
let servers: LocalServers;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sandbox-charts-'));
  opened = [];
  servers = makeLocalServers();
});
afterEach(async () => {
  await Promise.all(opened.map((ehr) => ehr.close()));
  await servers.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(options: SandboxEhrOptions = {}): Promise<{ readonly ehr: SandboxEhr; readonly call: Call }> {
  const ehr = await openSandboxEhr({ folder, ...options });
  opened.push(ehr);
  return { ehr, call: callsTo(ehr.baseUrl) };
}

const log = () => path.join(folder, 'charts.jsonl');
const linesOf = () => readFileSync(log(), 'utf8').split('\n').slice(0, -1);
const files = () => readdirSync(path.join(folder, 'binaries'));
const sound = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));

/** The state as a client sees it. */
async function sightOf(call: Call, reference: string) {
  const [now, history] = [await call('GET', reference), await call('GET', `${reference}/_history`)];
  return { status: now.status, etag: now.headers.get('etag'), now: now.json, history: history.json.entry };
}

describe('the sandbox’s EHR with a folder', () => {
  it('has the same charts after a restart, with their ids, versions and histories', async () => {
    const first = await open();
    first.ehr.store.put({ resourceType: 'Patient', id: 'p-1', name: [{ family: 'Ågren' }] });
    const { id = '' } = (await first.call('POST', 'Condition', { body: aCondition('a') })).json;
    await first.call('PUT', `Condition/${id}`, { body: { ...aCondition('a', { code: { text: 'Fever' } }), id } });
    const { id: gone = '' } = (await first.call('POST', 'Condition', { body: aCondition('gone') })).json;
    await first.call('DELETE', `Condition/${gone}`);
    const names = ['Patient/p-1', `Condition/${id}`, `Condition/${gone}`];
    const before = await Promise.all(names.map((name) => sightOf(first.call, name)));
    // The log is in the state of a killed process: nothing was closed.
    const { ehr, call } = await open();
    expect(await Promise.all(names.map((name) => sightOf(call, name)))).toEqual(before);
    expect(before.map(({ status, etag }) => [status, etag])).toEqual([
      [200, 'W/"1"'],
      [200, 'W/"2"'],
      [410, null],
    ]);
    expect(ehr.store.writes()).toEqual(first.ehr.store.writes());
    expect((await call('GET', `Condition?${withIdentity('a')}`)).json.entry).toHaveLength(1);
    expect((await call('GET', `Condition?${withIdentity('gone')}`)).json.entry).toBeUndefined();
    const next = { ...aCondition('a', { code: { text: 'Rash' } }), id };
    expect((await call('PUT', `Condition/${id}`, { body: next })).headers.get('etag')).toBe('W/"3"');
  });

  it('has its recordings, both those that were sent and those of the sandbox', async () => {
    const first = await open();
    const headers = { 'content-type': 'audio/ogg' };
    const sent = await fetch(`${first.ehr.baseUrl}/Binary`, { method: 'POST', headers, body: sound });
    const { id } = (await sent.json()) as { id: string };
    first.ehr.store.putBinary(
      'put',
      'audio/ogg',
      async function* () {
        yield sound;
      },
      sound.length,
    );
    await first.ehr.close();
    const { ehr } = await open();
    for (const name of [id, 'put']) {
      const read = await fetch(`${ehr.baseUrl}/Binary/${name}`);
      expect([read.status, read.headers.get('content-type')]).toEqual([200, 'audio/ogg']);
      expect(Buffer.from(await read.arrayBuffer()).equals(sound)).toBe(true);
    }
    expect(files()).toHaveLength(2);
  });

  it('has no recording whose bytes were never completed', async () => {
    const first = await open();
    const never = Promise.withResolvers<void>();
    async function* half() {
      yield sound;
      await never.promise;
    }
    first.ehr.store.putBinary('half', 'audio/ogg', half, sound.length * 2);
    await until(() => files().length === 1);
    const { ehr, call } = await open();
    // The stream ends only now, so that closing the first server does not wait for it.
    never.resolve();
    expect((await fetch(`${ehr.baseUrl}/Binary/half`)).status).toBe(410);
    expect((await call('GET', 'Binary/half/_history')).json.entry).toHaveLength(2);
    expect(files()).toEqual([]);
  });

  it('deletes replaced bytes', async () => {
    const first = await open();
    const send = (url: string, method: string, body: Buffer) =>
      fetch(`${first.ehr.baseUrl}/${url}`, { method, headers: { 'content-type': 'audio/ogg' }, body });
    const { id } = (await (await send('Binary', 'POST', sound)).json()) as { id: string };
    expect((await send(`Binary/${id}`, 'PUT', Buffer.from('other'))).status).toBe(200);
    await first.ehr.close();
    const { ehr } = await open();
    expect(await (await fetch(`${ehr.baseUrl}/Binary/${id}`)).text()).toBe('other');
    expect(files()).toHaveLength(1);
  });

  it('starts quickly with the charts of many patients', async () => {
    const first = await open();
    for (let patient = 0; patient < 14; patient += 1) {
      for (let part = 0; part < 50; part += 1)
        first.ehr.store.put({ ...aCondition(`${patient}-${part}`), id: `c-${patient}-${part}` });
    }
    const beganMs = performance.now();
    const { ehr } = await open();
    expect(performance.now() - beganMs).toBeLessThan(2_000);
    expect(ehr.store.counts()).toEqual({ Condition: 700 });
  });
});

it('each answered write is there after the process was killed', async () => {
  const module = new URL('../../src/sandbox/fhir/sandbox-ehr.ts', import.meta.url).href;
  const script = `const { openSandboxEhr } = await import(${JSON.stringify(module)});
    console.log((await openSandboxEhr({ folder: ${JSON.stringify(folder)} })).baseUrl);`;
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', script]);
  const ended = once(child, 'exit');
  const [address] = (await once(child.stdout, 'data')) as [Buffer];
  const call = callsTo(String(address).trim());
  const answered: (string | undefined)[] = [];
  const post = async (index: number) => {
    const { json } = await call('POST', 'Condition', { body: aCondition(`c-${index}`) });
    answered.push(json.id);
    if (answered.length === 20) child.kill('SIGKILL');
  };
  await Promise.allSettled(Array.from({ length: 60 }, (_, index) => post(index)));
  await ended;
  const { ehr } = await open();
  const kept = new Set(ehr.store.all('Condition').map(({ id }) => id));
  expect(answered.length).toBeGreaterThanOrEqual(20);
  expect(answered.filter((id) => !kept.has(id ?? ''))).toEqual([]);
});

describe('a partial change', () => {
  it('of a transaction is never there: it is complete or missing', async () => {
    const first = await open();
    await first.call('POST', '', { body: someConditions(3) });
    const bad = anEntry({ ...aCondition('bad'), subject: undefined } as never);
    await first.call('POST', '', { body: aTransaction([anEntry(aCondition('x')), bad]) });
    expect(linesOf()).toHaveLength(1);
    // Killing the process can cut the file at each of these places.
    const whole = readFileSync(log());
    for (const share of [0.3, 0.6, 0.99]) {
      writeFileSync(log(), whole.subarray(0, Math.floor(whole.length * share)));
      expect((await open()).ehr.store.counts()).toEqual({});
    }
    writeFileSync(log(), whole);
    expect((await open()).ehr.store.counts()).toEqual({ Condition: 3 });
  });

  it('at the end of the log is left out, and later records can be read', async () => {
    const first = await open();
    await first.call('POST', 'Condition', { body: aCondition('a') });
    const sizeBytes = statSync(log()).size;
    appendFileSync(log(), '[{"write":{"type":"Condition","id":"hal');
    const second = await open();
    expect(statSync(log()).size).toBe(sizeBytes);
    await second.call('POST', 'Condition', { body: aCondition('b') });
    expect((await open()).ehr.store.all('Condition').map(({ identifier }) => identifier?.[0]?.value)).toEqual([
      'a',
      'b',
    ]);
  });

  it('in the middle of the log is an error, and nothing is deleted', async () => {
    const first = await open();
    await first.call('POST', 'Condition', { body: aCondition('a') });
    writeFileSync(log(), `${linesOf()[0]}\n!\n${linesOf()[0]}\n`);
    const before = readFileSync(log(), 'utf8');
    await expect(open()).rejects.toThrow(/line 2 of .*charts\.jsonl is broken/);
    expect(readFileSync(log(), 'utf8')).toBe(before);
  });
});

describe('a stored Subscription', () => {
  const anEncounter = (id: string): Encounter => ({
    resourceType: 'Encounter',
    id,
    status: 'finished',
    class: { code: 'AMB' },
  });
  const aTopic = (endpoint: string): Subscription => ({
    resourceType: 'Subscription',
    id: 's-1',
    status: 'active',
    reason: 'a test',
    criteria: 'http://example.org/SubscriptionTopic/encounters',
    channel: { type: 'rest-hook', endpoint },
  });
  const subscriptions = { hasTopics: true };
  const eventsOf = async (call: Call) => {
    const { json } = await call('GET', 'Subscription/s-1/$events');
    return json.entry?.slice(1).map(({ fullUrl }) => fullUrl?.split('/').at(-1));
  };

  it('gets further notices after a restart, with continued event numbers', async () => {
    const told: string[] = [];
    const endpoint = await servers.serve(async (request, response) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of request) chunks.push(chunk);
      told.push(Buffer.concat(chunks).toString());
      response.writeHead(200).end();
    });
    const first = await open({ subscriptions });
    first.ehr.store.put(aTopic(endpoint));
    for (const id of ['e-1', 'e-2']) first.ehr.store.put(anEncounter(id));
    await first.ehr.subscriptions.settled();
    await first.ehr.close();
    const { ehr, call } = await open({ subscriptions });
    expect(await eventsOf(call)).toEqual(['e-1', 'e-2']);
    ehr.store.put(anEncounter('e-3'));
    await ehr.subscriptions.settled();
    expect(told).toHaveLength(3);
    expect(told[2]).toContain('{"name":"event-number","valueString":"3"}');
    expect(await eventsOf(call)).toEqual(['e-1', 'e-2', 'e-3']);
  });

  it('leaves no events in the log after it was deleted and the log was compacted', async () => {
    const first = await open({ subscriptions });
    first.ehr.store.put(aTopic('http://ehr.example.org/nobody'));
    first.ehr.subscriptions.dropNext(1_000);
    for (let index = 0; index < 300; index += 1) {
      first.ehr.store.put({ ...anEncounter('e-1'), priority: { text: String(index % 2) } });
    }
    first.ehr.store.put(anEncounter('e-1'));
    const more = linesOf().length;
    await first.ehr.close();
    const kept = (await open({ subscriptions })).ehr.store.writes();
    expect(linesOf()).toHaveLength(more);
    const second = await open({ subscriptions });
    second.ehr.store.remove('Subscription/s-1');
    for (const ehr of opened) await ehr.close();
    const third = await open({ subscriptions });
    expect(third.ehr.store.writes()).toEqual([...kept, expect.objectContaining({ method: 'DELETE', id: 's-1' })]);
    expect(readFileSync(log(), 'utf8').includes('"event"')).toBe(false);
  });
});

describe('clearing the EHR', () => {
  it('deletes everything in memory and on disk, and the server goes on', async () => {
    const { ehr, call } = await open();
    await call('POST', 'Condition', { body: aCondition('a') });
    ehr.store.putBinary(
      'put',
      'audio/ogg',
      async function* () {
        yield sound;
      },
      sound.length,
    );
    await ehr.erase();
    expect([ehr.store.counts(), ehr.store.writes()]).toEqual([{}, []]);
    expect((await call('GET', `Condition?${withIdentity('a')}`)).json.entry).toBeUndefined();
    expect((await call('GET', 'Binary/put')).status).toBe(404);
    expect([files(), linesOf()]).toEqual([[], []]);
    const made = await call('POST', 'Condition', { body: aCondition('b') });
    expect(made.headers.get('etag')).toBe('W/"1"');
    expect((await open()).ehr.store.counts()).toEqual({ Condition: 1 });
  });

  it('works without a folder', async () => {
    const ehr = await openSandboxEhr();
    opened.push(ehr);
    ehr.store.put({ ...aCondition('a'), id: 'a' });
    await ehr.erase();
    expect(ehr.store.counts()).toEqual({});
  });
});
