// What a reasoner wrote is cleaned in the flows, so that no reasoner and no door can forget it.
import { describe, expect, it } from '@jest/globals';
import type { Diagnosis } from '../../../src/domain/diagnosis/diagnosis.ts';
import { chooseTemplate } from '../../../src/domain/note/template.ts';
import { makeDiagnose } from '../../../src/flows/service/diagnose.ts';
import { makeStreamDiagnosis } from '../../../src/flows/service/stream-diagnosis.ts';
import { makeWriteNote } from '../../../src/flows/service/write-note.ts';
import type { DiagnosisEvent, Reasoner } from '../../../src/ports/reasoner.ts';
import { makeFakeReasoner } from '../../fakes/reasoner.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';

const NICE = 'https://www.nice.org.uk/guidance/cg95';
const dirty: Diagnosis = {
  diagnosis: {
    diseases: [
      {
        name: 'Angina<script>alert(1)</script>',
        icd10_code: 'I20.9',
        probability: 0.5,
        why: 'See ![x](https://evil.example/x.png) and guide.example.org/a.',
        diagnostic_tests: ['ECG'],
        standard_care: [
          { name: 'Rest', url: 'https://evil.example/rest' },
          { name: 'Chest pain', url: NICE },
        ],
        drugs: [
          {
            name: 'Aspirin',
            class: 'Antiplatelet',
            dosage: '500 g every minute',
            considerations: 'None',
            first_line: true,
          },
        ],
        category: 'most-likely',
      },
    ],
  },
  triage: { triage_level: 'WHITE', triage_justification: '<b>Calm</b>', triage_recommendation: 'Rest' },
};
const REQUEST = { clinicalHistory: 'Chest pain. Read guide.example.org/a.', attachments: [], language: 'en' } as const;
const meter = () => ({ aiMs: 0, audioSeconds: 0 });
const signal = () => new AbortController().signal;

function aSetup() {
  const reasoner = makeFakeReasoner();
  reasoner.script.diagnosis = () => dirty;
  const removals: unknown[] = [];
  const parts = {
    reasoner,
    runtime: makeFakeRuntime(),
    sources: () => ['nice.org.uk'],
    onDiagnosisRemoved: (removed: unknown) => removals.push(removed),
    onNoteRemoved: (removed: unknown) => removals.push(removed),
  };
  return { reasoner, parts, removals };
}

const REMOVED = { links: 1, dosages: 1, markup: 4 };
const CLEAN = {
  name: 'Angina',
  why: 'See and guide.example.org/a.',
  standard_care: [{ name: 'Rest' }, { name: 'Chest pain', url: NICE }],
  drugs: [{ dosage: '' }],
};

describe('The answer of a reasoner', () => {
  it('as a diagnosis has no markup, no address that the history does not have, no link to an unlisted publisher and no dosage that cannot be meant', async () => {
    const { parts, removals } = aSetup();
    const answer = await makeDiagnose(parts)({ request: REQUEST, meter: meter() }, signal());
    expect(answer).toMatchObject({ diagnosis: { diseases: [CLEAN] }, triage: { triage_justification: 'Calm' } });
    expect(answer.removed).toEqual(REMOVED);
    expect(removals).toEqual([REMOVED]);
  });

  it("as a diagnosis of a run has the links of the site's publishers only", async () => {
    const { parts } = aSetup();
    const work = { request: REQUEST, meter: meter(), sources: ['evil.example'] };
    const { diagnosis } = await makeDiagnose(parts)(work, signal());
    expect(diagnosis.diseases[0]?.standard_care).toEqual([
      { name: 'Rest', url: 'https://evil.example/rest' },
      { name: 'Chest pain' },
    ]);
    const without = await makeDiagnose({ ...parts, sources: () => [] })({ request: REQUEST, meter: meter() }, signal());
    expect(without.diagnosis.diseases[0]?.standard_care).toEqual([{ name: 'Rest' }, { name: 'Chest pain' }]);
  });

  it('as a clean diagnosis is not changed, and nothing is counted', async () => {
    const { reasoner, parts, removals } = aSetup();
    const clean = (await makeDiagnose(parts)({ request: REQUEST, meter: meter() }, signal())).diagnosis;
    const again = { diagnosis: clean, triage: { ...dirty.triage, triage_justification: 'Calm' } };
    reasoner.script.diagnosis = () => again;
    removals.length = 0;
    expect(await makeDiagnose(parts)({ request: REQUEST, meter: meter() }, signal())).toEqual(again);
    expect(removals).toEqual([]);
  });

  it('as a stream is cleaned in its partial states and in the final one, and counted once', async () => {
    const { parts, removals } = aSetup();
    const reasoner: Pick<Reasoner, 'streamDiagnosis'> = {
      async *streamDiagnosis(): AsyncIterable<DiagnosisEvent> {
        yield { kind: 'progress', snapshot: () => dirty };
        yield { kind: 'final', diagnosis: dirty };
      },
    };
    const stream = makeStreamDiagnosis({ ...parts, reasoner: { ...parts.reasoner, ...reasoner } });
    const steps = await Array.fromAsync(stream({ request: REQUEST, meter: meter() }, signal()));
    expect(steps).toMatchObject([
      { kind: 'partial', diagnosis: { diagnosis: { diseases: [CLEAN] } } },
      { kind: 'final', diagnosis: { diagnosis: { diseases: [CLEAN] } } },
    ]);
    expect(removals).toEqual([REMOVED]);
  });

  it('as a note has no markup and no address that was not said and is not in the chart', async () => {
    const { reasoner, parts, removals } = aSetup();
    reasoner.script.note = () => ({
      isMedical: true,
      note: {
        title: '<h1>Cough</h1>',
        sections: [
          {
            key: 'PLAN',
            title: 'Plan',
            text: 'Rest, said.example.org, chart.example.org, evil.example.org, <b>SpO2 <90 %</b>',
          },
        ],
      },
    });
    const utterance = {
      speaker: 0,
      text: 'Look at said.example.org today',
      startSeconds: 0,
      endSeconds: 2,
      confidence: 1,
    };
    const request = {
      transcript: { language: 'en', durationSeconds: 2, utterances: [utterance] },
      language: 'en',
      template: chooseTemplate({ language: 'en' }),
    } as const;
    const work = { request, meter: meter(), chart: 'Web: chart.example.org' };
    const written = await makeWriteNote(parts)(work, signal());
    const removed = { title: { markup: 2, addresses: 0 }, PLAN: { markup: 2, addresses: 1 } };
    expect(written).toEqual({
      note: {
        title: 'Cough',
        sections: [{ key: 'PLAN', title: 'Plan', text: 'Rest, said.example.org, chart.example.org,, SpO2 <90 %' }],
      },
      removed,
    });
    expect(removals).toEqual([removed]);
  });
});
