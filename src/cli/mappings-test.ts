// mappings test: runs golden tests, shows what differs, and takes what is made now as expected where somebody agrees to it.
import { CliError } from './cli-error.ts';
import { json } from './command-parts.ts';
import type { MappingsParts } from './mappings-command.ts';
import { findChanges, renderDifference } from './mappings-diff.ts';
import { chooseFolders, count, problemLines, readMappings } from './mappings-folders.ts';
import {
  acceptResult,
  type GoldenFile,
  type GoldenResult,
  type LoadedSite,
  listCases,
  runCase,
} from './mappings-golden.ts';

type TestParts = MappingsParts & {
  readonly site: string | undefined;
  readonly wantsUpdate: boolean;
  /** Write without asking. */
  readonly isAgreed: boolean;
};

/** Throws a CliError where a test failed, or could not be run. */
export async function testMappings(parts: TestParts): Promise<void> {
  const { print, wantsJson, wantsUpdate, isAgreed } = parts;
  if (isAgreed && !wantsUpdate)
    throw new CliError('--yes goes with --update: it writes what is made now, without asking.');
  const { runnable, broken, untested } = await findTests(parts);
  const results: GoldenResult[] = [];
  for (const { site, golden } of runnable) {
    const result = await runCase(site, golden);
    results.push(result);
    // One by one: with many tests somebody is waiting.
    if (!wantsJson()) print(renderResult(result, parts.terminal.isColored));
  }
  if (wantsJson()) print(json(describeResults(results)));
  else if (untested.length > 0) print(explainUntested(untested, parts.directory));
  const failed = results.filter((result) => !isPassed(result));
  const isWritten = wantsUpdate && (await update(failed, parts));
  const remaining = isWritten ? failed.filter(({ problems }) => problems.length > 0) : failed;
  const messages = [...broken, ...(remaining.length > 0 ? [explainFailures(remaining, results.length, parts)] : [])];
  if (messages.length > 0) throw new CliError(messages.join('\n\n'));
  if (!wantsJson() && results.length > 0 && !isWritten)
    print(`\n${capital(count(results.length, 'golden test'))} passed.\n`);
}

type Tests = {
  readonly runnable: readonly {
    readonly site: LoadedSite;
    readonly golden: Awaited<ReturnType<typeof listCases>>[number];
  }[];
  /** Why the tests of a folder cannot be run. */
  readonly broken: readonly string[];
  readonly untested: readonly string[];
};

async function findTests(parts: TestParts): Promise<Tests> {
  const { directory } = parts;
  const folders = chooseFolders(await readMappings(parts), parts);
  const found = await Promise.all(
    folders.map(async (folder) => ({ ...folder, cases: await listCases({ directory, folder: folder.name }) })),
  );
  // A folder without tests of its own is not this command's business, unless it was asked for.
  const wanted = parts.site === undefined ? found.filter(({ cases }) => cases.length > 0) : found;
  return {
    runnable: wanted.flatMap(({ site, cases }) => (site ? cases.map((golden) => ({ site, golden })) : [])),
    broken: wanted.flatMap(({ site, name, problems }) =>
      site
        ? []
        : [
            `${problemLines(problems)}\n${name} cannot be tested before ${problems.length === 1 ? 'this is' : 'these are'} mended.`,
          ],
    ),
    untested: (parts.site === undefined && wanted.length > 0 ? [] : found).flatMap(({ name, cases }) =>
      cases.length === 0 ? [name] : [],
    ),
  };
}

function isPassed({ files, problems }: GoldenResult): boolean {
  return problems.length === 0 && files.every(({ status }) => status === 'same');
}

