// Sixty notes with eight diseases each, written four at a time: the cost of searches, counts and the ledger, compared with plain transactions of
// the same resources at the pace of a real server, and whether each document is there once afterwards.
import type { Encounter, Patient } from '@medplum/fhirtypes';
import type { ChartFacts } from '../../src/domain/chart/chart.ts';
import { identifierSystem } from '../../src/domain/chart/identity.ts';
import { type MappedDocument, mapDocuments } from '../../src/flows/chart-writing/map-documents.ts';
import { makeWriteChart, type WriteChart } from '../../src/flows/chart-writing/write-chart.ts';
import { makeAskPermission } from '../../src/flows/run-steps/ask-permission.ts';
import { makeFhirClient } from '../../src/outbound/fhir/fhir-client.ts';
import { type FhirEhrs, makeFhirEhrs } from '../../src/outbound/fhir/fhir-ehrs.ts';
import { type EhrTransport, makeEhrTransport } from '../../src/outbound/fhir/transport.ts';
import { makePostgresLedger } from '../../src/outbound/postgres/ledger/ledger.ts';
import { makePostgresEhrKnowledge } from '../../src/outbound/postgres/sites/ehr-knowledge.ts';
import { openHttpFetch } from '../../src/platform/http-fetch.ts';
import { systemRuntime } from '../../src/platform/system-runtime.ts';
import type { LoadedSite } from '../../src/ports/sites.ts';
import { openValidator, type Validator } from '../../src/validation/open-validator.ts';
import { PROVEN } from '../support/chart-writing.ts';
import { SANDBOX_SOFTWARE } from '../support/proven-ehrs.ts';
import { fixedSecrets } from '../support/secrets.ts';
import { type BenchDatabase, openBenchDatabase } from './bench-database.ts';
import { type BenchEhr, startBenchEhr } from './bench-ehr.ts';
import type { Pace } from './ehr-process.ts';
import { type Figure, times } from './figures.ts';
import { readBase, WHOLE_SESSION } from './peers/base-set.ts';
import { median } from './process-figures.ts';

const NOTES = 60;
const AT_ONCE = 4;
const ROUNDS = 5;
/** Used for figures without a limit. */
const FEWER_ROUNDS = 3;
const BOUND = 2;
const DEADLINE_MS = 110_000;
const SITE = 'mercy';
// This is about the pace of a real server on two cores, which is the bottleneck.
const READ_MS = 4;
const ENTRY_MS = 8;

type Bench = {
  readonly ehr: BenchEhr;
  readonly site: LoadedSite;
  readonly writeChart: WriteChart;
  readonly ehrs: FhirEhrs;
  readonly validator: Validator;
  readonly transport: EhrTransport;
  readonly requests: { count: number };
  /** Identities that must be there once each at the end. */
  readonly expected: Set<string>;
  readonly signal: AbortSignal;
};

type Taken = { readonly wallMs: number; readonly cpuMs: number; readonly threadMs: number; readonly requests: number };

