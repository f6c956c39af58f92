// The reasoner and the speech recognition of runs while a drill makes them fail.
import { beforeEach, describe, expect, it } from '@jest/globals';
import { type DrilledEngines, type EngineFault, makeDrilledEngines } from '../../src/sandbox/drills/drilled-engines.ts';
import { aHistory, aNoteRequest } from '../contracts/reasoner-contract.ts';
import { aRecording } from '../contracts/speech-contract.ts';
import { type FakeReasoner, makeFakeReasoner } from '../fakes/reasoner.ts';
import { type FakeRuntime, makeFakeRuntime } from '../fakes/runtime.ts';
import { makeFakeSpeech } from '../fakes/speech.ts';
import { until } from '../support/until.ts';

let reasoner: FakeReasoner;
let runtime: FakeRuntime;
let drilled: DrilledEngines;

beforeEach(() => {
  reasoner = makeFakeReasoner();
  runtime = makeFakeRuntime();
  drilled = makeDrilledEngines({ reasoner, speech: makeFakeSpeech(), runtime });
});

const { signal } = new AbortController();
const diagnose = () => drilled.reasoner.diagnose(aHistory, signal);
const writeNote = () => drilled.reasoner.writeNote(aNoteRequest, signal);
const listen = () => drilled.speech.transcribe({ recording: aRecording().recording, language: 'en' }, signal);

async function stream(): Promise<readonly string[]> {
  const kinds: string[] = [];
  try {
    for await (const { kind } of drilled.reasoner.streamDiagnosis(aHistory, signal)) kinds.push(kind);
  } catch (thrown) {
    kinds.push((thrown as { readonly code: string }).code);
  }
  return kinds;
}

describe('drilled engines without a drill', () => {
  it('answer like the wrapped engines and have their names', async () => {
    expect(drilled.reasoner).toMatchObject({ engine: 'fake:reasoner', prompt: reasoner.prompt });
    expect(drilled.speech.engine).toBe('fake:speech');
    expect(() => drilled.speech.ensureConfigured()).not.toThrow();
    expect(await diagnose()).toEqual(reasoner.script.diagnosis(aHistory));
    expect(await writeNote()).toEqual(reasoner.script.note(aNoteRequest));
    expect((await stream()).at(-1)).toBe('final');
    expect((await listen()).language).toBe('en');
    expect(drilled.met()).toBe(0);
  });
});

describe('a drilled model', () => {
  it.each<readonly [EngineFault, string]>([
    [{ service: 'reasoner', mode: 'down' }, 'vendorUnavailable'],
    [{ service: 'reasoner', mode: 'malformed' }, 'vendorAnswer'],
    [{ service: 'reasoner', mode: 'cut' }, 'vendorAnswer'],
  ])('fails every call until the drill is over: %j', async (fault, code) => {
    drilled.set(fault);
    await expect(diagnose()).rejects.toMatchObject({ code });
    await expect(writeNote()).rejects.toMatchObject({ code });
    expect((await stream()).at(-1)).toBe(code);
    expect(await listen()).toBeDefined();
    expect(drilled.met()).toBe(3);
    drilled.set(undefined);
    expect(drilled.met()).toBe(0);
    expect(await writeNote()).toBeDefined();
  });

  it('is not called while it is down; a stream that is cut has its first part', async () => {
    drilled.set({ service: 'reasoner', mode: 'down' });
    expect(await stream()).toEqual(['vendorUnavailable']);
    expect(reasoner.diagnosisRequests).toEqual([]);
    drilled.set({ service: 'reasoner', mode: 'cut' });
    expect(await stream()).toEqual(['progress', 'progress', 'progress', 'vendorAnswer']);
  });

  it('fails for the given number of calls and then answers', async () => {
    drilled.set({ service: 'reasoner', mode: 'malformed', times: 2 });
    await expect(writeNote()).rejects.toMatchObject({ code: 'vendorAnswer' });
    await expect(diagnose()).rejects.toMatchObject({ code: 'vendorAnswer' });
    expect(await writeNote()).toBeDefined();
    expect(drilled.met()).toBe(2);
  });

  it('answers correctly and later while it is slow', async () => {
    drilled.set({ service: 'reasoner', mode: 'slow', ms: 10_000 });
    expect(await writeNote()).toEqual(reasoner.script.note(aNoteRequest));
    expect(runtime.pauses).toEqual([10_000]);
  });
});

describe('a slow answer', () => {
  /** A clock that never moves. */
  const endless = {
    pause: (_ms: number, stop: AbortSignal) =>
      new Promise<void>((_, reject) => stop.addEventListener('abort', () => reject(stop.reason))),
  };
  beforeEach(() => {
    drilled = makeDrilledEngines({ reasoner, speech: makeFakeSpeech(), runtime: endless });
    drilled.set({ service: 'reasoner', mode: 'slow', ms: 10_000 });
  });

  it('comes at once when the drill ends', async () => {
    const asked = diagnose();
    await until(() => drilled.met() === 1);
    expect(reasoner.diagnosisRequests).toEqual([]);
    drilled.set(undefined);
    expect(await asked).toEqual(reasoner.script.diagnosis(aHistory));
  });

  it('is not waited for if the call is cancelled', async () => {
    const leaving = new AbortController();
    const asked = drilled.reasoner.diagnose(aHistory, leaving.signal);
    leaving.abort();
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
    expect(reasoner.diagnosisRequests).toEqual([]);
  });
});

it('a drill of the speech recognition does not affect the model', async () => {
  drilled.set({ service: 'speech', mode: 'down' });
  await expect(listen()).rejects.toMatchObject({ code: 'vendorUnavailable' });
  expect(await diagnose()).toBeDefined();
  drilled.set(undefined);
  expect(await listen()).toBeDefined();
});
