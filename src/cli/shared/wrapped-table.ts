// A table whose last column is a sentence. The sentence is wrapped to fit the terminal, or printed below the row if the other columns
// leave no room.
import { type Column, printable, renderTable } from './tables.ts';

const WIDTH = 100;
const LEAST_LAST_WIDTH = 30;
const GAP = 2;
const INDENT = '    ';

/** Every column except the last is as wide as its content. */
export function renderWrapped<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const last = columns.at(-1);
  if (last === undefined) return '';
  const others = columns.slice(0, -1);
  const taken = others.reduce((sum, column) => sum + widthOf(column, rows) + GAP, 0);
  const width = WIDTH - taken;
  const texts = rows.map((row) => String(last.value(row) ?? ''));
  const isNarrow = width < LEAST_LAST_WIDTH || texts.some((text) => longestWord(text) > width);
  if (isNarrow) return renderBelow({ others, title: last.title, rows, texts });
  const lines = rows.flatMap((row, at) =>
    wrap(texts[at] ?? '', width).map((text, index) => ({ row, text, isFirst: index === 0 })),
  );
  type Line = (typeof lines)[number];
  const first = others.map(
    ({ title, value }): Column<Line> => ({
      title,
      // A blank, because an empty cell is shown as a dash.
      value: ({ row, isFirst }) => (isFirst ? value(row) : ' '),
    }),
  );
  return renderTable<Line>([...first, { title: last.title, value: ({ text }) => text }], lines);
}

type Below<Row> = {
  readonly others: readonly Column<Row>[];
  readonly title: string;
  readonly rows: readonly Row[];
  readonly texts: readonly string[];
};

/** Prints the sentence of each row below the row. */
function renderBelow<Row>({ others, title, rows, texts }: Below<Row>): string {
  const [head = '', ...lines] = renderTable(others, rows).trimEnd().split('\n');
  const told = lines.map((line, at) => {
    const below = wrap(texts[at] ?? '', WIDTH - INDENT.length).filter((text) => text !== '' && text !== '-');
    return [line, ...below.map((text) => `${INDENT}${text}`)].join('\n');
  });
  return `${[head, `${INDENT}${title}`, ...told].join('\n')}\n`;
}

function longestWord(text: string): number {
  return Math.max(...text.split(/\s+/).map((word) => [...word].length));
}

function widthOf<Row>({ title, value }: Column<Row>, rows: readonly Row[]): number {
  return Math.max(title.length, ...rows.map((row) => [...String(value(row) ?? '-')].length));
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
