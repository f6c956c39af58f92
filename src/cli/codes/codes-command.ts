// The command `codes` imports and lists the official lists of codes that name diagnoses in charts.
import { open } from 'node:fs/promises';
import { CODE_SYSTEMS } from '../../domain/coding/code-system.ts';
import type { CodeListAnswer, CodeListsAnswer, ImportedCodesAnswer } from '../../wire/codes.ts';
import type { CliCommand } from '../shared/cli-command.ts';
import { CliError } from '../shared/cli-error.ts';
import { type CommandParts, json, type TextOptions, withProgress } from '../shared/command-parts.ts';
import { printable, readableTime, renderTable } from '../shared/tables.ts';

/** A large file on a slow disk and a busy database; an import takes seconds. */
const PATIENCE = {
  timeoutMs: 600_000,
  whenLate: 'The old list is in use unless the new one is listed: npm run cli -- codes list',
} as const;
const MEBIBYTE = 1_048_576;
const SHOWN_HASH = 12;

export function addCodesCommand(program: CliCommand, parts: CommandParts): void {
  const codes = program.command('codes').description('import and list the official lists of codes of diagnoses');
  addImport(codes, parts);
  addList(codes, parts);
}

function addImport(codes: CliCommand, parts: CommandParts): void {
  codes
    .command('import <system> <file>')
    .description(`import the official file of a code system: ${CODE_SYSTEMS.join(', ')}`)
    .option('--version <version>', 'version of the list, as 2026; not needed if the file says it (ClaML)')
    .examples(
      'npm run cli -- codes import icd-10-cm icd10cm_order_2026.txt --version 2026',
      'npm run cli -- codes import icd-10 icd102019en.xml',
      'npm run cli -- codes import cie-10-es diagnosticos_2026.csv --version 2026',
    )
    .remarks(`
icd-10-cm takes the order file of CMS, icd-10 the ClaML of the WHO, cie-10-es the table of diagnoses of the Spanish
Ministry of Health as CSV with a header. Unpack archives first. The new list replaces the one before as a whole, or not
at all.`)
    .action(async (system: string, file: string, { version }: TextOptions<'version'>) => {
      const known = CODE_SYSTEMS.find((name) => name === system);
      if (known === undefined) throw new CliError(`The system is one of ${CODE_SYSTEMS.join(', ')}.`);
      const imported = await withProgress(parts, 'Importing …', () =>
        importFile(parts, { system: known, file, version }),
      );
      parts.print(parts.wantsJson() ? json(imported) : describeImport(imported));
    });
}

type FileOrder = { readonly system: string; readonly file: string; readonly version: string | undefined };

async function importFile(
  { connect, terminal }: CommandParts,
  { system, file, version }: FileOrder,
): Promise<ImportedCodesAnswer> {
  const opened = await open(file).catch((cause: unknown) => {
    throw new CliError(`${printable(file)} cannot be opened: is it there, and may you read it?`, { cause });
  });
  try {
    const about = await opened.stat();
    if (!about.isFile()) throw new CliError(`${printable(file)} is no file.`);
    const sizeBytes = about.size;
    const bytes = withPercent(opened.createReadStream({ autoClose: false }), sizeBytes, terminal.tellProgress);
    return await connect(PATIENCE).ask({ method: 'PUT', path: `/codes/${system}`, query: { version }, bytes });
  } finally {
    await opened.close();
  }
}

async function* withPercent(
  pieces: AsyncIterable<Uint8Array>,
  sizeBytes: number,
  tellProgress: CommandParts['terminal']['tellProgress'],
): AsyncGenerator<Uint8Array> {
  let sentBytes = 0;
  let shown = -1;
  for await (const piece of pieces) {
    yield piece;
    sentBytes += piece.length;
    const percent = Math.min(100, Math.floor((sentBytes / Math.max(1, sizeBytes)) * 100));
    if (percent === shown) continue;
    shown = percent;
    tellProgress?.(`Importing … ${percent} % of ${(sizeBytes / MEBIBYTE).toFixed(1)} MB`);
  }
}

function describeImport({
  system,
  version,
  count,
  categories,
  skipped,
  ignoredModifiers,
}: ImportedCodesAnswer): string {
  const lines = [
    `${system} ${printable(version)}: ${inWords(count)} codes, ${inWords(categories)} of them categories above billable codes.`,
    ...(skipped === 0 ? [] : [`Left out as no codes (chapters, blocks and the like): ${inWords(skipped)}.`]),
    ...(ignoredModifiers === 0
      ? []
      : [`Optional further characters (site, activity) that were not read: ${inWords(ignoredModifiers)}.`]),
    'All engines on this database use it from now on. A draft that was mapped before may be held again.',
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function inWords(count: number): string {
  return new Intl.NumberFormat('en').format(count);
}

function addList(codes: CliCommand, { connect, print, wantsJson }: CommandParts): void {
  codes
    .command('list')
    .description('list the imported lists with their versions')
    .examples('npm run cli -- codes list', 'npm run --silent cli -- --json codes list')
    .action(async () => {
      const answer = await connect().ask<CodeListsAnswer>({ method: 'GET', path: '/codes' });
      print(wantsJson() ? json(answer) : describeLists(answer.lists));
    });
}

function describeLists(lists: readonly CodeListAnswer[]): string {
  if (lists.length > 0) return listTable(lists);
  return 'No list is imported: the tables in mappings/base/codes are used. Import one: npm run cli -- codes import --help\n';
}

function listTable(lists: readonly CodeListAnswer[]): string {
  return renderTable(lists, {
    SYSTEM: ({ system }) => system,
    VERSION: ({ version }) => version,
    CODES: ({ count }) => count,
    CATEGORIES: ({ categories }) => categories,
    'IMPORTED (UTC)': ({ importedAt }) => readableTime(importedAt),
    'SHA-256 OF THE FILE': ({ sha256 }) => sha256.slice(0, SHOWN_HASH),
  });
}
