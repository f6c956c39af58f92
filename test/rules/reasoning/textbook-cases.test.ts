import { beforeAll, describe, expect, it } from '@jest/globals';
import type { HistoryFacts } from '../../../src/rules/extraction/history-facts.ts';
import type { Condition, Knowledge } from '../../../src/rules/knowledge/knowledge.ts';
import { judgeTriage } from '../../../src/rules/reasoning/judge-triage.ts';
import { rankConditions } from '../../../src/rules/reasoning/rank-conditions.ts';
import { shippedKnowledge } from '../knowledge/shipped-knowledge.ts';
import { aHeard } from './made-up-knowledge.ts';

let knowledge: Knowledge;
beforeAll(() => {
  knowledge = shippedKnowledge();
});

/** A typical patient with the strongest findings and one needed finding, without known conditions. */
function textbookCase(condition: Condition, count: number): HistoryFacts {
  const isNew = (id: string) => knowledge.findings.get(id)?.kind !== 'condition';
  const speaking = [...condition.findings]
    .filter(([id, { present }]) => present > 0 && isNew(id))
    .sort(([, one], [, other]) => other.present - one.present)
    .slice(0, count)
    .map(([id]) => id);
  const withImplied = (ids: readonly string[]) =>
    ids.flatMap((id) => [id, ...(knowledge.findings.get(id)?.implies ?? [])]);
  const isCandidate = condition.needs.some((id) => withImplied(speaking).includes(id));
  const need = condition.needs.find(isNew) ?? condition.needs[0] ?? '';
  const ids = withImplied(isCandidate ? speaking : [...speaking, need]);
  return aHeard({ person: typicalPerson(condition), findings: Object.fromEntries(ids.map((id) => [id, 'present'])) });
}

function typicalPerson({ people }: Condition): HistoryFacts['person'] {
  const [ageYears = 40] = [...Array(91).keys()]
    .map((years) => ({ years, weight: weightAt(people, years) }))
    .sort((one, other) => other.weight - one.weight || Math.abs(one.years - 40) - Math.abs(other.years - 40))
    .map(({ years }) => years);
  const isOf = (sex: 'female' | 'male') => people.some((group) => group.sex === sex && group.weight <= -5);
  return { ageYears, ...(isOf('male') && { sex: 'female' }), ...(isOf('female') && { sex: 'male' }) };
}

function weightAt(people: Condition['people'], years: number): number {
  return people
    .filter(({ ages }) => ages !== undefined && years >= ages.from && years <= ages.to)
    .reduce((sum, { weight }) => sum + weight, 0);
}

/** Its place in the answer to its own textbook case. */
function missed(count: number, best: number): readonly string[] {
  return knowledge.conditions
    .filter((condition) => {
      const ranked = rankConditions(knowledge, textbookCase(condition, count));
      return !ranked.slice(0, best).some((one) => one.condition.id === condition.id);
    })
    .map(({ id }) => id);
}

describe('The textbook case of a condition', () => {
  it('has the condition among the first three, with six, four or three findings', () => {
    expect(missed(6, 3)).toEqual([]);
    expect(missed(4, 3)).toEqual([]);
    expect(missed(3, 3)).toEqual([]);
  });

  it('nearly always has the condition first', () => {
    expect(missed(6, 1).length).toBeLessThanOrEqual(knowledge.conditions.length / 25);
  });

  it('is urgent if the condition can be', () => {
    const calm = knowledge.conditions
      .filter(({ urgent }) => urgent !== undefined)
      .filter((one) => judgeTriage(knowledge, textbookCase(one, 99), { isAllUnseen: false }).level !== 'RED');
    expect(calm.map(({ id }) => id)).toEqual([]);
  });
});

describe('A condition that must not be missed', () => {
  it('is suggested by a finding or by another condition', () => {
    const also = new Set(knowledge.conditions.flatMap(({ alsoThink }) => alsoThink));
    const alone = knowledge.conditions.filter(
      ({ id, mustNotMiss, consider }) => mustNotMiss && !consider && !also.has(id),
    );
    expect(alone.map(({ id }) => id)).toEqual([]);
  });
});
