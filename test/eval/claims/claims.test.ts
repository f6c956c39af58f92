// The form and the sizes of the sets. A failure names the file and never shows what a sealed one says.
import { describe, expect, it } from '@jest/globals';
import { LANGUAGES } from '../../../src/domain/language.ts';
import { CHANGES, CLAIM_KINDS, CLAIM_SETS, type ClaimTalk, readClaimTalks } from './claims.ts';

const sets = new Map(CLAIM_SETS.map((set) => [set, readClaimTalks(set)]));
const all = [...sets.values()].flat();
/** Without those that were written after the check. */
const first = [...(sets.get('seen') ?? []), ...(sets.get('sealed') ?? [])];
const ofLanguage = (talks: readonly ClaimTalk[], language: string) =>
  talks.filter((talk) => talk.language === language);
const sumOf = (talks: readonly ClaimTalk[], list: 'faithful' | 'inventions' | 'omissions' | 'conflicts') =>
  talks.reduce((sum, talk) => sum + talk[list].length, 0);

describe('the sets of sentences with their evidence', () => {
  it('are as large as the check is measured with: a third of them is sealed', () => {
    expect(sumOf(first, 'faithful')).toBeGreaterThanOrEqual(600);
    expect(sumOf(first, 'inventions')).toBeGreaterThanOrEqual(600);
    expect(sumOf(first, 'omissions')).toBeGreaterThanOrEqual(150);
    expect(sumOf(first, 'conflicts')).toBeGreaterThanOrEqual(90);
    const sealed = sets.get('sealed') ?? [];
    for (const list of ['faithful', 'inventions', 'omissions', 'conflicts'] as const) {
      expect(sumOf(sealed, list) / sumOf(first, list)).toBeGreaterThan(0.32);
    }
  });

  it.each(CLAIM_SETS.flatMap((set) => LANGUAGES.map((language) => [set, language] as const)))(
    'the %s talks in %s invent sentences of each kind in each way, and have as many faithful ones',
    (set, language) => {
      const talks = ofLanguage(sets.get(set) ?? [], language);
      const inventions = talks.flatMap((talk) => talk.inventions);
      expect(new Set(inventions.map(({ kind }) => kind))).toEqual(new Set(CLAIM_KINDS));
      expect(new Set(inventions.map(({ change }) => change))).toEqual(new Set(CHANGES));
      expect(Math.abs(sumOf(talks, 'faithful') - inventions.length)).toBeLessThanOrEqual(set === 'late' ? 10 : 3);
    },
  );

  it.each(all.map((talk) => [talk.id, talk] as const))(
    'the sentences of %s cite utterances of its talk',
    (_id, talk) => {
      const { faithful, inventions, conflicts, omissions } = talk;
      const cited = [
        ...[...faithful, ...inventions, ...conflicts].flatMap(({ cites }) => cites),
        ...omissions.map(({ said }) => said),
      ];
      expect(cited.filter((number) => number > talk.talk.length)).toEqual([]);
      expect(faithful.filter(({ cites, chart }) => cites.length === 0 && chart === undefined)).toHaveLength(0);
      const times = talk.talk.map(({ at }) => at);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    },
  );
});