function renderResult(result: GoldenResult, isColored: boolean): string {
  const { path, files, problems } = result;
  if (isPassed(result)) return `ok      ${path} (${count(files.length, 'document')})\n`;
  const different = files.filter(({ status }) => status !== 'same');
  const summary = [
    ...(different.length > 0
      ? [`${different.length} of ${count(files.length, 'document')} ${different.length === 1 ? 'differs' : 'differ'}`]
      : []),
    ...(problems.length > 0 ? [count(problems.length, 'problem')] : []),
  ].join(', ');
  const details = [
    ...(problems.length > 0 ? [`${problems.join('\n')}\n`] : []),
    ...different.map((file) => renderFile(`${path}/expected/${file.name}`, file, isColored)),
  ];
  return `FAILED  ${path} (${summary})\n\n${details.join('\n')}\n`;
}

function renderFile(path: string, { status, expected, got }: GoldenFile, isColored: boolean): string {
  if (status === 'new') return `${path}: is made now, and there is no such file\n`;
  if (status === 'gone') return `${path}: is expected, and not made any more\n`;
  if (status === 'broken') return `${path}: this is no JSON\n`;
  return `${path}: differs (- expected, + made now)\n${renderDifference({ expected, got, isColored })}`;
}

function describeResults(results: readonly GoldenResult[]): unknown {
  const failed = results.filter((result) => !isPassed(result)).length;
  const tests = results.map((result) => ({
    folder: result.folder,
    test: result.name,
    status: isPassed(result) ? 'passed' : 'failed',
    documents: result.files.map(({ name, status, ...two }) => ({
      file: name,
      status,
      ...(status === 'differs' && { changes: findChanges({ expected: two.expected, got: two.got }) }),
    })),
    problems: result.problems,
  }));
  return { tests, passed: results.length - failed, failed };
}

function explainFailures(failed: readonly GoldenResult[], total: number, { site, wantsUpdate }: TestParts): string {
  const summary = `${failed.length} of ${count(total, 'golden test')} failed.`;
  const canUpdate = !wantsUpdate && failed.some(({ files }) => files.some(({ status }) => status !== 'same'));
  return canUpdate ? `${summary} If what is made now is right: ${updateCommand(site)}` : summary;
}

function updateCommand(site: string | undefined): string {
  return `npm run cli -- mappings test ${site === undefined ? '' : `${site} `}--update`;
}

function explainUntested(folders: readonly string[], directory: string): string {
  return folders
    .map((name) => {
      const command = updateCommand(name);
      return `${name} has no golden tests of its own. Write an input, ${directory}/${name}/tests/<case>/input.yaml, then: ${command}\n`;
    })
    .join('');
}

/** True where the files were written. */
async function update(failed: readonly GoldenResult[], parts: TestParts): Promise<boolean> {
  const changed = failed.filter(({ files }) => files.some(({ status }) => status !== 'same'));
  if (changed.length === 0) return false;
  const files = changed.flatMap((result) => result.files).filter(({ status }) => status !== 'same');
  const gone = files.filter(({ status }) => status === 'gone').length;
  if (!(await mayWrite({ written: files.length - gone, gone }, parts))) return false;
  for (const result of changed) await acceptResult(result);
  if (!parts.wantsJson())
    parts.print(`${capital(actions({ written: files.length - gone, gone }, ['wrote', 'removed']))}.\n`);
  return true;
}

type Amount = { readonly written: number; readonly gone: number };

async function mayWrite(amount: Amount, { terminal, isAgreed, wantsJson, warn, site }: TestParts): Promise<boolean> {
  if (isAgreed) return true;
  if (terminal.ask === undefined || wantsJson()) {
    warn(
      `Nothing was written, since nobody is here to be asked. To write it without a question: ${updateCommand(site)} --yes\n`,
    );
    return false;
  }
  const answer = await terminal.ask(`${capital(actions(amount, ['write', 'remove']))}? [y/N] `);
  if (/^\s*y(es)?\s*$/i.test(answer)) return true;
  warn('Nothing was written.\n');
  return false;
}

function actions({ written, gone }: Amount, [write, remove]: readonly [string, string]): string {
  return [
    ...(written > 0 ? [`${write} ${count(written, 'file')}`] : []),
    ...(gone > 0 ? [`${remove} ${count(gone, 'file')}`] : []),
  ].join(' and ');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
