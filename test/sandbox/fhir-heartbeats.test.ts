// The heartbeats of Subscriptions to topics: they are sent at the requested period as long as the Subscription is active.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Bundle, Encounter, Parameters, Subscription } from '@medplum/fhirtypes';
import type { After } from '../../src/sandbox/faults/waits.ts';
import { openSandboxEhr, type SandboxEhr, type SandboxEhrOptions } from '../../src/sandbox/fhir/sandbox-ehr.ts';
import { type LocalServers, makeLocalServers } from '../support/local-servers.ts';
import { until } from '../support/until.ts';

type Waiting = { readonly atMs: number; readonly end: () => void };

let opened: SandboxEhr[];
let servers: LocalServers;
let endpoint: string;
/** The received notices by type. */
let told: string[];
/** The status codes of the answers. */
let status: number;
let clockMs: number;
let waiting: Set<Waiting>;
beforeEach(async () => {
  [opened, told, status, clockMs, waiting] = [[], [], 200, 0, new Set()];
  servers = makeLocalServers();
  endpoint = await servers.serve(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    told.push(typeOf(JSON.parse(Buffer.concat(chunks).toString())));
    response.writeHead(status).end();
  });
});
afterEach(async () => {
  await Promise.all(opened.map((ehr) => ehr.close()));
  await servers.close();
});

function typeOf(bundle: Bundle): string {
  const parameters = bundle.entry?.[0]?.resource as Parameters | undefined;
  return parameters?.parameter?.find(({ name }) => name === 'type')?.valueCode ?? '';
}

const heartbeatAfter: After = (ms, end) => {
  const one = { atMs: clockMs + ms, end };
  waiting.add(one);
  return () => waiting.delete(one);
};
const atOnce: After = (_, end) => {
  const handle = setImmediate(end);
  return () => clearImmediate(handle);
};

async function open(options: SandboxEhrOptions = {}): Promise<SandboxEhr> {
  const subscriptions = { hasTopics: true, after: atOnce, heartbeatAfter, ...options.subscriptions };
  const ehr = await openSandboxEhr({ ...options, subscriptions });
  opened.push(ehr);
  return ehr;
}

/** Moves the clock from the end of one pause to the next; notices of that moment arrive before it continues. */
async function pass(seconds: number): Promise<void> {
  const untilMs = clockMs + seconds * 1000;
  await settled();
  for (;;) {
    const [next] = [...waiting].filter(({ atMs }) => atMs <= untilMs).toSorted((one, other) => one.atMs - other.atMs);
    if (!next) break;
    clockMs = next.atMs;
    waiting.delete(next);
    next.end();
    await settled();
  }
  clockMs = untilMs;
}

async function settled(): Promise<void> {
  await new Promise(setImmediate);
  for (const ehr of opened) await ehr.subscriptions.settled();
  await new Promise(setImmediate);
}

const BACKPORT = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition';
const aPeriod = (valueUnsignedInt: unknown) => ({ url: `${BACKPORT}/backport-heartbeat-period`, valueUnsignedInt });

function aTopic(changes: Partial<Subscription> = {}, extension: readonly object[] = [aPeriod(60)]): Subscription {
  return {
    resourceType: 'Subscription',
    id: 's-1',
    status: 'active',
    reason: 'a test',
    criteria: 'http://example.org/SubscriptionTopic/encounters',
    channel: { type: 'rest-hook', endpoint, extension: extension as NonNullable<Subscription['extension']> },
    ...changes,
  };
}

const anEncounter = (id: string): Encounter => ({
  resourceType: 'Encounter',
  id,
  status: 'finished',
  class: { code: 'AMB' },
});

