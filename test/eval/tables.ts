// The figures as tables of Markdown: for a terminal, and for docs/evaluation.md.
import type { Floor } from './judge-floors.ts';
import { PARTS, type Part } from './sets.ts';
import { percentOf, pointsBelow, type Share, type Summary, type TalkSummary, type VignetteSummary } from './summary.ts';

const TITLES: Readonly<Record<Part | 'notes', string>> = {
  seen: 'Cases that were used for tuning',
  unseen: 'Sealed cases, not used for tuning',
  late: 'Sealed cases of other authors, written later',
  notes: 'Notes',
};

const VIGNETTE_COLUMNS = [
  'language',
  'cases',
  'first',
  'among 3',
  'among 5',
  'must not be missed',
  'as a candidate',
  'RED called WHITE or nothing',
  'WHITE called RED',
  'wrong',
  'no answer',
];
const FLOOR_COLUMNS = ['floor', 'wanted, seen', 'seen', 'wanted, not tuned', 'unseen', 'late', 'reached'];
const TALK_COLUMNS = ['language', 'talks', 'in its section', 'medical or not', 'invented', 'no answer'];

/** A table for each group that was asked for, then the floors. */
export function allTables({ vignettes, notes }: Summary, floors: readonly Floor[]): string {
  const ofParts = PARTS.map((part) => [TITLES[part], vignettes.filter((summary) => summary.part === part)] as const);
  return [
    ...ofParts.filter(([, some]) => some.length > 0).map(([title, some]) => titled(title, vignetteTable(some))),
    ...(notes.length === 0 ? [] : [titled(TITLES.notes, talkTable(notes))]),
    ...(floors.length === 0 ? [] : [titled('Floors', floorTable(floors))]),
  ].join('\n\n');
}

export function vignetteTable(summaries: readonly VignetteSummary[]): string {
  const english = summaries.find(({ language }) => language === 'en');
  const others = summaries.filter(({ language }) => language === 'es' || language === 'pt');
  return tableOf(VIGNETTE_COLUMNS, [
    ...summaries.map(({ language, count, wrong, unanswered, ...shares }) => [
      language,
      String(count),
      shown(shares.top1),
      shown(shares.top3),
      shown(shares.top5),
      shown(shares.mustNotMiss),
      shown(shares.asCandidate),
      shown(shares.underCalls),
      shown(shares.overCalls),
      String(wrong),
      String(unanswered),
    ]),
    ...(english === undefined ? [] : others.map((other) => gapRow(english, other))),
  ]);
}

function talkTable(summaries: readonly TalkSummary[]): string {
  return tableOf(
    TALK_COLUMNS,
    summaries.map(({ language, count, placed, judged, invented, unanswered }) => [
      language,
      String(count),
      shown(placed),
      shown(judged),
      String(invented),
      String(unanswered),
    ]),
  );
}

/** One row for each measure: what was used for tuning and what was not, side by side. */
export function floorTable(floors: readonly Floor[]): string {
  const rows = Map.groupBy(floors, ({ group, what }) => (isPart(group) ? what : `${group}: ${what}`));
  return tableOf(FLOOR_COLUMNS, [...rows].map(floorRow));
}

function floorRow([what, floors]: readonly [string, readonly Floor[]]): readonly string[] {
  const of = (group: Part) => floors.find((floor) => floor.group === group);
  const tuned = of('seen') ?? floors.find(({ group }) => !isPart(group));
  const [unseen, late] = [of('unseen'), of('late')];
  const given = [tuned?.given, (unseen ?? late)?.wanted, unseen?.given, late?.given];
  return [what, tuned?.wanted ?? '-', ...given.map((cell) => cell ?? '-'), reached(floors)];
}

function isPart(group: Floor['group']): group is Part {
  return PARTS.some((part) => part === group);
}

function reached(floors: readonly Floor[]): string {
  const judged = floors.filter(({ isFree }) => isFree !== true);
  const missed = judged.filter(({ isKept }) => !isKept);
  if (missed.length === 0) return judged.length === 0 ? '-' : 'yes';
  return `NO: ${missed.map(({ group, isKnown }) => (isKnown === true ? `${group} (known)` : group)).join(', ')}`;
}

function gapRow(english: VignetteSummary, other: VignetteSummary): readonly string[] {
  const points = (['top1', 'top3', 'top5', 'mustNotMiss', 'asCandidate'] as const).map((measured) => {
    const gap = pointsBelow(english[measured], other[measured]);
    return gap === undefined ? '-' : gap.toFixed(1);
  });
  return [`${other.language}, points below en`, '', ...points, '', '', '', ''];
}

function titled(title: string, table: string): string {
  return `### ${title}\n\n${table}`;
}

export function shown(share: Share): string {
  return share.of === 0 ? '-' : `${Math.round(percentOf(share))} % (${share.met}/${share.of})`;
}

export function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(titles), line(rule), ...rows.map(line)].join('\n');
}
