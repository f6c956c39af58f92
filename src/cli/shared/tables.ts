// Tables for people: aligned columns, numbers to the right, times in UTC to the minute.

/** The value of each column, by its title. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string | number | undefined>>;

export function renderTable<Row>(rows: readonly Row[], columns: Columns<Row>): string {
  const cells = rows.map((row) => Object.values(columns).map((value) => value(row)));
  const titles = Object.keys(columns);
  const lines = [titles, ...cells.map((line) => line.map(cellText))];
  const widths = titles.map((_, index) => Math.max(...lines.map((line) => charCount(line[index]))));
  const isNumber = titles.map((_, index) => cells.some((line) => typeof line[index] === 'number'));
  return lines
    .map((line) => line.map((text, index) => pad(text, widths[index] ?? 0, isNumber[index] === true)))
    .map((line) => `${line.join('  ').trimEnd()}\n`)
    .join('');
}

const wholeNumbers = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

function cellText(value: string | number | undefined): string {
  if (value === undefined || value === '') return '-';
  return typeof value === 'number' ? wholeNumbers.format(value) : printable(value);
}

/** Removes control characters, so that a name cannot move the cursor or colour the screen. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '�');
}

function charCount(text = ''): number {
  return [...text].length;
}

function pad(text: string, width: number, isRight: boolean): string {
  const space = ' '.repeat(width - charCount(text));
  return isRight ? space + text : text + space;
}

/** Formats a time as `2026-11-21 08:30` (UTC). */
export function readableTime(time: string | undefined): string | undefined {
  return time?.slice(0, 16).replace('T', ' ');
}
