// A watched hospital for tests with failures: two patients, three encounters, and recordings that differ in their speech; and a check that all
// work has ended.
import type { Encounter, Resource } from '@medplum/fhirtypes';
import { AppError, type ErrorCode } from '../../src/domain/errors.ts';
import type { WrittenNote } from '../../src/domain/note/note.ts';
import type { Run } from '../../src/domain/run/run.ts';
import { type FakeSpeech, makeFakeSpeech } from '../fakes/speech.ts';
import { isRetired } from './chart-invariants.ts';
import { ENCOUNTER } from './chart-writing.ts';
import { madeBy, type RunWatch, watchRuns } from './run-invariants.ts';
import {
  aRecording,
  aRunTestbed,
  RUN_LEASE_MS,
  type RunTestbed,
  type TestbedParts,
  type TestbedPorts,
} from './run-testbed.ts';

/** Removes one of the engine's safety measures. */
export type RunSabotage = (ports: TestbedPorts) => TestbedPorts;

/** Returns the vendors' failure, anew at each call; undefined: they do not fail. */
export type Vendors = { speech: ErrorCode | undefined; reasoner: ErrorCode | undefined };

export type WatchedTestbed = { readonly testbed: RunTestbed; readonly watch: RunWatch; readonly vendors: Vendors };
export type TestEngine = ReturnType<RunTestbed['startEngine']>;

type Visit = { readonly id: string; readonly patient: string; readonly recordings: readonly [string, string] };

/** The second recording of each encounter comes late. */
export const VISITS: readonly [Visit, ...Visit[]] = [
  { id: 'e-1', patient: 'p-1', recordings: ['rec-1', 'rec-4'] },
  { id: 'e-2', patient: 'p-1', recordings: ['rec-2', 'rec-5'] },
  { id: 'e-3', patient: 'p-2', recordings: ['rec-3', 'rec-6'] },
];

const MAX_ROUNDS = 500;

export function aWatchedTestbed(sabotage: RunSabotage = (ports) => ports, parts: TestbedParts = {}): WatchedTestbed {
  const watch = watchRuns();
  const vendors: Vendors = { speech: undefined, reasoner: undefined };
  const testbed = aRunTestbed({
    chart: VISITS.flatMap(({ id, patient, recordings }): Resource[] => [
      anEncounter(id, patient),
      aRecording(recordings[0], id, patient),
    ]),
    speech: makeHearingSpeech(vendors),
    ...parts,
    // The watch is outermost, so that it sees all effects of a sabotage.
    between: (ports) => watch.between(sabotage(ports)),
  });
  testbed.reasoner.script.note = ({ template, transcript }) => ({
    isMedical: true,
    note: aNote(template.sections, transcript.utterances.map(({ text }) => text).join(' ')),
  });
  testbed.reasoner.script.wait = async () => fail('the reasoner', vendors.reasoner);
  return { testbed, watch, vendors };
}

function anEncounter(id: string, patient: string): Encounter {
  return { ...ENCOUNTER, id, subject: { reference: `Patient/${patient}` } };
}

function aNote(sections: readonly { readonly key: string; readonly title: string }[], text: string) {
  return {
    title: 'Visit',
    sections: sections.map(({ key, title }) => ({ key, title, text })),
  } as WrittenNote['note'];
}

function fail(who: string, code: ErrorCode | undefined): void {
  if (code !== undefined) throw new AppError(code, `${who} fails`);
}

/** Returns a fake that hears the number of bytes. */
function makeHearingSpeech(vendors: Vendors): FakeSpeech {
  const fake = makeFakeSpeech();
  return {
    ...fake,
    transcribe: async ({ recording, language }, signal) => {
      let heardBytes = 0;
      const open = async function* () {
        heardBytes = 0;
        for await (const bytes of recording.open()) {
          heardBytes += bytes.length;
          yield bytes;
        }
      };
      const tapped = { type: recording.type, isReopenable: recording.isReopenable, sizeBytes: undefined, open };
      fail('speech recognition', vendors.speech);
      const transcript = await fake.transcribe({ recording: tapped, language }, signal);
      const said = {
        speaker: 1,
        text: `There are ${heardBytes} bytes.`,
        startSeconds: 7,
        endSeconds: 8,
        confidence: 0.9,
      };
      return { ...transcript, utterances: [...transcript.utterances, said] };
    },
  };
}

/** Works until nothing is left to do, and lets the time pass that this needs. False: it never ends. */
export async function drain({ testbed }: WatchedTestbed, engine: TestEngine): Promise<boolean> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    // Resources with the same time could be taken for one another.
    testbed.runtime.advance(1_000);
    if ((await engine.work()) > 0) continue;
    const dueIn = (await testbed.allRuns()).flatMap((run) => waitMsOf(run, testbed.runtime.now()));
    if (dueIn.length === 0) return true;
    testbed.runtime.advance(Math.max(0, Math.min(...dueIn)));
  }
  return false;
}

function waitMsOf({ status, waitsUntil }: Run, now: Date): readonly number[] {
  if (status === 'running') return [RUN_LEASE_MS];
  if (status === 'queued') return [0];
  return status === 'waiting' ? [(waitsUntil ?? now).getTime() - now.getTime()] : [];
}

/** Returns the final state without its times, its references and its order. */
export async function whatBecameOf({ testbed }: WatchedTestbed): Promise<readonly string[]> {
  const runs = (await testbed.allRuns()).map((run) =>
    JSON.stringify([
      run.encounter,
      run.patient,
      run.session,
      run.status,
      run.reason,
      run.replayOf !== undefined,
      run.isDry,
      // A process that continues a run of a dead process reports less about the cause.
      run.status === 'written' && [...new Set(run.resources.map(({ document }) => document))].toSorted(),
    ]),
  );
  const chart = madeBy(testbed.ehr.store).map(({ resource, versionTimes }) =>
    JSON.stringify([resource.resourceType, versionTimes.length, isRetired(resource), contentOf(resource)]),
  );
  return [...runs.toSorted(), ...chart.toSorted(), ...testbed.kinds().toSorted()];
}

const TIMES = new Set(['date', 'recordedDate', 'recorded', 'occurrenceDateTime', 'lastUpdated', 'meta', 'id']);

function contentOf(resource: Resource): string {
  return JSON.stringify(resource, (name, value) => {
    if (TIMES.has(name)) return undefined;
    return name === 'reference' && !/^(Patient|Encounter)\//.test(value) ? '' : value;
  });
}
