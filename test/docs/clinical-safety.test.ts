// Tests docs/clinical-safety.md against the program: each test, command, file, setting, reason and metric that it names exists, and each
// risk is the one that the scale gives.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runProgram } from '../cli/mappings/mappings-program.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const page = read('docs/clinical-safety.md');
const hazards = page.split(/^### /m).slice(1);
const sourcesIn = (folder: string) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|yaml)$/.test(file))
    .map((file) => read(path.join(folder, file)))
    .join('\n');
const NO_ENGINE = { CHARTWRIGHT_URL: 'http://127.0.0.1:1', OPERATOR_KEY: 'an-operator-key-that-is-made-up-for-tests' };

const RISK = /^Risk: ([a-z]+); before ([a-z ]+) = (\d), after ([a-z ]+) = (\d)\.$/m;
/** The rows of the table whose heading begins so, each as its cells. */
function rowsOf(heading: string): readonly (readonly string[])[] {
  const [, table = ''] = page.split(`\n${heading}`);
  const rows = table.trimEnd().split('\n\n', 1)[0]?.split('\n').slice(2) ?? [];
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

type Witness = readonly [file: string, title: string];
const witnesses = [...page.matchAll(/^ {2}- `(test\/[^`]+)`: (.+)$/gm)].map(
  ([, file = '', title = '']): Witness => [file, title],
);

describe('the hazard log', () => {
  it('gives the risk, causes, controls and what remains of each hazard', () => {
    expect(hazards.length).toBeGreaterThan(10);
    const lacking = hazards.flatMap((hazard) =>
      [RISK, /^- Causes: /m, /^- Controls: /m, /^- Remains: /m]
        .filter((part) => !part.test(hazard))
        .map((part) => `${hazard.split('\n', 1)[0]} lacks ${part}`),
    );
    expect(lacking).toEqual([]);
  });

  it('names at least one test for each hazard', () => {
    const without = hazards.filter((hazard) => !/^ {2}- `test\/.+`: .+$/m.test(hazard));
    expect(without.map((hazard) => hazard.split('\n', 1)[0])).toEqual([]);
  });

  const severities = rowsOf('| severity |')
    .map(([name = '']) => name)
    .reverse();
  const scale = new Map(rowsOf('| likelihood |').map(([name = '', ...cells]) => [name.split(':')[0], cells]));
  const register = rowsOf('| | hazard |');
  const risks = hazards.map((hazard) => {
    const [, severity = '', before = '', beforeRisk = '', after = '', afterRisk = ''] = RISK.exec(hazard) ?? [];
    const riskOf = (likelihood: string) => scale.get(likelihood)?.[severities.indexOf(severity)];
    return { hazard, beforeRisk, afterRisk, expected: [riskOf(before), riskOf(after)] };
  });

  it('gives each hazard the risks that the scale has for its severity and likelihood, never higher after the controls', () => {
    expect(severities).toHaveLength(5);
    for (const { beforeRisk, afterRisk, expected } of risks) {
      expect([beforeRisk, afterRisk]).toEqual(expected);
      expect(Number(afterRisk)).toBeLessThanOrEqual(Number(beforeRisk));
    }
  });

  it('has the same hazards and risks in its table, and no risk after the controls that no person may accept', () => {
    const expected = risks.map(({ hazard, beforeRisk, afterRisk }) => {
      const [, number, name] = /^(H\d+) (.+)/.exec(hazard) ?? [];
      return [number, name, beforeRisk, afterRisk];
    });
    expect(register.map((row) => row.slice(0, 4))).toEqual(expected);
    expect(risks.filter(({ afterRisk }) => Number(afterRisk) > 3)).toEqual([]);
  });

  it('names who accepts each risk, and the clinical lead too for each that is undesirable', () => {
    for (const [, , , after, by] of register) {
      expect(by).toMatch(after === '3' ? /^safety officer and clinical lead/ : /^safety officer/);
    }
  });

  it('numbers its hazards without a gap', () => {
    expect(hazards.map((hazard) => hazard.split(' ', 1)[0])).toEqual(hazards.map((_, index) => `H${index + 1}`));
  });

  it.each(witnesses)('names a test that exists in %s: %s', (file, title) => {
    expect(existsSync(path.join(ROOT, file))).toBe(true);
    const source = read(file);
    expect(["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`))).toBe(true);
  });
});

