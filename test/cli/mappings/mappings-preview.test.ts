import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { inFolder } from '../run-cli.ts';
import { COMPOSITION, INPUT, type Mappings, type Outcome, runProgram, withMappings } from './mappings-program.ts';

type Files = {
  readonly mapping: string;
  readonly input: string | Uint8Array;
  readonly inputName?: string;
};

/** Writes a mapping and its input as files, and runs the preview. */
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
  it('prints what the mapping makes of a YAML input', async () => {
    const { code, stdout, stderr } = await preview({ mapping: TITLE, input: 'note: { title: ED note }\n' });
    expect([code, stderr, JSON.parse(stdout)]).toEqual([0, '', { title: 'ED note' }]);
  });

  it('prints what the mapping makes of a JSON input', async () => {
    const input = JSON.stringify({ note: { title: 'ED note' } });
    const { code, stdout } = await preview({ mapping: TITLE, input, inputName: 'input.json' });
    expect([code, JSON.parse(stdout)]).toEqual([0, { title: 'ED note' }]);
  });

  it('prints what the mapping makes of standard input', () =>
    inFolder(async (folder) => {
      await writeFile(join(folder, 'map.yaml'), TITLE);
      const args = ['mappings', 'preview', '--mapping', join(folder, 'map.yaml'), '--input', '-', '--json'];
      const { code, stdout } = await runProgram(args, { stdin: 'note: { title: ED note }' });
      expect([code, JSON.parse(stdout)]).toEqual([0, { title: 'ED note' }]);
    }));

  it('reports an unknown variable with its place', async () => {
    const { code, stdout, stderr } = await preview({ mapping: 'title: "{{ %nota.title }}"\n', input: 'note: {}\n' });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^map\.yaml:1:\d+: %nota is not known here; did you mean %note\?\n$/);
  });

  it('treats an unknown member as empty', async () => {
    const { code, stdout, stderr } = await preview({
      mapping: `${TITLE}kind: x\n`,
      input: 'note: { text: ED note }\n',
    });
    expect([code, stderr, JSON.parse(stdout)]).toEqual([0, '', { kind: 'x' }]);
  });

  it('says if the mapping made no document', async () => {
    const empty = { mapping: TITLE, input: 'note: {}\n' };
    const { code, stdout, stderr } = await preview(empty);
    expect([code, stdout, stderr]).toEqual([0, '', 'the mapping made no document from this input\n']);
    expect((await preview(empty, '--json')).stdout).toBe('null\n');
  });

  it('is strict unless --no-strict is given', async () => {
    const bare = { mapping: 'title: "{{ note.title }}"\n', input: 'note: { title: ED note }\n' };
    const { code, stderr } = await preview(bare);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^map\.yaml:1:\d+: note is not known here; did you mean %note\?/);
    expect(JSON.parse((await preview(bare, '--no-strict')).stdout)).toEqual({ title: 'ED note' });
  });

  it('shows for each element which line made it, and from which data', async () => {
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

  it('validates the document as FHIR', async () => {
    const mapping = 'resourceType: Patient\nbirthDate: "{{ %day }}"\n';
    const bad = await preview({ mapping, input: 'day: soon\n' }, '--validate');
    expect([bad.code, JSON.parse(bad.stdout)]).toEqual([1, { resourceType: 'Patient', birthDate: 'soon' }]);
    expect(bad.stderr).toMatch(/^map\.yaml: Patient\.birthDate /);
    const good = await preview({ mapping, input: 'day: "1980-02-29"\n' }, '--validate');
    expect([good.code, good.stderr]).toEqual([0, 'The document is valid FHIR.\n']);
    const { stdout } = await preview({ mapping, input: 'day: soon\n' }, '--validate', '--json');
    expect(JSON.parse(stdout).problems).toContainEqual(
      expect.objectContaining({ element: 'Patient.birthDate', isError: true }),
    );
  });

  it('does not run code of an input', async () => {
    const title = `{{ %note }} {% if true %} \${1+1} <%= 1 %>`;
    const { stdout } = await preview({ mapping: TITLE, input: JSON.stringify({ note: { title } }) });
    expect(JSON.parse(stdout)).toEqual({ title });
  });
});

