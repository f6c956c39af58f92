import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { COMPOSITION, INPUT, type Mappings, withMappings } from './mappings-program.ts';

const CASE = 'mercy/tests/cough';
const FILE = `${CASE}/expected/composition.json`;

/** Makes the site mercy, whose one golden test passes. */
const withGolden = (work: (mappings: Mappings) => Promise<void>) =>
  withMappings(async (mappings) => {
    const { code, stdout } = await mappings.run('test mercy --update --yes');
    expect([code, stdout]).toEqual([0, expect.stringContaining('Wrote 1 file.')]);
    await work(mappings);
  });

const readExpected = async ({ directory }: Mappings) => JSON.parse(await readFile(join(directory, FILE), 'utf8'));
const retitle = ({ write }: Mappings) =>
  write('mercy/composition.yaml', COMPOSITION.replace('"{{ %note.title }}"', 'Clinic note'));

describe('mappings test', () => {
  it('passes if everything is as expected', () =>
    withGolden(async ({ run, directory }) => {
      const { code, stdout, stderr } = await run('test mercy');
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toBe(`ok      ${directory}/${CASE} (1 document)\n\n1 golden test passed.\n`);
    }));

  it('shows what differs, with its element and the lines around it, and ends with 1', () =>
    withGolden(async (mappings) => {
      await retitle(mappings);
      const { code, stdout, stderr } = await mappings.run('test mercy');
      expect(code).toBe(1);
      expect(stdout).toContain(`FAILED  ${mappings.directory}/${CASE} (1 of 1 document differs)`);
      expect(stdout).toContain(`${FILE}: differs (- expected, + made now)\n@@ title @@\n`);
      expect(stdout).toContain('-   "title": "Cough"\n+   "title": "Clinic note"\n');
      expect(stdout).not.toContain('\u001b');
      expect(stderr).toBe(
        '1 of 1 golden test failed. To accept the current documents: npm run cli -- mappings test mercy --update\n',
      );
      expect((await readExpected(mappings)).title).toBe('Cough');
    }));

  it('colours the difference on a terminal', () =>
    withGolden(async (mappings) => {
      await retitle(mappings);
      const { stdout } = await mappings.run('test mercy', { answer: '', isColored: true });
      expect(stdout).toContain('\u001b[32m+   "title": "Clinic note"\u001b[0m');
    }));

  it('ignores the layout of the expected file', () =>
    withGolden(async (mappings) => {
      const expected = await readExpected(mappings);
      const turned = Object.fromEntries(Object.entries(expected).toReversed());
      await mappings.write(FILE, JSON.stringify(turned));
      expect((await mappings.run('test mercy')).code).toBe(0);
    }));

  it('names documents that are not made any more, and documents that were not expected', () =>
    withGolden(async (mappings) => {
      await mappings.write(`${CASE}/expected/flag.json`, '{ "resourceType": "Flag" }');
      await rm(join(mappings.directory, FILE));
      const { code, stdout } = await mappings.run('test mercy');
      expect(code).toBe(1);
      expect(stdout).toContain('(2 of 2 documents differ)');
      expect(stdout).toContain(`${FILE}: the mapping makes this document, but the file does not exist`);
      expect(stdout).toContain(`${CASE}/expected/flag.json: this document is expected, but no mapping makes it`);
    }));

  it('reports an expected file that is not JSON', () =>
    withGolden(async (mappings) => {
      await mappings.write(FILE, '{ "title": ');
      expect((await mappings.run('test mercy')).stdout).toContain(`${FILE}: not valid JSON`);
      await mappings.run('test mercy --update --yes');
      expect((await mappings.run('test mercy')).code).toBe(0);
    }));

  it('fails if a code has no translation', () =>
    withGolden(async (mappings) => {
      const other = INPUT.replace('key: PLAN', 'key: SOMETHING');
      await mappings.write(`${CASE}/input.yaml`, other);
      await mappings.run('test mercy --update --yes');
      const { code, stdout, stderr } = await mappings.run('test mercy');
      expect(code).toBe(1);
      expect(stdout).toMatch(/mercy\/composition\.yaml:\d+:\d+: %codes\.sections does not know "SOMETHING"/);
      expect(stderr).toBe('1 of 1 golden test failed.\n');
    }));

  it('fails if a document is not valid FHIR', () =>
    withGolden(async (mappings) => {
      await mappings.write('mercy/composition.yaml', COMPOSITION.replace('"{{ %run.time }}"', '"{{ %note.title }}"'));
      await mappings.run('test mercy --update --yes');
      const { code, stdout } = await mappings.run('test mercy');
      expect(code).toBe(1);
      expect(stdout).toMatch(/composition\.json: Composition\.date /);
    }));

  it('names the place in an invalid input, and quotes nothing of its content', () =>
    withGolden(async (mappings) => {
      await mappings.write(`${CASE}/input.yaml`, `language: Mary Miller\n${INPUT}`);
      const { code, stdout, stderr } = await mappings.run('test mercy');
      expect(code).toBe(1);
      expect(stdout).toContain(`${CASE}/input.yaml:1:1: language must be one of en, es, pt\n`);
      expect(stdout + stderr).not.toContain('Mary Miller');
    }));

  it('suggests the correct name in an input, once and at its own line', () =>
    withGolden(async (mappings) => {
      await mappings.write(`${CASE}/input.yaml`, INPUT.replace('title: Cough', 'titel: Cough'));
      const { code, stdout } = await mappings.run('test mercy');
      const problem = `${CASE}/input.yaml:2:3: note.titel is not known here; did you mean title?`;
      expect([code, stdout.replaceAll(`${mappings.directory}/`, '')]).toEqual([
        1,
        `FAILED  ${CASE} (1 problem)\n${problem}\n\n`,
      ]);
    }));

  it('reports that a test has no input', () =>
    withGolden(async (mappings) => {
      await rm(join(mappings.directory, `${CASE}/input.yaml`));
      const { code, stdout } = await mappings.run('test mercy');
      expect([code, stdout]).toEqual([
        1,
        expect.stringContaining(`The file ${mappings.directory}/${CASE}/input.yaml does not exist.`),
      ]);
    }));

  it('reports a folder that cannot be loaded, and runs the tests of the others', () =>
    withGolden(async (mappings) => {
      await mappings.run('test profiles/plain --update --yes');
      await mappings.write('mercy/composition.yaml', 'resourceType: Composition\ntitle: "{{ %note.titel }}"\n');
      const { code, stdout, stderr } = await mappings.run('test');
      expect(code).toBe(1);
      expect(stdout).toContain('profiles/plain/tests/cough (1 document)');
      expect(stderr).toMatch(/mercy\/composition\.yaml:2:\d+: %note\.titel is not known here/);
      expect(stderr).toMatch(/mercy cannot be tested until (this is|these are) fixed\./);
    }));

  it('reports an inherited problem that affects many folders only once', () =>
    withGolden(async ({ run, write }) => {
      await write('base/notice.yaml', '"{{ %nope }}"\n');
      const { code, stdout, stderr } = await run('test');
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr.match(/base\/notice\.yaml:1:\d+: /g)).toHaveLength(1);
      expect(stderr).toContain('mercy, profiles/plain cannot be tested until this is fixed.');
    }));

  it('does not run the tests that a site inherits', () =>
    withMappings(async ({ run, write }) => {
      await write('st-mary/site.yaml', 'extends: profiles/plain\n');
      const { code, stdout } = await run('test st-mary');
      expect(code).toBe(0);
      expect(stdout).toContain('st-mary has no golden tests of its own. Write an input');
    }));

  it('gives programs the tests and their changes as data', () =>
    withGolden(async (mappings) => {
      await retitle(mappings);
      const { code, stdout } = await mappings.run('test mercy --json');
      expect(code).toBe(1);
      expect(JSON.parse(stdout)).toEqual({
        tests: [
          {
            folder: 'mercy',
            test: 'cough',
            status: 'failed',
            documents: [
              {
                file: 'composition.json',
                status: 'differs',
                changes: [{ element: 'title', expected: 'Cough', got: 'Clinic note' }],
              },
            ],
            problems: [],
          },
        ],
        passed: 0,
        failed: 1,
      });
    }));
});

