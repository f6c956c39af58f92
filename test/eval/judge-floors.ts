// The floors below which nothing may fall, held against the figures. Of groups that were not asked for nothing is said.
import { KNOWN_FLOORS } from './known-floors.ts';
import { PARTS, type Part } from './sets.ts';
import { percentOf, pointsBelow, type Share, type Summary, type TalkSummary, type VignetteSummary } from './summary.ts';

export type Floor = {
  readonly group: Part | 'notes' | 'sandbox';
  readonly what: string;
  readonly wanted: string;
  readonly given: string;
  readonly isKept: boolean;
  /** Not kept, and listed in known-floors.ts: shown as not reached, without failing the run. */
  readonly isKnown?: boolean;
  /** There is no floor: the figure is shown beside that of a group that has one. */
  readonly isFree?: boolean;
};

type Measure = {
  readonly what: string;
  readonly wanted: string;
  readonly given: (summary: VignetteSummary) => string;
  readonly isKept: (summary: VignetteSummary) => boolean;
  readonly isFree?: boolean;
};

const SHARES = {
  top3: 'among the first three',
  mustNotMiss: 'must not be missed',
  overCalls: 'WHITE called RED',
} as const;
type Measured = keyof typeof SHARES;

/** In both directions: a language that is far better shows that another one is understood worse. */
const MAX_POINTS_APART = 5;

const OF_SEALED = [atLeast('top3', 75), atLeast('mustNotMiss', 92), atMostUnderCalls(3), shownOnly('overCalls')];
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
    const ofAll = FLOORS[part].map(({ given, isKept, ...rest }) => {
      return { ...rest, group: part, given: given(all), isKept: isKept(all) };
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

/** No work goes into the figure itself: it is shown beside the floor of the cases for tuning. */
function shownOnly(measured: Measured): Measure {
  return { ...atLeast(measured, 0), wanted: '-', isKept: () => true, isFree: true };
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
      const what = `${SHARES[measured]}, ${summary.language} and en`;
      const apart = points === undefined ? Number.POSITIVE_INFINITY : Math.abs(points);
      const isKept = apart <= MAX_POINTS_APART;
      return {
        group: part,
        what,
        wanted: `at most ${MAX_POINTS_APART} points apart`,
        given: points === undefined ? '-' : `${apart.toFixed(1)} points${betterOf(points, summary.language)}`,
        isKept,
        ...(!isKept && { isKnown: isKnown(part, what, apart) }),
      };
    }),
  );
}

function betterOf(points: number, language: string): string {
  if (points === 0) return '';
  return ` (${points > 0 ? 'en' : language} better)`;
}

function isKnown(part: Part, what: string, apart: number): boolean {
  return KNOWN_FLOORS.some((known) => known.group === part && known.what === what && apart <= known.atMost);
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
