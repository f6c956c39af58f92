// The evidence of a check in the note that is written: with its marks, and with what a clinician changed.
import { describe, expect, it } from '@jest/globals';
import { LANGUAGES, type Language } from '../../../src/domain/language.ts';
import type { StatementEvidence } from '../../../src/domain/note/check-report.ts';
import { joinEvidence, type NoteEvidence } from '../../../src/domain/note/joined-evidence.ts';
import { NOT_FOUND_MARKS } from '../../../src/domain/note/marks.ts';
import type { Note } from '../../../src/domain/note/note.ts';

function noteOf(texts: Readonly<Record<string, string>>): Note {
  return { title: '', sections: Object.entries(texts).map(([key, text]) => ({ key, title: key, text })) };
}

/** The evidence of these words, in the order in which they are given. */
function evidenceOf(checked: Note, words: readonly (readonly [section: string, text: string])[]): NoteEvidence {
  const done = new Map<string, number>();
  const statements = words.map(([section, text], index): StatementEvidence => {
    const whole = checked.sections.find(({ key }) => key === section)?.text ?? '';
    const from = whole.indexOf(text, done.get(section) ?? 0);
    done.set(section, from + text.length);
    return {
      ...{ id: `st-${index + 1}`, section, from, to: from + text.length, kind: 'finding', polarity: 'affirmed' },
      ...{ verdict: 'supported', effect: 'none', moments: [], chart: [] },
    };
  });
  return { checked, statements, missing: [] };
}

const PLAIN = noteOf({ S: 'Cough for a week. No fever. Cough for a week.', P: 'Rest.\nFluids' });
const EVIDENCE = evidenceOf(PLAIN, [
  ['S', 'Cough for a week.'],
  ['S', 'No fever.'],
  ['S', 'Cough for a week.'],
  ['P', 'Rest.'],
  ['P', 'Fluids'],
]);

function joined(note: Note, evidence: NoteEvidence | undefined = EVIDENCE, language: Language = 'en') {
  return joinEvidence({ note, evidence, language })
    .flat()
    .map(({ id, text, evidence: own }) => `${id} ${own ? '' : '(none) '}${text}`);
}

describe('a note as it was checked', () => {
  it('has each statement with its id', () => {
    expect(joined(PLAIN)).toEqual([
      'st-1 Cough for a week.',
      'st-2 No fever.',
      'st-3 Cough for a week.',
      'st-4 Rest.',
      'st-5 Fluids',
    ]);
  });

  it.each(LANGUAGES)('in %s has the marks in the statements to which they belong', (language) => {
    const mark = ` ${NOT_FOUND_MARKS[language]}`;
    const shown = noteOf({
      S: `Cough${mark} for a week${mark}. No fever${mark}.${mark} Cough for a week.`,
      P: 'Rest.',
    });
    const plain = evidenceOf(PLAIN, [
      ['S', 'Cough for a week.'],
      ['S', 'No fever.'],
    ]);
    expect(joined(shown, plain, language)).toEqual([
      `st-1 Cough${mark} for a week${mark}.`,
      `st-2 No fever${mark}.${mark}`,
      'st-3 (none) Cough for a week.',
      'st-4 (none) Rest.',
    ]);
  });

  it('that was not checked has ids and no evidence', () => {
    const all = joinEvidence({ note: PLAIN, evidence: undefined, language: 'en' });
    expect(all.flat().map(({ id }) => id)).toEqual(['st-1', 'st-2', 'st-3', 'st-4', 'st-5']);
    expect(all.flat().some((statement) => 'evidence' in statement)).toBe(false);
  });
});

describe('a note that a clinician edited', () => {
  it('keeps the evidence and the ids of what is unchanged', () => {
    const edited = noteOf({ S: 'New line.\nCough for a week. High fever. Cough for a week.', P: 'Fluids\nRest.' });
    expect(joined(edited)).toEqual([
      'st-6 (none) New line.',
      'st-1 Cough for a week.',
      'st-7 (none) High fever.',
      'st-3 Cough for a week.',
      'st-8 (none) Fluids',
      'st-4 Rest.',
    ]);
  });

  it.each([
    ['lengthened', 'No fever. No pain at rest', 'No pain'],
    ['lengthened at its beginning', 'Probably no pain', 'no pain'],
    ['lengthened behind its point', 'No pain.5 days', 'No pain.'],
    ['written in other letters', 'no pain', 'No pain'],
  ])('has no evidence for a statement that was %s', (_, text, checked) => {
    const all = joinEvidence({
      note: noteOf({ S: text }),
      evidence: evidenceOf(noteOf({ S: checked }), [['S', checked]]),
      language: 'en',
    });
    expect(all.flat().filter(({ evidence }) => evidence)).toEqual([]);
    expect(all.flat().length).toBeGreaterThan(0);
  });

  it('takes no evidence from another section', () => {
    expect(joined(noteOf({ P: 'No fever.' }))).toEqual(['st-6 (none) No fever.']);
  });

  it('may have lost the marks', () => {
    const evidence = evidenceOf(noteOf({ S: 'Latex allergy.' }), [['S', 'Latex allergy.']]);
    expect(joined(noteOf({ S: 'Latex allergy. Fine otherwise.' }), evidence)).toEqual([
      'st-1 Latex allergy.',
      'st-2 (none) Fine otherwise.',
    ]);
  });

  it('of many equal sentences is read once', () => {
    const many = 'Same words again. '.repeat(20_000);
    const shown = noteOf({ S: many.trim() });
    const evidence = evidenceOf(
      shown,
      Array.from({ length: 20_000 }, () => ['S', 'Same words again.'] as const),
    );
    const all = joinEvidence({ note: noteOf({ S: `First. ${many.trim()}` }), evidence, language: 'en' });
    expect(all.flat().filter((statement) => statement.evidence).length).toBe(20_000);
  });
});