export async function measureChartWrites(): Promise<readonly Figure[]> {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new Error('the bench was interrupted'));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const signal = AbortSignal.any([interrupted.signal, AbortSignal.timeout(DEADLINE_MS)]);
  const database = await openBenchDatabase();
  try {
    const ehr = await startBenchEhr();
    try {
      return await measureWith(database, ehr, signal);
    } finally {
      await ehr.stop();
    }
  } finally {
    await database.drop();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

async function measureWith(
  { database }: BenchDatabase,
  ehr: BenchEhr,
  signal: AbortSignal,
): Promise<readonly Figure[]> {
  const { bench, close } = await openBench(database, ehr, signal);
  try {
    // This round makes the Device, loads the definitions and compiles the code.
    const documents = await writeCharts(bench, 'warm-up').then(() => bench.expected.size / NOTES);
    await writePlainly(bench, 'plain-warm-up');
    const transactionMs = documents * ENTRY_MS;
    const paced = await compare(bench, { readMs: READ_MS, transactionMs, atOnce: 2 }, ROUNDS);
    const wide = await compare(bench, { readMs: READ_MS, transactionMs, atOnce: AT_ONCE }, FEWER_ROUNDS);
    const free = await compare(bench, undefined, FEWER_ROUNDS);
    const reads = Math.round(paced.ours.requests / NOTES) - 1;
    const steps = await measureSteps(bench, reads);
    return [
      {
        name: `${NOTES} notes, ${AT_ONCE} at a time: time against plain transactions`,
        value: times(paced.ratio),
        bound: `at most ${BOUND} x`,
        isKept: paced.ratio <= BOUND,
      },
      { name: '  the same, at a server that works on four at a time', value: times(wide.ratio) },
      { name: '  the same, at a server that takes no time', value: times(free.ratio) },
      ...(await oncePerIdentity(bench)),
      { name: 'requests a note, of which one writes', value: (paced.ours.requests / NOTES).toFixed(1) },
      { name: 'processor time a note', value: perNote(paced.ours.cpuMs) },
      { name: '  of it the main thread', value: perNote(paced.ours.threadMs) },
      ...steps,
      { name: '  a plain transaction', value: perNote(paced.plain.cpuMs) },
      { name: 'a note is written every', value: perNote(paced.ours.wallMs) },
      { name: 'a plain transaction every', value: perNote(paced.plain.wallMs) },
    ];
  } finally {
    await close();
  }
}

async function openBench(
  database: BenchDatabase['database'],
  ehr: BenchEhr,
  signal: AbortSignal,
): Promise<{ readonly bench: Bench; readonly close: () => Promise<void> }> {
  const base = await readBase();
  const settings = { baseUrl: ehr.baseUrl, auth: { type: 'none' }, maxConcurrentWrites: AT_ONCE, headers: {} } as const;
  const site: LoadedSite = { ...base, name: SITE, settings: { ...base.settings, mode: 'live', ehr: settings } };
  const knowledge = makePostgresEhrKnowledge({ database });
  // As after a write test: the plain transaction that it is compared with needs none.
  await knowledge.learn(SITE, SANDBOX_SOFTWARE, PROVEN);
  const ledger = makePostgresLedger({ database, secrets: fixedSecrets() });
  const { fetch, requests, closeFetch } = countedFetch();
  const runtime = systemRuntime;
  const ehrs = makeFhirEhrs({ knowledge, runtime, fetch });
  const transport = makeEhrTransport({ site: SITE, ehr: settings, attachmentOrigins: [], fetch });
  const validator = openValidator();
  const askPermission = makeAskPermission({ ehrs, runtime, releases: { has: async () => false } });
  const check = validator.validate;
  const writeChart = makeWriteChart({ ehrs, ledger, knowledge, check, askPermission, runtime, searchLagMs: 60_000 });
  return {
    bench: { ehr, site, writeChart, ehrs, validator, transport, requests, expected: new Set(), signal },
    close: async () => {
      ehrs.close();
      transport.close();
      closeFetch();
      await validator.close();
    },
  };
}

function countedFetch(): {
  readonly fetch: typeof fetch;
  readonly requests: { count: number };
  readonly closeFetch: () => void;
} {
  const requests = { count: 0 };
  const connections = openHttpFetch({ resends: 'reads' });
  return {
    requests,
    closeFetch: connections.close,
    fetch: (...call) => {
      requests.count += 1;
      return connections.fetch(...call);
    },
  };
}

async function compare(
  bench: Bench,
  pace: Pace | undefined,
  rounds: number,
): Promise<{ readonly ratio: number; readonly ours: Taken; readonly plain: Taken }> {
  await bench.ehr.ask({ ask: 'pace', pace });
  const name = pace === undefined ? 'free' : `at-${pace.atOnce}`;
  const ours: Taken[] = [];
  const plain: Taken[] = [];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await writeCharts(bench, `${name}-${round}`));
    plain.push(await writePlainly(bench, `plain-${name}-${round}`));
  }
  const ratio = median(ours.map(({ wallMs }, round) => wallMs / (plain[round]?.wallMs ?? Number.NaN)));
  return { ratio, ours: medians(ours), plain: medians(plain) };
}

async function writeCharts(bench: Bench, round: string): Promise<Taken> {
  const sessions = await admit(bench, round);
  return timed(bench, sessions, async (facts) => {
    const outcome = await bench.writeChart({ site: bench.site, facts }, bench.signal);
    if (outcome.status !== 'written') throw new Error(`a note was ${outcome.status}, not written`);
  });
}

/** The bundles are made beforehand, so that only sending counts. */
async function writePlainly(bench: Bench, round: string): Promise<Taken> {
  const { transport, ehr, signal } = bench;
  const client = makeFhirClient(ehr.baseUrl, (request, _what, during) => transport.send(request, during));
  const bundles = await plainBundles(bench, await admit(bench, round));
  return timed(bench, bundles, async (bundle) => {
    const response = await client.transact(bundle, signal);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`a plain transaction was answered ${response.status}: ${text}`);
  });
}

/** Makes the patients of a round with the results of their sessions, and expects their documents from now on. */
async function admit({ ehr, site, expected }: Bench, round: string): Promise<readonly ChartFacts[]> {
  const sessions = Array.from({ length: NOTES }, (_, index) => aSession(`${round}-${index}`));
  for (const facts of sessions) {
    for (const { identity } of mapDocuments({ site, facts }).documents) expected.add(identity.value);
  }
  const [patients, encounters] = [sessions.map(({ patient }) => patient), sessions.map(({ encounter }) => encounter)];
  await ehr.ask({ ask: 'admit', patients, encounters });
  return sessions;
}

