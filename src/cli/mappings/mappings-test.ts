// The command `mappings test` runs golden tests, shows differences, and accepts the current documents if the user agrees.
import { describeProblem } from '../../domain/mapping/mapping.ts';
import type { Folder } from '../../outbound/files/mapping-folders.ts';
import { CliError } from '../shared/cli-error.ts';
import { json } from '../shared/command-parts.ts';
import { chooseFolders, count, readMappings } from './mappings-folders.ts';
import { acceptResult, type GoldenCase, type GoldenResult, listCases, runCase } from './mappings-golden.ts';
import type { MappingsParts } from './mappings-parts.ts';
import { describeResults, differentFiles, isPassed, renderResult } from './mappings-report.ts';

type TestParts = MappingsParts & {
  readonly site: string | undefined;
  readonly wantsUpdate: boolean;
  /** Writes without asking. */
  readonly isAgreed: boolean;
};

/** A folder with its own tests; inherited tests run in the folder that has them. */
type TestedFolder = Folder & { readonly cases: readonly GoldenCase[] };

/** Throws a CliError if a test failed or could not run. */
export async function testMappings(parts: TestParts): Promise<void> {
  const { print, wantsJson, wantsUpdate, isAgreed } = parts;
  if (isAgreed && !wantsUpdate)
    throw new CliError('--yes goes with --update: it writes what is made now, without asking.');
  const folders = await findTests(parts);
  const warnings = folders.flatMap((folder) => folder.warnings.map(describeProblem));
  for (const warning of new Set(warnings)) parts.warn(`Warning: ${warning}\n`);
  const tested = folders.filter(({ cases }) => cases.length > 0);
  const results = await runTests(tested, parts);
  if (wantsJson()) print(json(describeResults(results)));
  else if (tested.length === 0) print(folders.map(({ name }) => explainUntested(name, parts)).join(''));

  const failed = results.filter((result) => !isPassed(result));
  const isWritten = wantsUpdate && (await update(failed, parts));
  const remaining = isWritten ? failed.filter(({ problems }) => problems.length > 0) : failed;
  const messages = [
    ...explainBroken(tested.filter(({ site }) => site === undefined)),
    ...(remaining.length > 0 ? [explainFailures(remaining, results.length, parts)] : []),
  ];
  if (messages.length > 0) throw new CliError(messages.join('\n\n'));
  if (!wantsJson() && results.length > 0 && !isWritten) print(`\n${count(results.length, 'golden test')} passed.\n`);
}

async function findTests(parts: TestParts): Promise<readonly TestedFolder[]> {
  const { directory } = parts;
  const folders = chooseFolders(await readMappings(parts), parts);
  return Promise.all(
    folders.map(async (folder) => ({ ...folder, cases: await listCases({ directory, folder: folder.name }) })),
  );
}

async function runTests(folders: readonly TestedFolder[], parts: TestParts): Promise<readonly GoldenResult[]> {
  const results: GoldenResult[] = [];
  for (const { site, cases } of folders) {
    if (site === undefined) continue;
    for (const golden of cases) {
      const result = await runCase(site, golden);
      results.push(result);
      // Results are printed one by one, as progress.
      if (!parts.wantsJson()) parts.print(renderResult(result, parts.terminal));
    }
  }
  return results;
}

/** The problems that keep folders from loading, each once, because several folders may inherit it. */
function explainBroken(folders: readonly Folder[]): readonly string[] {
  if (folders.length === 0) return [];
  const problems = new Set(folders.flatMap((folder) => folder.problems).map(describeProblem));
  const names = folders.map(({ name }) => name).join(', ');
  const these = problems.size === 1 ? 'this is' : 'these are';
  return [`${[...problems].join('\n')}\n${names} cannot be tested until ${these} fixed.`];
}

function explainFailures(failed: readonly GoldenResult[], total: number, { site, wantsUpdate }: TestParts): string {
  const summary = `${failed.length} of ${count(total, 'golden test')} failed.`;
  const canUpdate = !wantsUpdate && failed.some(({ files }) => differentFiles(files).length > 0);
  return canUpdate ? `${summary} To accept the current documents: ${updateCommand(site)}` : summary;
}

function updateCommand(site: string | undefined): string {
  return `npm run cli -- mappings test ${site === undefined ? '' : `${site} `}--update`;
}

function explainUntested(name: string, { directory }: TestParts): string {
  const input = `${directory}/${name}/tests/<case>/input.yaml`;
  return `${name} has no golden tests of its own. Write an input, ${input}, then: ${updateCommand(name)}\n`;
}

/** Resolves to true if the files were written. */
async function update(failed: readonly GoldenResult[], parts: TestParts): Promise<boolean> {
  const files = failed.flatMap((result) => differentFiles(result.files));
  if (files.length === 0) return false;
  const gone = files.filter(({ status }) => status === 'gone').length;
  const amount = { written: files.length - gone, gone };
  if (!(await mayWrite(amount, parts))) return false;
  for (const result of failed) await acceptResult(result);
  if (!parts.wantsJson()) parts.print(`${actions(amount, ['Wrote', 'Removed'])}.\n`);
  return true;
}

type Amount = { readonly written: number; readonly gone: number };

async function mayWrite(amount: Amount, { terminal, isAgreed, wantsJson, warn, site }: TestParts): Promise<boolean> {
  if (isAgreed) return true;
  if (terminal.ask === undefined || wantsJson()) {
    const command = `${updateCommand(site)} --yes`;
    warn(`Nothing was written. Cannot prompt: not a terminal. To write without asking: ${command}\n`);
    return false;
  }
  const answer = await terminal.ask(`${actions(amount, ['Write', 'Remove'])}? [y/N] `);
  if (/^\s*y(es)?\s*$/i.test(answer)) return true;
  warn('Nothing was written.\n');
  return false;
}

function actions({ written, gone }: Amount, [write, remove]: readonly [string, string]): string {
  if (gone === 0) return `${write} ${count(written, 'file')}`;
  if (written === 0) return `${remove} ${count(gone, 'file')}`;
  return `${write} ${count(written, 'file')} and ${remove.toLowerCase()} ${gone}`;
}
