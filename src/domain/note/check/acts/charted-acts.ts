// Acts that the problems of a chart name: a pacemaker, a pregnancy, an operation.
import { readTokens } from '../../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../../language.ts';
import type { ChartToCheck } from '../../chart-to-check.ts';
import type { ChartSource } from '../../check-report.ts';
import { isSameAct } from './act-tables.ts';
import { type Act, readNotedActs } from './read-acts.ts';

export type ChartedAct = Pick<Act, 'kind' | 'id' | 'status'> & { readonly source: ChartSource };

export function readChartedActs(
  { problems = [] }: Pick<ChartToCheck, 'problems'>,
  language: Language,
): readonly ChartedAct[] {
  return problems.flatMap((entry) =>
    readNotedActs({ tokens: readTokens(entry.text) }, language).map(({ kind, id, status }) => {
      return { kind, id, status, source: { list: 'problems' as const, ...entry } };
    }),
  );
}

/** The entry that says what the note says. */
export function chartEntryOf({ kind, id, status }: Act, charted: readonly ChartedAct[]): ChartSource | undefined {
  const found = charted.find((entry) => {
    return entry.kind === kind && isSameAct(id, entry.id) && (entry.status === 'denied') === (status === 'denied');
  });
  return found?.source;
}
