// Scenarios in which a process dies or sleeps at one of its awaits, and others continue: each has a beginning without failures, and a part
// that one process does.
import type { Resource } from '@medplum/fhirtypes';
import type { DocumentMapping } from '../../src/domain/mapping/mapping.ts';
import type { SiteSettings } from '../../src/domain/site/site.ts';
import { type Ended, type Fate, makeProcess } from './crashes.ts';
import { whatIsWrong } from './run-invariants.ts';
import {
  aWatchedTestbed,
  drain,
  type RunSabotage,
  type TestEngine,
  VISITS,
  type WatchedTestbed,
  whatBecameOf,
} from './run-model-testbed.ts';
import { aRecording } from './run-testbed.ts';

export type RunScenario = {
  readonly settings?: (settings: SiteSettings) => Partial<SiteSettings>;
  readonly before?: (world: WatchedTestbed) => Promise<unknown>;
  /** The events that the process gets; an event without an acknowledgement is sent again. */
  readonly events: readonly number[];
};

export type Accident = Fate & {
  /** How long a process is stopped. Another one works meanwhile, and the first continues at that moment of it; absent: afterwards. */
  readonly asleepMs?: number;
  readonly wakesAt?: number;
};

export type Lived = { readonly problems: readonly string[]; readonly end: readonly string[] };

export const SCENARIOS = {
  'a run from its event to the chart': { events: [0] },
  'a late recording': {
    before: async (world) => {
      await documentFirst(world);
      world.testbed.ehr.put(aRecording('rec-4'));
    },
    events: [0],
  },
  'a cancelled encounter, and what is taken back': {
    before: async (world) => {
      await documentFirst(world);
      world.testbed.putEncounter({ status: 'cancelled' });
    },
    events: [0],
  },
  'an encounter that was moved to another patient': {
    before: async (world) => {
      await documentFirst(world);
      moveFirst(world);
    },
    events: [0],
  },
  'an encounter that was moved to another patient, with a signed note': {
    before: async (world) => {
      await documentFirst(world);
      const [note] = world.testbed.hospital.written('DocumentReference');
      world.testbed.ehr.edit(`DocumentReference/${note?.id}`, (one) => ({ ...one, docStatus: 'final' }) as Resource);
      moveFirst(world);
    },
    events: [0],
  },
  'an encounter that was moved to another patient and back': {
    before: async (world) => {
      await documentFirst(world);
      moveFirst(world);
      await world.testbed.accept({ encounters: [{ encounter: 'Encounter/e-1', isUrgent: false }] });
      await drain(world, world.testbed.startEngine());
      moveFirst(world, 'Patient/p-1');
    },
    events: [0],
  },
  'a replay that says something else': {
    before: async (world) => {
      const { testbed } = world;
      await documentFirst(world);
      const { note } = testbed.reasoner.script;
      testbed.reasoner.script.note = (request) => {
        const answer = note(request);
        if (!answer.isMedical) return answer;
        const sections = answer.note.sections.map((section) => ({ ...section, text: `${section.text} Come again.` }));
        return { ...answer, note: { ...answer.note, sections } };
      };
      await testbed.runs.replay({ id: (await testbed.onlyRun()).id, from: 'write-note', isDry: false });
    },
    events: [],
  },
  'a replay that only shows what it would do': {
    before: async (world) => {
      await documentFirst(world);
      world.testbed.diagnoses(() => ({ ...anotherDiagnosis }));
      await world.testbed.runs.replay({ id: (await world.testbed.onlyRun()).id, from: 'diagnose', isDry: true });
    },
    events: [],
  },
  'a draft that was approved': {
    settings: ({ write }) => ({ write: { ...write, review: 'hold' } }),
    before: async (world) => {
      await documentFirst(world);
      await approve(world);
    },
    events: [],
  },
  'a draft that was approved, of which other mappings make something else': {
    settings: ({ write }) => ({ write: { ...write, review: 'hold' } }),
    before: async (world) => {
      await documentFirst(world);
      await approve(world);
      remap(world);
    },
    events: [],
  },
  'an approved draft that waits to be written while its files change': {
    settings: ({ write }) => ({ write: { ...write, review: 'hold' } }),
    before: async (world) => {
      const { testbed } = world;
      await documentFirst(world);
      await approve(world);
      await testbed.pauses.pause('mercy', 'write', 'EHR upgrade');
      await testbed.startEngine().work();
      testbed.change({}, '2');
      await testbed.pauses.resume('mercy', 'write');
      await testbed.queue.wake({ site: 'mercy' });
    },
    events: [],
  },
  'a draft that is to wait for a clinician': {
    settings: ({ write }) => ({ write: { ...write, review: 'hold' } }),
    events: [0],
  },
  'a note that says what nobody said': {
    settings: () => ({ check: { maxUnsupported: { drug: 0 } } }),
    before: async ({ testbed }) => {
      testbed.reasoner.script.note = () => ({
        isMedical: true,
        note: { title: 'Knee', sections: [{ key: 'PLAN', title: 'Plan', text: 'Start warfarin 5 mg daily.' }] },
      });
    },
    events: [0],
  },
  'a recording that is too short': {
    settings: ({ recording }) => ({ recording: { ...recording, minSeconds: 60 } }),
    events: [0],
  },
  'two encounters of one patient': { events: [0, 1] },
} as const satisfies Readonly<Record<string, RunScenario>>;

