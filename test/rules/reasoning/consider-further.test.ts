import { describe, expect, it } from '@jest/globals';
import type { HistoryFacts, Presence } from '../../../src/rules/extraction/history-facts.ts';
import { considerFurther } from '../../../src/rules/reasoning/consider-further.ts';
import { rankConditions } from '../../../src/rules/reasoning/rank-conditions.ts';
import { fc } from '../../support/fast-check.ts';
import { anyHeard, anyKnowledge, turned } from './arbitrary-knowledge.ts';
import { aCondition, aFinding, aHeard, aKnowledge } from './made-up-knowledge.ts';

/** The same each time. */

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

describe('What is thought of besides', () => {
  it('are the dangerous alternatives of what is likely, not of what is far behind', () => {
    expect(thoughtOf(heardOf({ 'ear-pain': 'present' }))).toEqual(['mastoiditis']);
  });

  it('is what a complaint brings to mind, of those whom it may concern', () => {
    const findings = { 'ear-pain': 'present', headache: 'present' } as const;
    expect(thoughtOf(heardOf(findings))).toEqual(['mastoiditis', 'meningitis']);
    expect(thoughtOf(heardOf(findings, { sex: 'male', ageYears: 70 }))).toEqual(['mastoiditis']);
    expect(thoughtOf(heardOf(findings, { sex: 'female', ageYears: 70 }))).toContain('ectopic');
  });

  it('is not what was ruled out in words', () => {
    const findings = { 'ear-pain': 'present', headache: 'present', 'stiff-neck': 'absent' } as const;
    expect(thoughtOf(heardOf(findings))).toEqual(['mastoiditis']);
  });

  it('is also what comes into question and is not far behind', () => {
    expect(thoughtOf(heardOf({ 'ear-pain': 'present', swelling: 'present' }))).toContain('abscess');
  });

  it('says what brings it to mind', () => {
    const facts = heardOf({ 'ear-pain': 'present', headache: 'uncertain' });
    const told = considerFurther(EARS, facts, rankConditions(EARS, facts));
    expect(told.map(({ suggestedBy }) => suggestedBy.map(({ en }) => en))).toEqual([['otitis'], ['headache']]);
  });

  it('is nothing where nothing speaks for anything', () => {
    expect(considerFurther(EARS, heardOf({ 'known-cyst': 'present' }), [])).toEqual([]);
  });

  it('is what several things speak for though nothing was heard that it needs, with its dangerous alternatives', () => {
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
        one.suggestedBy.map(({ en }) => en),
      ]);
    };
    expect(told({ itch: 'present', pallor: 'present', smoking: 'present' })).toEqual([
      ['infarct', ['pallor', 'smoking']],
      ['dissection', ['infarct']],
    ]);
    expect(told({ itch: 'present', pallor: 'present' })).toEqual([]);
  });

  it('must not be missed, each once, and stands in the same order whatever the order of what was said', () => {
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
