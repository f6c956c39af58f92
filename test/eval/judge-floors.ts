// The floors below which nothing may fall, held against the figures. Of groups that were not asked for nothing is said.
import { PARTS, type Part } from './sets.ts';
import { percentOf, pointsBelow, type Share, type Summary, type TalkSummary, type VignetteSummary } from './summary.ts';

export type Floor = {
  readonly group: Part | 'notes' | 'sandbox';
  readonly what: string;
  readonly wanted: string;
  readonly given: string;
  readonly isKept: boolean;
};

type Measure = {
  readonly what: string;
  readonly wanted: string;
  readonly given: (summary: VignetteSummary) => string;
  readonly isKept: (summary: VignetteSummary) => boolean;
};

const SHARES = {
  top3: 'among the first three',
  mustNotMiss: 'must not be missed',
  overCalls: 'WHITE called RED',
} as const;
type Measured = keyof typeof SHARES;

const MAX_POINTS_BELOW_ENGLISH = 5;

const OF_SEALED = [atLeast('top3', 75), atLeast('mustNotMiss', 92), atMostUnderCalls(3)];
const FLOORS: Readonly<Record<Part, readonly Measure[]>> = {
  seen: [atLeast('top3', 85), atLeast('mustNotMiss', 98), atMostUnderCalls(0), lessThan('overCalls', 20)],
  unseen: OF_SEALED,
  late: OF_SEALED,
};

export function judgeFloors({ vignettes, notes }: Summary): readonly Floor[] {
  const ofParts = PARTS.flatMap((part) => {
    const some = vignettes.filter((summary) => summary.part === part);
    const all = some.find(({ language }) => language === 'all');
    if (all === undefined) return [];
    const ofAll = FLOORS[part].map(({ what, wanted, given, isKept }) => {
      return { group: part, what, wanted, given: given(all), isKept: isKept(all) };
    });
    return [...ofAll, ...languageFloors(part, some)];
  });
  const talks = notes.find(({ language }) => language === 'all');
  return talks === undefined ? ofParts : [...ofParts, inventedFloor(talks)];
}

function atLeast(measured: Measured, percent: number): Measure {
  return {
    what: SHARES[measured],
    wanted: `at least ${percent} %`,
    given: (summary) => shown(summary[measured]),
    isKept: (summary) => percentOf(summary[measured]) >= percent,
  };
}

function lessThan(measured: Measured, percent: number): Measure {
  return {
    ...atLeast(measured, percent),
    wanted: `less than ${percent} %`,
    isKept: (summary) => percentOf(summary[measured]) < percent,
  };
}

function atMostUnderCalls(percent: number): Measure {
  return {
    what: 'RED called WHITE or nothing',
    wanted: percent === 0 ? 'none' : `at most ${percent} %`,
    given: ({ underCalls }) => shown(underCalls),
    // Without a RED case nothing was shown.
    isKept: ({ underCalls }) => underCalls.of > 0 && percentOf(underCalls) <= percent,
  };
}

function languageFloors(part: Part, summaries: readonly VignetteSummary[]): readonly Floor[] {
  const english = summaries.find(({ language }) => language === 'en');
  const others = summaries.filter(({ language }) => language === 'es' || language === 'pt');
  return others.flatMap((summary) =>
    (['top3', 'mustNotMiss'] as const).map((measured) => {
      const points = english && pointsBelow(english[measured], summary[measured]);
      return {
        group: part,
        what: `${SHARES[measured]}, ${summary.language} below en`,
        wanted: `at most ${MAX_POINTS_BELOW_ENGLISH} points`,
        given: points === undefined ? '-' : `${points.toFixed(1)} points`,
        isKept: points !== undefined && points <= MAX_POINTS_BELOW_ENGLISH,
      };
    }),
  );
}

function inventedFloor({ invented, count, unanswered }: TalkSummary): Floor {
  return {
    group: 'notes',
    what: 'invented facts',
    wanted: 'none',
    given: String(invented),
    // Who writes no note invents nothing, and has shown nothing.
    isKept: invented === 0 && unanswered < count,
  };
}

function shown(share: Share): string {
  return share.of === 0 ? '-' : `${percentOf(share).toFixed(1)} % (${share.met}/${share.of})`;
}
