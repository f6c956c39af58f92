// From the result of the check to the facts of the documents: also after a clinician has edited the note more than once.
import { describe, expect, it } from '@jest/globals';
import { documentVariables } from '../../../src/domain/chart/chart.ts';
import { checkNote, markNote } from '../../../src/domain/note/check-note.ts';
import type { WrittenNote } from '../../../src/domain/note/note.ts';
import type { Run } from '../../../src/domain/run/run.ts';
import type { StepResults } from '../../../src/domain/run/step-results.ts';
import { factsOfResults } from '../../../src/flows/run-steps/facts-of-results.ts';
import { aSite } from '../../support/chart-facts.ts';
import { ENCOUNTER, PATIENT } from '../../support/chart-writing.ts';

const said = ['Any fever?', 'No.', 'Take ibuprofen 400 milligrams.'];
const transcript = {
  utterances: said.map((text, index) => {
    return { speaker: index === 1 ? 1 : 0, text, startSeconds: index * 2, endSeconds: index * 2 + 1.5, confidence: 1 };
  }),
  durationSeconds: 6,
  language: 'en',
};

function noteOf(plan: string): WrittenNote {
  return { note: { title: 'Visit', sections: [{ key: 'PLAN', title: 'Plan', text: plan }] } };
}

const WRITTEN = noteOf('Ibuprofen 400 mg. Amoxicillin 500 mg. No fever.');

type Statement = { readonly id: string; readonly text: string; readonly verdict?: string; readonly moments: object[] };

/** The variable of a run whose check has this result. */
function statementsOf(check: Partial<StepResults['check']>): readonly Statement[] {
  const report = checkNote({ note: WRITTEN, transcript, language: 'en', maxUnsupported: {} });
  const note = markNote({ note: WRITTEN, report, language: 'en' });
  const results = {
    'read-chart': { encounter: ENCOUNTER, patient: PATIENT, chart: {}, wanted: {}, language: 'en' },
    transcribe: { transcript, recordings: [], speech: 'example-speech', madeAt: '2026-03-02T09:59:30Z' },
    'write-note': { note: WRITTEN, language: 'en', model: 'example-model', madeAt: '2026-03-02T10:00:00Z' },
    check: { report, note, ...check },
  } as unknown as Partial<StepResults>;
  const run = { id: 'run-1', session: 'session-1', versions: {} } as unknown as Run;
  const engine = { name: 'Chartwright', version: '1' };
  const site = aSite();
  const now = '2026-03-02T10:00:00Z';
  const facts = factsOfResults({ run, site, results, engine, officialCodes: undefined, now });
  return (documentVariables(facts, site)['note'] as { statements: readonly Statement[] }).statements;
}

describe('the statements of a run', () => {
  it('have the verdicts and the moments of its check, and the marks of the draft', () => {
    const [first, second, third] = statementsOf({});
    expect(first).toMatchObject({ id: 'st-1', verdict: 'supported', moments: [{ cue: 'u-2', clock: '0:04' }] });
    expect(second).toMatchObject({ id: 'st-2', verdict: 'unsupported', moments: [] });
    expect(second?.text).toMatch(/^Amoxicillin \[not found in the recording\]/);
    expect(third).toMatchObject({ id: 'st-3', text: 'No fever.', verdict: 'supported' });
  });

  it('keep their evidence where a clinician has changed nothing, also at the second edit', () => {
    const [once, twice] = ['Ibuprofen 400 mg. Rest. No fever.', 'Ibuprofen 400 mg. Rest at home. No fever.'].map(
      noteOf,
    );
    if (once === undefined || twice === undefined) throw new Error('no notes');
    for (const [note, shown, words] of [
      [once, undefined, 'Rest.'],
      [twice, once, 'Rest at home.'],
    ] as const) {
      const statements = statementsOf({ note, ...(shown && { shown }) });
      expect(statements.map(({ id, text, verdict }) => [id, text, verdict])).toEqual([
        ['st-1', 'Ibuprofen 400 mg.', 'supported'],
        ['st-4', words, undefined],
        ['st-3', 'No fever.', 'supported'],
      ]);
    }
  });

  it('of a run that an earlier version of the engine has checked have no evidence', () => {
    const statements = statementsOf({ report: { statements: [], unsupported: {}, exceeded: [], overSilence: [] } });
    expect(statements.map(({ verdict }) => verdict)).toEqual([undefined, undefined, undefined]);
  });
});
