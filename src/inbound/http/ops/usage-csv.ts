import { USAGE_COLUMNS, type UsageAnswerRow } from '../../../wire/usage.ts';
// Usage as CSV (RFC 4180), for a spreadsheet: no cell of it can be taken for a formula.

export function usageCsv(rows: readonly UsageAnswerRow[]): string {
  const lines = [USAGE_COLUMNS, ...rows.map((row) => USAGE_COLUMNS.map((column) => row[column]))];
  return lines.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  // Spreadsheets run what begins with one of these, in their full-width forms too.
  const harmless = /^\s*[=+\-@＝＋－＠]/u.test(value) ? `'${value}` : value;
  return /[",\r\n]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
