// Events of independent clients, over HTTP and a real broker: the SDK of CloudEvents and a library of HL7 v2 send them, and read what a real engine
// answers and publishes.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { eventually, listen, runsOf, untilRun } from '../support/journey-runs.ts';
import { installPackages } from '../support/own-packages.ts';
import { startWorld, type Visit, type World } from '../support/run-world.ts';
import { withoutSearches } from '../support/run-world-crashes.ts';
import { type CloudEventsSdk, type Hl7Sdk, loadCloudEvents, loadHl7 } from './clients.ts';

const LIMIT_MS = 120_000;
const SECRET = 'made-up-secret-of-the-interface-engine';

let cloudEvents: CloudEventsSdk;
let hl7: Hl7Sdk;
let world: World;
let engine: Engine;
let site: string;
let outcomes: Awaited<ReturnType<typeof listen>>;

beforeAll(async () => {
  await installPackages(import.meta.dirname);
  [cloudEvents, hl7] = [loadCloudEvents(), loadHl7()];
  world = await startWorld({ hasGates: true });
  // A search for missed events would find an encounter before its event arrives.
  withoutSearches(world);
  [site = ''] = world.sites;
  await world.writeSite(
    site,
    `identifiers: { visit: "urn:oid:1.2.4" }
timeZone: America/Chicago
events:
  amqp: { exchange: ${world.exchange}, bindings: ["encounter.${site}.#"] }
  push: { secret: "${SECRET}" }`,
  );
  outcomes = await listen(world);
  engine = await world.start();
}, 300_000);
afterAll(() => world?.close());

const anEvent = (visit: Visit, id: string) =>
  new cloudEvents.CloudEvent({
    id,
    source: '/hospital/adt',
    type: 'org.example.encounter.finished',
    datacontenttype: 'application/json',
    data: { encounter: visit.encounter, status: 'finished' },
  });

async function post(body: string, headers: Readonly<Record<string, string | undefined>>): Promise<Response> {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return fetch(`${engine.url}/ehr/${site}/events`, {
    method: 'POST',
    headers: { ...Object.fromEntries(given), authorization: `Bearer ${SECRET}` },
    body,
  });
}

describe('an event of the SDK of CloudEvents', () => {
  it.each(['binary', 'structured'] as const)(
    'in %s mode over HTTP makes one run with its id, also if it comes twice',
    async (mode) => {
      const visit = world.admit();
      const { headers, body } = cloudEvents.HTTP[mode](anEvent(visit, `http-${mode}`));
      const answers = [await post(String(body), headers), await post(String(body), headers)];
      expect(await Promise.all(answers.map((answer) => answer.json()))).toEqual([
        { outcome: 'accepted' },
        { outcome: 'repeated' },
      ]);
      const run = await untilRun(engine, visit.encounter);
      expect(run.trigger).toMatchObject({ source: 'push', eventId: `http-${mode}` });
    },
    LIMIT_MS,
  );

  it(
    'with the headers of its binding for Kafka makes a run over RabbitMQ',
    async () => {
      const visit = world.admit();
      const { headers, body } = cloudEvents.Kafka.binary(anEvent(visit, 'kafka-1'));
      const { 'content-type': contentType = '', ...attributes } = headers;
      await world.rabbit.send(world.exchange, `encounter.${site}.finished`, JSON.stringify(body), {
        contentType,
        headers: attributes,
      });
      const run = await untilRun(engine, visit.encounter);
      expect(run.trigger).toMatchObject({ source: 'amqp', eventId: 'kafka-1' });
    },
    LIMIT_MS,
  );

  it('is preceded by a handshake, which the site answers with its consent', async () => {
    const asked = await fetch(`${engine.url}/ehr/${site}/events`, {
      method: 'OPTIONS',
      headers: { 'WebHook-Request-Origin': 'events.example.org', 'WebHook-Request-Rate': '120' },
    });
    expect([asked.headers.get('webhook-allowed-origin'), asked.headers.get('webhook-allowed-rate')]).toEqual([
      'events.example.org',
      '*',
    ]);
  });
});

