import { describe, expect, it } from '@jest/globals';
import { chooseConditions } from '../../../src/domain/chart/likely-conditions.ts';
import type { Category } from '../../../src/domain/diagnosis/diagnosis.ts';

const candidate = (probability: number, category: Category = 'expanded', name = '') => ({
  probability,
  category,
  name,
});
const probabilities = (chosen: readonly { readonly probability: number }[]) =>
  chosen.map(({ probability }) => probability);

describe('the candidates that become Conditions', () => {
  it('have a probability of at least 10 % if the site writes the likely ones', () => {
    const diseases = [candidate(0.5, 'most-likely'), candidate(0.1), candidate(0.0999), candidate(0)];
    expect(probabilities(chooseConditions(diseases, 'likely'))).toEqual([0.5, 0.1]);
  });

  it.each(['likely', 'accepted', { least: 0, most: 100 }] as const)(
    'never include one that is listed because it must not be missed, with conditions: %j',
    (conditions) => {
      const diseases = [candidate(0.9, 'cant-miss'), candidate(0.5, 'most-likely'), candidate(0.01, 'cant-miss')];
      expect(probabilities(chooseConditions(diseases, conditions))).toEqual([0.5]);
    },
  );

  it('are the five most probable ones, in the order of the reasoner', () => {
    const diseases = [0.11, 0.4, 0.12, 0.13, 0.14, 0.15].map((probability) => candidate(probability));
    expect(probabilities(chooseConditions(diseases, 'likely'))).toEqual([0.4, 0.12, 0.13, 0.14, 0.15]);
  });

  it('are within the limits that the site sets', () => {
    const diseases = [candidate(0.3), candidate(0.02), candidate(0.4)];
    expect(probabilities(chooseConditions(diseases, { least: 0.02, most: 2 }))).toEqual([0.3, 0.4]);
    expect(probabilities(chooseConditions(diseases, { least: 0.35, most: 2 }))).toEqual([0.4]);
  });

  it('of the same probability are the first ones of the reasoner', () => {
    const diseases = ['a', 'b', 'c'].map((name) => candidate(0.2, 'expanded', name));
    expect(chooseConditions(diseases, { least: 0.1, most: 2 }).map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('are all of them if the site writes them always', () => {
    const diseases = [candidate(0.001, 'cant-miss'), ...Array.from({ length: 9 }, () => candidate(0.01))];
    expect(chooseConditions(diseases, 'always')).toEqual(diseases);
  });

  it('are none if no candidate is likely', () => {
    expect(chooseConditions([candidate(0.05)], 'likely')).toEqual([]);
    expect(chooseConditions([], 'likely')).toEqual([]);
  });
});
