// A hospital's world for journeys: its EHR, simulated vendors, RabbitMQ, PostgreSQL, a folder of sites, and engines, each a process of its own
// that can be killed, stopped, frozen and started again on its folder.
import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeAudio } from './audio-samples.ts';
import { type DeepgramServer, startDeepgramServer } from './deepgram-server.ts';
import { type Engine, startEngine } from './engine.ts';
import { eventually } from './journey-runs.ts';
import { type OpenAiServer, startOpenAiServer } from './openai-server.ts';
import { makeMigratedDatabase } from './postgres.ts';
import { learnProven } from './proven-ehrs.ts';
import { connectRabbit, type RabbitClient } from './rabbit-client.ts';
import { sharedBroker } from './rabbitmq.ts';
import { type Gate, startGate } from './run-crash-proxy.ts';
import { startSandboxEhr, type TestEhr } from './sandbox-ehr.ts';

const MAPPINGS = path.join(import.meta.dirname, '../../mappings');

/** The documents in a chart after a run without failures, in the form of `chartShape`. The candidate I26.9 is not likely enough. */
export const WHOLE_CHART: readonly string[] = [
  'Composition composition',
  'Condition condition/J18.9',
  'Condition condition/J20.9',
  'DocumentReference document-reference',
  'Flag flag',
  'Provenance provenance',
  'RiskAssessment risk-assessment',
];

/** An encounter that ended and has its recording in the chart. */
export type Visit = {
  readonly site: string;
  readonly id: string;
  /** For example `Encounter/e-v1`. */
  readonly encounter: string;
  readonly patient: string;
};

export type World = {
  /** The EHR of the first site; each site has its own. */
  readonly ehr: TestEhr;
  readonly ehrOf: (site: string) => TestEhr;
  readonly model: OpenAiServer;
  readonly speech: DeepgramServer;
  /** A client of the broker. */
  readonly rabbit: RabbitClient;
  readonly connectionString: string;
  readonly masterKey: Uint8Array;
  readonly folder: string;
  readonly exchange: string;
  /** The first site is the default of all calls. */
  readonly sites: readonly string[];
  /** The gate between the engines and a site's EHR, in worlds with gates. */
  readonly gateOf: (site: string) => Gate;
  readonly speechGate: Gate;
  readonly modelGate: Gate;
  /** Acknowledged events and uploads: each must have a run. */
  readonly told: readonly { readonly eventId: string; readonly visit: Visit }[];
  readonly noteTold: (eventId: string, visit: Visit) => void;
  readonly writeSite: (name: string, more?: string) => Promise<void>;
  /** Uses the data folder of that name, which stays for the next engine. Resolves when the engine receives events of the broker. */
  readonly start: (testbed?: string, env?: Readonly<Record<string, string>>) => Promise<Engine>;
  readonly testbedFolder: (testbed: string) => string;
  /** Sends SIGKILL and waits for the end. */
  readonly kill: (engine: Engine) => Promise<void>;
  /** Puts patient, encounter and recording in the chart. */
  readonly admit: (changes?: VisitChanges) => Visit;
  /** Adds a recording to the visit. */
  readonly addRecording: (visit: Visit, id: string) => void;
  /** Publishes that the encounter ended, and returns the event's id. */
  readonly tell: (visit: Visit, eventId?: string) => Promise<string>;
  readonly close: () => Promise<void>;
};

type VisitChanges = {
  readonly site?: string;
  readonly id?: string;
  readonly status?: 'finished' | 'in-progress';
  readonly hasRecording?: boolean;
  readonly name?: string;
  readonly visitNumber?: string;
};

export type WorldParts = {
  readonly sites?: number;
  /** YAML that follows the settings of every site of the world. */
  readonly settings?: string;
  /** True: all HTTP of the engines goes through gates. */
  readonly hasGates?: boolean;
  /** The address of the broker for the engines, if a proxy is in between. */
  readonly amqpUrl?: string;
  /** False: the test stops and starts the engines' own broker, and a start does not wait for it. */
  readonly isBrokerSteady?: boolean;
  readonly maxConcurrentWrites?: number;
  /** How long links to recordings open; absent: they never end. */
  readonly linkSeconds?: number;
};

