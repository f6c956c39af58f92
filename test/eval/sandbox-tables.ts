// The figures of the sandbox's encounters as Markdown, and their mistakes.
import { isFact, type SandboxReport, type SandboxSummary } from './sandbox-summary.ts';
import { shown, tableOf } from './tables.ts';

const COLUMNS = [
  'language',
  'encounters',
  'right outcome',
  'in its section',
  'invented',
  'first',
  'among 3',
  'must not be missed',
  'RED called WHITE or nothing',
  'WHITE called RED',
  'wrong',
  'misread facts',
  'right resources',
  'valid FHIR',
];

export function sandboxTables({ rows, misses, misread }: SandboxReport): string {
  const known = misses.filter(({ isKnown }) => isKnown).length;
  const mistakes = misses.map(({ id, what, isKnown }) => `- ${id}: ${what}${isKnown ? '' : ' (new)'}`);
  const count = `${misses.length} mistakes, ${known} of them known of the built-in rules (\`notYet\` in the patient's file)`;
  return [
    `### Encounters of the sandbox, from the recording to the chart\n\n${sandboxTable(rows)}`,
    listOf('misread facts', misread.filter(isFact)),
    listOf(
      'statements of small talk in a note',
      misread.filter((one) => !isFact(one)),
    ),
    ...(mistakes.length === 0 ? [] : [`${count}:\n\n${mistakes.join('\n')}`]),
  ].join('\n\n');
}

function listOf(title: string, misread: SandboxReport['misread']): string {
  const lines = misread.map(
    ({ id, kind, place, what, isKnown }) => `- ${id}: ${kind}, ${place}: ${what}${isKnown === true ? ' (known)' : ''}`,
  );
  return lines.length === 0 ? `0 ${title}.` : `${lines.length} ${title}:\n\n${lines.join('\n')}`;
}

function sandboxTable(rows: readonly SandboxSummary[]): string {
  return tableOf(
    COLUMNS,
    rows.map(({ language, count, invented, wrong, misread, ...shares }) => [
      language,
      String(count),
      shown(shares.ended),
      shown(shares.placed),
      String(invented),
      shown(shares.top1),
      shown(shares.top3),
      shown(shares.mustNotMiss),
      shown(shares.underCalls),
      shown(shares.overCalls),
      String(wrong),
      String(misread),
      shown(shares.resources),
      shown(shares.checked),
    ]),
  );
}
