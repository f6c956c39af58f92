// A new integration engineer's first day with the mappings that come with the engine, each step in a process of its own: a site is made,
// changed, broken by mistake and repaired, and its new golden documents are accepted. No engine runs.
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PROJECT, type Run, run, runCli } from '../cli/run-cli.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chartwright-authoring-'));
  await cp(join(PROJECT, 'mappings'), join(folder, 'mappings'), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function cli(line: string): Promise<Run> {
  return runCli({ args: line.split(' '), environment: { CHARTWRIGHT_URL: 'http://127.0.0.1:1' }, folder });
}

async function edit(file: string, from: string, to: string): Promise<void> {
  const path = join(folder, file);
  const text = await readFile(path, 'utf8');
  expect(text).toContain(from);
  await writeFile(path, text.replace(from, to));
}

const NOTE = 'mappings/mercy/document-reference.yaml';

describe('the first day with mappings', () => {
  it('an engineer makes a site from a profile, checks and tests it, repairs a mistake and accepts a difference', async () => {
    const made = await cli('mappings new mercy --from us-core');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toContain('mappings/mercy was made from profiles/us-core');

    const checked = await cli('mappings check mercy');
    expect(checked).toMatchObject({ code: 0, stderr: '' });
    expect(checked.stdout).toMatch(/^mercy +site +base .* good$/m);
    const tested = await cli('mappings test mercy');
    expect(tested).toMatchObject({ code: 0, stderr: '' });
    expect(tested.stdout).toMatch(/golden tests? passed\./);

    // The mistake: two letters change places.
    await edit(NOTE, '%note.text & %differential', '%note.titel & %differential');
    const broken = await cli('mappings check mercy');
    expect(broken.code).toBe(1);
    expect(broken.stderr).toMatch(
      /^mappings\/mercy\/document-reference\.yaml:\d+:\d+: %note\.titel is not known here; did you mean %note\.title\?$/m,
    );
    const untested = await cli('mappings test mercy');
    expect(untested.code).toBe(1);
    expect(untested.stderr).toContain('did you mean %note.title?');
    await edit(NOTE, '%note.titel & %differential', '%note.text & %differential');

    // The intended change: another description.
    await edit(NOTE, 'description: "{{ %title }}"', 'description: "Mercy: {{ %title }}"');
    expect((await cli('mappings check mercy')).code).toBe(0);
    const different = await cli('mappings test mercy');
    expect(different.code).toBe(1);
    expect(different.stdout).toContain('document-reference.json: differs (- expected, + made now)\n@@ description @@');
    expect(different.stdout).toMatch(/^- {3}"description": "(.*)"\n\+ {3}"description": "Mercy: \1"$/m);
    expect(different.stderr).toContain('npm run cli -- mappings test mercy --update');

    // Without a terminal there is no prompt: the difference is shown and nothing is written; --yes writes.
    const shown = await cli('mappings test mercy --update');
    expect([shown.code, shown.stdout]).toEqual([1, expect.stringContaining('+   "description": "Mercy: ')]);
    expect((await cli('mappings test mercy')).code).toBe(1);
    const accepted = await cli('mappings test mercy --update --yes');
    expect([accepted.code, accepted.stdout]).toEqual([0, expect.stringMatching(/Wrote \d+ files?\./)]);
    expect(await cli('mappings test mercy')).toMatchObject({ code: 0, stderr: '' });
  }, 120_000);

  it('the shipped mappings, and a site made from each profile, pass check and test at once', async () => {
    const profiles = ['epic-like', 'oracle-like', 'plain-r4', 'us-core'];
    for (const profile of profiles) {
      expect(await cli(`mappings new st-${profile} --from ${profile}`)).toMatchObject({ code: 0, stderr: '' });
      const settings = await readFile(join(folder, `mappings/st-${profile}/site.yaml`), 'utf8');
      // A new site writes nothing to a chart yet.
      expect(settings).toMatch(/^mode: shadow$/m);
      expect(settings).toContain(`\norganization: st-${profile}\n`);
      expect(settings.match(/example-hospital|\{EXAMPLE_/)).toBeNull();
    }
    const checked = await cli('mappings check');
    expect(checked).toMatchObject({ code: 0, stderr: '' });
    for (const name of ['base', ...profiles.flatMap((profile) => [`profiles/${profile}`, `st-${profile}`])]) {
      expect(checked.stdout).toMatch(new RegExp(`^${name} .* good$`, 'm'));
    }
    const tested = await cli('mappings test');
    expect(tested).toMatchObject({ code: 0, stderr: '' });
    for (const profile of profiles) expect(tested.stdout).toContain(`ok      mappings/st-${profile}/tests/`);
  }, 120_000);

  it('a second site of the same name is refused, and the first one is unchanged', async () => {
    await cli('mappings new mercy --from us-core');
    await edit(NOTE, 'status: current', 'status: superseded');
    const before = await readdir(join(folder, 'mappings'), { recursive: true });
    const again = await cli('mappings new mercy --from plain-r4');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('mappings/mercy exists already')]);
    expect(await readdir(join(folder, 'mappings'), { recursive: true })).toEqual(before);
    expect(await readFile(join(folder, NOTE), 'utf8')).toContain('status: superseded');
  });

  it('one document can be previewed before it is written anywhere', async () => {
    const input = 'mappings/base/tests/progress-note/input.yaml';
    const line = `mappings preview --site base --document composition --input ${input} --validate`;
    const { code, stdout, stderr } = await cli(line);
    expect([code, stderr]).toEqual([0, 'The document is valid FHIR.\n']);
    expect(JSON.parse(stdout)).toMatchObject({ resourceType: 'Composition', status: 'preliminary' });
    const { result, lineage } = JSON.parse((await cli(`${line} --lineage --json`)).stdout);
    expect(result).toEqual(JSON.parse(stdout));
    expect(lineage).toContainEqual(
      expect.objectContaining({
        element: 'title',
        place: { file: 'mappings/base/composition.yaml', line: expect.any(Number), column: expect.any(Number) },
      }),
    );
  });
});

describe('the help of the mapping commands', () => {
  it.each(['mappings', 'mappings check', 'mappings test', 'mappings preview', 'mappings new'])(
    '%s --help explains the command with examples',
    async (command) => {
      const { code, stdout, stderr } = await cli(`${command} --help`);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toMatch(/^Usage: cli mappings/);
      expect(stdout).toMatch(/Examples:\n {2}npm run/);
      expect(stdout).toContain('--json');
    },
  );

  it('commands without mappings start without FHIR, YAML and the mapping language', async () => {
    const code = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
      const { makeProgram } = await import(${JSON.stringify(join(PROJECT, 'src/cli/program.ts'))});
      makeProgram({ environment: {}, print() {}, warn() {}, terminal: {} });
      console.log(loaded.join('\\n'));
    `;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { environment: {}, folder });
    expect(stdout).toContain('commander');
    expect(
      stdout.split('\n').filter((url) => /@medplum|\/yaml\/|\/zod\/|src\/(mapping|validation|flows)\//.test(url)),
    ).toEqual([]);
  });
});
