// Reads a list of codes as CSV with a header: CIE-10-ES, whose workbook is saved as CSV. Semicolons, commas or tabs separate its columns;
// quotes may hold them.
import type { OfficialCode } from '../../domain/coding/official-codes.ts';
import { type CodeFileSummary, readCode, readDisplay, wrongFile, wrongLine } from './code-file.ts';
import { type FileLine, readLines } from './read-lines.ts';

/** Without accents, blanks and signs, in lower case. */
const NAMES = {
  code: /^(codigo|code|cod|(codigo|code|cod)?(cie10es|cie10|icd10|diagnostico|diagnosis)|codigodiagnostico)$/,
  display:
    /^(descripcion|description|desc|display|nombre|denominacion|literal|titulo|descripcion(diagnostico|larga|completa|codigo))$/,
  isBillable: /^(nodofinal|final|codificable|codigofinal|billable)$/,
} as const;
type Column = keyof typeof NAMES;
type Columns = Readonly<Record<'code' | 'display', number> & { isBillable: number | undefined }>;

const DELIMITERS = [';', '\t', ','] as const;
/** Ranges, chapters and sections (`A00-B99`, `Cap.01`, `I`, `1`), and the morphology of tumours (`8000/3`). */
const NO_DISEASE =
  /^([A-Z]\d[0-9A-Z] ?- ?[A-Z]\d[0-9A-Z]|(cap|chapter|cap[ií]tulo|secci[oó]n)?[ .]*(\d{1,2}|[IVX]{1,6})|\d{4}\/\d)$/iu;
/** Lines that one quoted field may have. */
const MAX_JOINED = 20;
const SHOWN_COLUMNS = 12;

export async function* readCodeCsv(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<OfficialCode, CodeFileSummary> {
  let form: { readonly delimiter: string; readonly columns: Columns } | undefined;
  let skipped = 0;
  for await (const line of readRecords(readLines(bytes))) {
    if (line.text.trim() === '') continue;
    if (form === undefined) {
      const delimiter = delimiterOf(line.text);
      form = { delimiter, columns: findColumns(splitLine(line.text, delimiter)) };
      continue;
    }
    const row = readRow(splitLine(line.text, form.delimiter), form.columns, line.number);
    if (row === undefined) skipped += 1;
    else yield row;
  }
  return { skipped };
}

/** Joins the lines of a quoted field. */
async function* readRecords(lines: AsyncIterable<FileLine>): AsyncGenerator<FileLine> {
  let open: { text: string; readonly number: number; lines: number } | undefined;
  for await (const line of lines) {
    const record =
      open === undefined
        ? { ...line, lines: 1 }
        : { ...open, text: `${open.text} ${line.text}`, lines: open.lines + 1 };
    if (record.lines > MAX_JOINED) throw wrongLine(record.number, 'a quote is not closed.');
    open = isOpen(record.text) ? record : undefined;
    if (open === undefined) yield record;
  }
  if (open !== undefined) throw wrongLine(open.number, 'a quote is not closed.');
}

function isOpen(text: string): boolean {
  return (text.match(/"/g)?.length ?? 0) % 2 === 1;
}

function delimiterOf(header: string): string {
  const count = (delimiter: string) => splitLine(header, delimiter).length;
  return [...DELIMITERS].sort((one, other) => count(other) - count(one))[0] ?? ',';
}

function splitLine(text: string, delimiter: string): readonly string[] {
  if (!text.includes('"')) return text.split(delimiter);
  const fields: string[] = [];
  let field = '';
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '"' && isQuoted && text[index + 1] === '"') {
      field += '"';
      index += 1;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) {
      fields.push(field);
      field = '';
    } else field += character;
  }
  return [...fields, field];
}

function findColumns(header: readonly string[]): Columns {
  const names = header.map((name) =>
    name
      .normalize('NFD')
      .toLowerCase()
      .replace(/[^a-z0-9]/g, ''),
  );
  const indexOf = (column: Column) => {
    const index = names.findIndex((name) => NAMES[column].test(name));
    return index < 0 ? undefined : index;
  };
  const [code, display] = [indexOf('code'), indexOf('display')];
  if (code === undefined || display === undefined) throw wrongFile(missingColumns(header));
  return { code, display, isBillable: indexOf('isBillable') };
}

function missingColumns(header: readonly string[]): string {
  const shown = header.slice(0, SHOWN_COLUMNS).map((name) => `"${(readDisplay(name) ?? '').slice(0, 40)}"`);
  const more = header.length > shown.length ? ' …' : '';
  return `The first line must name the columns: one Código (or Code), one Descripción (or Description). It names ${shown.join(', ')}${more}`;
}

/** Undefined for a row that is no code of a disease. */
function readRow(fields: readonly string[], columns: Columns, line: number): OfficialCode | undefined {
  const written = fields[columns.code]?.trim() ?? '';
  const code = readCode(written);
  if (code === undefined) {
    if (NO_DISEASE.test(written)) return undefined;
    throw wrongLine(line, 'the column of codes holds no code of ICD-10.');
  }
  const display = readDisplay(fields[columns.display] ?? '');
  if (display === undefined) throw wrongLine(line, 'the code has no description, or one that is too long.');
  const flag = columns.isBillable === undefined ? '' : (fields[columns.isBillable]?.trim().toLowerCase() ?? '');
  return { code, display, ...(flag !== '' && { isBillable: /^(s|si|sí|y|yes|1|true|x)$/.test(flag) }) };
}
