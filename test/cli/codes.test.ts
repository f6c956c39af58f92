// The lists of codes on the command line, against the real /ops.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type OpsEngine, startOpsEngine } from '../inbound/http/ops/ops-engine.ts';
import type { Person } from './mappings/mappings-program.ts';
import { typeCommand } from './ops-person.ts';
import { inFolder, PROJECT } from './run-cli.ts';

let engine: OpsEngine;
beforeEach(async () => {
  engine = await startOpsEngine();
});
afterEach(() => engine.stop());

const FIXTURES = path.join(PROJECT, 'test/fixtures/codes');
const cli = (typed: readonly string[], person?: Person) => typeCommand(engine.baseUrl, typed, person);
const importFile = (system: string, file: string, ...rest: readonly string[]) =>
  cli(['codes', 'import', system, path.join(FIXTURES, file), ...rest]);

describe('codes', () => {
  it('codes import imports a file, and codes list shows it', async () => {
    expect((await cli(['codes', 'list'])).stdout).toMatch(/^No list is imported: .* codes import --help\n$/);
    const { code, stdout, stderr } = await importFile('icd-10', 'icd10-claml.xml');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('icd-10 2019: 7 codes, 2 of them categories above billable codes.\n');
    expect(stdout).toContain('Left out as no codes (chapters, blocks and the like): 2.\n');
    await importFile('icd-10-cm', 'icd10cm-order.txt', '--version', '2026');
    expect((await cli(['codes', 'list'])).stdout).toMatch(
      /^SYSTEM +VERSION +CODES +CATEGORIES +IMPORTED \(UTC\) +SHA-256 OF THE FILE\nicd-10 +2019 +7 +2 +2026-11-21 08:00 +[0-9a-f]{12}\nicd-10-cm +2026 +5 +1/,
    );
    const listed = JSON.parse((await cli(['--json', 'codes', 'list'])).stdout);
    expect(listed.lists).toMatchObject([{ system: 'icd-10' }, { system: 'icd-10-cm', version: '2026', count: 5 }]);
  });

  it('codes import prints JSON for programs', async () => {
    const { stdout } = await cli([
      '--json',
      'codes',
      'import',
      'cie-10-es',
      path.join(FIXTURES, 'cie10es-utf8.csv'),
      '--version',
      '2026',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ system: 'cie-10-es', version: '2026', count: 3, skipped: 3 });
  });

  it.each([
    ['a system that is none', ['icd-11', 'icd10-claml.xml'], 'The system is one of icd-10-cm, icd-10, cie-10-es.\n'],
    [
      'a file that is not there',
      ['icd-10', 'nothing.xml'],
      /nothing\.xml cannot be opened: is it there, and may you read it\?\n$/,
    ],
    ['a folder', ['icd-10', '.'], / is no file\.\n$/],
    [
      'a file without a version',
      ['icd-10-cm', 'icd10cm-order.txt'],
      /^The file does not say which version it is: .*--version 2026/,
    ],
    ['a file of another system', ['icd-10', 'icd10cm-order.txt'], /^Line 1: there is text outside of the XML/],
  ])('codes import refuses %s', async (_, [system = '', file = ''], message) => {
    const { code, stdout, stderr } = await importFile(system, file);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
  });

  it('codes import says what is wrong at the beginning of a large file, and does not send the rest', async () => {
    await inFolder(async (folder) => {
      const file = path.join(folder, 'large.txt');
      await writeFile(file, 'a line that has no columns\n'.repeat(1_500_000));
      const shown: string[] = [];
      const { code, stderr } = await cli(['codes', 'import', 'icd-10-cm', file, '--version', '2026'], {
        onProgress: (text) => void shown.push(text),
      });
      expect([code, stderr]).toEqual([1, expect.stringContaining('Line 1: it does not have the columns')]);
      expect(shown[0]).toBe('Importing …');
      expect(shown.at(-1)).toBe('');
      expect(shown.join()).not.toContain(' 100 %');
    });
  });

  it('codes import shows how much it has sent', async () => {
    const shown: string[] = [];
    const file = path.join(FIXTURES, 'icd10-claml.xml');
    await cli(['codes', 'import', 'icd-10', file], { onProgress: (text) => void shown.push(text) });
    expect(shown).toContain('Importing … 100 % of 0.0 MB');
  });
});
