// A table whose last column is a sentence. The sentence is wrapped to fit the terminal, or printed below the row if the other columns
// leave no room.
import { type Columns, printable, renderTable } from './tables.ts';

const WIDTH = 100;
const LEAST_LAST_WIDTH = 30;
const GAP = 2;
const INDENT = '    ';

/** Every column except the last is as wide as its content. */
export function renderWrapped<Row>(rows: readonly Row[], columns: Columns<Row>): string {
  const others = Object.entries(columns);
  const [title, sentence] = others.pop() ?? [];
  if (title === undefined || sentence === undefined) return '';
  const taken = others.reduce((sum, [name, value]) => sum + widthOf(name, rows.map(value)) + GAP, 0);
  const width = WIDTH - taken;
  const texts = rows.map((row) => String(sentence(row) ?? ''));
  const isNarrow = width < LEAST_LAST_WIDTH || texts.some((text) => longestWord(text) > width);
  if (isNarrow) return renderBelow({ table: renderTable(rows, Object.fromEntries(others)), title, texts });
  const lines = rows.flatMap((row, at) =>
    wrap(texts[at] ?? '', width).map((text, index) => ({ row, text, isFirst: index === 0 })),
  );
  type Line = (typeof lines)[number];
  const first = others.map(([name, value]) => [
    name,
    // A blank, because an empty cell is shown as a dash.
    ({ row, isFirst }: Line) => (isFirst ? value(row) : ' '),
  ]);
  return renderTable<Line>(lines, { ...Object.fromEntries(first), [title]: ({ text }) => text });
}

type Below = { readonly table: string; readonly title: string; readonly texts: readonly string[] };

/** Prints the sentence of each row below the row. */
function renderBelow({ table, title, texts }: Below): string {
  const [head = '', ...lines] = table.trimEnd().split('\n');
  const told = lines.map((line, at) => {
    const below = wrap(texts[at] ?? '', WIDTH - INDENT.length).filter((text) => text !== '' && text !== '-');
    return [line, ...below.map((text) => `${INDENT}${text}`)].join('\n');
  });
  return `${[head, `${INDENT}${title}`, ...told].join('\n')}\n`;
}

function longestWord(text: string): number {
  return Math.max(...text.split(/\s+/).map((word) => [...word].length));
}

function widthOf(title: string, values: readonly (string | number | undefined)[]): number {
  return Math.max(title.length, ...values.map((value) => [...String(value ?? '-')].length));
}

/** Breaks at blanks; a word longer than a line gets a line of its own. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of printable(text).split(/\s+/)) {
    if (line !== '' && [...line, ...word].length + 1 > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
