// The entry of the chart that has what the note states: the same thing, or its words.
import { readTokens } from '../../../../clinical-text/tokens/tokens.ts';
import type { ChartToCheck } from '../../chart-to-check.ts';
import type { ChartSource } from '../../check-report.ts';
import type { CheckWork } from '../check-work.ts';
import { findFindings } from '../findings.ts';
import { findHistories } from './history-words.ts';
import type { NoteThing } from './note-things.ts';
import { broaderKeys, kindredKeys } from './thing-keys.ts';

const LISTS = ['problems', 'allergies', 'drugs'] as const;
const SHORTEST_WORD = 4;

type ReadEntry = ReturnType<typeof readEntry>;

/** Parts of a note are judged again: the chart is read once. */
const READ = new WeakMap<ChartToCheck, readonly ReadEntry[]>();

export function makeFindInChart(work: CheckWork): (thing: NoteThing) => ChartSource | undefined {
  const entries = work.chart === undefined ? [] : readChart(work.chart, work);
  return ({ keys, tokens, first, end }) => {
    const all = [...kindredKeys(keys, work.lexicon), ...broaderKeys(keys)];
    const words = tokens.slice(first, end).filter(({ word, kind }) => kind === 'word' && word.length >= SHORTEST_WORD);
    const found = entries.find((entry) => {
      const isNamed = all.some((key) => entry.keys.has(key));
      return isNamed || (words.length > 0 && words.every(({ stem }) => entry.stems.has(stem)));
    });
    return found?.source;
  };
}

function readChart(chart: ChartToCheck, work: CheckWork): readonly ReadEntry[] {
  const known = READ.get(chart);
  if (known !== undefined) return known;
  const entries = LISTS.flatMap((list) => (chart[list] ?? []).map((entry) => readEntry(list, entry, work)));
  READ.set(chart, entries);
  return entries;
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