const anotherDiagnosis = {
  diagnosis: {
    diseases: [
      {
        name: 'Acute bronchitis',
        icd10_code: 'J20.9',
        probability: 0.5,
        why: 'Cough.',
        diagnostic_tests: [],
        standard_care: [],
        category: 'most-likely' as const,
      },
    ],
  },
  triage: { triage_level: 'WHITE' as const, triage_justification: 'No.', triage_recommendation: 'Rest.' },
};

async function documentFirst(world: WatchedTestbed): Promise<void> {
  const { testbed } = world;
  await testbed.accept({ encounters: [{ encounter: 'Encounter/e-1', isUrgent: false }] });
  await drain(world, testbed.startEngine());
}

/** The EHR moves the encounter and its recording. */
function moveFirst({ testbed }: WatchedTestbed, patient = 'Patient/p-2'): void {
  const subject = { reference: patient };
  testbed.putEncounter({ subject });
  testbed.ehr.edit('DocumentReference/rec-1', (one) => ({ ...one, subject }) as Resource);
}

async function approve({ testbed }: WatchedTestbed): Promise<void> {
  const { id, revision } = await testbed.onlyRun();
  const time = '2026-03-02T11:00:00Z';
  await testbed.runs.review({ id, review: { decision: 'approve', time, reviewer: 'Practitioner/7', revision } });
}

/** Changes the site's files, and with them the documents. */
function remap({ testbed }: WatchedTestbed): void {
  const mappings = testbed.site.mappings as Map<string, DocumentMapping>;
  const mapping = mappings.get('composition');
  if (mapping === undefined) throw new Error('there is no such mapping');
  mappings.set('composition', {
    ...mapping,
    apply: (input) => {
      const made = mapping.apply(input);
      return { ...made, value: { ...(made.value as object), language: 'en-US' } };
    },
  });
  testbed.change({}, '2');
}

/** Runs the scenario with this accident, or without one; another engine does the rest. */
export async function liveThrough(scenario: RunScenario, accident?: Accident, sabotage?: RunSabotage): Promise<Lived> {
  const world = await begin(scenario, sabotage);
  const { testbed, watch } = world;
  const process = makeProcess(accident);
  const engine = testbed.startEngine(process);
  const problems: string[] = [];
  const ended = await process.run((signal) => act(scenario, engine, signal));
  if (ended.kind === 'failed') problems.push(`it threw ${ended.error}`);
  if (ended.kind === 'frozen') problems.push(...(await goOnWithout(world, ended, accident)));
  // A sender without an acknowledgement sends the event again.
  if (ended.kind !== 'settled') await tell(scenario, testbed);
  if (!(await drain(world, testbed.startEngine()))) problems.push('it never came to an end');
  problems.push(...(await whatIsWrong(testbed, watch)));
  return { problems, end: await whatBecameOf(world) };
}

/** Returns the names of the awaits of the process without an accident. */
export async function momentsOf(scenario: RunScenario): Promise<readonly string[]> {
  const { testbed } = await begin(scenario);
  const process = makeProcess();
  await process.run((signal) => act(scenario, testbed.startEngine(process), signal));
  return process.moments;
}

async function begin({ settings, before }: RunScenario, sabotage?: RunSabotage): Promise<WatchedTestbed> {
  const world = aWatchedTestbed(sabotage);
  if (settings) world.testbed.change(settings(world.testbed.site.settings), '1');
  await before?.(world);
  world.testbed.runtime.advance(1_000);
  return world;
}

async function act(scenario: RunScenario, engine: TestEngine, signal: AbortSignal): Promise<void> {
  await tell(scenario, engine);
  for (const _ of [1, 2, 3]) await engine.work(signal);
}

async function tell({ events }: RunScenario, to: Pick<TestEngine, 'accept'>): Promise<void> {
  for (const which of events) {
    const encounter = `Encounter/${VISITS[which]?.id}`;
    await to.accept({ key: `again-${which}`, content: encounter, encounters: [{ encounter, isUrgent: false }] });
  }
}

type Frozen = Extract<Ended<void>, { readonly kind: 'frozen' }>;

async function goOnWithout(world: WatchedTestbed, frozen: Frozen, accident: Accident | undefined) {
  const { testbed } = world;
  const problems: string[] = [];
  testbed.runtime.advance(accident?.asleepMs ?? 0);
  let rest: Promise<Ended<void>> | undefined;
  const wake = () => {
    rest ??= frozen.thaw();
  };
  const second = makeProcess(undefined, (count) => {
    if (count === accident?.wakesAt) wake();
  });
  const engine = testbed.startEngine(second);
  const ended = await second.run(() => drain(world, engine));
  if (ended.kind !== 'settled') problems.push('the other one did not come to its end');
  wake();
  const later = await rest;
  if (later?.kind === 'failed') problems.push(`the one that had slept threw ${later.error}`);
  return problems;
}