describe('mappings preview refuses an unusable input, and quotes nothing of it:', () => {
  const secret = 'Mary Miller';

  it.each([
    ['a list', `- ${secret}\n`, /^input\.yaml must be an object whose top-level keys are the variables/],
    ['text', secret, /must be an object/],
    ['an empty file', '', /must be an object/],
    ['broken YAML', `note: {\n  title: ${secret}\nother: ]\n`, /^input\.yaml:\d+:\d+: /],
    ['a repeated key', `note: ${secret}\nnote: ${secret}\n`, /^input\.yaml:2:1: /],
    ['text that is not UTF-8', Buffer.from([0x6e, 0x3a, 0x20, 0xff, 0xfe]), /^input\.yaml:\d+:\d+: .*UTF-8/],
    ['the key __proto__', `{"__proto__": {"a": "${secret}"}}`, /__proto__/],
    ['deeply nested arrays', `{"a": ${'['.repeat(5000)}${']'.repeat(5000)}}`, /levels deep/],
    ['large YAML', `note: "${'x'.repeat(1_100_000)}"\n`, /the limit for YAML/],
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

  it('a missing file, and a folder in place of a file', () =>
    inFolder(async (folder) => {
      await writeFile(join(folder, 'map.yaml'), 'a: b\n');
      await mkdir(join(folder, 'folder'));
      const args = (mapping: string, input: string) => [
        ...['mappings', 'preview', '--mapping', join(folder, mapping), '--input', join(folder, input)],
      ];
      expect((await runProgram(args('map.yaml', 'none.yaml'))).stderr).toBe(
        `The file ${folder}/none.yaml does not exist.\n`,
      );
      expect((await runProgram(args('none.yaml', 'map.yaml'))).stderr).toBe(
        `The file ${folder}/none.yaml does not exist.\n`,
      );
      expect((await runProgram(args('map.yaml', 'folder'))).stderr).toContain('is a folder, not a file');
    }));

  it('mappings preview reads 10 MB of JSON', async () => {
    const input = JSON.stringify({ note: { title: 'x'.repeat(10_000_000) }, kind: 'long' });
    const { code, stdout } = await preview({ mapping: 'kind: "{{ %kind }}"\n', input });
    expect([code, JSON.parse(stdout)]).toEqual([0, { kind: 'long' }]);
  });
});

describe('mappings preview of a site', () => {
  const input = (directory: string) => `--input ${directory}/mercy/tests/cough/input.yaml`;

  it('prints one document of the site', () =>
    withMappings(async ({ run, directory }) => {
      const { code, stdout, stderr } = await run(`preview --site mercy --document composition ${input(directory)}`);
      expect([code, stderr]).toEqual([0, '']);
      expect(JSON.parse(stdout)).toMatchObject({ resourceType: 'Composition', title: 'Cough' });
    }));

  it('prints all documents that the site writes if no document is named', () =>
    withMappings(async ({ run, directory }) => {
      const { stdout } = await run(`preview --site mercy ${input(directory)} --json`);
      expect(JSON.parse(stdout)).toMatchObject([{ resourceType: 'Composition' }]);
    }));

  it('prints the notice, which is text', () =>
    withMappings(async ({ run, directory }) => {
      const { stdout } = await run(`preview --site mercy --document notice ${input(directory)}`);
      expect(JSON.parse(stdout)).toBe('Drafted by AI. Nobody has reviewed it yet.');
    }));

  it('shows which line made each element, and that the document is valid FHIR', () =>
    withMappings(async ({ run, directory }) => {
      const line = `preview --site mercy --document composition ${input(directory)} --lineage --validate`;
      const { code, stdout, stderr } = await run(line);
      expect([code, stderr]).toEqual([0, 'The document is valid FHIR.\n']);
      expect(stdout).toMatch(/^title +\S+mercy\/composition\.yaml:\d+:\d+ +%note\.title$/m);
    }));

  it('names the codes without a translation', () =>
    withMappings(async ({ run, write, directory }) => {
      await write('in.yaml', 'note: { title: x, sections: [{ key: NEW, title: New, text: y }] }\n');
      const { code, stderr } = await run(`preview --site mercy --document composition --input ${directory}/in.yaml`);
      expect([code, stderr]).toEqual([0, expect.stringMatching(/%codes\.sections does not know "NEW"/)]);
    }));

  it('reports a document that the site does not have', () =>
    withMappings(async ({ run, directory }) => {
      const { code, stderr } = await run(`preview --site mercy --document compositoin ${input(directory)}`);
      expect([code, stderr]).toEqual([1, 'mercy has no mapping compositoin; did you mean composition?\n']);
    }));

  it('reports a site that does not exist', () =>
    withMappings(async ({ run, directory }) => {
      const { stderr } = await run(`preview --site mercyy --document composition ${input(directory)}`);
      expect(stderr).toBe(`there is no folder mercyy in ${directory}; did you mean mercy?\n`);
    }));

  it('names the place of a problem in the facts', () =>
    withMappings(async ({ run, write, directory }) => {
      await write('in.yaml', 'note:\n  title: x\n  sections:\n    - { key: PLAN, title: Plan }\n');
      const { code, stderr } = await run(`preview --site mercy --document composition --input ${directory}/in.yaml`);
      expect(code).toBe(1);
      expect(stderr).toBe(`${directory}/in.yaml:4:7: note.sections[0].text is missing\n`);
    }));

  it('names each problem in the order of the file with the correct name, and quotes none of the values', () =>
    withMappings(async ({ run, write, directory }) => {
      const facts = `# Of a made-up visit.
note:
  titel: Mary Miller
  type: ED_NOT
  sections:
    - key: PLAN
      text: 5
langauge: Mary Miller
review: { decision: approved, time: Mary Miller }
`;
      await write('in.yaml', facts);
      const { code, stdout, stderr } = await run(`preview --site mercy --input ${directory}/in.yaml`);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr.replaceAll(`${directory}/`, '').split('\n')).toEqual([
        'in.yaml:3:3: note.titel is not known here; did you mean title?',
        expect.stringMatching(/^in\.yaml:4:3: note\.type must be one of PROGRESS_NOTE, .*; did you mean ED_NOTE\?$/),
        'in.yaml:6:7: note.sections[0].title is missing',
        'in.yaml:7:7: note.sections[0].text must be a text; write it in quotes',
        'in.yaml:8:1: langauge is not known here; did you mean language?',
        'in.yaml:9:9: review.reviewer is missing',
        'in.yaml:9:11: review.decision must be one of approve, edit; did you mean approve?',
        '',
      ]);
    }));

  it('reports the problem of a site that cannot be loaded', () =>
    withMappings(async ({ run, write, directory }) => {
      await write('mercy/composition.yaml', 'title: "{{ %nope }}"\n');
      const { code, stderr } = await run(`preview --site mercy --document composition ${input(directory)}`);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/mercy\/composition\.yaml:1:\d+: /)]);
    }));
});

