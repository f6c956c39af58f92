// Previews of any mapping on any input, from the command line as it is typed: YAML and JSON, files and standard input, and common mistakes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { inFolder, PROJECT, type Run, runCli } from '../cli/run-cli.ts';

const YAML_MAPPING = `# A note for a board that shows only its head.
resourceType: Basic
code: { text: "{{ %note.title }}" }
extension:
  "{% for section in %note.sections %}":
    url: https://example.org/section
    valueString: "{{ %section.title }}: {{ %section.text }}"
`;

const NOTE = { note: { title: 'ED note', sections: [{ title: 'Plan', text: 'Rest.' }] } };
const MADE = {
  resourceType: 'Basic',
  code: { text: 'ED note' },
  extension: [{ url: 'https://example.org/section', valueString: 'Plan: Rest.' }],
};

const FILES: Readonly<Record<string, string>> = {
  'board.yaml': YAML_MAPPING,
  'board.json': JSON.stringify({
    resourceType: 'Basic',
    code: { text: '{{ %note.title }}' },
    extension: {
      '{% for section in %note.sections %}': {
        url: 'https://example.org/section',
        valueString: '{{ %section.title }}: {{ %section.text }}',
      },
    },
  }),
  'typo.yaml': 'kind: x\ntitle: "{{ %nota.title }}"\n',
  'absent.yaml': 'title: "{{ %note.nothing.of.the.kind }}"\n',
  'note.yaml': 'note:\n  title: ED note\n  sections:\n    - { title: Plan, text: Rest. }\n',
  'note.json': JSON.stringify(NOTE),
  'broken.yaml': 'note: [\n',
};

const withFiles = (work: (cli: (line: string) => Promise<Run>, folder: string) => Promise<void>) =>
  inFolder(async (folder) => {
    for (const [name, content] of Object.entries(FILES)) await writeFile(join(folder, name), content);
    await work((line) => runCli({ args: ['mappings', 'preview', ...line.split(' ')], folder }), folder);
  });

describe('mappings preview', () => {
  it.each([
    ['board.yaml', 'note.yaml'],
    ['board.yaml', 'note.json'],
    ['board.json', 'note.yaml'],
    ['board.json', 'note.json'],
  ])('the preview of %s on %s prints the result alone on stdout', (mapping, input) =>
    withFiles(async (cli) => {
      const { code, stdout, stderr } = await cli(`--mapping ${mapping} --input ${input} --json`);
      expect([code, stderr, JSON.parse(stdout)]).toEqual([0, '', MADE]);
    }),
  );

  it('the preview reads its input from a pipe', () =>
    withFiles(async (_, folder) => {
      const args = [join(PROJECT, 'src/cli/main.ts'), 'mappings', 'preview', '--mapping', 'board.yaml', '--input', '-'];
      const child = spawn(process.execPath, args, { cwd: folder, env: {} });
      const ended = once(child, 'close');
      child.stdin.end(JSON.stringify(NOTE));
      const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
      expect([code, stderr, JSON.parse(stdout)]).toEqual([0, '', MADE]);
    }));

  it('the preview reports an unknown variable with its place, and an unknown member is empty', () =>
    withFiles(async (cli) => {
      const unknown = await cli('--mapping typo.yaml --input note.yaml --json');
      expect([unknown.code, unknown.stdout]).toEqual([1, '']);
      expect(unknown.stderr).toMatch(/^typo\.yaml:2:\d+: %nota is not known here; did you mean %note\?\n$/);
      const member = await cli('--mapping absent.yaml --input note.yaml --json');
      expect(member).toEqual({ code: 0, stdout: 'null\n', stderr: 'the mapping made no document from this input\n' });
    }));

  it.each([
    ['--mapping none.yaml --input note.yaml', /^The file none\.yaml does not exist\.\n$/],
    ['--mapping board.yaml --input none.yaml', /^The file none\.yaml does not exist\.\n$/],
    ['--mapping board.yaml --input broken.yaml', /^broken\.yaml:\d+:\d+: /],
    ['--mapping broken.yaml --input note.yaml', /^broken\.yaml:\d+:\d+: /],
    ['--mapping board.yaml', /Name the input: --input <file>/],
    ['--nothing', /unknown option '--nothing'/],
  ])('the preview with %s prints its error on stderr and exits with 1', (line, message) =>
    withFiles(async (cli) => {
      const { code, stdout, stderr } = await cli(line);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(message);
      expect(stderr).not.toMatch(/^\s+at /m);
    }),
  );
});
