// The figures as tables of Markdown: for a terminal, and for docs/.
import type { Share, TalkSummary, VignetteSummary } from './summary.ts';

export function vignetteTable(summaries: readonly VignetteSummary[]): string {
  return tableOf(
    ['', 'cases', 'first', 'among 3', 'among 5', 'must not be missed', 'RED called WHITE', 'WHITE called RED', 'wrong'],
    summaries.map(({ language, count, wrong, ...shares }) => [
      language,
      String(count),
      shown(shares.top1),
      shown(shares.top3),
      shown(shares.top5),
      shown(shares.mustNotMiss),
      shown(shares.underCalls),
      shown(shares.overCalls),
      String(wrong),
    ]),
  );
}

export function talkTable(summaries: readonly TalkSummary[]): string {
  return tableOf(
    ['', 'talks', 'in its section', 'medical or not', 'invented'],
    summaries.map(({ language, count, placed, judged, invented }) => [
      language,
      String(count),
      shown(placed),
      shown(judged),
      String(invented),
    ]),
  );
}

function shown({ met, of }: Share): string {
  return of === 0 ? '-' : `${Math.round((100 * met) / of)} % (${met}/${of})`;
}

function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(titles), line(rule), ...rows.map(line)].join('\n');
}
