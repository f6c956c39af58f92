// The figures of docs/evaluation.md are those of this code, and the check goes not below what it has reached: a floor that is kept stays kept.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { openLexicon } from '../../../src/evidence/open-lexicon.ts';
import { makeNoteChecker } from '../../fakes/note-checker.ts';
import { PAGE } from '../write-page.ts';
import { type ClaimsReport, claimFloors } from './claims-table.ts';
import { judgeAll, withClaims } from './run-claims.ts';

/** What the check keeps; the others stand in the table as not kept. */
const KEPT = ['late: omissions found', 'seen: faithful statements marked', 'seen: omissions found'];
/** Statements that hold a note for nothing cost most trust. Of the talks that it was not written with, at most this share. */
const MOST_HELD_WRONGLY = 0.05;

let report: ClaimsReport;
beforeAll(async () => {
  report = await judgeAll({ checker: makeNoteChecker(openLexicon()), onDone: () => undefined });
});

describe('The check of made-up sentences', () => {
  it('has the figures that docs/evaluation.md shows', () => {
    const page = readFileSync(PAGE, 'utf8');
    expect(withClaims(page, report)).toBe(page);
  });

  it('keeps the floors that it has kept', () => {
    const kept = claimFloors(report).filter(({ isKept }) => isKept);
    expect(kept.map(({ group, what }) => `${group}: ${what}`)).toEqual(expect.arrayContaining(KEPT));
  });

  it('holds at most one of twenty faithful statements for nothing', () => {
    const faithful = report.sentences.filter(({ list, set }) => list === 'faithful' && set !== 'seen');
    const held = faithful.filter(({ effect }) => effect === 'hold');
    expect(held.length / faithful.length).toBeLessThanOrEqual(MOST_HELD_WRONGLY);
  });
});
