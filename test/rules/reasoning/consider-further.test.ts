import { describe, expect, it } from '@jest/globals';
import type { HistoryFacts, Presence } from '../../../src/rules/extraction/history-facts.ts';
import { considerFurther } from '../../../src/rules/reasoning/consider-further.ts';
import { rankConditions } from '../../../src/rules/reasoning/rank-conditions.ts';
import { fc } from '../../support/fast-check.ts';
import { anyHeard, anyKnowledge, turned } from './arbitrary-knowledge.ts';
import { aCondition, aFinding, aHeard, aKnowledge } from './made-up-knowledge.ts';

/** Fixed, so that each run tests the same cases. */

const EARS = aKnowledge({
  findings: [
    ...['ear-pain', 'headache', 'swelling', 'stiff-neck', 'pregnant'].map((id) => aFinding(id)),
    aFinding('known-cyst', { kind: 'condition' }),
  ],
  conditions: [
    aCondition('otitis', { base: 1, findings: { 'ear-pain': 1 }, alsoThink: ['mastoiditis'] }),
    aCondition('far-behind', { base: -3, findings: { 'ear-pain': 1 }, alsoThink: ['abscess'] }),
    aCondition('mastoiditis', { base: -4, findings: { swelling: 2 }, mustNotMiss: true }),
    aCondition('abscess', { base: -3, findings: { swelling: 2 }, mustNotMiss: true }),
    aCondition('meningitis', {
      base: -4,
      findings: { 'stiff-neck': { present: 2, absent: -2 } },
      mustNotMiss: true,
      consider: { with: ['headache'], ages: { from: 1, to: 60 } },
    }),
    aCondition('ectopic', {
      base: 0,
      people: [{ sex: 'male', weight: -8 }],
      findings: { pregnant: 3 },
      mustNotMiss: true,
      consider: { with: ['headache'] },
    }),
  ],
});

function thoughtOf(facts: HistoryFacts): readonly string[] {
  return considerFurther(EARS, facts, rankConditions(EARS, facts)).map(({ condition }) => condition.id);
}

const heardOf = (findings: Readonly<Record<string, Presence>>, person: HistoryFacts['person'] = { sex: 'male' }) =>
  aHeard({ person, findings });

describe('Conditions to consider besides the likely ones', () => {
  it('are the dangerous alternatives of likely conditions, not of those far behind', () => {
    expect(thoughtOf(heardOf({ 'ear-pain': 'present' }))).toEqual(['mastoiditis']);
  });

  it('are suggested by a complaint, if the condition fits the patient', () => {
    const findings = { 'ear-pain': 'present', headache: 'present' } as const;
    expect(thoughtOf(heardOf(findings))).toEqual(['mastoiditis', 'meningitis']);
    expect(thoughtOf(heardOf(findings, { sex: 'male', ageYears: 70 }))).toEqual(['mastoiditis']);
    expect(thoughtOf(heardOf(findings, { sex: 'female', ageYears: 70 }))).toContain('ectopic');
  });

  it('are without those that absent findings exclude', () => {
    const findings = { 'ear-pain': 'present', headache: 'present', 'stiff-neck': 'absent' } as const;
    expect(thoughtOf(heardOf(findings))).toEqual(['mastoiditis']);
  });

  it('include candidates that are not far behind', () => {
    expect(thoughtOf(heardOf({ 'ear-pain': 'present', swelling: 'present' }))).toContain('abscess');
  });

  it('say how much speaks for them in particular', () => {
    const evidenceIn = (findings: Readonly<Record<string, Presence>>) => {
      const facts = heardOf(findings);
      const further = considerFurther(EARS, facts, rankConditions(EARS, facts));
      return Object.fromEntries(further.map(({ condition, ownEvidence }) => [condition.id, ownEvidence]));
    };
    expect(evidenceIn({ 'ear-pain': 'present', headache: 'uncertain' })).toEqual({
      mastoiditis: 'none',
      meningitis: 'none',
    });
    expect(evidenceIn({ 'ear-pain': 'present', swelling: 'present' })).toMatchObject({ mastoiditis: 'clear' });
  });

  it('are none if nothing speaks for any condition', () => {
    expect(considerFurther(EARS, heardOf({ 'known-cyst': 'present' }), [])).toEqual([]);
  });

  it('include hidden dangers, for which several findings speak but no needed one, with their dangerous alternatives', () => {
    const knowledge = aKnowledge({
      findings: ['itch', 'pallor', 'smoking', 'crushing-pain', 'tearing-pain'].map((id) => aFinding(id)),
      conditions: [
        aCondition('eczema', { base: -1, findings: { itch: 0.5 } }),
        aCondition('infarct', {
          base: -2,
          needs: ['crushing-pain'],
          findings: { pallor: 1, smoking: 0.5 },
          mustNotMiss: true,
          alsoThink: ['dissection'],
        }),
        aCondition('dissection', { base: -4, findings: { 'tearing-pain': 3 }, mustNotMiss: true }),
      ],
    });
    const told = (findings: Readonly<Record<string, Presence>>) => {
      const facts = heardOf(findings);
      return considerFurther(knowledge, facts, rankConditions(knowledge, facts)).map((one) => [
        one.condition.id,
        one.ownEvidence,
      ]);
    };
    expect(told({ itch: 'present', pallor: 'present', smoking: 'present' })).toEqual([
      ['infarct', 'clear'],
      ['dissection', 'none'],
    ]);
    expect(told({ itch: 'present', pallor: 'present' })).toEqual([]);
  });

  it('must not be missed, are unique, and do not depend on the order of the findings', () => {
    fc.assert(
      fc.property(anyKnowledge, anyHeard, (knowledge, facts) => {
        const told = considerFurther(knowledge, facts, rankConditions(knowledge, facts));
        expect(told.every(({ condition }) => condition.mustNotMiss)).toBe(true);
        expect(new Set(told.map(({ condition }) => condition.id)).size).toBe(told.length);
        const again = turned(facts);
        expect(considerFurther(knowledge, again, rankConditions(knowledge, again))).toEqual(told);
      }),
    );
  });
});
