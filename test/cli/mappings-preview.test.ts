import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type Outcome, runProgram, withMappings } from './mappings-program.ts';
import { inFolder } from './run-cli.ts';

type Files = {
  readonly mapping: string;
  readonly input: string | Uint8Array;
  readonly inputName?: string;
};

/** A mapping on an input, both as files. */
async function preview(
  { mapping, input, inputName = 'input.yaml' }: Files,
  ...more: readonly string[]
): Promise<Outcome> {
  let outcome: Outcome | undefined;
  await inFolder(async (folder) => {
    await writeFile(join(folder, 'map.yaml'), mapping);
    await writeFile(join(folder, inputName), input);
    const args = ['mappings', 'preview', '--mapping', join(folder, 'map.yaml'), '--input', join(folder, inputName)];
    const { stdout, stderr, ...rest } = await runProgram([...args, ...more]);
    const short = (text: string) => text.replaceAll(`${folder}/`, '');
    outcome = { ...rest, stdout: short(stdout), stderr: short(stderr) };
  });
  if (outcome === undefined) throw new Error('nothing was run');
  return outcome;
}

const TITLE = 'title: "{{ %note.title }}"\n';

describe('mappings preview of any file', () => {
  it('gives what the mapping makes of a YAML input', async () => {
    const { code, stdout, stderr } = await preview({ mapping: TITLE, input: 'note: { title: ED note }\n' });
    expect([code, stderr, JSON.parse(stdout)]).toEqual([0, '', { title: 'ED note' }]);
  });

  it('gives the same of a JSON input', async () => {
    const input = JSON.stringify({ note: { title: 'ED note' } });
    const { code, stdout } = await preview({ mapping: TITLE, input, inputName: 'input.json' });
    expect([code, JSON.parse(stdout)]).toEqual([0, { title: 'ED note' }]);
  });

  it('gives the same of standard input', () =>
    inFolder(async (folder) => {
      await writeFile(join(folder, 'map.yaml'), TITLE);
      const args = ['mappings', 'preview', '--mapping', join(folder, 'map.yaml'), '--input', '-', '--json'];
      const { code, stdout } = await runProgram(args, { stdin: 'note: { title: ED note }' });
      expect([code, JSON.parse(stdout)]).toEqual([0, { title: 'ED note' }]);
    }));

  it('does not know a variable that the input has not, and says where', async () => {
    const { code, stdout, stderr } = await preview({ mapping: 'title: "{{ %nota.title }}"\n', input: 'note: {}\n' });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^map\.yaml:1:\d+: %nota is not known here; did you mean %note\?\n$/);
  });

  it('takes an unknown member as empty', async () => {
    const { code, stdout, stderr } = await preview({
      mapping: `${TITLE}kind: x\n`,
      input: 'note: { text: ED note }\n',
    });
    expect([code, stderr, JSON.parse(stdout)]).toEqual([0, '', { kind: 'x' }]);
  });

  it('says so where nothing was made', async () => {
    const empty = { mapping: TITLE, input: 'note: {}\n' };
    const { code, stdout, stderr } = await preview(empty);
    expect([code, stdout, stderr]).toEqual([0, '', 'the mapping made nothing of this input\n']);
    expect((await preview(empty, '--json')).stdout).toBe('null\n');
  });

  it('is strict, but not with --no-strict', async () => {
    const bare = { mapping: 'title: "{{ note.title }}"\n', input: 'note: { title: ED note }\n' };
    const { code, stderr } = await preview(bare);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^map\.yaml:1:\d+: note is not known here; did you mean %note\?/);
    expect(JSON.parse((await preview(bare, '--no-strict')).stdout)).toEqual({ title: 'ED note' });
  });

  it('shows which line made each element, and of what', async () => {
    const files = { mapping: `${TITLE}kind: x\n`, input: 'note: { title: ED note }\n' };
    const { code, stdout } = await preview(files, '--lineage');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ELEMENT +MADE BY +FROM$/m);
    expect(stdout).toMatch(/^title +map\.yaml:1:\d+ +%note\.title$/m);
    expect(stdout).toMatch(/^kind +map\.yaml:2:\d+ +\(constant\)$/m);
    const { result, lineage } = JSON.parse((await preview(files, '--lineage', '--json')).stdout);
    expect(result).toEqual({ title: 'ED note', kind: 'x' });
    expect(lineage).toContainEqual(expect.objectContaining({ element: 'title', sources: ['%note.title'] }));
  });

  it('checks whether it is good FHIR', async () => {
    const mapping = 'resourceType: Patient\nbirthDate: "{{ %day }}"\n';
    const bad = await preview({ mapping, input: 'day: soon\n' }, '--validate');
    expect([bad.code, JSON.parse(bad.stdout)]).toEqual([1, { resourceType: 'Patient', birthDate: 'soon' }]);
    expect(bad.stderr).toMatch(/^map\.yaml: Patient\.birthDate /);
    const good = await preview({ mapping, input: 'day: "1980-02-29"\n' }, '--validate');
    expect([good.code, good.stderr]).toEqual([0, 'It is valid FHIR.\n']);
    const { stdout } = await preview({ mapping, input: 'day: soon\n' }, '--validate', '--json');
    expect(JSON.parse(stdout).problems).toContainEqual(
      expect.objectContaining({ element: 'Patient.birthDate', isError: true }),
    );
  });

  it('does not run code that an input brings', async () => {
    const title = `{{ %note }} {% if true %} \${1+1} <%= 1 %>`;
    const { stdout } = await preview({ mapping: TITLE, input: JSON.stringify({ note: { title } }) });
    expect(JSON.parse(stdout)).toEqual({ title });
  });
});