describe('the guide to clinical safety', () => {
  const lines = [...page.matchAll(/(?:^\s*|`)npm run cli -- ([^`\n]+)/gm)].map(([, line = '']) => line.trim());

  it.each([...new Set(lines)])('names an existing command: %s', async (line) => {
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
    const filled = words.map((word) => (word === '<id>' ? '0b0e0000-0000-4000-8000-000000000000' : word));
    const needsConfirmation =
      ['recall', '--write-test'].some((word) => words.includes(word)) && !words.includes('--dry-run');
    const { stderr } = await runProgram([...filled, ...(needsConfirmation ? ['--yes'] : [])], {
      environment: NO_ENGINE,
    });
    // A command of mappings fails because the site does not exist; every other one because there is no engine.
    expect(stderr).toMatch(words[0] === 'mappings' ? /mercy/ : /No engine answers/);
  });

  it('names only existing metrics', () => {
    const sources = sourcesIn('src/platform') + sourcesIn('src/composition');
    const named = [...page.matchAll(/`(chartwright_\w+)`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !sources.includes(`'${name}'`))).toEqual([]);
  });

  it('names only existing settings of a site', () => {
    const known = sourcesIn('src/outbound/files');
    const named = [
      ...page.matchAll(
        /`((?:write|review|recording|engines|language|consent|check|upload|pilot|identifiers|events)\.(\w+))/g,
      ),
    ];
    expect(named.length).toBeGreaterThan(8);
    const missing = named.filter(([, , last = '']) => !new RegExp(`\\b${last}\\b`).test(known));
    expect(missing.map(([, setting]) => setting)).toEqual([]);
  });

  it('names only existing reasons of a run', () => {
    const known = read('src/domain/run/run.ts') + read('src/domain/chart/chart-write.ts');
    const reasons = ['identity', 'ambiguous', 'touched', 'retract-by-hand', 'no-speech', 'not-medical', 'no-recording'];
    expect(reasons.filter((reason) => !page.includes(`\`${reason}\``))).toEqual([]);
    expect(reasons.filter((reason) => !known.includes(`'${reason}'`))).toEqual([]);
  });

  it('names only existing environment variables', () => {
    const config = read('src/config.ts');
    const named = [...page.matchAll(/`(RETENTION_\w+)`/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !config.includes(name))).toEqual([]);
  });

  it('names only existing files and folders', () => {
    const named = [...page.matchAll(/`((?:\.ci|\.github|docs|src|test)\/[^`\s]+|[\w-]+\.(?:md|json))`/g)];
    const links = [...page.matchAll(/\]\((?!#)([^)#]+)/g)].map(([, link = '']) => path.join('docs', link));
    const files = [...named.map(([, file = '']) => file), ...links];
    expect(files.length).toBeGreaterThan(80);
    expect(files.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });

  it('names only existing scripts of npm', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = [...page.matchAll(/`npm (?:run )?([\w:]+)/g)].map(([, script = '']) => script);
    expect(named).toContain('eval');
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
  });

  it('says of each law and standard what is met and what is missing', () => {
    const rows = rowsOf('| asks |');
    const text = rows.map(([asks]) => asks).join('\n');
    for (const law of ['ISO 14971', 'IEC 62304', 'DCB0129', 'DCB0160', 'MDR', 'FDA', 'EU AI Act', 'GDPR']) {
      expect(text).toContain(`**${law}**`);
    }
    for (const article of [9, 10, 11, 12, 13, 14, 15, 26, 35]) {
      expect(text).toMatch(new RegExp(`(^|Article )${article}, `, 'm'));
    }
    expect(rows.filter((row) => row.length !== 3 || row.slice(1).every((cell) => cell === ''))).toEqual([]);
  });

  it('links only to its existing sections', () => {
    const anchors = [...page.matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
      title.toLowerCase().replaceAll(',', '').replaceAll(' ', '-'),
    );
    const links = [...page.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor = '']) => anchor);
    expect(links.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
  });
});
