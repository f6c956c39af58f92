import { describe, expect, it } from '@jest/globals';
import { Meter } from '../../../src/domain/access/usage.ts';
import type { Diagnosis } from '../../../src/domain/diagnosis/diagnosis.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { chooseTemplate } from '../../../src/domain/note/template.ts';
import { makeDiagnose } from '../../../src/flows/service/diagnose.ts';
import { makeStreamDiagnosis } from '../../../src/flows/service/stream-diagnosis.ts';
import { makeTranscribeRecording } from '../../../src/flows/service/transcribe-recording.ts';
import { makeWriteNote } from '../../../src/flows/service/write-note.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import { makeFakeReasoner } from '../../fakes/reasoner.ts';
import { aTranscript, makeFakeSpeech } from '../../fakes/speech.ts';

const request = { clinicalHistory: 'made up', attachments: [], language: 'en' } as const;
const { signal } = new AbortController();

/** A clock that the test moves; each fake answer takes 40 ms of it. */
function aClock() {
  let nowMs = 1_000;
  const tick = async (ms = 40) => {
    nowMs += ms;
  };
  return { tick, runtime: { ...systemRuntime, monotonicMs: () => nowMs } };
}

async function collect<Step>(steps: AsyncIterable<Step>): Promise<Step[]> {
  return Array.fromAsync(steps);
}

describe('a diagnosis', () => {
  it('it is returned as the reasoner made it, and its time counts even if it fails', async () => {
    const { tick, runtime } = aClock();
    const reasoner = makeFakeReasoner({ wait: () => tick() });
    const meter = new Meter();
    const diagnose = makeDiagnose({ reasoner, runtime });
    expect((await diagnose({ request, meter }, signal)).triage.triage_level).toBe('WHITE');
    reasoner.script.failure = new AppError('vendorUnavailable', 'down');
    await expect(diagnose({ request, meter }, signal)).rejects.toMatchObject({ code: 'vendorUnavailable' });
    expect(meter.aiMs).toBe(80);
  });
});

/** The made-up diagnosis with one more disease, which has the code of another one. */
function withWrongCode(): Diagnosis {
  const { diagnosis, triage } = makeFakeReasoner().script.diagnosis(request);
  const [first] = diagnosis.diseases;
  if (first === undefined) throw new Error('the made-up diagnosis has a disease');
  return { diagnosis: { diseases: [first, { ...first, name: 'Migraine', icd10_code: 'I21.9' }] }, triage };
}

describe('a diagnosis of any reasoner', () => {
  const reasoner = makeFakeReasoner({ diagnosis: withWrongCode });
  const { runtime } = aClock();

  it('it leaves out a code that belongs to another disease', async () => {
    const { diagnosis } = await makeDiagnose({ reasoner, runtime })({ request, meter: new Meter() }, signal);
    expect(diagnosis.diseases.map(({ icd10_code }) => icd10_code)).toEqual(['J18.9', '']);
  });

  it('it leaves out such a code at the end of a stream, too', async () => {
    const steps = await collect(makeStreamDiagnosis({ reasoner, runtime })({ request, meter: new Meter() }, signal));
    const final = steps.at(-1);
    if (final?.kind !== 'final') throw new Error('a stream ends with the whole diagnosis');
    expect(final.diagnosis.diagnosis.diseases.map(({ icd10_code }) => icd10_code)).toEqual(['J18.9', '']);
  });
});

describe('a streamed diagnosis', () => {
  it('it sends at most one partial state in 50 ms, and always the final one', async () => {
    const { tick, runtime } = aClock();
    const reasoner = makeFakeReasoner({
      wait: () => tick(20),
      showings: () => Array.from({ length: 12 }, (_, count) => ({ diagnosis: { diseases: [{ name: `n${count}` }] } })),
    });
    const steps = await collect(makeStreamDiagnosis({ reasoner, runtime })({ request, meter: new Meter() }, signal));
    const names = steps.map((step) =>
      step.kind === 'partial' ? step.diagnosis.diagnosis?.diseases?.[0]?.name : 'final',
    );
    expect(names).toEqual(['n0', 'n3', 'n6', 'n9', 'final']);
  });

  it('it sends nothing before the first disease has a name or the triage has a level', async () => {
    const { tick, runtime } = aClock();
    const showings = [
      {},
      { diagnosis: {} },
      { diagnosis: { diseases: [] } },
      { triage: { triage_level: 'RED' as const } },
    ];
    const reasoner = makeFakeReasoner({ wait: () => tick(60), showings: () => showings });
    const steps = await collect(makeStreamDiagnosis({ reasoner, runtime })({ request, meter: new Meter() }, signal));
    expect(steps.map((step) => step.kind)).toEqual(['partial', 'final']);
  });

  it('a failure after partial states is thrown, and its time counts', async () => {
    const { tick, runtime } = aClock();
    const meter = new Meter();
    const reasoner = makeFakeReasoner({ wait: () => tick(), failure: new AppError('vendorAnswer', 'cut') });
    const steps = makeStreamDiagnosis({ reasoner, runtime })({ request, meter }, signal);
    await expect(collect(steps)).rejects.toMatchObject({ code: 'vendorAnswer' });
    expect(meter.aiMs).toBe(160);
  });

  it('leaving the stream ends the call to the reasoner', async () => {
    const { runtime } = aClock();
    const reasoner = makeFakeReasoner();
    for await (const _ of makeStreamDiagnosis({ reasoner, runtime })({ request, meter: new Meter() }, signal)) break;
    expect(reasoner.openCalls()).toBe(0);
  });
});

describe('a transcription', () => {
  const recording = {
    type: 'audio/wav' as const,
    sizeBytes: 3,
    isReopenable: true,
    async *open() {
      yield new Uint8Array(3);
    },
  };

  it('the audio seconds count even if the recording has no speech', async () => {
    const speech = makeFakeSpeech();
    const meter = new Meter();
    const transcribe = makeTranscribeRecording({ speech, runtime: aClock().runtime });
    const work = { request: { recording, language: 'es' as const }, meter };
    expect((await transcribe.transcribe(work, signal)).utterances).toHaveLength(3);
    speech.hear([], 20);
    await expect(transcribe.transcribe(work, signal)).rejects.toMatchObject({ code: 'noSpeech' });
    expect(meter.audioSeconds).toBe(28);
  });
});

describe('a note', () => {
  const noteRequest = {
    transcript: aTranscript(),
    template: chooseTemplate({ language: 'en' }),
    language: 'en' as const,
  };

  it('it has the sections of its template', async () => {
    const write = makeWriteNote({ reasoner: makeFakeReasoner(), runtime: aClock().runtime });
    const written = await write({ request: noteRequest, meter: new Meter() }, signal);
    expect(written.note.sections.map(({ key }) => key)).toEqual(['SUBJECTIVE', 'OBJECTIVE', 'ASSESSMENT', 'PLAN']);
    expect(written).not.toHaveProperty('isMedical');
  });

  it('a conversation without medical content is refused', async () => {
    const reasoner = makeFakeReasoner({ note: () => ({ isMedical: false }) });
    const write = makeWriteNote({ reasoner, runtime: aClock().runtime });
    await expect(write({ request: noteRequest, meter: new Meter() }, signal)).rejects.toMatchObject({
      code: 'notMedical',
      message: 'The audio has no relevant medical content',
    });
  });
});
