// Writes usage as CSV (RFC 4180). No cell can be interpreted as a formula by a spreadsheet.
import { USAGE_COLUMNS, type UsageAnswerRow } from '../../../wire/usage.ts';

export function usageCsv(rows: readonly UsageAnswerRow[]): string {
  const lines = [USAGE_COLUMNS, ...rows.map((row) => USAGE_COLUMNS.map((column) => row[column]))];
  return lines.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  // Spreadsheets evaluate a text that begins with one of these characters, also in their full-width forms.
  const harmless = /^\s*[=+\-@＝＋－＠]/u.test(value) ? `'${value}` : value;
  return /[",\r\n]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
