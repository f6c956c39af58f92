// The transcript, the page of evidence and the Provenance of statements in a real chart: written once whatever gets lost, final with the note
// once it is approved, and retracted with it.
import { describe, expect, it } from '@jest/globals';
import type { Provenance, Resource } from '@medplum/fhirtypes';
import type { ChartFacts } from '../../src/domain/chart/chart.ts';
import { findBrokenRules, runToEnd, STRATEGY_SETUPS } from '../support/fault-matrix.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { aResult, openRealTestbed, type RealHospital } from '../support/real-charts.ts';

const testbed = openedForFile(openRealTestbed);

const write = {
  note: ['composition', 'document-reference', 'transcript', 'evidence'],
  diagnosis: [],
  provenance: 'statement',
} as const;
const RECORDING: Resource = {
  resourceType: 'DocumentReference',
  id: 'canary-recording',
  status: 'current',
  subject: { reference: 'Patient/canary-patient' },
  content: [{ attachment: { contentType: 'audio/ogg', url: 'Binary/canary-audio' } }],
};

function aCheckedResult(parts: Parameters<typeof aResult>[0] = {}): ChartFacts {
  const { diagnosis: _, ...facts } = aResult(parts);
  const said = { speaker: 1, text: 'Canary cough, three days.', startSeconds: 2, endSeconds: 4.5, confidence: 1 };
  const moments = [{ utterance: 0, startSeconds: 2, endSeconds: 4.5 }];
  const statement = { section: 'SUBJECTIVE', from: 0, to: 28, kind: 'finding', polarity: 'affirmed' } as const;
  if (facts.note === undefined) throw new Error('no note');
  return {
    ...facts,
    transcript: { utterances: [said], durationSeconds: 5, language: 'en' },
    recordings: [{ reference: 'DocumentReference/canary-recording', contentType: 'audio/ogg' }],
    evidence: {
      checked: facts.note.note,
      statements: [{ ...statement, id: 'st-1', verdict: 'supported', effect: 'none', moments, chart: [] }],
      missing: [],
    },
  };
}

/** `DocumentReference preliminary`, without Devices. */
function writtenInto({ store }: RealHospital): readonly string[] {
  const references = new Set(
    store.writes().flatMap(({ author, type, id }) => (author === 'client' ? [`${type}/${id}`] : [])),
  );
  return [...references]
    .flatMap((reference) => store.get(reference) ?? [])
    .filter(({ resourceType }) => resourceType !== 'Device')
    .map((resource) => {
      const { status, docStatus } = resource as { readonly status?: string; readonly docStatus?: string };
      const shown = status === 'entered-in-error' ? status : (docStatus ?? status ?? '');
      return `${resource.resourceType} ${shown}`.trim();
    })
    .toSorted();
}

function provenanceIn({ store }: RealHospital): Provenance | undefined {
  const written = store.writes().find(({ type }) => type === 'Provenance');
  return written && (store.get(`Provenance/${written.id}`) as Provenance | undefined);
}

describe('a note with its transcript and its evidence', () => {
  it('is written as drafts, and is final once it is approved', async () => {
    const hospital = await testbed.openHospital({ write });
    try {
      hospital.store.put(RECORDING);
      const engine = hospital.startEngine();
      const drafts = ['Composition', ...Array(3).fill('DocumentReference')].map((type) => `${type} preliminary`);
      expect((await engine.write(aCheckedResult())).status).toBe('written');
      expect(writtenInto(hospital)).toEqual([...drafts, 'Provenance']);
      const record = provenanceIn(hospital);
      const [composition] = hospital.store.writes().filter(({ type }) => type === 'Composition');
      const ofParts = record?.target.filter(({ extension }) => extension !== undefined);
      expect(ofParts?.map(({ reference, extension }) => [reference, extension?.[0]?.valueUri])).toEqual([
        [`Composition/${composition?.id}`, 'section-subjective'],
        [`Composition/${composition?.id}`, 'st-1'],
      ]);
      expect(record?.entity?.at(-1)?.what).toMatchObject({ reference: '#moments', display: 'st-1' });
      expect(record?.contained?.[0]).toMatchObject({
        id: 'moments',
        content: [{ id: 'st-1.u-0', attachment: { url: 'DocumentReference/canary-recording#t=2,4.5' } }],
      });
      // The same result again changes nothing.
      const before = hospital.store.writes().length;
      expect((await engine.write(aCheckedResult({ run: 'run-2' }))).status).toBe('written');
      expect(hospital.store.writes().length).toBe(before);

      const approved = aCheckedResult({ run: 'run-3', time: '2026-03-02T10:00:00Z', isApproved: true });
      const ended = await runToEnd(hospital, (signal) => engine.write(approved, signal));
      expect(await findBrokenRules(hospital, { engine, facts: approved, ended })).toEqual([]);
      const finals = drafts.map((line) => line.replace('preliminary', 'final'));
      expect(writtenInto(hospital)).toEqual([...finals, 'Provenance', 'Provenance']);
    } finally {
      await hospital.close();
    }
  });

  it('that is retracted leaves no current document', async () => {
    const hospital = await testbed.openHospital({ write });
    try {
      hospital.store.put(RECORDING);
      const engine = hospital.startEngine();
      await engine.write(aCheckedResult());
      expect((await engine.retract('run-9')).status).toBe('retracted');
      const left = writtenInto(hospital).filter((line) => !line.startsWith('Provenance'));
      expect(left).toEqual(['Composition entered-in-error', ...Array(3).fill('DocumentReference entered-in-error')]);
    } finally {
      await hospital.close();
    }
  });

  it.each(['transaction', 'single-creates'] as const)(
    'gets into the chart once by %s, whichever of its writes loses its answer',
    async (strategy) => {
      const setup = STRATEGY_SETUPS[strategy];
      let met = 0;
      for (const isStored of [true, false]) {
        for (let after = 0; ; after += 1) {
          const hospital = await testbed.openHospital({ write, ...setup });
          try {
            hospital.store.put(RECORDING);
            hospital.faults.set([{ mode: 'lost-answer', how: 'reset', isStored, times: 1, after }, ...setup.faults]);
            const engine = hospital.startEngine();
            const facts = aCheckedResult();
            const ended = await runToEnd(hospital, (signal) => engine.write(facts, signal));
            expect(ended.name).toBe('written');
            expect(await findBrokenRules(hospital, { engine, facts, ended })).toEqual([]);
            if (!hospital.faults.seen.some(({ faults }) => faults.includes('lost-answer'))) break;
            met += 1;
          } finally {
            await hospital.close();
          }
        }
      }
      expect(met).toBeGreaterThan(strategy === 'transaction' ? 1 : 9);
    },
  );
});
