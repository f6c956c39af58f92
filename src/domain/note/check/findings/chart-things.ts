// The entry of the chart that has what the note states: the same thing, or its words.
import { readTokens } from '../../../../clinical-text/tokens/tokens.ts';
import type { ChartSource } from '../../check-report.ts';
import type { CheckWork } from '../check-work.ts';
import { findFindings } from '../findings.ts';
import { findHistories } from './history-words.ts';
import { kindredKeys } from './lexicon-names.ts';
import type { NoteThing } from './note-things.ts';

const LISTS = ['problems', 'allergies', 'drugs'] as const;
const SHORTEST_WORD = 4;

/** Each entry is read once. */
export function makeFindInChart(work: CheckWork): (thing: NoteThing) => ChartSource | undefined {
  const entries = LISTS.flatMap((list) => (work.chart?.[list] ?? []).map((entry) => readEntry(list, entry, work)));
  return ({ keys, tokens, first, end }) => {
    const all = kindredKeys(keys, work.lexicon);
    const words = tokens.slice(first, end).filter(({ word, kind }) => kind === 'word' && word.length >= SHORTEST_WORD);
    const found = entries.find((entry) => {
      const isNamed = all.some((key) => entry.keys.has(key));
      return isNamed || (words.length > 0 && words.every(({ stem }) => entry.stems.has(stem)));
    });
    return found?.source;
  };
}

function readEntry(
  list: (typeof LISTS)[number],
  { text, reference }: { readonly text: string; readonly reference?: string },
  { language, lexicon }: CheckWork,
) {
  const tokens = readTokens(text);
  const keys = new Set([
    ...findFindings(tokens, language).map(({ id }) => `list:${id}`),
    ...findHistories(tokens, language).map(({ id }) => `history:${id}`),
    ...(lexicon?.mentionsIn(text, language) ?? []).map(({ id }) => `lexicon:${id}`),
  ]);
  const source: ChartSource = { list, text, ...(reference !== undefined && { reference }) };
  return { keys, stems: new Set(tokens.map(({ stem }) => stem)), source };
}
