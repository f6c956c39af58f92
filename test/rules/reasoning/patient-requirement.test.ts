import { describe, expect, it } from '@jest/globals';
import type { HistoryFacts, Presence } from '../../../src/rules/extraction/history-facts.ts';
import type { Requirement } from '../../../src/rules/knowledge/knowledge.ts';
import { findUnknown, fitOf, withDenied } from '../../../src/rules/reasoning/patient-requirement.ts';
import { rank } from '../../../src/rules/reasoning/rank-conditions.ts';
import { aCondition, aFinding, aHeard, aKnowledge, inAll } from './made-up-knowledge.ts';

const KNOWLEDGE = aKnowledge({
  findings: [
    aFinding('newborn', { kind: 'circumstance', values: [{ of: 'age', below: 0.25 }] }),
    aFinding('wet-nappy'),
    aFinding('pregnant', { kind: 'circumstance', ask: inAll('whether there is a pregnancy') }),
    aFinding('contractions', { implies: ['pregnant'] }),
    aFinding('late-period'),
    aFinding('negative-test', { kind: 'circumstance', denies: ['pregnant'] }),
  ],
});
const OF_CHILDREN: Requirement = {
  ages: { from: 0, to: 3 },
  oneOf: [],
  shownBy: ['wet-nappy'],
};
const OF_PREGNANCY: Requirement = { oneOf: ['pregnant'], shownBy: ['late-period'] };

type Findings = Readonly<Record<string, Presence>>;
const facts = (findings: Findings, person: HistoryFacts['person'] = {}) =>
  withDenied(aHeard({ findings, person }), KNOWLEDGE);

describe('A disease of children', () => {
  const condition = aCondition('croup', { only: OF_CHILDREN });
  const fitWith = (findings: Findings, person: HistoryFacts['person'] = {}) =>
    fitOf(condition, facts(findings, person), KNOWLEDGE);

  it.each<[string, Findings, HistoryFacts['person'], string]>([
    ['fits a child of that age', {}, { ageYears: 2 }, 'fits'],
    ['does not fit an adult', {}, { ageYears: 40 }, 'excluded'],
    [
      'does not fit an adult who mentions a newborn',
      { newborn: 'present', 'wet-nappy': 'present' },
      { ageYears: 30 },
      'excluded',
    ],
    ['fits a newborn of unknown age', { newborn: 'present' }, {}, 'fits'],
    ['fits where only a child has such a finding', { 'wet-nappy': 'present' }, {}, 'fits'],
    ['is unknown without an age', {}, {}, 'unknown'],
    [
      'is unknown of a pregnant patient who mentions a newborn',
      { newborn: 'present', pregnant: 'present' },
      {},
      'unknown',
    ],
    ['is unknown with a denied newborn', { newborn: 'absent' }, {}, 'unknown'],
  ])('%s', (_, findings, person, expected) => {
    expect(fitWith(findings, person)).toBe(expected);
  });

  it('asks for the age', () => {
    expect(findUnknown(condition, facts({}), KNOWLEDGE)).toEqual({ isAge: true, findings: [] });
    expect(findUnknown(condition, facts({}, { ageYears: 2 }), KNOWLEDGE)).toEqual({ isAge: false, findings: [] });
  });
});

describe('A disease of pregnancy', () => {
  const condition = aCondition('ectopic', { only: OF_PREGNANCY });

  it.each<[string, Findings, string]>([
    ['fits an affirmed pregnancy', { pregnant: 'present' }, 'fits'],
    ['fits a missed period', { 'late-period': 'present' }, 'fits'],
    ['is unknown without a word about it', {}, 'unknown'],
    ['is unknown with a pregnancy that was only asked', { pregnant: 'uncertain' }, 'unknown'],
    ['does not fit a denied pregnancy', { pregnant: 'absent' }, 'excluded'],
    ['does not fit a negative test', { 'negative-test': 'present' }, 'excluded'],
    [
      'does not fit a negative test after a supposed pregnancy',
      { pregnant: 'present', 'negative-test': 'present' },
      'excluded',
    ],
    [
      'is unknown with a denied pregnancy and a missed period',
      { pregnant: 'absent', 'late-period': 'present' },
      'unknown',
    ],
    [
      'fits contractions, whatever a test says',
      { pregnant: 'present', contractions: 'present', 'negative-test': 'present' },
      'fits',
    ],
  ])('%s', (_, findings, expected) => {
    expect(fitOf(condition, facts(findings), KNOWLEDGE)).toBe(expected);
  });

  it('asks for the pregnancy only while it is unknown', () => {
    const asked = (findings: Findings) =>
      findUnknown(condition, facts(findings), KNOWLEDGE).findings.map(({ ask }) => ask?.en);
    expect(asked({})).toEqual(['whether there is a pregnancy']);
    expect(asked({ pregnant: 'present' })).toEqual([]);
    expect(asked({ pregnant: 'absent' })).toEqual([]);
  });
});

describe('A condition without a requirement', () => {
  it('fits each patient', () => {
    expect(fitOf(aCondition('cold'), facts({}), KNOWLEDGE)).toBe('fits');
  });
});

describe('The ranking', () => {
  it('leaves out what is excluded, and marks what is unknown', () => {
    const knowledge = {
      ...KNOWLEDGE,
      conditions: [aCondition('ectopic', { only: OF_PREGNANCY }), aCondition('cold')],
    };
    const ranked = (findings: Findings) =>
      rank(knowledge, facts(findings), () => true).map(({ condition, fit }) => `${condition.id} ${fit}`);
    expect(ranked({}).toSorted()).toEqual(['cold fits', 'ectopic unknown']);
    expect(ranked({ pregnant: 'absent' })).toEqual(['cold fits']);
  });
});
