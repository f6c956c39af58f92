import type { RunAnswer } from '../../wire/run.ts';
import type { DrillAnswer } from '../../wire/sandbox.ts';

// Compares the end of a drill with its promise: the run of its visit, and the resources in the chart.

type Outcome = {
  readonly run: Pick<RunAnswer, 'status' | 'reason'>;
  /** Number of resources that the engine wrote, by type. */
  readonly written: Readonly<Record<string, number>>;
};

/** The broken promises, each a part of a sentence; empty if all were kept. */
export function brokenPromises(
  { promise }: Pick<DrillAnswer, 'promise'>,
  { run, written }: Outcome,
): readonly string[] {
  const { status, reason, resources = {} } = promise;
  const isOther = run.status !== status || (reason !== undefined && run.reason !== reason);
  const wrong = isOther ? [`the run is ${runWords(run)}, and ${runWords(promise)} was promised`] : [];
  const counts = Object.entries(resources).flatMap(([type, count]) => {
    const there = written[type] ?? 0;
    return there === count ? [] : [`${there} ${type} in the chart, and ${count} was promised`];
  });
  return [...wrong, ...counts];
}

/** Describes the outcome: `written; 1 Composition, 4 Condition`. */
export function outcomeWords({ run, written }: Outcome): string {
  const counts = Object.entries(written)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([type, count]) => `${count} ${type}`);
  return [runWords(run), ...(counts.length === 0 ? ['nothing in the chart'] : [counts.join(', ')])].join('; ');
}

function runWords({ status, reason }: { readonly status: string; readonly reason?: string }): string {
  return reason === undefined ? status : `${status} (${reason})`;
}
