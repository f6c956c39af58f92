import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Ranked, rankConditions } from '../../../../src/outbound/builtin/reasoning/rank-conditions.ts';
import { shareOut } from '../../../../src/outbound/builtin/reasoning/share-out.ts';
import { anyHeard, anyKnowledge } from './arbitrary-knowledge.ts';
import { aCondition } from './made-up-knowledge.ts';

/** The same each time. */
fc.configureGlobal({ seed: 20_261_122 });

const understood = { isUnderstood: true };

/** Best first. */
function ranked(scores: Readonly<Record<string, number>>, notMissed: readonly string[] = []): readonly Ranked[] {
  return Object.entries(scores)
    .map(([id, score]) => ({
      condition: aCondition(id, { mustNotMiss: notMissed.includes(id) }),
      score,
      people: 0,
      evidence: [],
    }))
    .sort((one, other) => other.score - one.score);
}

describe('The shares', () => {
  it('leave something for what is not known here', () => {
    const [only] = shareOut(ranked({ only: 0 }), understood);
    expect(only?.share).toBeCloseTo(0.5);
    expect(shareOut(ranked({ only: 3 }), understood)[0]?.share).toBeCloseTo(0.953, 3);
  });

  it('are small where hardly anything was understood', () => {
    expect(shareOut(ranked({ only: 0 }), { isUnderstood: false })[0]?.share).toBeCloseTo(0.119, 3);
  });

  it('hold also for sums beyond what a power of e can be', () => {
    expect(shareOut(ranked({ sure: 5000, no: -5000 }), understood)[0]?.share).toBe(1);
    expect(shareOut(ranked({ no: -5000 }), understood)).toEqual([]);
  });

  it('name the first and what is at least half as likely most likely, the others further', () => {
    const answered = shareOut(ranked({ first: 2, near: 1.4, far: 1 }), understood);
    expect(answered.map(({ condition, category }) => [condition.id, category])).toEqual([
      ['first', 'most-likely'],
      ['near', 'most-likely'],
      ['far', 'expanded'],
    ]);
  });

  it('name what must not be missed so, unless it is the first', () => {
    const answered = shareOut(ranked({ first: 2, near: 1.9 }, ['first', 'near']), understood);
    expect(answered.map(({ category }) => category)).toEqual(['most-likely', 'cant-miss']);
  });

  it('are of eight at most, and of none below two in a hundred', () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`c${index}`, 1 - index / 100]));
    expect(shareOut(ranked(many), understood)).toHaveLength(8);
    expect(shareOut(ranked({ first: 3, hardly: -1.5 }), understood).map(({ condition }) => condition.id)).toEqual([
      'first',
    ]);
  });

  it('add at most four that must not be missed and are not far behind, in their place', () => {
    const scores = { first: 3, n1: -0.4, n2: -0.45, n3: -0.46, n4: -0.47, n5: -0.48, far: -0.6 };
    const answered = shareOut(ranked({ ...scores, second: 2.9 }, ['n1', 'n2', 'n3', 'n4', 'n5', 'far']), understood);
    expect(answered.map(({ condition }) => condition.id)).toEqual(['first', 'second', 'n1', 'n2', 'n3', 'n4']);
    expect(shareOut(ranked({ first: 3, second: 2.9, far: -0.6 }, ['far']), understood)).toHaveLength(2);
  });

  it('never sum up to more than one, and stand best first', () => {
    fc.assert(
      fc.property(anyKnowledge, anyHeard, (knowledge, heard) => {
        const shares = shareOut(rankConditions(knowledge, heard), heard).map(({ share }) => share);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(1);
        expect(shares).toEqual(shares.toSorted((one, other) => other - one));
      }),
    );
  });
});
