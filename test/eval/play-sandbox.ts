// Plays the visits of the sandbox in an engine: it finishes each, waits for its run, and reads its chart.
import type { Bundle, Resource } from '@medplum/fhirtypes';
import type { Diagnosis } from '../../src/domain/diagnosis/diagnosis.ts';
import type { RunStatus } from '../../src/domain/run/run.ts';
import { readPatients } from '../../src/sandbox/patients/read-patients.ts';
import { type Engine, startEngine } from '../support/engine.ts';

/** Every finished encounter of a story, as the operator sees it afterwards. */
export type PlayedVisit = {
  readonly story: string;
  readonly run: PlayedRun;
  readonly chart: readonly Resource[];
  /** What a late recording added to the chart, if the story has one. */
  readonly late?: readonly Resource[];
};

export type PlayedRun = {
  readonly id: string;
  readonly encounter: string;
  readonly status: RunStatus;
  readonly reason?: string;
  /** What the run says that it wrote. */
  readonly resources: readonly { readonly document: string; readonly reference: string; readonly status: string }[];
  readonly diagnosis?: Diagnosis;
};

type Visit = { readonly name: string; readonly story: string; readonly encounter: string };

const MAPPINGS = new URL('../../mappings', import.meta.url).pathname;
const LOOK_EVERY_MS = 200;
const AT_AN_END: readonly RunStatus[] = ['written', 'skipped', 'held', 'parked', 'cancelled', 'retracted'];
/** A run's model may be slow, and all visits wait for it at once. */
const GIVE_UP_MS = 20 * 60_000;

/** With a hospital of its own. `environment`: keys of vendors, where they are to do the work. Resolves once its events are heard. */
export async function openSandboxEngine(environment: Readonly<Record<string, string>> = {}): Promise<Engine> {
  const env = { SANDBOX: 'on', SANDBOX_PORT: '0', MAPPINGS_DIR: MAPPINGS, ...environment };
  const engine = await startEngine({ env });
  const isHeard = async () => {
    const { sites } = (await engine.ops('GET', '/sites')) as { readonly sites: readonly Site[] };
    return sites.some(({ feeds }) => feeds.some(({ subscription }) => subscription !== undefined)) ? true : undefined;
  };
  try {
    await untilThere(isHeard, 'the subscription of the sandbox');
    return engine;
  } catch (thrown) {
    await engine.stop();
    throw thrown;
  }
}

type Site = { readonly feeds: readonly { readonly subscription?: string }[] };

/** All of them at once. */
export async function playSandbox(
  engine: Pick<Engine, 'ops'>,
  onDone: (done: number, of: number) => void = () => undefined,
): Promise<readonly PlayedVisit[]> {
  const { visits } = (await engine.ops('GET', '/sandbox')) as { readonly visits: readonly Visit[] };
  await Promise.all(visits.map(({ name }) => engine.ops('POST', `/sandbox/visits/${name}/finish`)));
  let done = 0;
  return Promise.all(
    visits.map(async (visit) => {
      const played = await readVisit(engine, visit);
      done += 1;
      onDone(done, visits.length);
      return played;
    }),
  );
}

/** Once its run is at an end. */
async function readVisit(engine: Pick<Engine, 'ops'>, { name, story, encounter }: Visit): Promise<PlayedVisit> {
  const [ended] = await runsAtEnd(engine, encounter, 1);
  const run = (await engine.ops('GET', `/runs/${ended?.id}`)) as PlayedRun;
  return { story, run, chart: await chartOf(engine, name) };
}

/** Adds the late recordings of those stories that have one; only after the visits were played. */
export function playLateRecordings(
  engine: Pick<Engine, 'ops'>,
  visits: readonly PlayedVisit[],
): Promise<readonly PlayedVisit[]> {
  const late = new Set(readPatients().flatMap((patient) => (patient.late === undefined ? [] : [patient.id])));
  return Promise.all(visits.map((visit) => (late.has(visit.story) ? withLate(engine, visit) : visit)));
}

async function withLate(engine: Pick<Engine, 'ops'>, visit: PlayedVisit): Promise<PlayedVisit> {
  await engine.ops('POST', `/sandbox/visits/${visit.story}/late-recording`);
  await runsAtEnd(engine, visit.run.encounter, 2);
  const nameOf = ({ resourceType, id }: Resource) => `${resourceType}/${id}`;
  const known = new Set(visit.chart.map(nameOf));
  const chart = await chartOf(engine, visit.story);
  return { ...visit, late: chart.filter((resource) => !known.has(nameOf(resource))) };
}

function runsAtEnd({ ops }: Pick<Engine, 'ops'>, encounter: string, count: number): Promise<readonly PlayedRun[]> {
  return untilThere(async () => {
    const { runs } = (await ops('GET', `/runs?encounter=${encounter}`)) as { readonly runs: readonly PlayedRun[] };
    const ended = runs.filter(({ status }) => AT_AN_END.includes(status));
    return ended.length < count ? undefined : ended;
  }, `the run of ${encounter}`);
}

async function chartOf({ ops }: Pick<Engine, 'ops'>, name: string): Promise<readonly Resource[]> {
  const { entry = [] } = (await ops('GET', `/sandbox/visits/${name}/chart`)) as Bundle;
  return entry.flatMap(({ resource }) => resource ?? []);
}

async function untilThere<Found>(look: () => Promise<Found | undefined>, what: string): Promise<Found> {
  const giveUpAtMs = performance.now() + GIVE_UP_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > giveUpAtMs) throw new Error(`${what} did not come`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