describe('a Subscription to a topic with a heartbeat period', () => {
  it('gets a heartbeat after each period', async () => {
    const ehr = await open();
    ehr.store.put(aTopic());
    await pass(59);
    expect(told).toEqual([]);
    await pass(1);
    expect(told).toEqual(['heartbeat']);
    await pass(180);
    expect(told).toEqual(['heartbeat', 'heartbeat', 'heartbeat', 'heartbeat']);
  });

  it('gets no heartbeat within a period after another notice', async () => {
    const ehr = await open();
    ehr.store.put(aTopic());
    await pass(50);
    ehr.store.put(anEncounter('e-1'));
    await pass(59);
    expect(told).toEqual(['event-notification']);
    await ehr.subscriptions.beat();
    await pass(59);
    expect(told).toEqual(['event-notification', 'heartbeat']);
    await pass(1);
    expect(told).toEqual(['event-notification', 'heartbeat', 'heartbeat']);
  });

  it('gets heartbeats from the handshake on', async () => {
    const ehr = await open();
    ehr.store.put(aTopic({ status: 'requested' }));
    await until(() => (ehr.store.get('Subscription/s-1') as Subscription).status === 'active');
    await pass(60);
    expect(told).toEqual(['handshake', 'heartbeat']);
  });

  it('gets no heartbeats if the handshake was refused', async () => {
    status = 403;
    const ehr = await open();
    ehr.store.put(aTopic({ status: 'requested' }));
    await until(() => (ehr.store.get('Subscription/s-1') as Subscription).status === 'error');
    expect(waiting.size).toBe(0);
  });

  it('gets heartbeats in time despite its changes, and a new period counts at once', async () => {
    const ehr = await open();
    ehr.store.put(aTopic());
    await pass(50);
    ehr.store.put(aTopic({ reason: 'another reason' }));
    await pass(10);
    expect(told).toEqual(['heartbeat']);
    ehr.store.put(aTopic({}, [aPeriod(5)]));
    await pass(10);
    expect(told).toEqual(['heartbeat', 'heartbeat', 'heartbeat']);
  });

  it('gets one heartbeat after the other, even if the first is slow', async () => {
    const ehr = await open();
    ehr.store.put(aTopic());
    ehr.subscriptions.keepBack();
    await pass(300);
    ehr.subscriptions.letGo();
    await settled();
    expect(told).toEqual(['heartbeat']);
    await pass(60);
    expect(told).toEqual(['heartbeat', 'heartbeat']);
  });

  it('gets further heartbeats after a refused one', async () => {
    status = 500;
    const ehr = await open();
    ehr.store.put(aTopic());
    await pass(120);
    expect(ehr.subscriptions.sent().map(({ answers }) => answers)).toEqual([
      [500, 500, 500, 500],
      [500, 500, 500, 500],
    ]);
  });

  it('has its own period beside other Subscriptions', async () => {
    const ehr = await open();
    ehr.store.put(aTopic());
    ehr.store.put(aTopic({ id: 's-2' }, [aPeriod(20)]));
    await pass(60);
    const names = ehr.subscriptions.sent().map(({ subscription }) => subscription);
    expect(names.toSorted()).toEqual(['Subscription/s-1', ...Array(3).fill('Subscription/s-2')]);
  });

  it.each([
    ['off', (ehr: SandboxEhr) => void ehr.store.put(aTopic({ status: 'off' }))],
    ['in error', (ehr: SandboxEhr) => void ehr.store.put(aTopic({ status: 'error' }))],
    ['deleted', (ehr: SandboxEhr) => ehr.store.remove('Subscription/s-1')],
    ['erased with all the rest', (ehr: SandboxEhr) => ehr.erase()],
    ['no Subscription to a topic any more', (ehr: SandboxEhr) => void ehr.store.put(aTopic({ criteria: 'Patient?' }))],
    ['without a wish for them', (ehr: SandboxEhr) => void ehr.store.put(aTopic({}, []))],
    ['in an EHR that was closed', (ehr: SandboxEhr) => ehr.close()],
  ])('gets no heartbeats once it is %s', async (_, end) => {
    const ehr = await open();
    ehr.store.put(aTopic());
    await pass(60);
    await end(ehr);
    expect(waiting.size).toBe(0);
    expect(told).toEqual(['heartbeat']);
  });

  it('does not get held notices once it is off, and gets new ones when it is active again', async () => {
    const ehr = await open();
    ehr.store.put(aTopic());
    ehr.subscriptions.keepBack();
    await pass(60);
    ehr.store.put(aTopic({ status: 'off' }));
    ehr.subscriptions.letGo();
    await settled();
    expect(told).toEqual([]);
    ehr.store.put(aTopic());
    await pass(60);
    expect(told).toEqual(['heartbeat']);
  });

  it('gets no heartbeats after the EHR is closed', async () => {
    const ehr = await open();
    await ehr.close();
    ehr.store.put(aTopic());
    ehr.store.put(anEncounter('e-1'));
    expect(waiting.size).toBe(0);
  });
});

describe('no heartbeat is sent', () => {
  it('without a requested period', async () => {
    const ehr = await open();
    ehr.store.put(aTopic({}, [{ url: `${BACKPORT}/backport-timeout`, valueUnsignedInt: 30 }]));
    expect(waiting.size).toBe(0);
  });

  it('by an EHR without topics', async () => {
    const ehr = await open({ subscriptions: { hasTopics: false } });
    ehr.store.put(aTopic());
    expect(waiting.size).toBe(0);
  });
});

it.each([
  [1, 1],
  [86_400, 86_400],
  [0, 1],
  [-5, 1],
  [0.2, 1],
  [86_401, 86_400],
  [Number.MAX_VALUE, 86_400],
  [Number.POSITIVE_INFINITY, 86_400],
  [Number.NaN, 60],
  ['soon', 60],
  [undefined, 60],
])('a period of %p seconds is held to be one of %i', async (asked, seconds) => {
  const ehr = await open();
  ehr.store.put(aTopic({}, [aPeriod(asked)]));
  expect([...waiting].map(({ atMs }) => atMs)).toEqual([seconds * 1000]);
});

describe('an EHR with a folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'sandbox-heartbeats-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('continues heartbeats after a restart', async () => {
    const first = await open({ folder });
    first.store.put(aTopic());
    first.store.put(aTopic({ id: 's-2', status: 'off' }));
    await pass(60);
    await first.close();
    expect(waiting.size).toBe(0);
    const second = await open({ folder });
    await pass(60);
    expect(told).toEqual(['heartbeat', 'heartbeat']);
    expect(second.subscriptions.sent()).toMatchObject([
      { subscription: 'Subscription/s-1', body: expect.stringContaining(second.baseUrl) },
    ]);
  });

  it('sends no heartbeats if it could not be opened', async () => {
    const first = await open({ folder });
    first.store.put(aTopic());
    await first.close();
    const port = Number(new URL((await open()).baseUrl).port);
    await expect(open({ folder, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(waiting.size).toBe(0);
  });
});

it('the pause before a heartbeat does not keep the process running', async () => {
  const ehr = await open({ subscriptions: { heartbeatAfter: undefined } });
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  ehr.store.put(aTopic());
  expect(timers()).toBe(before);
});