/** The notes of the fake vendor have unsupported numbers, which these journeys do not test. */
const LENIENT =
  'check: { maxUnsupported: { drug: 5, dose: 5, number: 50, date: 5, laterality: 5, negation: 20, allergy: 5 } }';

export async function startWorld(parts: WorldParts = {}): Promise<World> {
  const { sites = 1, settings = '', hasGates = false, amqpUrl, isBrokerSteady = true, maxConcurrentWrites = 2 } = parts;
  const { linkSeconds } = parts;
  const mark = randomBytes(4).toString('hex');
  const masterKey = randomBytes(32);
  const names = Array.from({ length: sites }, (_, index) => `mercy-${mark}-${index + 1}`);
  const [model, speech, database, folder, ...ehrs] = await Promise.all([
    startOpenAiServer(),
    startDeepgramServer(),
    makeMigratedDatabase(),
    mkdtemp(path.join(tmpdir(), 'chartwright-world-')),
    ...names.map(() => startSandboxEhr({ ...(linkSeconds !== undefined && { linkSeconds }) })),
  ]);
  const ehrOf = (site: string): TestEhr => {
    const found = ehrs[names.indexOf(site)];
    if (!found) throw new Error(`there is no site ${site}`);
    return found;
  };
  const broker = await sharedBroker();
  const rabbit = await connectRabbit(broker.url);
  const exchange = `ehr.events.${mark}`;
  const gates = new Map<string, Gate>();
  if (hasGates) {
    for (const name of names) gates.set(name, await startGate(ehrOf(name).baseUrl));
    gates.set('speech', await startGate(speech.baseUrl));
    gates.set('model', await startGate(model.baseUrl));
  }
  const through = (name: string, address: string) =>
    address.replace(new URL(address).origin, gates.get(name)?.origin ?? new URL(address).origin);
  await cp(MAPPINGS, path.join(folder, 'mappings'), { recursive: true });
  const writeSite: World['writeSite'] = async (name, more = settings) => {
    await mkdir(path.join(folder, 'mappings', name), { recursive: true });
    await writeFile(
      path.join(folder, 'mappings', name, 'site.yaml'),
      `extends: base
organization: ${name}
mode: live
ehr: { baseUrl: ${through(name, ehrOf(name).baseUrl)}, maxConcurrentWrites: ${maxConcurrentWrites} }
recording: { settle: 0s }
${LENIENT}
${more.includes('events:') ? '' : `events: { amqp: { exchange: ${exchange}, bindings: ["encounter.${name}.#"] } }\n`}${more}
`,
    );
  };
  for (const name of names) await writeSite(name);
  await learnProven(database.connectionString, names);

  const environment = {
    DATABASE_URL: database.connectionString,
    MASTER_KEY: Buffer.from(masterKey).toString('base64'),
    AMQP_URL: amqpUrl ?? broker.url,
    MAPPINGS_DIR: path.join(folder, 'mappings'),
    // The world finds whatever the sandbox has stored.
    EHR_SEARCH_LAG_SECONDS: '0',
    OPENAI_BASE_URL: through('model', model.baseUrl),
    DEEPGRAM_BASE_URL: through('speech', speech.baseUrl),
  };
  const engines: Engine[] = [];
  const told: { eventId: string; visit: Visit }[] = [];
  const testbedFolder = (testbed: string) => path.join(folder, `data-${testbed}`);
  let events = 0;
  let visits = 0;

  const kill = async (engine: Engine): Promise<void> => {
    engine.signal('SIGKILL');
    await engine.exited;
  };
  const gate = (name: string): Gate => {
    const found = gates.get(name);
    if (!found) throw new Error(`there is no gate for ${name}`);
    return found;
  };
  return {
    ehr: ehrOf(names[0] ?? ''),
    ehrOf,
    model,
    speech,
    rabbit,
    connectionString: database.connectionString,
    masterKey,
    folder,
    exchange,
    sites: names,
    gateOf: gate,
    get speechGate() {
      return gate('speech');
    },
    get modelGate() {
      return gate('model');
    },
    told,
    noteTold: (eventId, visit) => void told.push({ eventId, visit }),
    writeSite,
    testbedFolder,
    kill,
    start: async (testbed = 'a', env = {}) => {
      const engine = await startEngine({ dataDir: testbedFolder(testbed), env: { ...environment, ...env } });
      engines.push(engine);
      if (!isBrokerSteady || settings.includes('events:')) return engine;
      for (const name of names) await eventually(() => isHeard(rabbit, name), { what: 'the queue of a site' });
      return engine;
    },
    admit: ({ site = names[0] ?? '', id, status = 'finished', hasRecording = true, name, visitNumber } = {}) => {
      visits += 1;
      return putVisit(ehrOf(site), { site, id: id ?? `v${visits}`, status, hasRecording, name, visitNumber });
    },
    addRecording: (visit, id) => putRecording(ehrOf(visit.site), visit, `${visit.id}-${id}`),
    tell: async (visit, eventId = `event-${mark}-${++events}`) => {
      const event = { eventId, encounter: visit.encounter, status: 'finished', occurredAt: new Date().toISOString() };
      const options = { messageId: eventId, contentType: 'application/json' };
      await rabbit.send(exchange, `encounter.${visit.site}.finished`, JSON.stringify(event), options);
      told.push({ eventId, visit });
      return eventId;
    },
    close: async () => {
      await Promise.all(engines.map(kill));
      await Promise.all([...gates.values()].map((one) => one.close()));
      await deleteQueues(rabbit, names, exchange);
      await Promise.all([rabbit.close(), model.close(), speech.close(), ...ehrs.map((one) => one.close())]);
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type VisitFacts = Required<Pick<VisitChanges, 'site' | 'id' | 'status' | 'hasRecording'>> & {
  readonly name: string | undefined;
  readonly visitNumber: string | undefined;
};

/** The recording is MPEG audio, whose sound is not measured, so that no note is held for words over silence. */
function putVisit({ store }: TestEhr, { site, id, status, hasRecording, name, visitNumber }: VisitFacts): Visit {
  const visit: Visit = {
    site,
    id,
    encounter: `Encounter/e-${id}`,
    patient: `Patient/p-${id}`,
  };
  store.put({ resourceType: 'Patient', id: `p-${id}`, ...(name !== undefined && { name: [{ text: name }] }) });
  if (hasRecording) putRecording({ store }, visit, id);
  store.put({
    resourceType: 'Encounter',
    id: `e-${id}`,
    status,
    class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
    subject: { reference: visit.patient },
    ...(visitNumber !== undefined && { identifier: [{ system: 'urn:oid:1.2.4', value: visitNumber }] }),
  });
  return visit;
}

function putRecording({ store }: Pick<TestEhr, 'store'>, { patient, encounter }: Visit, id: string): void {
  const data = Buffer.from(makeAudio('mp3', 8_000)).toString('base64');
  store.put({ resourceType: 'Binary', id: `audio-${id}`, contentType: 'audio/mpeg', data });
  store.put({
    resourceType: 'DocumentReference',
    id: `rec-${id}`,
    status: 'current',
    subject: { reference: patient },
    date: '2026-11-22T09:00:00Z',
    content: [{ attachment: { contentType: 'audio/mpeg', url: `Binary/audio-${id}` } }],
    context: { encounter: [{ reference: encounter }] },
  });
}

async function isHeard(rabbit: RabbitClient, site: string): Promise<true | undefined> {
  const queue = await rabbit.look(`chartwright.${site}.encounters`);
  return queue !== undefined && queue.consumers > 0 ? true : undefined;
}

/** The broker serves other suites after this one. */
async function deleteQueues(rabbit: RabbitClient, sites: readonly string[], exchange: string): Promise<void> {
  await rabbit
    .work(async (channel) => {
      for (const site of sites) {
        await channel.deleteQueue(`chartwright.${site}.encounters`);
        await channel.deleteQueue(`chartwright.${site}.dead`);
      }
      await channel.deleteExchange(exchange);
    })
    .catch(() => undefined);
}