describe('mappings test --update', () => {
  it('shows the difference, asks, and writes after a yes', () =>
    withGolden(async (mappings) => {
      await retitle(mappings);
      await mappings.write(`${CASE}/expected/flag.json`, '{ "resourceType": "Flag" }');
      const { code, stdout, asked } = await mappings.run('test mercy --update', { answer: 'y' });
      expect([code, asked]).toEqual([0, ['Write 1 file and remove 1? [y/N] ']]);
      expect(stdout).toContain('+   "title": "Clinic note"');
      expect((await readExpected(mappings)).title).toBe('Clinic note');
      expect(existsSync(join(mappings.directory, `${CASE}/expected/flag.json`))).toBe(false);
      expect((await mappings.run('test mercy')).code).toBe(0);
    }));

  it.each(['', 'n', 'yellow'])('writes nothing if the answer is "%s"', (answer) =>
    withGolden(async (mappings) => {
      await retitle(mappings);
      const { code, stderr } = await mappings.run('test mercy --update', { answer });
      expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing was written.')]);
      expect((await readExpected(mappings)).title).toBe('Cough');
    }),
  );

  it('writes nothing if no person can answer, and says how to confirm', () =>
    withGolden(async (mappings) => {
      await retitle(mappings);
      const { code, stdout, stderr } = await mappings.run('test mercy --update');
      expect(code).toBe(1);
      expect(stdout).toContain('+   "title": "Clinic note"');
      expect(stderr).toContain('npm run cli -- mappings test mercy --update --yes');
      expect((await readExpected(mappings)).title).toBe('Cough');
    }));

  it('does not ask if nothing differs', () =>
    withGolden(async ({ run }) => {
      const { code, asked } = await run('test mercy --update', { answer: 'y' });
      expect([code, asked]).toEqual([0, []]);
    }));

  it('still fails on a problem that no new expectation solves', () =>
    withGolden(async (mappings) => {
      await mappings.write(`${CASE}/input.yaml`, INPUT.replace('key: PLAN', 'key: SOMETHING'));
      const { code } = await mappings.run('test mercy --update --yes');
      expect(code).toBe(1);
    }));

  it('refuses --yes without --update', () =>
    withMappings(async ({ run }) => {
      const { code, stderr } = await run('test --yes');
      expect([code, stderr]).toEqual([1, expect.stringContaining('--yes goes with --update')]);
    }));
});
