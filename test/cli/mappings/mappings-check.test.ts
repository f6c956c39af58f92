import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { inFolder } from '../run-cli.ts';
import { runProgram, withMappings } from './mappings-program.ts';

const lines = (text: string) => text.trimEnd().split('\n');

describe('mappings check', () => {
  it('reports what each folder has, and that no problem was found', () =>
    withMappings(async ({ run }) => {
      const { code, stdout, stderr } = await run('check');
      expect([code, stderr]).toEqual([0, '']);
      expect(lines(stdout)[0]).toMatch(
        /^FOLDER +KIND +INHERITS FROM +OWN DOCUMENTS +INHERITED +CODES +GOLDEN TESTS +STATE$/,
      );
      expect(stdout).toMatch(/^base +base +- +2 +0 +\d+ +0 +good$/m);
      expect(stdout).toMatch(/^mercy +site +base +1 +1 +\d+ +1 +good$/m);
      expect(stdout).toMatch(/^profiles\/plain +profile +base +1 +1 +\d+ +1 +good$/m);
      expect(lines(stdout).at(-1)).toBe('No problems in 3 folders.');
    }));

  it('reports for one folder which file makes which document, and when it is written', () =>
    withMappings(async ({ run, directory }) => {
      const { code, stdout } = await run('check mercy');
      expect(code).toBe(0);
      expect(stdout).toMatch(/^DOCUMENT +WRITTEN +MADE BY$/m);
      expect(stdout).toContain(`composition  note        ${directory}/mercy/composition.yaml\n`);
      expect(stdout).toContain(`notice       first line  ${directory}/base/notice.yaml\n`);
      expect(stdout).not.toContain('profiles/plain');
    }));

  it('reports documents that have a mapping but are not requested', () =>
    withMappings(async ({ run, write }) => {
      const thing = 'resourceType: Basic\ncode: { text: x }\n';
      for (const name of ['documentreference', 'device', 'provenance', 'condition', 'alert']) {
        await write(`mercy/${name}.yaml`, thing);
      }
      await write('mercy/differential.yaml', thing.replace('text: x', 'text: "{{ %notice }}"'));
      const written = async (settings: string) => {
        await write('mercy/site.yaml', `extends: base\nehr: { baseUrl: "https://ehr.example.org" }\n${settings}`);
        const { stdout, stderr } = await run('check mercy');
        expect(stderr).toBe('');
        return Object.fromEntries(
          [...stdout.matchAll(/^(\S+) +(\S.*?) {2,}\S+\.yaml$/gm)].map(([, document, when]) => [document, when]),
        );
      };
      expect(await written('write: { diagnosis: [alert, condition], provenance: true }\n')).toEqual({
        notice: 'first line',
        device: 'always',
        provenance: 'always',
        composition: 'note',
        alert: 'diagnosis',
        condition: 'diagnosis',
        documentreference: 'nothing',
        differential: 'nothing',
      });
      expect(
        await written('write: { diagnosis: [alert, condition], differential: separate-document }\n'),
      ).toMatchObject({
        provenance: 'nothing',
        alert: 'diagnosis',
        condition: 'nothing (differential: separate-document)',
        differential: 'diagnosis',
      });
    }));

  it('names every problem with its place, in the order of the files, and ends with 1', () =>
    withMappings(async ({ run, write, directory }) => {
      const { code: before } = await run('check');
      expect(before).toBe(0);
      await write('mercy/composition.yaml', 'resourceType: Composition\ntitle: "{{ %note.titel }}"\nsectoin: []\n');
      await write('base/codes/sections.yaml', 'system: http://loinc.org\nunmapped: repotr\ncodes: {}\n');
      const { code, stdout, stderr } = await run('check');
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /mercy\/composition\.yaml:2:\d+: %note\.titel is not known here; did you mean %note\.title\?/,
      );
      expect(stderr).toMatch(/mercy\/composition\.yaml:3:1: .*sectoin/);
      const places = lines(stderr).filter((line) => line.startsWith(directory));
      expect(places).toEqual(
        places.toSorted((one, other) => (one.split(':')[0] ?? '').localeCompare(other.split(':')[0] ?? '')),
      );
      expect(lines(stderr).at(-1)).toMatch(/^\d+ problems in 3 folders$/);
      expect(stdout).toMatch(/^mercy +site .* \d+ problems$/m);
    }));

  it('reports no problem of another folder for a valid one', () =>
    withMappings(async ({ run, write }) => {
      await write('mercy/composition.yaml', 'title: "{{ %nope }}"\n');
      expect((await run('check profiles/plain')).code).toBe(0);
      expect((await run('check base')).code).toBe(0);
      expect((await run('check mercy')).code).toBe(1);
    }));

  it('gives programs the folders and the problems as data', () =>
    withMappings(async ({ run, write, directory }) => {
      await write('mercy/composition.yaml', 'resourceType: Composition\ntitle: "{{ %nope }}"\n');
      const { code, stdout, stderr } = await run('check --json');
      expect(code).toBe(1);
      const { folders, problems } = JSON.parse(stdout);
      expect(folders).toContainEqual({
        folder: 'base',
        kind: 'base',
        inheritsFrom: [],
        documents: { own: ['composition', 'notice'], inherited: [] },
        codes: expect.arrayContaining(['noteTypes', 'sections']),
        tests: 0,
        problems: 0,
      });
      expect(problems).toContainEqual({
        file: `${directory}/mercy/composition.yaml`,
        line: 2,
        column: expect.any(Number),
        message: expect.stringContaining('%nope'),
      });
      expect(stderr).toContain('mercy/composition.yaml:2:');
    }));

  it('warns of a mapping that shows candidates as active conditions, and ends with 0', () =>
    withMappings(async ({ run, write, directory }) => {
      const condition = (verificationStatus: string) =>
        `resourceType: Condition
clinicalStatus: { coding: [{ code: active }] }
verificationStatus: { coding: [{ code: ${verificationStatus} }] }
code: { text: "{{ %disease.name }}" }
subject: "{{ %patient.reference() }}"
`;
      await write('mercy/condition.yaml', condition('provisional'));
      const settings = 'extends: base\nehr: { baseUrl: "https://ehr.example.org" }\n';
      await write('mercy/site.yaml', `${settings}write: { diagnosis: [condition] }\n`);
      const { code, stdout, stderr } = await run('check mercy');
      expect([code, stderr]).toEqual([0, '']);
      const place = `${directory}/mercy/condition.yaml:2:36`;
      expect(stdout).toContain(`\nWarning: ${place}: a candidate that is not confirmed has an active clinicalStatus`);
      expect(stdout.match(/Warning/g)).toHaveLength(1);
      expect(lines(stdout).at(-1)).toBe('No problems in 1 folder.');
      const { warnings } = JSON.parse((await run('check mercy --json')).stdout);
      expect(warnings).toEqual([
        { file: `${directory}/mercy/condition.yaml`, line: 2, column: 36, message: expect.stringContaining('active') },
      ]);
      await write('mercy/condition.yaml', condition('provisional').replace(/clinicalStatus.*\n/, ''));
      expect((await run('check mercy')).stdout).not.toContain('Warning');
    }));

  it.each([
    ['mercyy', 'did you mean mercy?'],
    ['plain', 'did you mean profiles/plain?'],
    ['something-else', 'there are base, mercy, profiles/plain'],
  ])('refuses the unknown folder %s with the hint: %s', (site, hint) =>
    withMappings(async ({ run, directory }) => {
      const { code, stdout, stderr } = await run(`check ${site}`);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toBe(`there is no folder ${site} in ${directory}; ${hint}\n`);
    }),
  );

  it('says how to begin if there are no mappings yet', () =>
    inFolder(async (folder) => {
      const { code, stderr } = await runProgram(['mappings', 'check', '--dir', folder]);
      expect(code).toBe(1);
      expect(stderr).toContain('npm run cli -- mappings new my-hospital --from us-core');
    }));

  it('reads the folder of --dir before that of MAPPINGS_DIR', () =>
    inFolder(async (folder) => {
      const [environment, none] = [{ MAPPINGS_DIR: join(folder, 'one') }, join(folder, 'other')];
      expect((await runProgram(['mappings', 'check'], { environment })).stderr).toContain(join(folder, 'one'));
      expect((await runProgram(['mappings', 'check', '--dir', none], { environment })).stderr).toContain(none);
    }));
});
