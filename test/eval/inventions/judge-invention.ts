// What became of an invention: the run is held for a person, the statement is marked in the draft, the words were taken out, or none of these.
import { verdictOf } from '../../../src/domain/note/check-report.ts';
import { checkedText } from '../../../src/domain/note/checked-text.ts';
import type { Invention } from './cases.ts';
import type { Played } from './play-invention.ts';

/** `lost`: the run ended otherwise, so that nothing is shown. */
export const VERDICTS = ['held', 'marked', 'taken out', 'unmarked', 'lost'] as const;
export type Verdict = (typeof VERDICTS)[number];

/**
 * `control` is the same talk without an invention: what is marked there is not marked for the invention. Words that are in what is written
 * have not been taken out, whatever the engine counts. A code that is not official stays in the engine, and is judged by the chart alone.
 */
export function judgeInvention(
  played: Played,
  control: Played,
  { words, code }: Pick<Invention, 'words' | 'code'>,
): Verdict {
  const { run, written, chart } = played;
  if (run.status === 'held') return run.reason === 'unsupported' ? 'held' : 'lost';
  if (run.status !== 'written') return 'lost';
  if (words !== undefined) return written.includes(words) ? 'unmarked' : 'taken out';
  if (code !== undefined && !chart.includes(`"${code}"`)) return 'taken out';
  const before = new Set(marksOf(control));
  return marksOf(played).some((mark) => !before.has(mark)) ? 'marked' : 'unmarked';
}

/** What is marked, taken out or held of a note and a diagnosis. Of faithful ones, nothing should be. */
export function marksOf({ run, results }: Played): readonly string[] {
  const note = results['write-note']?.note;
  const statements = results.check?.report.statements.filter((statement) => verdictOf(statement) !== 'supported') ?? [];
  const { unverified = 0, unknown = 0 } = results.map?.codes ?? {};
  return [
    ...(run.status === 'written' ? [] : [`${run.status}: ${run.reason}`]),
    ...statements.map(({ section, kind, from, to }) => {
      return `${section}, ${kind}: ${note && checkedText(note, section).slice(from, to)}`;
    }),
    ...(results.check?.removed === undefined ? [] : ['something was taken out of the note']),
    ...(results.diagnose?.removed === undefined ? [] : ['something was taken out of the diagnosis']),
    ...(unverified + unknown === 0 ? [] : ['a code is not official']),
  ];
}
