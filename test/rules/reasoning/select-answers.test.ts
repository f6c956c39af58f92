import { describe, expect, it } from '@jest/globals';
import { considerFurther, type FurtherCondition } from '../../../src/rules/reasoning/consider-further.ts';
import type { OwnEvidence } from '../../../src/rules/reasoning/own-evidence.ts';
import { type Ranked, rankConditions } from '../../../src/rules/reasoning/rank-conditions.ts';
import { selectAnswers as select } from '../../../src/rules/reasoning/select-answers.ts';
import { fc } from '../../support/fast-check.ts';
import { anyHeard, anyKnowledge } from './arbitrary-knowledge.ts';
import { aCondition } from './made-up-knowledge.ts';

/** Fixed, so that each run tests the same cases. */

const isUnderstood = true;
const selectAnswers = (parts: Parameters<typeof select>[0]) => select(parts).answered;

/** Sorted by score, best first. */
function ranked(scores: Readonly<Record<string, number>>, notMissed: readonly string[] = []): readonly Ranked[] {
  return Object.entries(scores)
    .map(([id, score]) => ({
      condition: aCondition(id, { mustNotMiss: notMissed.includes(id) }),
      fit: 'fits' as const,
      score,
      people: 0,
      evidence: [],
      unexplained: [],
    }))
    .sort((one, other) => other.score - one.score);
}

function considered(all: readonly Ranked[], ownEvidence: OwnEvidence): readonly FurtherCondition[] {
  return all.map((one) => ({ ...one, ownEvidence }));
}

const idsOf = (all: readonly { readonly condition: { readonly id: string } }[]) =>
  all.map(({ condition }) => condition.id);

describe('The selected conditions of an answer', () => {
  it('leave a share for conditions that are not known', () => {
    const [only] = selectAnswers({ ranked: ranked({ only: 0 }), isUnderstood });
    expect(only?.share).toBeCloseTo(0.5);
    expect(selectAnswers({ ranked: ranked({ only: 3 }), isUnderstood })[0]?.share).toBeCloseTo(0.953, 3);
  });

  it('have small shares if hardly anything was understood', () => {
    expect(selectAnswers({ ranked: ranked({ only: 0 }), isUnderstood: false })[0]?.share).toBeCloseTo(0.119, 3);
  });

  it('have valid shares for scores whose exponential would overflow', () => {
    expect(selectAnswers({ ranked: ranked({ sure: 5000, no: -5000 }), isUnderstood })[0]?.share).toBe(1);
    expect(selectAnswers({ ranked: ranked({ no: -5000 }), isUnderstood })).toEqual([]);
  });

  it('are "most likely" if first or at least half as likely as the first, else "expanded"', () => {
    const answered = selectAnswers({ ranked: ranked({ first: 2, near: 1.4, far: 1 }), isUnderstood });
    expect(answered.map(({ condition, category }) => [condition.id, category])).toEqual([
      ['first', 'most-likely'],
      ['near', 'most-likely'],
      ['far', 'expanded'],
    ]);
  });

  it('are "can’t miss" if they must not be missed, unless first', () => {
    const answered = selectAnswers({ ranked: ranked({ first: 2, near: 1.9 }, ['first', 'near']), isUnderstood });
    expect(answered.map(({ category }) => category)).toEqual(['most-likely', 'cant-miss']);
  });

  it('are at most five, and none below two percent', () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`c${index}`, 1 - index / 100]));
    expect(selectAnswers({ ranked: ranked(many), isUnderstood })).toHaveLength(5);
    const few = ranked({ a: 3, b: 2.9, c: 2.8, hardly: -1.5 });
    expect(idsOf(selectAnswers({ ranked: few, isUnderstood }))).toEqual(['a', 'b', 'c']);
    expect(idsOf(selectAnswers({ ranked: ranked({ first: 5, a: 0, b: -1 }), isUnderstood }))).toEqual(['first']);
  });

  const SIX = { n1: -1.1, n2: -1.2, n3: -1.3, n4: -1.4, n5: -1.5, n6: -1.6 };
  const all = ranked({ first: 3, second: 2.9, third: 2, ...SIX }, Object.keys(SIX));

  it('include at most five with clear evidence that must not be missed, the best fits, after the likely ones', () => {
    const besides = considered(all.slice(3).toReversed(), 'clear');
    const answered = selectAnswers({ ranked: all, besides, isUnderstood });
    expect(idsOf(answered)).toEqual(['first', 'second', 'third', 'n2', 'n3', 'n4', 'n5', 'n6']);
    expect(answered.map(({ category }) => category).slice(3)).toEqual(Array(5).fill('cant-miss'));
    expect(answered.map(({ isForSafety }) => isForSafety)).toEqual([...Array(3).fill(false), ...Array(5).fill(true)]);
  });

  it.each(['none', 'slight'] as const)(
    'include none with evidence that is %s: three are named to be excluded',
    (weight) => {
      const besides = considered(all.slice(3), weight);
      const { answered, toExclude } = select({ ranked: all, besides, isUnderstood });
      expect(idsOf(answered)).toEqual(['first', 'second', 'third']);
      expect(toExclude.map(({ id }) => id)).toEqual(['n1', 'n2', 'n3']);
    },
  );

  it('include a dangerous one with less than ten percent only with clear evidence, wherever it ranks', () => {
    const scores = ranked({ first: 3, danger: 0, other: -0.5 }, ['danger']);
    const selected = (weight: OwnEvidence) =>
      idsOf(selectAnswers({ ranked: scores, besides: considered(scores.slice(1, 2), weight), isUnderstood }));
    expect(selected('clear')).toEqual(['first', 'danger', 'other']);
    expect(selected('slight')).toEqual(['first', 'other']);
    const likely = ranked({ first: 1, danger: 0.5 }, ['danger']);
    expect(idsOf(selectAnswers({ ranked: likely, isUnderstood }))).toEqual(['first', 'danger']);
  });

  it('are never "most likely" if only listed for safety', () => {
    const [outside] = ranked({ outside: -0.6 }, ['outside']);
    if (outside === undefined) throw new Error('there is one');
    const besides = considered([outside], 'clear');
    const answered = selectAnswers({ ranked: ranked({ first: 3, second: 1 }), besides, isUnderstood });
    expect(answered.map(({ condition, category }) => [condition.id, category])).toEqual([
      ['first', 'most-likely'],
      ['second', 'expanded'],
      ['outside', 'cant-miss'],
    ]);
  });

  it('sum up to at most one, are unique, and are sorted best first, the likely ones before the others', () => {
    fc.assert(
      fc.property(anyKnowledge, anyHeard, (knowledge, facts) => {
        const likely = rankConditions(knowledge, facts);
        const besides = considerFurther(knowledge, facts, likely);
        const answered = selectAnswers({ ranked: likely, besides, isUnderstood: facts.isUnderstood });
        const ids = answered.map(({ condition }) => condition.id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(answered.length).toBeLessThanOrEqual(5 + 5);
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