describe('an outcome event of an engine', () => {
  it(
    'is a valid CloudEvent for the SDK',
    async () => {
      const visit = world.admit();
      await world.tell(visit);
      const run = await untilRun(engine, visit.encounter);
      const heard = await eventually(async () =>
        (await outcomes.heard()).find(
          ({ outcome, routingKey }) => outcome['runId'] === run.id && routingKey.endsWith('.documented'),
        ),
      );
      // The SDK has no binding for AMQP: its binding for HTTP reads the same attributes under the names of HTTP.
      const attributes = Object.entries(heard.headers as Readonly<Record<string, string>>);
      const headers = Object.fromEntries(
        attributes.map(([name, value]) => [name.replace('cloudEvents_', 'ce-'), value]),
      );
      const event = cloudEvents.HTTP.toEvent({
        headers: { ...headers, 'content-type': 'application/json' },
        body: heard.text,
      });
      expect(event.validate()).toBe(true);
      expect(event).toMatchObject({
        id: heard.messageId,
        source: `urn:chartwright:${site}`,
        type: 'chartwright.encounter.documented',
        subject: visit.encounter,
        time: heard.outcome['occurredAt'],
        data: heard.outcome,
      });
    },
    LIMIT_MS,
  );
});

/** A discharge; its visit number leads to the encounter. */
function aDischarge(controlId: string, visitNumber: string, ack?: string) {
  const messageHeader = { msh_9_1: 'ADT', msh_9_2: 'A03', msh_10: controlId, msh_11_1: 'P' };
  const message = new hl7.Message({ messageHeader });
  message.set('MSH.3', 'INTERFACE');
  if (ack !== undefined) message.set('MSH.15', ack);
  message.addSegment('PV1').set('19', visitNumber);
  return message;
}

const HL7 = { 'content-type': 'application/hl7-v2' };

describe('a message of a library of HL7 v2', () => {
  it.each([
    [undefined, 'AA'],
    ['AL', 'CA'],
  ])(
    'with MSH-15 %s is answered with %s for its control id',
    async (ack, code) => {
      const visitNumber = `V-${code}`;
      const visit = world.admit({ visitNumber });
      const answer = await post(aDischarge(`m-${code}`, visitNumber, ack).toString(), HL7);
      const acknowledged = new hl7.Message({ text: await answer.text() });
      expect([acknowledged.get('MSA.1').toString(), acknowledged.get('MSA.2').toString()]).toEqual([code, `m-${code}`]);
      expect((await untilRun(engine, visit.encounter)).trigger.eventId).toBe(`m-${code}`);
    },
    LIMIT_MS,
  );

  it(
    'in a batch makes a run of its own, and is answered in a batch that the library reads',
    async () => {
      const visits = ['V-b1', 'V-b2'].map((visitNumber) => world.admit({ visitNumber }));
      const batch = new hl7.Batch();
      batch.start();
      batch.set('BHS.11', 'B-42');
      for (const [id, number] of [
        ['b-1', 'V-b1'],
        ['b-2', 'V-b2'],
        ['b-3', ''],
      ] as const)
        batch.add(aDischarge(id, number));
      batch.end();
      const answer = await post(batch.toString(), HL7);
      expect(answer.status).toBe(422);
      // The library takes the end of the last segment for one more segment.
      const answered = new hl7.Batch({ text: (await answer.text()).trimEnd() });
      const acks = answered.messages().map((ack) => [ack.get('MSA.1').toString(), ack.get('MSA.2').toString()]);
      expect(acks).toEqual([
        ['AA', 'b-1'],
        ['AA', 'b-2'],
        ['AR', 'b-3'],
      ]);
      expect([answered.get('BHS.12').toString(), answered.get('BTS.1').toString()]).toEqual(['B-42', '3']);
      for (const visit of visits) await untilRun(engine, visit.encounter);
      for (const visit of visits) expect(await runsOf(engine, { encounter: visit.encounter })).toHaveLength(1);
    },
    LIMIT_MS,
  );
});
