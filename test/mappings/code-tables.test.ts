// The shipped tables of diseases: every code has its official name, and the codes of the rules are among them.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { judgeCode } from '../../src/clinical-text/diseases/judge-code.ts';
import { ICD10_PATTERN } from '../../src/domain/diagnosis/diagnosis.ts';

const PROJECT = path.join(import.meta.dirname, '../..');
type Table = { readonly codes: Readonly<Record<string, { readonly code: string; readonly display?: string }>> };

async function readYaml(...names: readonly string[]): Promise<unknown> {
  return parse(await readFile(path.join(PROJECT, ...names), 'utf8'));
}

const readTable = async (name: string) => (await readYaml('mappings/base/codes', name)) as Table;

describe.each(['icd-10-cm.yaml', 'icd-10.yaml', 'icd-10-es.yaml'])('the table %s', (name) => {
  it('has a name for each code, each once and in order', async () => {
    const { codes } = await readTable(name);
    const keys = Object.keys(codes);
    expect(keys).toEqual(keys.toSorted());
    for (const [key, { code, display = '' }] of Object.entries(codes)) {
      expect(code).toBe(key);
      expect(code).toMatch(ICD10_PATTERN);
      expect(display.trim().length).toBeGreaterThan(2);
      expect(display).toBe(display.trim());
    }
  });

  it('has no official name that is refused for its own code', async () => {
    const { codes } = await readTable(name);
    const refused = Object.values(codes).filter(
      ({ code, display = '' }) => judgeCode({ name: display, code }) === 'contradicts',
    );
    expect(refused).toEqual([]);
  });
});

describe('the table icd-10-cm.yaml', () => {
  it('names all codes that the rules give', async () => {
    const { codes } = await readTable('icd-10-cm.yaml');
    const files = (await readdir(path.join(PROJECT, 'knowledge/conditions'))).filter((file) => file.endsWith('.yaml'));
    const known = await Promise.all(files.map((file) => readYaml('knowledge/conditions', file)));
    const given = [
      ...new Set(
        JSON.stringify(known)
          .matchAll(/"icd10":"([^"]+)"/g)
          .map(([, code = '']) => code),
      ),
    ];
    const unnamed = given.filter((code) => codes[code] === undefined);
    expect(given.length).toBeGreaterThan(400);
    expect(unnamed).toEqual([]);
  });
});
