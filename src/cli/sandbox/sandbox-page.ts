// Lays out text for a terminal or a file: wrapped lines, and colours only on a terminal.
import { printable } from '../shared/tables.ts';
import type { Terminal } from '../shared/terminal.ts';
import { wrap } from '../shared/wrapped-table.ts';

/** `loud` is for what must not be overlooked, `strong` for headings, `quiet` for remarks. */
export type Ink = 'loud' | 'strong' | 'quiet';

const CODES = { loud: '1;37;41', strong: '1', quiet: '2' } satisfies Record<Ink, string>;
const WIDEST = 98;
const NARROWEST = 40;

export type Page = {
  /** Adds text; long lines are wrapped, and control characters are removed. */
  readonly add: (text: string, how?: { readonly indent?: number; readonly ink?: Ink }) => void;
  /** Adds text behind a label; further lines are indented below the first. */
  readonly hang: (before: string, text: string) => void;
  /** Adds a table, or one line per row if the columns do not fit. */
  readonly rows: (rows: readonly (readonly string[])[]) => void;
  /** Adds an empty line, unless the last line is empty. */
  readonly gap: () => void;
  readonly text: () => string;
};

export function makePage({ isColored, columns }: Pick<Terminal, 'isColored' | 'columns'>): Page {
  const width = Math.max(NARROWEST, Math.min(WIDEST, (columns ?? WIDEST + 1) - 1));
  const lines: string[] = [];
  const paint = (text: string, ink: Ink | undefined) =>
    isColored && ink !== undefined && text !== '' ? `\u001b[${CODES[ink]}m${text}\u001b[0m` : text;
  const breakUp = (text: string, room: number) => wrap(text, room).flatMap((words) => split(words, room));

  function hang(before: string, text: string): void {
    const indent = [...before].length;
    const [first = '', ...rest] = breakUp(text, Math.max(NARROWEST / 2, width - indent));
    lines.push(`${before}${first}`.trimEnd(), ...rest.map((line) => `${' '.repeat(indent)}${line}`));
  }

  return {
    hang,
    add(text, { indent = 0, ink } = {}) {
      for (const line of text.split(/\r?\n/)) {
        const broken = breakUp(line, width - indent);
        lines.push(...broken.map((words) => `${' '.repeat(indent)}${paint(words, ink)}`.trimEnd()));
      }
    },
    rows(rows) {
      const aligned = alignRows(rows);
      if (aligned.every((line) => [...line].length <= width)) {
        lines.push(...aligned);
        return;
      }
      for (const [first = '', ...rest] of rows)
        hang(`${printable(first)}  `, rest.filter((text) => text !== '').join(', '));
    },
    gap() {
      if (lines.length > 0 && lines.at(-1) !== '') lines.push('');
    },
    text: () => lines.map((line) => `${line}\n`).join(''),
  };
}

/** Breaks a word without blanks at the end of the line. */
function split(text: string, width: number): readonly string[] {
  const characters = [...text];
  if (characters.length <= width) return [text];
  return Array.from({ length: Math.ceil(characters.length / width) }, (_, index) =>
    characters.slice(index * width, (index + 1) * width).join(''),
  );
}

const CELLS = 10;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;

/** Draws a bar: `████▌     ` for 45 percent. */
export function barOf(percent: number): string {
  const eighths = Math.round((Math.max(0, Math.min(100, percent)) / 100) * CELLS * 8);
  return `${'█'.repeat(Math.floor(eighths / 8))}${EIGHTHS[eighths % 8] ?? ''}`.padEnd(CELLS);
}

function alignRows(rows: readonly (readonly string[])[]): readonly string[] {
  const cells = rows.map((row) => row.map(printable));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => [...(row[column] ?? '')].length)));
  return cells.map((row) =>
    row
      .map((text, column) => text + ' '.repeat((widths[column] ?? 0) - [...text].length))
      .join('  ')
      .trimEnd(),
  );
}
