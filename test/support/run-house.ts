// A hospital with an engine, all of it in memory: events go in, runs are worked on, and the chart can be looked at. Each engine may be
// one that dies at a chosen moment; what they share lives on.
import type { DocumentReference, Encounter, Resource } from '@medplum/fhirtypes';
import { makeStory, type Story } from '../../src/composition/make-story.ts';
import type { Diagnosis } from '../../src/domain/diagnosis.ts';
import type { AppError } from '../../src/domain/errors.ts';
import type { Run, RunStatus } from '../../src/domain/run.ts';
import type { SiteSettings } from '../../src/domain/site.ts';
import type { Accepted, AcceptOrder } from '../../src/ports/inbox.ts';
import type { LoadedSite } from '../../src/ports/sites.ts';
import { makeFakeAudit } from '../fakes/audit.ts';
import { makeFakePauses } from '../fakes/pauses.ts';
import { makeFakeReasoner } from '../fakes/reasoner.ts';
import { makeFakeRecordings } from '../fakes/recordings.ts';
import { makeFakeRuns } from '../fakes/runs.ts';
import { makeFakeSpeech } from '../fakes/speech.ts';
import { makeFakeUsage } from '../fakes/usage.ts';
import { makeAudio } from './audio-samples.ts';
import { aHospital, aLiveSite, type HospitalParts } from './chart-writing.ts';
import type { TestProcess } from './crashes.ts';

const LEASE_MS = 20_000;
const ENGINE = { name: 'chartwright', version: '0.1.0' } as const;

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

type HouseParts = Omit<HospitalParts, 'site'> & {
  readonly settings?: Partial<SiteSettings>;
  /** Beside the patient and the encounter; absent: one recording. */
  readonly chart?: readonly Resource[];
};

export type RunHouse = ReturnType<typeof aRunHouse>;

export function aRunHouse({ settings = {}, chart = [RECORDING], ...hospitalParts }: HouseParts = {}) {
  const live = aLiveSite();
  let site: LoadedSite = { ...live, settings: { ...live.settings, ...settings } };
  const recordings = new Map([...Array(9).keys()].map((n) => [`Binary/rec-${n}`, makeAudio('mp3', 8_000)]));
  const hospital = aHospital({ ...hospitalParts, site, recordings });
  const { runtime, ehr, ledger, knowledge } = hospital;
  for (const resource of chart) ehr.put(resource);
  const now = runtime.now;
  const { inbox, queue, runs, outbox } = makeFakeRuns({ now });
  const shared = {
    inbox,
    queue,
    runs,
    recordings: makeFakeRecordings(),
    audit: makeFakeAudit({ now }),
    pauses: makeFakePauses({ now }),
    usage: makeFakeUsage({ now }),
    speech: makeFakeSpeech(),
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
  let events = 0;
  let engines = 0;

  /** Every await of such an engine on something outside is a moment of the process. */
  const startEngine = (process?: TestProcess) => {
    engines += 1;
    const wrap = <T extends object>(port: T): T => process?.wrap(port) ?? port;
    const wrappedEhr = process?.wrap(ehr, { direct: ['inTurn', 'openRecording'] }) ?? ehr;
    const story: Story = makeStory({
      ...hospital.parts,
      queue: wrap(queue),
      runs: wrap(runs),
      recordings: wrap(shared.recordings),
      audit: wrap(shared.audit),
      pauses: shared.pauses,
      usage: shared.usage,
      speech: process?.wrap(shared.speech, { direct: ['ensureConfigured'] }) ?? shared.speech,
      reasoner: process?.wrap(shared.reasoner, { direct: ['ensureConfigured', 'streamDiagnosis'] }) ?? shared.reasoner,
      ledger: wrap(ledger),
      knowledge,
      ehrs: { of: () => wrappedEhr, jwks: async () => undefined },
      sites,
      runtime,
      checkAudioHead: () => ({ ok: true, type: 'audio/mpeg' }),
      engine: ENGINE,
      maxCalls: { reasoner: 10, speech: 10 },
      onStep: () => undefined,
    });
    const holder = `house-${engines}/start`;
    const names = [site.name];
    /** Takes what is due and works on it, one after another; how many there were. */
    const work = async (signal: AbortSignal = new AbortController().signal, limit = 10): Promise<number> => {
      const claims = await wrap(queue).claim({ holder, limit, leaseMs: LEASE_MS, sites: names, lookSites: names });
      for (const claim of claims) await story.documentSession(claim, signal);
      return claims.length;
    };
    return { ...story, holder, work };
  };
  const engine = startEngine();

  const accept = (changes: Partial<AcceptOrder> = {}): Promise<Accepted> => {
    events += 1;
    return inbox.accept({
      site: site.name,
      organization: 'mercy-general',
      source: 'amqp',
      key: `event-${events}`,
      content: 'Encounter/e-1',
      receivedAt: now(),
      encounters: [{ encounter: 'Encounter/e-1', isUrgent: false }],
      settleMs: 0,
      ...changes,
    });
  };

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
    /** As if the files had changed. */
    change: (changes: Partial<SiteSettings>, version = '2') => {
      site = { ...site, version, settings: { ...site.settings, ...changes } };
    },
    accept,
    startEngine,
    work: engine.work,
    takeBack: engine.takeBack,
    /** Until nothing is due any more, and for so long as time has to pass for it: an hour at most. */
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
    /** What the engine made in the chart, by type. */
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
    return (await runs.list({ limit: 500 })).runs.toReversed();
  }
}

/** What stands in the chart after one run without accidents. */
export const WHOLE_CHART: readonly string[] = [
  'Composition',
  'Condition',
  'Device',
  'DocumentReference',
  'Provenance',
  'RiskAssessment',
];