describe('an input that cannot be used is told, and nothing of it repeated', () => {
  const secret = 'Mary Miller';

  it.each([
    ['a list', `- ${secret}\n`, /^input\.yaml must be an object: its top-level keys are the variables/],
    ['a text', secret, /must be an object/],
    ['nothing', '', /must be an object/],
    ['broken YAML', `note: {\n  title: ${secret}\nother: ]\n`, /^input\.yaml:\d+:\d+: /],
    ['a key twice', `note: ${secret}\nnote: ${secret}\n`, /^input\.yaml:2:1: /],
    ['no UTF-8', Buffer.from([0x6e, 0x3a, 0x20, 0xff, 0xfe]), /^input\.yaml:\d+:\d+: .*UTF-8/],
    ['a key that JavaScript takes for its own', `{"__proto__": {"a": "${secret}"}}`, /__proto__/],
    ['a tower', `{"a": ${'['.repeat(5000)}${']'.repeat(5000)}}`, /levels deep/],
    ['large YAML', `note: "${'x'.repeat(1_100_000)}"\n`, /too much for YAML/],
    ['more than 16 MiB', Buffer.alloc(16 * 1024 * 1024 + 1, 0x20), /larger than 16 MiB/],
  ])('%s', async (_, input, message) => {
    const { code, stdout, stderr } = await preview({ mapping: 'a: b\n', input });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('Mary');
  });

  it('JSON that breaks off', async () => {
    const input = `{ "note": { "title": "${secret}", }`;
    const { code, stderr } = await preview({ mapping: 'a: b\n', input, inputName: 'input.json' });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^input\.json:\d+:\d+: /)]);
    expect(stderr).not.toContain('Mary');
  });

  it('a file that is not there, and one that is a folder', () =>
    inFolder(async (folder) => {
      await writeFile(join(folder, 'map.yaml'), 'a: b\n');
      await mkdir(join(folder, 'folder'));
      const args = (mapping: string, input: string) => [
        ...['mappings', 'preview', '--mapping', join(folder, mapping), '--input', join(folder, input)],
      ];
      expect((await runProgram(args('map.yaml', 'none.yaml'))).stderr).toBe(`There is no file ${folder}/none.yaml.\n`);
      expect((await runProgram(args('none.yaml', 'map.yaml'))).stderr).toBe(`There is no file ${folder}/none.yaml.\n`);
      expect((await runProgram(args('map.yaml', 'folder'))).stderr).toContain('is a folder, where a file is expected');
    }));

  it('10 MB of JSON are taken', async () => {
    const input = JSON.stringify({ note: { title: 'x'.repeat(10_000_000) }, kind: 'long' });
    const { code, stdout } = await preview({ mapping: 'kind: "{{ %kind }}"\n', input });
    expect([code, JSON.parse(stdout)]).toEqual([0, { kind: 'long' }]);
  });
});

