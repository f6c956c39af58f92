// A hospital with an engine, all of it in memory: events go in, runs are processed, and the chart can be read. Each engine may be a process
// that dies at a chosen moment; what the engines share continues to exist.
import type { DocumentReference, Encounter, Resource } from '@medplum/fhirtypes';
import { makeRunFlows, type RunFlows, type RunFlowsParts } from '../../src/composition/make-run-flows.ts';
import type { Diagnosis } from '../../src/domain/diagnosis/diagnosis.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { DocumentMapping } from '../../src/domain/mapping/mapping.ts';
import type { Run, RunStatus } from '../../src/domain/run/run.ts';
import type { SiteSettings } from '../../src/domain/site/site.ts';
import { claimableSites, startWorker } from '../../src/inbound/worker/worker.ts';
import { makeTracing } from '../../src/platform/tracing/tracing.ts';
import type { Ehr } from '../../src/ports/ehr.ts';
import type { Accepted, AcceptOrder, Inbox } from '../../src/ports/inbox.ts';
import type { Ledger } from '../../src/ports/ledger.ts';
import type { Queue } from '../../src/ports/queue.ts';
import type { Reasoner } from '../../src/ports/reasoner.ts';
import type { Runs } from '../../src/ports/runs.ts';
import type { LoadedSite } from '../../src/ports/sites.ts';
import type { Verifier } from '../../src/ports/verifier.ts';
import { makeFakeAudit } from '../fakes/audit.ts';
import { makeFakeCodeLists } from '../fakes/code-lists.ts';
import { makeNoteChecker } from '../fakes/note-checker.ts';
import { makeFakePauses } from '../fakes/pauses.ts';
import { makeFakeReasoner } from '../fakes/reasoner.ts';
import { makeFakeRecordings } from '../fakes/recordings.ts';
import { makeFakeReleases } from '../fakes/releases.ts';
import { makeFakeRuns } from '../fakes/runs.ts';
import { type FakeSpeech, makeFakeSpeech } from '../fakes/speech.ts';
import { makeFakeUsage } from '../fakes/usage.ts';
import { makeAudio } from './audio-samples.ts';
import { aHospital, aLiveSite, type HospitalParts } from './chart-writing.ts';
import type { TestProcess } from './crashes.ts';

/** The lease of a run: a process that stops for longer has lost the run. */
export const RUN_LEASE_MS = 20_000;
export const ENGINE = { name: 'chartwright', version: '0.1.0' } as const;
/** No call of the outlet takes longer, whatever happens to its process. */
const OUTLET_DEADLINE_MS = 30_000;
const MANY = 1_000;

export const RECORDING: DocumentReference = aRecording('rec-1');

export function aRecording(id: string, encounter = 'e-1', patient = 'p-1'): DocumentReference {
  return {
    resourceType: 'DocumentReference',
    id,
    status: 'current',
    subject: { reference: `Patient/${patient}` },
    date: '2026-03-02T09:00:00Z',
    content: [{ attachment: { contentType: 'audio/mpeg', url: `Binary/${id}`, creation: '2026-03-02T09:00:00Z' } }],
    context: { encounter: [{ reference: `Encounter/${encounter}` }] },
  };
}

/** The ports that all engines share. A test may wrap them. */
export type TestbedPorts = {
  readonly inbox: Inbox;
  readonly queue: Queue;
  readonly runs: Runs;
  readonly ledger: Ledger;
};

export type TestbedParts = Omit<HospitalParts, 'site'> & {
  readonly settings?: Partial<SiteSettings>;
  readonly codes?: LoadedSite['codes'];
  /** Mappings in place of those of the same name. */
  readonly mappings?: Readonly<Record<string, DocumentMapping>>;
  /** Resources beside the patient and the encounter; absent: one recording. */
  readonly chart?: readonly Resource[];
  readonly between?: (ports: TestbedPorts) => TestbedPorts;
  readonly speech?: FakeSpeech;
  /** Asked in place of the fake reasoner. */
  readonly model?: Reasoner;
  /** Absent: there is no second check. */
  readonly verifier?: Verifier;
};

export type RunTestbed = ReturnType<typeof aRunTestbed>;

/** Each recording has another size. */
export function sizeOfRecording(n: number): number {
  return 8_000 + n * 500;
}

