import { describe, expect, it } from '@jest/globals';
import { judgeFloors } from './judge-floors.ts';
import { aDiagnosis, aNote, aTalk, aVignette } from './made-up-cases.ts';
import { scoreTalk } from './score-talk.ts';
import { scoreVignette } from './score-vignette.ts';
import { summarise } from './summary.ts';
import { allTables, floorTable, vignetteTable } from './tables.ts';

function aScore(language: 'en' | 'es', codes: readonly string[]) {
  const vignette = aVignette({
    language,
    expect: { first: 'A09', among3: ['A09'], mustNotMiss: ['A09'], triage: 'RED' },
  });
  return scoreVignette(vignette, aDiagnosis(codes, 'RED'));
}

const summary = summarise({
  vignettes: [aScore('en', ['A09']), aScore('es', ['A09']), aScore('es', ['B34.9'])],
  talks: [scoreTalk(aTalk({ invented: ['flu'] }), aNote({ PLAN: 'Flu.' }))],
});

/** The cells of a row that begins with this. */
function rowOf(table: string, first: string): readonly string[] {
  const row = table.split('\n').find((line) => line.startsWith(`| ${first} `)) ?? '';
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

describe('The table of diagnoses', () => {
  it('has a row for each language and one for all', () => {
    const table = vignetteTable(summary.vignettes);
    expect(rowOf(table, 'all').slice(0, 3)).toEqual(['all', '3', '67 % (2/3)']);
    expect(rowOf(table, 'es').slice(0, 8)).toEqual([
      'es',
      '2',
      '50 % (1/2)',
      '50 % (1/2)',
      '50 % (1/2)',
      '50 % (1/2)',
      '50 % (1/2)',
      '0 % (0/2)',
    ]);
  });

  it('says how far each language is below English, and nothing where there is no case', () => {
    const table = vignetteTable(summary.vignettes);
    expect(rowOf(table, 'es, points below en').slice(2, 7)).toEqual(['50.0', '50.0', '50.0', '50.0', '50.0']);
    expect(rowOf(table, 'pt, points below en').slice(2, 7)).toEqual(['-', '-', '-', '-', '-']);
  });

  it('has rows of one width', () => {
    const lengths = vignetteTable(summary.vignettes)
      .split('\n')
      .map(({ length }) => length);
    expect(new Set(lengths).size).toBe(1);
  });
});

describe('The floors', () => {
  const floor = { what: 'RED called WHITE', wanted: 'none', given: '0.0 % (0/3)', isKept: true } as const;

  it('stand beside what was measured, with those that are not kept in capitals', () => {
    const table = floorTable(judgeFloors(summary));
    expect(rowOf(table, 'notes: invented facts')).toEqual([
      'notes: invented facts',
      'none',
      '1',
      '-',
      '-',
      '-',
      'NO: notes',
    ]);
    expect(rowOf(table, 'RED called WHITE or nothing')).toEqual([
      'RED called WHITE or nothing',
      'none',
      '0.0 % (0/3)',
      '-',
      '-',
      '-',
      'yes',
    ]);
  });

  it('have what was tuned and what was not side by side', () => {
    const table = floorTable([
      { ...floor, group: 'seen' },
      { ...floor, group: 'unseen', wanted: 'at most 3 %', given: '1.0 % (1/99)' },
      { ...floor, group: 'late', wanted: 'at most 3 %', given: '4.0 % (4/99)', isKept: false },
    ]);
    expect(rowOf(table, 'RED called WHITE')).toEqual([
      'RED called WHITE',
      'none',
      '0.0 % (0/3)',
      'at most 3 %',
      '1.0 % (1/99)',
      '4.0 % (4/99)',
      'NO: late',
    ]);
  });

  it('that are known not to be reached are shown as that, and figures without a floor without a verdict', () => {
    const known = floorTable([{ ...floor, group: 'late', isKept: false, isKnown: true }]);
    expect(rowOf(known, 'RED called WHITE').at(-1)).toBe('NO: late (known)');
    const free = floorTable([{ ...floor, group: 'late', wanted: '-', isFree: true }]);
    expect(rowOf(free, 'RED called WHITE').at(-1)).toBe('-');
  });
});

describe('All tables', () => {
  it('leave out what was not asked for', () => {
    const titles = allTables(summary, judgeFloors(summary)).match(/^### .*$/gm);
    expect(titles).toEqual(['### Cases that were used for tuning', '### Notes', '### Floors']);
  });
});
