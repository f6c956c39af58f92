import { describe, expect, it } from '@jest/globals';
import type { CodeTable } from '../../src/domain/mapping/code-table.ts';
import { parseCodeTable, tableName } from '../../src/mapping/code-tables.ts';
import { parseSource } from '../../src/mapping/source/parse-source.ts';

const FILE = 'mappings/mercy/codes/sections.yaml';

function parsed(text: string, inherited?: CodeTable) {
  const { root, problems } = parseSource({ file: FILE, text });
  if (root === undefined) throw new Error(`the test's own file is wrong: ${JSON.stringify(problems)}`);
  return parseCodeTable({ file: FILE, root, inherited });
}

function problemsOf(text: string): readonly string[] {
  const { table, problems } = parsed(text);
  expect(table === undefined).toBe(problems.length > 0);
  return problems.map(({ place, message }) => `${place.line}:${place.column}: ${message}`);
}

function tableOf(text: string, inherited?: CodeTable) {
  const { table, problems } = parsed(text, inherited);
  expect(problems).toEqual([]);
  if (table === undefined) throw new Error('no table');
  return table;
}

describe('a table of codes', () => {
  it('says codes, names and systems, and which words have none', () => {
    const table = tableOf(`
system: http://loinc.org        # for all codes below
unmapped: keep
codes:
  SUBJECTIVE: { code: 61150-9, display: Subjective Narrative }
  LOCAL: { code: "8716", system: "urn:oid:1.2.3" }
  PIE_PROBLEM: none
  DATA: {}
`);
    expect(table).toEqual({
      name: 'sections',
      system: 'http://loinc.org',
      unmapped: 'keep',
      codes: {
        SUBJECTIVE: { code: '61150-9', display: 'Subjective Narrative' },
        LOCAL: { code: '8716', system: 'urn:oid:1.2.3' },
        PIE_PROBLEM: {},
        DATA: {},
      },
    });
  });

  it('reports unknown keys by default', () => {
    expect(tableOf('codes: {}').unmapped).toBe('report');
  });

  it('needs no system of its own where each code has one', () => {
    expect(tableOf('codes: { A: { code: a, system: "urn:x:y" } }').system).toBeUndefined();
  });

  it('knows only its own words, not those of JavaScript', () => {
    expect('toString' in tableOf('codes: {}').codes).toBe(false);
    expect(Object.keys(tableOf('codes: { toString: none }').codes)).toEqual(['toString']);
  });

  it.each([
    ['codes/sections.yaml', 'sections'],
    ['mappings/mercy/codes/note-types.yaml', 'noteTypes'],
    ['codes/icd-10-cm.yaml', 'icd10Cm'],
  ])('in %s is %%codes.%s', (file, name) => {
    expect(tableName(file)).toBe(name);
  });
});

describe('a table of codes is refused with the place of the mistake:', () => {
  it.each([
    ['it is no group of keys', '- 1', ['1:1: a table of codes has the keys system, unmapped and codes']],
    ['a key is misspelt', 'sytem: "urn:x:y"\ncodes: {}', ['1:1: sytem is not known here; did you mean system?']],
    ['codes are missing', 'system: "urn:x:y"', ['1:1: codes is missing; write {} where the table has none']],
    ['codes are a list', 'codes: [1]', ['1:8: codes is a group of names, each with a code or none']],
    [
      'unmapped is misspelt',
      'unmapped: kep\ncodes: {}',
      ['1:11: unmapped is one of report, keep, ignore; did you mean keep?'],
    ],
    [
      'YAML took a code for a number',
      'system: http://loinc.org\ncodes:\n  A: { code: 8716 }',
      ['3:14: write the code in quotes'],
    ],
    [
      'YAML took a code for a truth value',
      'system: http://loinc.org\ncodes:\n  A: { code: true }',
      ['3:14: write the code in quotes'],
    ],
    [
      'a code has no system',
      'codes:\n  A: { code: a }',
      ['2:6: A has a code and no system; write system: here, or above codes for all of them'],
    ],
    [
      'a system is no URI',
      'system: loinc\ncodes: {}',
      ['1:9: a system is a URI, as in http://loinc.org or urn:oid:1.2.3'],
    ],
    [
      'an entry is only a text',
      'system: "urn:x:y"\ncodes: { A: 61150-9 }',
      ['2:13: A: write { code: "…", display: … }, or none where there is no code'],
    ],
    [
      'an entry is empty',
      'system: "urn:x:y"\ncodes:\n  A:\n  B: none',
      ['3:5: A: write { code: "…", display: … }, or none where there is no code'],
    ],
    [
      'an entry has a name and no code',
      'system: "urn:x:y"\ncodes: { A: { display: a } }',
      ['2:13: A has no code; write { code: "…", display: … }, or none where there is no code'],
    ],
    [
      'an entry has a key that is not known',
      'system: "urn:x:y"\ncodes: { A: { code: a, dispaly: a } }',
      ['2:24: dispaly is not known here; did you mean display?'],
    ],
    [
      'a code has blanks around it',
      'system: "urn:x:y"\ncodes: { A: { code: " a" } }',
      ['2:21: a code has no blanks around it, and no two together'],
    ],
    ['a code is empty', 'system: "urn:x:y"\ncodes: { A: { code: "" } }', ['2:21: the code is empty']],
    ['a code is a list', 'system: "urn:x:y"\ncodes: { A: { code: [a] } }', ['2:21: the code is a text']],
    [
      'codes are to be kept without a system',
      'unmapped: keep\ncodes: {}',
      ['1:1: unmapped: keep needs a system: it is that of the codes that are kept'],
    ],
  ])('%s', (_title, text, expected) => {
    expect(problemsOf(text)).toEqual(expected);
  });

  it('all mistakes at once', () => {
    const text = 'system: x\nunmapped: no\nother: 1\ncodes: { A: 1, B: { code: 2 } }';
    expect(problemsOf(text)).toHaveLength(5);
  });
});

describe("a site's table over the one that it inherits", () => {
  const inherited = tableOf(
    'system: http://loinc.org\nunmapped: keep\ncodes: { A: { code: a }, B: { code: b }, C: none }',
  );

  it('changes the entries that it names, and inherits all others', () => {
    expect(tableOf('codes: { B: { code: mine }, D: none, A: none }', inherited)).toEqual({
      name: 'sections',
      system: 'http://loinc.org',
      unmapped: 'keep',
      codes: { A: {}, B: { code: 'mine' }, C: {}, D: {} },
    });
  });

  it('of another system never claims inherited codes for it', () => {
    expect(tableOf('system: "urn:mercy:notes"\nunmapped: report\ncodes: { B: { code: mine } }', inherited)).toEqual({
      name: 'sections',
      system: 'urn:mercy:notes',
      unmapped: 'report',
      codes: { A: { code: 'a', system: 'http://loinc.org' }, B: { code: 'mine' }, C: {} },
    });
  });
});