function aSession(id: string): ChartFacts {
  const patient: Patient = { resourceType: 'Patient', id: `p-${id}`, birthDate: '1970-01-01' };
  const encounter: Encounter = {
    ...WHOLE_SESSION.encounter,
    id: `e-${id}`,
    subject: { reference: `Patient/p-${id}` },
  };
  return { ...WHOLE_SESSION, patient, encounter, run: { ...WHOLE_SESSION.run, id: `run-${id}` } };
}

async function plainBundles(
  { site, ehrs, signal }: Bench,
  sessions: readonly ChartFacts[],
): Promise<readonly string[]> {
  const sets = sessions.map((facts) => mapDocuments({ site, facts }).documents);
  const device = sets[0]?.find(({ document }) => document === 'device');
  if (device === undefined) throw new Error('the base set makes no Device');
  const { system, value } = device.identity;
  const parameters = { identifier: `${system}|${value}` };
  const { resources } = await ehrs.of(site).search({ type: 'Device', parameters, maxResources: 2 }, signal);
  return sets.map((documents) => plainBundle(documents).replaceAll(device.fullUrl, `Device/${resources[0]?.id}`));
}

function plainBundle(documents: readonly MappedDocument[]): string {
  const entry = documents
    .filter(({ document }) => document !== 'device')
    .map(({ fullUrl, resource }) => ({ fullUrl, resource, request: { method: 'POST', url: resource.resourceType } }));
  return JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry });
}

/** Runs that many tasks at a time until all are done. */
async function timed<T>(
  { requests }: Pick<Bench, 'requests'>,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<Taken> {
  const queue = items.values();
  const [startedMs, requestsBefore] = [performance.now(), requests.count];
  const [cpu, thread] = [process.cpuUsage(), process.threadCpuUsage()];
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return {
    wallMs: performance.now() - startedMs,
    cpuMs: inMs(process.cpuUsage(cpu)),
    threadMs: inMs(process.threadCpuUsage(thread)),
    requests: requests.count - requestsBefore,
  };
}

function inMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}

/** Measures the parts of a note's processor time alone. The rest is the ledger's part and waiting. */
async function measureSteps({ site, ehrs, validator, signal }: Bench, reads: number): Promise<readonly Figure[]> {
  const sessions = Array.from({ length: NOTES }, (_, index) => aSession(`plain-warm-up-${index}`));
  const sets: (readonly MappedDocument[])[] = [];
  const mappingMs = await cpuOf(async () => {
    for (const facts of sessions) sets.push(mapDocuments({ site, facts }).documents);
  });
  const validationMs = await cpuOf(async () => {
    for (const documents of sets) {
      const fullUrls = documents.map(({ fullUrl }) => fullUrl);
      const resources = documents.map(({ resource }) => resource);
      await validator.validate(resources, signal, { fullUrls, isPart: true });
    }
  });
  const readingMs = await cpuOf(async () => {
    for (const { patient } of sessions) {
      const order = { type: 'Condition', parameters: { patient: `Patient/${patient.id}` }, maxResources: 10 } as const;
      await Promise.all(Array.from({ length: reads }, () => ehrs.of(site).search(order, signal)));
    }
  });
  return [
    { name: '  mapping, alone', value: perNote(mappingMs) },
    { name: '  validation in its thread, alone', value: perNote(validationMs) },
    { name: `  ${reads} searches, alone`, value: perNote(readingMs) },
  ];
}

async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return inMs(process.cpuUsage(before));
}

async function oncePerIdentity({ ehr, expected }: Bench): Promise<readonly Figure[]> {
  const answer = await ehr.ask({ ask: 'count', system: identifierSystem(SITE) });
  const counts = new Map('counts' in answer ? answer.counts : []);
  const missing = [...expected].filter((identity) => !counts.has(identity)).length;
  const several = [...counts.values()].filter((count) => count > 1).length;
  const unexpected = [...counts.keys()].filter((identity) => !expected.has(identity)).length;
  return [
    {
      name: `documents that are there once, of ${expected.size}`,
      value: String([...expected].filter((identity) => counts.get(identity) === 1).length),
      bound: 'all, and no others',
      isKept: missing === 0 && several === 0 && unexpected === 0,
    },
  ];
}

function medians(taken: readonly Taken[]): Taken {
  const of = (name: keyof Taken) => median(taken.map((each) => each[name]));
  return { wallMs: of('wallMs'), cpuMs: of('cpuMs'), threadMs: of('threadMs'), requests: of('requests') };
}

function perNote(ms: number): string {
  return `${(ms / NOTES).toFixed(1)} ms`;
}
