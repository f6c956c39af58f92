import { describe, expect, it } from '@jest/globals';
import type { HistoryFacts, Presence } from '../../../src/rules/extraction/history-facts.ts';
import { rankConditions } from '../../../src/rules/reasoning/rank-conditions.ts';
import { fc } from '../../support/fast-check.ts';
import { anyHeard, anyKnowledge, turned } from './arbitrary-knowledge.ts';
import { aCondition, aFinding, aHeard, aKnowledge, LUNGS } from './made-up-knowledge.ts';

/** Fixed, so that each run tests the same cases. */

function scoreOf(id: string, facts: HistoryFacts, knowledge = LUNGS): number | undefined {
  return rankConditions(knowledge, facts).find(({ condition }) => condition.id === id)?.score;
}

describe('The ranking of conditions', () => {
  it('has a condition as candidate if one of its needed findings is present or uncertain', () => {
    const ids = (facts: HistoryFacts) => rankConditions(LUNGS, facts).map(({ condition }) => condition.id);
    expect(ids(aHeard({ findings: { fever: 'uncertain' } }))).toEqual(['pneumonia']);
    expect(ids(aHeard({ findings: { fever: 'absent', crackles: 'present' } }))).toEqual([]);
  });

  it('adds up what speaks for and against a condition', () => {
    const findings = { fever: 'present', cough: 'present', crackles: 'present', 'runny-nose': 'present' } as const;
    expect(scoreOf('pneumonia', aHeard({ findings }))).toBeCloseTo(-2.5 + 1 + 0.8 + 1.5 - 0.6);
  });

  it('counts half for an uncertain finding, and the absent weight for an absent one', () => {
    const findings = { cough: 'present', crackles: 'uncertain', fever: 'absent' } as const;
    expect(scoreOf('pneumonia', aHeard({ findings }))).toBeCloseTo(-2.5 + 0.8 + 0.75 - 0.7);
  });

  it('uses age and sex only if they are known', () => {
    const findings = { cough: 'present' } as const;
    const young = scoreOf('pneumonia', aHeard({ findings, person: { ageYears: 20 } })) ?? Number.NaN;
    expect(scoreOf('pneumonia', aHeard({ findings, person: { ageYears: 65 } }))).toBeCloseTo(young + 0.5);
    expect(scoreOf('pneumonia', aHeard({ findings }))).toBeCloseTo(young);
  });

  it('uses a group of an age and a sex only if both are known', () => {
    const knowledge = aKnowledge({
      findings: [aFinding('pain')],
      conditions: [
        aCondition('it', {
          base: 0,
          findings: { pain: 1 },
          people: [{ ages: { from: 10, to: 30 }, sex: 'female', weight: 4 }],
        }),
      ],
    });
    const findings = { pain: 'present' } as const;
    expect(scoreOf('it', aHeard({ findings, person: { sex: 'female' } }), knowledge)).toBe(1);
    expect(scoreOf('it', aHeard({ findings, person: { sex: 'female', ageYears: 30 } }), knowledge)).toBe(5);
    expect(scoreOf('it', aHeard({ findings, person: { sex: 'male', ageYears: 30 } }), knowledge)).toBe(1);
  });

  it('treats a pregnant patient of unknown sex as a woman, and ignores a pregnancy in a man', () => {
    const findings = { 'lower-abdominal-pain': 'present', pregnant: 'present' } as const;
    expect(scoreOf('ectopic-pregnancy', aHeard({ findings }))).toBeCloseTo(-3.5 + 0.5 + 1.5 + 2);
    expect(scoreOf('ectopic-pregnancy', aHeard({ findings, person: { sex: 'male' } }))).toBeCloseTo(-3.5 - 9 + 1.5);
    const onlyPregnant = aHeard({ findings: { pregnant: 'present' }, person: { sex: 'male' } });
    expect(rankConditions(LUNGS, onlyPregnant)).toEqual([]);
  });

  it('sorts equal scores by id', () => {
    const conditions = ['b', 'c', 'a'].map((id) => aCondition(id, { findings: { pain: 1 } }));
    const facts = aHeard({ findings: { pain: 'present' } });
    for (const order of [conditions, conditions.toReversed()]) {
      const ranked = rankConditions(aKnowledge({ findings: [aFinding('pain')], conditions: order }), facts);
      expect(ranked.map(({ condition }) => condition.id)).toEqual(['a', 'b', 'c']);
    }
  });

  it('does not depend on the order of the findings', () => {
    fc.assert(
      fc.property(anyKnowledge, anyHeard, (knowledge, facts) => {
        expect(rankConditions(knowledge, turned(facts))).toEqual(rankConditions(knowledge, facts));
      }),
    );
  });

  it('counts each unexplained complaint a little against a condition, an uncertain one half', () => {
    const only = scoreOf('common-cold', aHeard({ findings: { cough: 'present' } })) ?? Number.NaN;
    const with_ = (findings: Readonly<Record<string, Presence>>) =>
      scoreOf('common-cold', aHeard({ findings: { cough: 'present', ...findings } }));
    expect(with_({ 'calf-pain': 'present' })).toBeCloseTo(only - 0.35);
    expect(with_({ 'calf-pain': 'present', 'chest-pain': 'uncertain' })).toBeCloseTo(only - 0.35 * 1.5);
    // Absent findings, circumstances, and a more exact word for an explained complaint count nothing.
    expect(with_({ 'calf-pain': 'absent' })).toBeCloseTo(only);
    expect(with_({ 'recent-surgery': 'present' })).toBeCloseTo(only);
    expect(with_({ 'productive-cough': 'present' })).toBeCloseTo(only);
  });

  it('leaves out known conditions that explain no complaint', () => {
    const knowledge = aKnowledge({
      findings: [aFinding('rash'), aFinding('headache'), aFinding('known-gout', { kind: 'condition' })],
      conditions: [
        aCondition('gout', { needs: ['known-gout'], findings: { 'known-gout': 4, headache: 1 } }),
        aCondition('eczema', { base: -3, findings: { rash: 1 } }),
      ],
    });
    const ids = (findings: Readonly<Record<string, Presence>>) =>
      rankConditions(knowledge, aHeard({ findings })).map(({ condition }) => condition.id);
    expect(ids({ 'known-gout': 'present', rash: 'present' })).toEqual(['eczema']);
    expect(ids({ 'known-gout': 'present', headache: 'present' })).toEqual(['gout']);
    expect(ids({ 'known-gout': 'present', rash: 'absent' })).toEqual(['gout']);
  });

  it('ignores findings that are not in the knowledge', () => {
    const facts = aHeard({ findings: { cough: 'present', 'something-else': 'present' } });
    expect(scoreOf('common-cold', facts)).toBeCloseTo(-0.8);
  });
});