export function aRunTestbed({
  settings = {},
  codes: tables = {},
  mappings = {},
  chart = [RECORDING],
  between = (ports) => ports,
  speech = makeFakeSpeech(),
  model,
  verifier,
  ...hospitalParts
}: TestbedParts = {}) {
  const live = aLiveSite({ mappings });
  let site: LoadedSite = { ...live, codes: tables, settings: { ...live.settings, ...settings } };
  const recordings = new Map(
    [...Array(9).keys()].map((n) => [`Binary/rec-${n}`, makeAudio('mp3', sizeOfRecording(n))]),
  );
  const hospital = aHospital({ ...hospitalParts, site, recordings });
  const { runtime, ehr, knowledge } = hospital;
  for (const resource of chart) ehr.put(resource);
  const now = runtime.now;
  const { outbox, ...memory } = makeFakeRuns({ now });
  const { inbox, queue, runs, ledger } = between({ ...memory, ledger: hospital.ledger });
  const shared = {
    inbox,
    queue,
    runs,
    recordings: makeFakeRecordings(),
    audit: makeFakeAudit({ now }),
    pauses: makeFakePauses({ now }),
    releases: makeFakeReleases(),
    usage: makeFakeUsage({ now }),
    codes: makeFakeCodeLists({ now }),
    speech,
    reasoner: makeFakeReasoner(),
    ledger,
    knowledge,
  };
  const sites = {
    current: () => ({
      sites: new Map([[site.name, site]]),
      problems: [],
      stale: new Set<string>(),
      unavailable: new Set<string>(),
    }),
  };
  const troubles: unknown[] = [];
  let events = 0;
  let engines = 0;

  const acceptBy =
    (into: Inbox) =>
    (changes: Partial<AcceptOrder> = {}): Promise<Accepted> => {
      events += 1;
      const key = changes.key ?? `event-${events}`;
      return into.accept({
        site: site.name,
        organization: 'mercy-general',
        source: 'amqp',
        key,
        eventId: key,
        content: 'Encounter/e-1',
        receivedAt: now(),
        encounters: [{ encounter: 'Encounter/e-1', isUrgent: false }],
        settleMs: 0,
        ...changes,
      });
    };

  const tracing = makeTracing();

  /** Every await of such an engine on a port is a moment of the process. `testbed`: the data folder of an earlier engine that ended. */
  const startEngine = (process?: TestProcess, testbed?: string) => {
    engines += 1;
    const parts: RunFlowsParts = {
      ...hospital.parts,
      ...shared,
      ...(model && { reasoner: model }),
      ehrs: { of: () => ehr, jwks: async () => undefined },
      sites,
      noteChecker: makeNoteChecker(),
      verifier,
      runtime,
      checkAudioHead: () => ({ ok: true, type: 'audio/mpeg' }),
      engine: ENGINE,
      maxCalls: { reasoner: 10, speech: 10 },
      inSpan: tracing.inSpan,
      onCodes: () => undefined,
      onStep: () => undefined,
    };
    const story: RunFlows = makeRunFlows(process ? onProcess(parts, ehr, process) : parts);
    const own = { inbox: process?.wrap(inbox) ?? inbox, queue: process?.wrap(queue) ?? queue };
    const holder = `${testbed ?? `testbed-${engines}`}/start-${engines}`;
    /** Claims and processes due runs one after another; returns their number. An abort stops the engine. */
    const work = async (signal: AbortSignal = new AbortController().signal, limit = 10): Promise<number> => {
      const stopping = new AbortController();
      const stop = () => stopping.abort(new AppError('shuttingDown', 'The engine is stopping'));
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      const names = await claimableSites({ sites, pauses: shared.pauses });
      const claims = await own.queue.claim({ holder, limit, leaseMs: RUN_LEASE_MS, ...names });
      for (const claim of claims) await story.documentSession(claim, stopping.signal);
      return claims.length;
    };
    /** Works as in an engine: on that many runs at once, with renewed leases. */
    const startWorking = (size: number) =>
      startWorker({
        ...own,
        documentSession: story.documentSession,
        sites,
        pauses: shared.pauses,
        runtime: { ...runtime, pause: process?.wrapCall('pause', runtime.pause) ?? runtime.pause },
        tracing,
        holder,
        size,
        leaseMs: RUN_LEASE_MS,
        onReport: () => undefined,
        onTrouble: (thrown) => troubles.push(thrown),
      });
    const start = { startWorking, accept: acceptBy(own.inbox) };
    return { ...story, ...start, holder, testbed: testbed ?? `testbed-${engines}`, work };
  };
  const engine = startEngine();

  const accept = acceptBy(inbox);

  return {
    ...shared,
    hospital,
    runtime,
    ehr,
    outbox,
    sites,
    get site() {
      return site;
    },
    /** Changes the site as if its files had changed. */
    change: (changes: Partial<SiteSettings>, version = '2') => {
      site = { ...site, version, settings: { ...site.settings, ...changes } };
    },
    accept,
    startEngine,
    /** The failures of workers. */
    troubles: troubles as readonly unknown[],
    work: engine.work,
    takeBack: engine.retractRun,
    /** Works until nothing is due any more, and lets the time pass that this needs: an hour at most. */
    async drain(worker: Pick<ReturnType<typeof startEngine>, 'work'> = engine, limitMs = 3_600_000): Promise<void> {
      const untilMs = runtime.monotonicMs() + limitMs;
      for (;;) {
        if ((await worker.work()) > 0) continue;
        const waits = (await allRuns()).filter(
          ({ status }) => status === 'waiting' || status === 'running' || status === 'queued',
        );
        if (waits.length === 0 || runtime.monotonicMs() >= untilMs) return;
        runtime.advance(1_000);
      }
    },
    allRuns,
    async onlyRun(): Promise<Run> {
      const all = await allRuns();
      const [run] = all;
      if (all.length !== 1 || run === undefined) throw new Error(`there are ${all.length} runs`);
      return run;
    },
    statuses: async (): Promise<readonly RunStatus[]> => (await allRuns()).map(({ status }) => status),
    /** The types of the resources that the engine made in the chart. */
    chart: (): readonly string[] =>
      hospital
        .written()
        .map(({ resourceType }) => resourceType)
        .toSorted(),
    kinds: () => outbox.map(({ kind }) => kind),
    putEncounter: (changes: Partial<Encounter>) =>
      ehr.edit('Encounter/e-1', (encounter) => ({ ...(encounter as Encounter), ...changes })),
    failReasoner: (error: AppError | undefined) => {
      shared.reasoner.script.failure = error;
    },
    diagnoses: (diagnosis: (language: string) => Diagnosis) => {
      shared.reasoner.script.diagnosis = ({ language }) => diagnosis(language);
    },
  };

  async function allRuns(): Promise<readonly Run[]> {
    return (await runs.list({ scope: 'all', limit: MANY, withLooks: true })).runs.toReversed();
  }
}

