// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how settings name secrets
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { adaptSettings } from '../../../src/cli/mappings/mappings-new.ts';
import { inFolder } from '../run-cli.ts';
import { COMPOSITION, runProgram, withMappings } from './mappings-program.ts';

describe('mappings new', () => {
  it('makes a folder that passes check and test at once, and says what to do next', () =>
    withMappings(async ({ run, directory }) => {
      const { code, stdout, stderr } = await run('new st-mary --from plain');
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain(`${directory}/st-mary was made from profiles/plain.`);
      expect(stdout).toContain('npm run cli -- mappings check st-mary');
      expect((await run('check st-mary')).code).toBe(0);
      const { code: tested, stdout: passed } = await run('test st-mary');
      expect([tested, passed]).toEqual([0, expect.stringContaining('1 golden test passed.')]);
    }));

  it('starts a repository of its own from what comes with the engine, and checks and tests it without a secret', () =>
    inFolder(async (folder) => {
      const directory = join(folder, 'mappings');
      const run = (typed: string) => runProgram(['mappings', '--dir', directory, ...typed.split(' ')]);
      const { code, stdout, stderr } = await run('new mercy --from us-core');
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain(`${directory}/mercy was made from profiles/us-core.`);
      expect(await readdir(directory)).toEqual(['mercy']);
      const settings = join(directory, 'mercy/site.yaml');
      const secret = 'events: { push: { secret: "${MERCY_PUSH_SECRET}" } }\n';
      await writeFile(
        settings,
        `${(await readFile(settings, 'utf8')).replace(/^events:[\s\S]*?\n(?=\S)/m, '')}${secret}`,
      );
      const checked = await run('check');
      expect([checked.code, checked.stderr]).toEqual([0, '']);
      expect(checked.stdout).toMatch(/^mercy +site +profiles\/us-core, base|^mercy +site +base/m);
      expect(checked.stdout).toContain('Warning:');
      expect(checked.stdout).toContain('MERCY_PUSH_SECRET');
      const tested = await run('test');
      expect([tested.code, tested.stderr]).toEqual([0, expect.stringContaining('MERCY_PUSH_SECRET')]);
      expect(tested.stdout).toMatch(/\d+ golden tests? passed/);
    }));

  it('copies mappings and tests unchanged, and the settings with their comments and the site’s own names', () =>
    withMappings(async ({ run, directory }) => {
      await run('new st-mary --from profiles/plain');
      expect(await readFile(join(directory, 'st-mary/composition.yaml'), 'utf8')).toBe(COMPOSITION);
      const settings = await readFile(join(directory, 'st-mary/site.yaml'), 'utf8');
      expect(settings).toMatch(/^# The settings of st-mary, made from profiles\/plain\.$/m);
      expect(settings).toContain('# To start a site from.');
      expect(settings).toContain('organization: st-mary\n');
      expect(settings).toContain(`# auth: { type: bearer, token: "\${ST_MARY_TOKEN}" }`);
    }));

  it('makes valid names of environment variables, also for a site whose name begins with a digit', () => {
    const settings = adaptSettings(`token: "\${EXAMPLE_TOKEN}"`, { site: '3-oaks', profile: 'profiles/plain' });
    expect(settings).toContain(`\${SITE_3_OAKS_TOKEN}`);
  });

  it('gives programs the site, its folder and its profile as data', () =>
    withMappings(async ({ run, directory }) => {
      const { stdout } = await run('new st-mary --from plain --json');
      expect(JSON.parse(stdout)).toEqual({ site: 'st-mary', folder: `${directory}/st-mary`, from: 'profiles/plain' });
    }));

  it.each([
    ['new st-mary', /Choose a profile with --from <profile>\. Profiles: plain/],
    ['new st-mary --from plian', /there is no profile plian in .*; did you mean plain\?/],
    ['new st-mary --from other', /; there are: plain/],
    ['new mercy --from plain', /mercy exists already/],
    ['new base --from plain', /cannot be called base/],
    ['new profiles --from plain', /cannot be called profiles/],
    ['new sandbox --from plain', /cannot be called sandbox/],
    ['new St-Mary --from plain', /a-z, 0-9 and -/],
    ['new ../mary --from plain', /a-z, 0-9 and -/],
    ['new profiles/mary --from plain', /a-z, 0-9 and -/],
    ['new constructor --from plain', /cannot be called constructor/],
    [`new ${'m'.repeat(100)} --from plain`, /a-z, 0-9 and -/],
  ])('"%s" is refused, and no folder is made', (line, message) =>
    withMappings(async ({ run, directory }) => {
      const before = await readdir(directory, { recursive: true });
      const { code, stdout, stderr } = await run(line);
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(message)]);
      expect(await readdir(directory, { recursive: true })).toEqual(before);
    }),
  );

  it('does not replace a link, even one without a target', () =>
    withMappings(async ({ run, directory }) => {
      await symlink(join(directory, 'nowhere'), join(directory, 'st-mary'));
      expect((await run('new st-mary --from plain')).stderr).toContain('exists already');
    }));

  it('refuses a profile with a problem, and leaves no folder', () =>
    withMappings(async ({ run, write, directory }) => {
      await write('profiles/plain/composition.yaml', 'title: "{{ %nope }}"\n');
      const { code, stderr } = await run('new st-mary --from plain');
      expect(code).toBe(1);
      expect(stderr).toMatch(/profiles\/plain\/composition\.yaml:1:\d+: /);
      expect(stderr).toContain('plain first.');
      expect(await readdir(directory)).toEqual(['base', 'mercy', 'profiles']);
    }));

  it('leaves no folder if a golden test of the profile fails', () =>
    withMappings(async ({ run, write, directory }) => {
      await write('profiles/plain/tests/cough/input.yaml', 'nope: 1\n');
      const { code, stderr } = await run('new st-mary --from plain');
      expect([code, stderr]).toEqual([1, expect.stringContaining('Nothing was created.')]);
      expect(stderr).toContain('mappings/profiles/plain/tests/cough/input.yaml:1:1: nope is not known here');
      expect(await readdir(directory)).toEqual(['base', 'mercy', 'profiles']);
    }));
});
