import { describe, expect, it } from '@jest/globals';
import { considerFurther } from '../../../src/rules/reasoning/consider-further.ts';
import { type Ranked, rankConditions } from '../../../src/rules/reasoning/rank-conditions.ts';
import { selectAnswers } from '../../../src/rules/reasoning/select-answers.ts';
import { fc } from '../../support/fast-check.ts';
import { anyHeard, anyKnowledge } from './arbitrary-knowledge.ts';
import { aCondition, inAll } from './made-up-knowledge.ts';

/** The same each time. */

const isUnderstood = true;

/** Best first. */
function ranked(scores: Readonly<Record<string, number>>, notMissed: readonly string[] = []): readonly Ranked[] {
  return Object.entries(scores)
    .map(([id, score]) => ({
      condition: aCondition(id, { mustNotMiss: notMissed.includes(id) }),
      score,
      people: 0,
      evidence: [],
      unexplained: [],
    }))
    .sort((one, other) => other.score - one.score);
}

describe('The shares', () => {
  it('leave something for what is not known here', () => {
    const [only] = selectAnswers({ ranked: ranked({ only: 0 }), isUnderstood });
    expect(only?.share).toBeCloseTo(0.5);
    expect(selectAnswers({ ranked: ranked({ only: 3 }), isUnderstood })[0]?.share).toBeCloseTo(0.953, 3);
  });

  it('are small where hardly anything was understood', () => {
    expect(selectAnswers({ ranked: ranked({ only: 0 }), isUnderstood: false })[0]?.share).toBeCloseTo(0.119, 3);
  });

  it('hold also for sums beyond what a power of e can be', () => {
    expect(selectAnswers({ ranked: ranked({ sure: 5000, no: -5000 }), isUnderstood })[0]?.share).toBe(1);
    expect(selectAnswers({ ranked: ranked({ no: -5000 }), isUnderstood })).toEqual([]);
  });

  it('name the first and what is at least half as likely most likely, the others further', () => {
    const answered = selectAnswers({ ranked: ranked({ first: 2, near: 1.4, far: 1 }), isUnderstood });
    expect(answered.map(({ condition, category }) => [condition.id, category])).toEqual([
      ['first', 'most-likely'],
      ['near', 'most-likely'],
      ['far', 'expanded'],
    ]);
  });

  it('name what must not be missed so, unless it is the first', () => {
    const answered = selectAnswers({ ranked: ranked({ first: 2, near: 1.9 }, ['first', 'near']), isUnderstood });
    expect(answered.map(({ category }) => category)).toEqual(['most-likely', 'cant-miss']);
  });

  it('are of eight at most, and beyond three of none below two in a hundred', () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`c${index}`, 1 - index / 100]));
    expect(selectAnswers({ ranked: ranked(many), isUnderstood })).toHaveLength(8);
    expect(
      selectAnswers({ ranked: ranked({ a: 3, b: 2.9, c: 2.8, hardly: -1.5 }), isUnderstood }).map(
        ({ condition }) => condition.id,
      ),
    ).toEqual(['a', 'b', 'c']);
  });

  it('name three also where the first is nearly sure, but nothing that is quite out of the question', () => {
    const idsOf = (scores: Readonly<Record<string, number>>, notMissed: readonly string[] = []) =>
      selectAnswers({ ranked: ranked(scores, notMissed), isUnderstood }).map(({ condition }) => condition.id);
    expect(idsOf({ first: 4, a: 0, b: -1, c: -1.5 })).toEqual(['first', 'a', 'b']);
    expect(idsOf({ first: 4, a: 0, b: -3, c: -9 })).toEqual(['first', 'a']);
    // What must not be missed does not fill up: it comes in by what is thought of, or not at all.
    expect(idsOf({ first: 4, a: -0.5, b: -0.8 }, ['a'])).toEqual(['first', 'b']);
  });

  it('add at most eight that must not be missed, behind the likely ones and best first', () => {
    const scores = {
      first: 3,
      second: 2.9,
      third: 2,
      n1: -1.1,
      n2: -1.2,
      n3: -1.3,
      n4: -1.4,
      n5: -1.5,
      n6: -1.6,
      n7: -1.7,
      n8: -1.8,
      n9: -1.9,
    };
    const all = ranked(scores, ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9']);
    // What fits best is taken, in whatever order it is then told.
    const besides = all
      .slice(4)
      .toReversed()
      .map((one) => ({ ...one, suggestedBy: [inAll('pain')] }));
    const answered = selectAnswers({ ranked: all, besides, isUnderstood });
    expect(answered.map(({ condition }) => condition.id)).toEqual([
      'first',
      'second',
      'third',
      'n2',
      'n3',
      'n4',
      'n5',
      'n6',
      'n7',
      'n8',
      'n9',
    ]);
    expect(answered.map(({ category }) => category).slice(3)).toEqual(Array(8).fill('cant-miss'));
    expect(answered.at(-1)).toMatchObject({ suggestedBy: [{ en: 'pain' }] });
    expect(answered[0]).toMatchObject({ suggestedBy: [] });
  });

  it('never call likely what does not come into question and is only thought of', () => {
    const [outside] = ranked({ outside: -0.6 }, ['outside']);
    if (outside === undefined) throw new Error('there is one');
    const besides = [{ ...outside, suggestedBy: [inAll('pain')] }];
    const answered = selectAnswers({ ranked: ranked({ first: 3, second: 1 }), besides, isUnderstood });
    expect(answered.map(({ condition, category }) => [condition.id, category])).toEqual([
      ['first', 'most-likely'],
      ['second', 'expanded'],
      ['outside', 'cant-miss'],
    ]);
  });

  it('never sum up to more than one, name nothing twice, and stand best first, the likely ones before the others', () => {
    fc.assert(
      fc.property(anyKnowledge, anyHeard, (knowledge, facts) => {
        const likely = rankConditions(knowledge, facts);
        const besides = considerFurther(knowledge, facts, likely);
        const answered = selectAnswers({ ranked: likely, besides, isUnderstood: facts.isUnderstood });
        const ids = answered.map(({ condition }) => condition.id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(answered.length).toBeLessThanOrEqual(8 + 8);
        expect(answered.reduce((sum, { share }) => sum + share, 0)).toBeLessThanOrEqual(1 + 1e-9);
        const first = selectAnswers({ ranked: likely, isUnderstood: facts.isUnderstood }).length;
        for (const part of [answered.slice(0, first), answered.slice(first)]) {
          const shares = part.map(({ share }) => share);
          expect(shares).toEqual(shares.toSorted((one, other) => other - one));
        }
      }),
    );
  });
});
