// The extracts of the rules: how they are scored, and the floors that they keep.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { chooseReasoner } from './choose-reasoner.ts';
import type { ExtractCase } from './extract-cases.ts';
import { type ExtractReport, floorsOf, reportExtracts, withExtracts } from './extract-report.ts';
import { aNote, aTalk } from './made-up-cases.ts';
import { type ExtractScore, scoreExtract } from './score-extract.ts';
import { PAGE } from './write-page.ts';

function aVisit(parts: Partial<ExtractCase> = {}): ExtractCase {
  return {
    part: 'shipped',
    talk: aTalk(),
    plan: [{ kind: 'stopped', holds: ['stop', 'indapamide'] }],
    discussed: ['PLAN'],
    relatives: [{ who: 'mother|mum', holds: 'stroke' }],
    ...parts,
  };
}

describe('The score of an extract', () => {
  it('counts a plan statement only if one line of a section for plans has all of its words', () => {
    const lost = (texts: Readonly<Record<string, string>>) => scoreExtract(aVisit(), aNote(texts)).lost;
    expect(lost({ PLAN: 'Stop the Indapamide today.' })).toEqual([]);
    expect(lost({ PLAN: 'Stop smoking.\nIndapamide stays.' })).toEqual(['stopped: stop, indapamide']);
    expect(lost({ SUBJECTIVE: 'Stop the indapamide today.' })).toEqual(['stopped: stop, indapamide']);
  });

  it('takes the sections for plans of a custom template from the list', () => {
    const visit = aVisit({ planned: ['ADVICE'] });
    expect(scoreExtract(visit, aNote({ ADVICE: 'Stop the indapamide.' })).lost).toEqual([]);
    expect(scoreExtract(visit, aNote({ PLAN: 'Stop the indapamide.' })).lost).toHaveLength(1);
  });

  it('counts a section that is silent, or absent, although something was said', () => {
    const silenced = (texts: Readonly<Record<string, string>>) => scoreExtract(aVisit(), aNote(texts)).silenced;
    expect(silenced({ PLAN: 'Not discussed.' })).toEqual(['PLAN']);
    expect(silenced({})).toEqual(['PLAN']);
    expect(silenced({ PLAN: 'Nothing of its own: see Action.' })).toEqual([]);
  });

  it('counts each line that has what a relative has without naming the relative', () => {
    const of = (text: string) => scoreExtract(aVisit(), aNote({ SUBJECTIVE: text }));
    expect(of('“My mum had a stroke.”')).toMatchObject({ unnamed: [], leftOut: [] });
    expect(of('“Had a stroke.”')).toMatchObject({ unnamed: ['mother|mum: stroke'], leftOut: [] });
    expect(of('“My mum had a stroke.”\n“A stroke, yes.”')).toMatchObject({ unnamed: ['mother|mum: stroke'] });
    expect(of('“I cough.”')).toMatchObject({ unnamed: [], leftOut: ['mother|mum: stroke'] });
  });

  it('loses everything if there is no note', () => {
    const score = scoreExtract(aVisit(), { error: 'vendorAnswer' });
    expect(score).toMatchObject({ planned: 1, lost: ['stopped: stop, indapamide'], silenced: ['PLAN'] });
  });
});

describe('The floors of extracts', () => {
  const score = scoreExtract(aVisit(), aNote({ PLAN: 'Stop the indapamide.' }));
  const notKept = (scores: readonly ExtractScore[]) =>
    floorsOf(scores)
      .filter(({ isKept }) => !isKept)
      .map(({ what }) => what);
  const first = { ...score, part: 'first' } as const;

  it('are kept at the very edge', () => {
    expect(notKept([{ ...score, planned: 10 }, first])).toEqual([]);
    expect(notKept([{ ...score, planned: 10, lost: ['one'] }, first])).toEqual([]);
  });

  it.each<[string, Partial<ExtractScore>]>([
    ['plan statements kept, shipped', { lost: ['one'] }],
    ['wrongly "not discussed", shipped', { silenced: ['PLAN'] }],
    ['relatives unnamed, shipped', { unnamed: ['mother'] }],
  ])('are not kept: %s', (what, parts) => {
    expect(notKept([{ ...score, ...parts }, first])).toEqual([what]);
  });

  it('are not kept without any visit', () => {
    expect(notKept([])).toHaveLength(5);
  });
});

describe('The extracts of the rules', () => {
  let report: ExtractReport;
  beforeAll(async () => {
    report = await reportExtracts((await chooseReasoner('builtin', {})).reasoner);
  });

  it('keep their floors', () => {
    expect(report.floors.filter(({ isKept }) => !isKept)).toEqual([]);
  });

  it('are of the shipped transcripts and of twelve visits in three languages', () => {
    const first = report.scores.filter(({ part }) => part === 'first');
    expect(first.map(({ language }) => language).toSorted()).toEqual('en en en en es es es es pt pt pt pt'.split(' '));
    expect(report.scores.length).toBeGreaterThan(first.length + 30);
  });

  it('have the figures that docs/evaluation.md has: npm run eval -- --write', () => {
    const page = readFileSync(PAGE, 'utf8');
    expect(page).toBe(withExtracts(page, report));
  });
});
