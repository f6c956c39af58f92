import { describe, expect, it } from '@jest/globals';
import { addVerdicts, STATEMENT_VERDICTS, type StatementVerdict } from '../../../src/domain/note/add-verdicts.ts';
import { type CheckParts, checkNote, markNote } from '../../../src/domain/note/check-note.ts';
import type { CheckPolicy } from '../../../src/domain/note/check-policy.ts';
import { type CheckReport, verdictOf } from '../../../src/domain/note/check-report.ts';
import { fc } from '../../support/fast-check.ts';
import { aConversation, aNote } from './check/check-cases.ts';

const SAID = 'I take metformin 500. | The knee is stiff in the mornings. | Stop the water tablet.';
const NOTE = 'Takes metformin 500. Takes digoxin. Knee stiff in the mornings.';

function checked(policy: CheckPolicy = {}, maxUnsupported: Readonly<Record<string, number>> = {}) {
  const parts: CheckParts = {
    note: aNote(NOTE),
    transcript: aConversation(SAID, 'en'),
    language: 'en',
    maxUnsupported,
    policy,
  };
  const report = checkNote(parts);
  const { note, transcript, ...settings } = parts;
  const add = (verdicts: readonly StatementVerdict[]) => addVerdicts({ report, verdicts, note, transcript, settings });
  return { parts, report, add };
}

const on = (number: number, verdict: StatementVerdict['verdict'], utterances: readonly number[] = []) =>
  ({ id: `st-${number}`, verdict, utterances, words: '' }) as const;
const [METFORMIN, DIGOXIN, KNEE] = [1, 2, 3];

describe('the verdicts of the second check', () => {
  it('the first check of the example doubts the second statement alone', () => {
    expect(checked().report.evidence?.map(({ verdict }) => verdict)).toEqual(['supported', 'unsupported', 'unchecked']);
  });

  it('a statement that was not said is marked as a whole, by what it is about', () => {
    const { add, parts } = checked();
    const report = add([on(METFORMIN, 'not-mentioned'), on(KNEE, 'not-mentioned')]);
    const added = report.statements.filter(({ by }) => by === 'verifier');
    expect(added).toMatchObject([
      { kind: 'drug', from: 0, to: 20, verdict: 'unsupported', effect: 'hold' },
      { kind: 'finding', from: 36, to: 63, verdict: 'unsupported', effect: 'mark' },
    ]);
    expect(added.every(({ said }) => said === undefined)).toBe(true);
    expect(report.unsupported).toEqual({ drug: 2, finding: 1 });
    expect(report.exceeded).toEqual(['drug']);
    expect(report.evidence).toMatchObject([
      { verdict: 'unsupported', effect: 'hold' },
      { verdict: 'unsupported', effect: 'hold' },
      { verdict: 'unsupported', effect: 'mark', kind: 'other' },
    ]);
    expect(markNote({ note: parts.note, report, language: 'en' }).note.sections[0]?.text).toBe(
      'Takes metformin 500. [not found in the recording] Takes digoxin [not found in the recording]. ' +
        'Knee stiff in the mornings. [not found in the recording]',
    );
  });

  it('a statement that was said in part is unsupported', () => {
    const report = checked().add([on(KNEE, 'partly', [1])]);
    expect(report.statements.at(-1)).toMatchObject({ kind: 'finding', verdict: 'unsupported', effect: 'mark' });
  });

  it('a statement that was said otherwise is contradicted, with the moment that decides', () => {
    const report = checked().add([on(KNEE, 'contradicted', [2])]);
    expect(report.statements.at(-1)).toMatchObject({
      verdict: 'contradicted',
      by: 'verifier',
      said: { utterance: 2, startSeconds: 6 },
    });
    expect(report.evidence?.at(-1)).toMatchObject({ verdict: 'contradicted', effect: 'mark' });
    expect(report.evidence?.at(-1)?.moments).toContainEqual(expect.objectContaining({ utterance: 2 }));
  });

  it('the claims stay in the order of the note', () => {
    const { statements } = checked().add([on(KNEE, 'not-mentioned'), on(METFORMIN, 'not-mentioned')]);
    expect(statements.map(({ from }) => from)).toEqual(statements.map(({ from }) => from).toSorted((a, b) => a - b));
  });

  it('a statement that the first check doubts gets no second mark, and stays doubted if the model supports it', () => {
    const { add, report } = checked();
    for (const verdict of STATEMENT_VERDICTS) expect(add([on(DIGOXIN, verdict)])).toEqual(report);
  });

  it('what the model supports, and what it does not know, changes nothing', () => {
    const { add, report } = checked();
    expect(add([on(METFORMIN, 'supported', [0]), on(KNEE, 'supported', [1])])).toEqual(report);
    expect(add([on(9, 'contradicted', [0])])).toEqual(report);
    expect(add([])).toEqual(report);
  });

  it('the site decides what an added mark does, also by the number of its kind', () => {
    expect(checked({ finding: { unsupported: 'hold' } }).add([on(KNEE, 'not-mentioned')]).exceeded).toEqual([
      'drug',
      'finding',
    ]);
    const pass = checked({ finding: { unsupported: 'pass' } }).add([on(KNEE, 'not-mentioned')]);
    expect(pass.statements.at(-1)).toMatchObject({ verdict: 'unsupported', effect: 'none' });
    const oneDrug = checked({}, { drug: 1 });
    expect(oneDrug.report.exceeded).toEqual([]);
    const twoDrugs = oneDrug.add([on(METFORMIN, 'not-mentioned')]);
    expect(twoDrugs.exceeded).toEqual(['drug']);
    expect(twoDrugs.statements.filter(({ kind }) => kind === 'drug').map(({ effect }) => effect)).toEqual(
      expect.arrayContaining(['hold', 'hold']),
    );
  });

  it('whatever a model answers, no mark of the first check goes away or gets milder, and at most one comes per statement', () => {
    const { add, report } = checked();
    const verdict = fc.record({
      id: fc.constantFrom('st-1', 'st-2', 'st-3', 'st-4', ''),
      verdict: fc.constantFrom(...STATEMENT_VERDICTS),
      utterances: fc.array(fc.integer({ min: -2, max: 9 }), { maxLength: 3 }),
      words: fc.string({ maxLength: 5 }),
    });
    fc.assert(
      fc.property(fc.array(verdict, { maxLength: 12 }), (verdicts) => {
        const after = add(verdicts);
        for (const before of report.statements) expect(after.statements).toContainEqual(asBadAs(before));
        const added = after.statements.filter(({ by }) => by === 'verifier');
        expect(after.statements).toHaveLength(report.statements.length + added.length);
        expect(new Set(added.map(({ from }) => from)).size).toBe(added.length);
        expect(added.map(verdictOf)).not.toContain('supported');
        expect(after.exceeded).toEqual(expect.arrayContaining([...report.exceeded]));
      }),
    );
  });
});

function asBadAs({ effect, ...claim }: CheckReport['statements'][number]) {
  return expect.objectContaining({ ...claim, ...(effect === 'hold' && { effect }) });
}