describe('mappings preview of a site', () => {
  const input = (directory: string) => `--input ${directory}/mercy/tests/cough/input.yaml`;

  it('gives one document of it', () =>
    withMappings(async ({ run, directory }) => {
      const { code, stdout, stderr } = await run(`preview --site mercy --document composition ${input(directory)}`);
      expect([code, stderr]).toEqual([0, '']);
      expect(JSON.parse(stdout)).toMatchObject({ resourceType: 'Composition', title: 'Cough' });
    }));

  it('gives all that it writes where no document is named', () =>
    withMappings(async ({ run, directory }) => {
      const { stdout } = await run(`preview --site mercy ${input(directory)} --json`);
      expect(JSON.parse(stdout)).toMatchObject([{ resourceType: 'Composition' }]);
    }));

  it('gives the notice, which is a text', () =>
    withMappings(async ({ run, directory }) => {
      const { stdout } = await run(`preview --site mercy --document notice ${input(directory)}`);
      expect(JSON.parse(stdout)).toBe('Drafted by AI. Nobody has reviewed it yet.');
    }));

  it('says which line made each element, and that it is good FHIR', () =>
    withMappings(async ({ run, directory }) => {
      const line = `preview --site mercy --document composition ${input(directory)} --lineage --validate`;
      const { code, stdout, stderr } = await run(line);
      expect([code, stderr]).toEqual([0, 'It is valid FHIR.\n']);
      expect(stdout).toMatch(/^title +\S+mercy\/composition\.yaml:\d+:\d+ +%note\.title$/m);
    }));

  it('says which codes have no translation', () =>
    withMappings(async ({ run, write, directory }) => {
      await write('in.yaml', 'note: { title: x, sections: [{ key: NEW, title: New, text: y }] }\n');
      const { code, stderr } = await run(`preview --site mercy --document composition --input ${directory}/in.yaml`);
      expect([code, stderr]).toEqual([0, expect.stringMatching(/%codes\.sections does not know "NEW"/)]);
    }));

  it('does not know a document that the site has not', () =>
    withMappings(async ({ run, directory }) => {
      const { code, stderr } = await run(`preview --site mercy --document compositoin ${input(directory)}`);
      expect([code, stderr]).toEqual([1, 'mercy has no mapping compositoin; did you mean composition?\n']);
    }));

  it('does not know a site that is not there', () =>
    withMappings(async ({ run, directory }) => {
      const { stderr } = await run(`preview --site mercyy --document composition ${input(directory)}`);
      expect(stderr).toBe(`there is no folder mercyy in ${directory}; did you mean mercy?\n`);
    }));

  it('names the place in facts that cannot be used', () =>
    withMappings(async ({ run, write, directory }) => {
      await write('in.yaml', 'note:\n  title: x\n  sections:\n    - { key: PLAN, title: Plan }\n');
      const { code, stderr } = await run(`preview --site mercy --document composition --input ${directory}/in.yaml`);
      expect(code).toBe(1);
      expect(stderr).toMatch(/in\.yaml:4:\d+: note\.sections\[0\]\.text: /);
    }));

  it('says what is wrong with a site that cannot be loaded', () =>
    withMappings(async ({ run, write, directory }) => {
      await write('mercy/composition.yaml', 'title: "{{ %nope }}"\n');
      const { code, stderr } = await run(`preview --site mercy --document composition ${input(directory)}`);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/mercy\/composition\.yaml:1:\d+: /)]);
    }));
});

describe('what is asked for must be one thing', () => {
  it.each([
    ['preview', /Say what to preview: --site <name>/],
    ['preview --input x', /Say what to preview/],
    ['preview --mapping x', /Say what to map: --input <file>/],
    ['preview --mapping x --site y --input z', /give one or the other/],
    ['preview --mapping x --document y --input z', /give one or the other/],
  ])('%s', async (line, message) => {
    const { code, stderr } = await runProgram(['mappings', ...line.split(' ')]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  });
});
