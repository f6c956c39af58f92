import { describe, expect, it } from '@jest/globals';
import { judgeFloors } from './judge-floors.ts';
import type { Part } from './sets.ts';
import type { Share, TalkSummary, VignetteSummary } from './summary.ts';

const share = (met: number, of = 100): Share => ({ met, of });

function aSummary(parts: Partial<VignetteSummary> = {}): VignetteSummary {
  return {
    part: 'seen',
    language: 'all',
    count: 200,
    top1: share(90),
    top3: share(90),
    top5: share(90),
    mustNotMiss: share(99),
    asCandidate: share(90),
    underCalls: share(0),
    overCalls: share(10),
    wrong: 0,
    unanswered: 0,
    ...parts,
  };
}

function aTalkSummary(parts: Partial<TalkSummary> = {}): TalkSummary {
  return { language: 'all', count: 10, placed: share(90), judged: share(10, 10), invented: 0, unanswered: 0, ...parts };
}

function notKept(vignettes: readonly VignetteSummary[], notes: readonly TalkSummary[] = []) {
  return judgeFloors({ vignettes, notes, errors: {} })
    .filter(({ isKept }) => !isKept)
    .map(({ group, what, given }) => `${group}: ${what}: ${given}`);
}

describe('The floors of diagnoses', () => {
  it.each<[Part, Partial<VignetteSummary>]>([
    ['seen', { top3: share(85), mustNotMiss: share(98), underCalls: share(0), overCalls: share(19) }],
    ['unseen', { top3: share(75), mustNotMiss: share(92), underCalls: share(3), overCalls: share(90) }],
  ])('of what is %s are kept at the very edge', (part, figures) => {
    expect(notKept([aSummary({ part, ...figures })])).toEqual([]);
  });

  it.each<[Part, Partial<VignetteSummary>, string]>([
    ['seen', { top3: share(849, 1000) }, 'among the first three: 84.9 % (849/1000)'],
    ['seen', { mustNotMiss: share(979, 1000) }, 'must not be missed: 97.9 % (979/1000)'],
    ['seen', { underCalls: share(1, 50) }, 'RED called WHITE or nothing: 2.0 % (1/50)'],
    ['seen', { overCalls: share(20) }, 'WHITE called RED: 20.0 % (20/100)'],
    ['unseen', { top3: share(74) }, 'among the first three: 74.0 % (74/100)'],
    ['unseen', { mustNotMiss: share(91) }, 'must not be missed: 91.0 % (91/100)'],
    ['unseen', { underCalls: share(1, 22) }, 'RED called WHITE or nothing: 4.5 % (1/22)'],
  ])('of what is %s are not kept with %j', (part, figures, told) => {
    expect(notKept([aSummary({ part, ...figures })])).toEqual([`${part}: ${told}`]);
  });

  it('are the same for all that is sealed', () => {
    const low = { top3: share(74), mustNotMiss: share(91), underCalls: share(4), overCalls: share(90) };
    const whats = notKept([aSummary({ part: 'unseen', ...low })]).map((told) => told.replace('unseen', 'late'));
    expect(whats).toHaveLength(3);
    expect(notKept([aSummary({ part: 'late', ...low })])).toEqual(whats);
  });

  it('have none on over-calls of what is sealed: the figure is only shown', () => {
    const floors = judgeFloors({
      vignettes: [aSummary({ part: 'late', overCalls: share(90) })],
      notes: [],
      errors: {},
    });
    expect(floors.find(({ what }) => what === 'WHITE called RED')).toMatchObject({
      wanted: '-',
      given: '90.0 % (90/100)',
      isKept: true,
      isFree: true,
    });
  });

  it('are not kept where there was nothing to measure', () => {
    const nothing = share(0, 0);
    const empty = aSummary({ top3: nothing, mustNotMiss: nothing, underCalls: nothing, overCalls: nothing });
    expect(notKept([empty])).toHaveLength(4);
  });
});

describe('A language', () => {
  it('may be five points below or above English', () => {
    const english = aSummary({ language: 'en', top3: share(90), mustNotMiss: share(94) });
    const spanish = aSummary({ language: 'es', top3: share(85), mustNotMiss: share(89) });
    const portuguese = aSummary({ language: 'pt', top3: share(95), mustNotMiss: share(99) });
    expect(notKept([aSummary(), english, spanish, portuguese])).toEqual([]);
  });

  it('may not be further apart, in either direction', () => {
    const english = aSummary({ language: 'en', top3: share(90), mustNotMiss: share(93) });
    const spanish = aSummary({ language: 'es', top3: share(84), mustNotMiss: share(93) });
    const portuguese = aSummary({ language: 'pt', top3: share(90), mustNotMiss: share(99) });
    expect(notKept([aSummary(), english, spanish, portuguese])).toEqual([
      'seen: among the first three, es and en: 6.0 points (en better)',
      'seen: must not be missed, pt and en: 6.0 points (pt better)',
    ]);
  });

  it('that is as far apart as is known does not fail the run, and one that is further does', () => {
    const knownOf = (top3: number) => {
      const apart = [
        aSummary(),
        aSummary({ language: 'en', top3: share(80) }),
        aSummary({ language: 'pt', top3: share(top3) }),
      ];
      return judgeFloors({ vignettes: apart, notes: [], errors: {} })
        .filter(({ isKept }) => !isKept)
        .map(({ isKnown }) => isKnown);
    };
    expect(knownOf(88)).toEqual([true]);
    expect(knownOf(99)).toEqual([false]);
  });

  it('without cases keeps no floor', () => {
    const spanish = aSummary({ language: 'es', top3: share(0, 0) });
    expect(notKept([aSummary(), aSummary({ language: 'en' }), spanish])).toHaveLength(1);
  });
});

describe('The floor of notes', () => {
  it('is that nothing is invented', () => {
    expect(notKept([], [aTalkSummary()])).toEqual([]);
    expect(notKept([], [aTalkSummary({ invented: 1 })])).toEqual(['notes: invented facts: 1']);
  });

  it('is not kept by writing none', () => {
    expect(notKept([], [aTalkSummary({ unanswered: 10 })])).toHaveLength(1);
  });
});

it('says nothing of what was not asked for', () => {
  expect(judgeFloors({ vignettes: [], notes: [], errors: {} })).toEqual([]);
});