/** Returns the same parts; every call of a port is a moment of this process. */
function onProcess(parts: RunFlowsParts, ehr: Ehr, process: TestProcess): RunFlowsParts {
  const { runtime } = parts;
  let frozenAtMs = runtime.monotonicMs();
  const ofEhr = process.wrap(ehr, {
    direct: ['withWriteSlot', 'openRecording'],
    onFreeze: () => {
      frozenAtMs = runtime.monotonicMs();
    },
    late: (call) => {
      const isWrite = call === 'create' || call === 'update' || call === 'transact';
      const isOver = runtime.monotonicMs() - frozenAtMs >= OUTLET_DEADLINE_MS;
      return isWrite && isOver ? Promise.resolve({ kind: 'unknown' }) : undefined;
    },
  });
  const beginReading = process.wrapCall('openRecording', async () => undefined);
  const openRecording: Ehr['openRecording'] = async function* (...order) {
    await beginReading();
    yield* ehr.openRecording(...order);
  };
  const whole = new Proxy(ofEhr, {
    get: (target, name) => (name === 'openRecording' ? openRecording : Reflect.get(target, name)),
  });
  return {
    ...parts,
    queue: process.wrap(parts.queue),
    runs: process.wrap(parts.runs),
    recordings: process.wrap(parts.recordings),
    audit: process.wrap(parts.audit),
    pauses: process.wrap(parts.pauses),
    usage: process.wrap(parts.usage),
    ledger: process.wrap(parts.ledger),
    knowledge: process.wrap(parts.knowledge),
    check: process.wrapCall('check', parts.check),
    speech: process.wrap(parts.speech, { direct: ['ensureConfigured'] }),
    reasoner: process.wrap(parts.reasoner, { direct: ['streamDiagnosis'] }),
    ...(parts.verifier && { verifier: process.wrap(parts.verifier) }),
    runtime: { ...runtime, pause: process.wrapCall('pause', runtime.pause) },
    ehrs: { ...parts.ehrs, of: () => whole },
  };
}

/** The documents in the chart after one run without failures. */
export const WHOLE_CHART: readonly string[] = [
  'Composition',
  'Condition',
  'Device',
  'DocumentReference',
  'Provenance',
  'RiskAssessment',
];
