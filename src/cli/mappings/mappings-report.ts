// Formats the results of golden tests for people and programs.
import { findChanges, renderDifference } from './mappings-diff.ts';
import { count } from './mappings-folders.ts';
import type { GoldenFile, GoldenResult } from './mappings-golden.ts';

export function isPassed({ files, problems }: GoldenResult): boolean {
  return problems.length === 0 && differentFiles(files).length === 0;
}

export function differentFiles(files: readonly GoldenFile[]): readonly GoldenFile[] {
  return files.filter(({ status }) => status !== 'same');
}

export function renderResult(result: GoldenResult, { isColored }: { readonly isColored: boolean }): string {
  const { path, files, problems } = result;
  if (isPassed(result)) return `ok      ${path} (${count(files.length, 'document')})\n`;
  const lines = problems.map((problem) => `${problem}\n`);
  const renders = differentFiles(files).map((file) => renderFile(`${path}/expected/${file.name}`, file, isColored));
  return `FAILED  ${path} (${summarize(result)})\n${lines.join('')}${renders.join('')}\n`;
}

function summarize({ files, problems }: GoldenResult): string {
  const different = differentFiles(files).length;
  const verb = different === 1 ? 'differs' : 'differ';
  return [
    ...(different > 0 ? [`${different} of ${count(files.length, 'document')} ${verb}`] : []),
    ...(problems.length > 0 ? [count(problems.length, 'problem')] : []),
  ].join(', ');
}

function renderFile(path: string, { status, expected, got }: GoldenFile, isColored: boolean): string {
  if (status === 'new') return `${path}: the mapping makes this document, but the file does not exist\n`;
  if (status === 'gone') return `${path}: this document is expected, but no mapping makes it\n`;
  if (status === 'broken') return `${path}: not valid JSON\n`;
  return `\n${path}: differs (- expected, + made now)\n${renderDifference({ expected, got, isColored })}`;
}

export function describeResults(results: readonly GoldenResult[]): unknown {
  const tests = results.map((result) => ({
    folder: result.folder,
    test: result.name,
    status: isPassed(result) ? 'passed' : 'failed',
    documents: result.files.map(({ name, status, expected, got }) => ({
      file: name,
      status,
      ...(status === 'differs' && { changes: findChanges({ expected, got }) }),
    })),
    problems: result.problems,
  }));
  const passed = results.filter(isPassed).length;
  return { tests, passed, failed: results.length - passed };
}
