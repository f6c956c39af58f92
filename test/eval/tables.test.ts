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
    expect(rowOf(table, 'es').slice(0, 7)).toEqual([
      'es',
      '2',
      '50 % (1/2)',
      '50 % (1/2)',
      '50 % (1/2)',
      '50 % (1/2)',
      '0 % (0/2)',
    ]);
  });

  it('says how far each language is below English, and nothing where there is no case', () => {
    const table = vignetteTable(summary.vignettes);
    expect(rowOf(table, 'es, points below en').slice(2, 6)).toEqual(['50.0', '50.0', '50.0', '50.0']);
    expect(rowOf(table, 'pt, points below en').slice(2, 6)).toEqual(['-', '-', '-', '-']);
  });

  it('has rows of one width', () => {
    const lengths = vignetteTable(summary.vignettes)
      .split('\n')
      .map(({ length }) => length);
    expect(new Set(lengths).size).toBe(1);
  });
});

describe('The floors', () => {
  it('stand beside what was measured, with those that are not kept in capitals', () => {
    const table = floorTable(judgeFloors(summary));
    expect(rowOf(table, 'notes: invented facts')).toEqual(['notes: invented facts', 'none', '1', 'NOT KEPT']);
    expect(rowOf(table, 'seen: RED called WHITE or nothing')).toEqual([
      'seen: RED called WHITE or nothing',
      'none',
      '0.0 % (0/3)',
      'kept',
    ]);
  });
});

describe('All tables', () => {
  it('leave out what was not asked for', () => {
    const titles = allTables(summary, judgeFloors(summary)).match(/^### .*$/gm);
    expect(titles).toEqual(['### Cases that were used for tuning', '### Notes', '### Floors']);
  });
});
