// Formats the evidence of a note: each statement, the verdict on it, and the words on which it rests. Always as plain text.
import type { EvidenceAnswer } from '../../wire/run-evidence.ts';
import { offsetOf } from '../shared/time-words.ts';
import { wrap } from '../shared/wrapped-table.ts';

const WIDTH = 120;
const VERDICT_WIDTH = 12;
const GAP = '  ';
const SIDE = (WIDTH - VERDICT_WIDTH - 2 * GAP.length) / 2;

type Statement = EvidenceAnswer['statements'][number];
type Words = Statement['words'];

export function describeEvidence({ title, statements, missing, diseases, verifier }: EvidenceAnswer): string {
  const sections = Map.groupBy(statements, ({ title: section }) => section);
  return [
    `Note: ${wrap(title, WIDTH - 6).join(' ')}\n`,
    row('STATEMENT', 'VERDICT', 'WORDS'),
    ...[...sections].flatMap(([section, own]) => [`\n${section}\n`, ...own.map(describeStatement)]),
    ...(statements.length === 0 ? ['The note has no statement.\n'] : []),
    describeMissing(missing),
    ...diseases.map(describeReasons),
    `\n${summary(statements)}\n`,
    ...(verifier === undefined ? [] : [describeVerifier(verifier)]),
  ].join('');
}

function describeStatement({ text, verdict, effect, words, chart, claims }: Statement): string {
  const doubts = claims
    .filter((claim) => claim.verdict !== 'supported')
    .map(
      (claim) =>
        `→ ${claim.kind} “${claim.text}”: ${claim.verdict}${claim.by === undefined ? '' : ', says the second check'}`,
    );
  const left = [text, ...doubts].flatMap((line) => wrap(line, SIDE));
  const right = [...wordLines(words), ...chartLines(chart)].flatMap((line) => wrap(line, SIDE));
  const middle = [verdict, ...(effect === 'none' ? [] : [effect === 'hold' ? 'held' : 'marked'])];
  const height = Math.max(left.length, middle.length, right.length);
  return Array.from({ length: height }, (_, at) => row(left[at], middle[at], right[at])).join('');
}

function row(left = '', middle = '', right = ''): string {
  return `${pad(left, SIDE)}${GAP}${pad(middle, VERDICT_WIDTH)}${GAP}${right}`.trimEnd().concat('\n');
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - [...text].length));
}

function wordLines(words: Words): readonly string[] {
  return words.map(({ startSeconds, speaker, text }) => `${offsetOf(startSeconds)} Speaker ${speaker + 1}: ${text}`);
}

function chartLines(chart: Statement['chart']): readonly string[] {
  // An empty list supports that there are none.
  return chart.map(({ list, text }) => `chart, ${list}: ${text === '' ? 'none' : text}`);
}

function describeMissing(missing: EvidenceAnswer['missing']): string {
  if (missing.length === 0) return '\nNothing that was said was found to be missing in the note.\n';
  const lines = missing.flatMap(({ kind, words, text }) => {
    return wrap(`${offsetOf(words[0]?.startSeconds ?? 0)} ${kind}: ${text}`, WIDTH - 2).map((line) => `  ${line}\n`);
  });
  return `\nSaid, and in no statement\n${lines.join('')}`;
}

function describeReasons({ name, reasons }: EvidenceAnswer['diseases'][number]): string {
  const lines = reasons.map(({ text, speaks, words, chart }) => {
    const right = [...wordLines(words), ...chartLines(chart)].flatMap((line) => wrap(line, SIDE));
    const left = wrap(text, SIDE);
    const height = Math.max(left.length, right.length);
    return Array.from({ length: height }, (_, at) => row(left[at], at === 0 ? speaks : '', right[at])).join('');
  });
  return `\n${wrap(name, WIDTH).join(' ')}\n${lines.length === 0 ? 'No words were found for its explanation.\n' : lines.join('')}`;
}

function summary(statements: readonly Statement[]): string {
  const byVerdict = Map.groupBy(statements, ({ verdict }) => verdict);
  const counts = [...byVerdict].map(([verdict, own]) => `${own.length} ${verdict}`);
  const count = statements.length === 1 ? '1 statement' : `${statements.length} statements`;
  return `${count}${counts.length === 0 ? '' : `: ${counts.join(', ')}`}`;
}

function describeVerifier({ model, outcome }: NonNullable<EvidenceAnswer['verifier']>): string {
  return outcome === 'checked'
    ? `Second check by ${model}.\n`
    : `The second check by ${model} could not be had: the note was checked by the first alone.\n`;
}