describe('The validation of one document against all documents of its site', () => {
  const CONDITION = `resourceType: Condition
clinicalStatus: { coding: [{ system: http://terminology.hl7.org/CodeSystem/condition-clinical, code: active }] }
code: { text: "{{ %disease.name }}" }
subject: "{{ %patient.reference() }}"
note: [{ text: "{{ %notice }}" }]
`;
  const FACTS = `${INPUT}diagnosis:
  diseases: [{ name: Cough, icd10_code: R05, probability: 0.5, why: It was heard. }]
`;

  const AUTHOR = `"{{ 'condition'.reference() }}"`;
  const SIGNED = COMPOSITION.replace('display: "{{ %site.name }}"', AUTHOR);

  /** The site's composition is signed by a condition. */
  const withSigned = (work: (mappings: Mappings) => Promise<void>) =>
    withMappings(async (mappings) => {
      const settings = 'write: { note: [composition], diagnosis: [condition], provenance: false }\n';
      await mappings.write('base/site.yaml', `${settings}codes: { diagnosis: none }\n`);
      await mappings.write('base/condition.yaml', CONDITION);
      await mappings.write('mercy/composition.yaml', SIGNED);
      await mappings.write('in.yaml', FACTS);
      await work(mappings);
    });

  it('a document that refers to an unsuitable document of the set is not valid', () =>
    withSigned(async ({ run, directory }) => {
      const line = `preview --site mercy --document composition --validate --input ${directory}/in.yaml`;
      const { code, stdout, stderr } = await run(line);
      expect([code, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ resourceType: 'Composition' })]);
      expect(stderr).toMatch(/^composition: Composition\.author\[0\]\.reference points to a Condition; it may /);
      const { stdout: data } = await run(`${line} --json`);
      expect(JSON.parse(data)).toMatchObject({
        result: { resourceType: 'Composition' },
        problems: [{ document: 'composition', element: 'Composition.author[0].reference' }],
      });
    }));

  it('a document is valid if only another document of the set is not', () =>
    withSigned(async ({ run, directory }) => {
      const line = `preview --site mercy --document condition --validate --input ${directory}/in.yaml`;
      const { code, stdout, stderr } = await run(line);
      expect([code, stderr, JSON.parse(stdout)]).toEqual([
        0,
        'The document is valid FHIR.\n',
        expect.objectContaining({ resourceType: 'Condition' }),
      ]);
    }));

  it('a document that the site does not write is also validated against the set', () =>
    withSigned(async ({ run, write, directory }) => {
      await write('mercy/letter.yaml', SIGNED);
      const line = `preview --site mercy --document letter --validate --input ${directory}/in.yaml`;
      const { code, stderr } = await run(line);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^letter: Composition\.author\[0\]\.reference points to a Condition/);
      expect(stderr).not.toMatch(/^composition: /m);
    }));
});

describe('mappings preview refuses contradictory or missing options:', () => {
  it.each([
    ['preview', /Select what to preview: --site <name>/],
    ['preview --input x', /Select what to preview/],
    ['preview --mapping x', /Name the input: --input <file>/],
    ['preview --mapping x --site y --input z', /give one or the other/],
    ['preview --mapping x --document y --input z', /give one or the other/],
  ])('%s', async (line, message) => {
    const { code, stderr } = await runProgram(['mappings', ...line.split(' ')]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  });
});
