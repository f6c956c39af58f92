// Runs a mappings command in this process, with a person at the terminal or without one, on a small set of mappings of its own.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { makeProgram } from '../../../src/cli/program.ts';
import { CliError } from '../../../src/cli/shared/cli-error.ts';

export type Outcome = {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The questions that the command asked. */
  readonly asked: readonly string[];
};

export type Person = {
  /** What the person at the terminal answers. No person is there if absent. */
  readonly answer?: string;
  readonly isColored?: boolean;
  readonly stdin?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Called with what the command prints while it runs. */
  readonly onPrint?: (text: string) => void;
  readonly onWarn?: (text: string) => void;
  readonly onProgress?: (text: string) => void;
  /** Aborted when the person presses Control-C. */
  readonly interrupt?: AbortSignal;
  readonly now?: Date;
  /** Called in place of a wait. */
  readonly pause?: (ms: number) => Promise<void>;
};

export async function runProgram(args: readonly string[], person: Person = {}): Promise<Outcome> {
  const output = { stdout: '', stderr: '' };
  const asked: string[] = [];
  const { answer, isColored = false, stdin = '', environment = {}, onProgress, onPrint, onWarn } = person;
  const { interrupt = new AbortController().signal, now = new Date(), pause } = person;
  const ask = async (question: string): Promise<string> => {
    asked.push(question);
    return answer ?? '';
  };
  const program = makeProgram({
    environment,
    print: (text) => {
      output.stdout += text;
      onPrint?.(text);
    },
    warn: (text) => {
      output.stderr += text;
      onWarn?.(text);
    },
    terminal: {
      isColored,
      ask: answer === undefined ? undefined : ask,
      input: bytesOf(stdin),
      tellProgress: onProgress,
      catchInterrupt: () => ({ signal: interrupt, stop: () => undefined }),
    },
    now: () => now,
    ...(pause !== undefined && { pause }),
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return { code: 0, ...output, asked };
  } catch (thrown) {
    if (!(thrown instanceof CliError)) throw thrown;
    return { code: 1, ...output, stderr: `${output.stderr}${thrown.message}\n`, asked };
  }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

export type Mappings = {
  /** The mappings directory. */
  readonly directory: string;
  readonly write: (path: string, text: string) => Promise<void>;
  readonly run: (line: string | readonly string[], person?: Person) => Promise<Outcome>;
};

/** Makes a small base, a profile to start from and a site, in a temporary folder. */
export async function withMappings(work: (mappings: Mappings) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'chartwright-mappings-'));
  const directory = join(folder, 'mappings');
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  };
  try {
    for (const [path, text] of Object.entries(FILES)) await write(path, text);
    await work({
      directory,
      write,
      run: (line, person) => {
        const args = typeof line === 'string' ? line.split(' ') : line;
        return runProgram(['mappings', '--dir', directory, ...args], person);
      },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export const COMPOSITION = `resourceType: Composition
status: preliminary
type:
  coding: "{[ %note.type.code(%codes.noteTypes) ]}"
  text: Clinical note
subject: "{{ %patient.reference() }}"
date: "{{ %run.time }}"
author:
  - display: "{{ %site.name }}"
title: "{{ %note.title }}"
text:
  status: generated
  div: "{{ %notice.xhtml() }}"
section:
  "{% for section in %note.sections %}":
    title: "{{ %section.title }}"
    code:
      coding: "{[ %section.key.code(%codes.sections) ]}"
    text:
      status: generated
      div: "{{ %notice.combine(%section.text).xhtml() }}"
`;

export const INPUT = `note:
  title: Cough
  type: PROGRESS_NOTE
  sections:
    - { key: PLAN, title: Plan, text: Rest for two days. }
`;

const CODES = `system: http://loinc.org
unmapped: report
codes:
`;

const FILES: Readonly<Record<string, string>> = {
  'base/site.yaml':
    'write: { note: [composition], diagnosis: [], provenance: false }\ncodes: { diagnosis: none }\norganization: mercy-general\n',
  'base/notice.yaml': '"Drafted by AI. Nobody has reviewed it yet."\n',
  'base/composition.yaml': COMPOSITION,
  'base/codes/note-types.yaml': `${CODES}  PROGRESS_NOTE: { code: 11506-3, display: Progress note }\n`,
  'base/codes/sections.yaml': `${CODES}  PLAN: { code: 18776-5, display: Plan of care note }\n`,
  'profiles/plain/site.yaml': `# To start a site from.
extends: base
organization: example-hospital
mode: shadow
ehr:
  baseUrl: https://ehr.example.org/fhir/R4
  # auth: { type: bearer, token: "\${EXAMPLE_TOKEN}" }
`,
  'profiles/plain/composition.yaml': COMPOSITION,
  'profiles/plain/tests/cough/input.yaml': INPUT,
  'mercy/site.yaml': 'extends: base\nmode: shadow\nehr: { baseUrl: "https://ehr.example.org/fhir/R4" }\n',
  'mercy/composition.yaml': COMPOSITION,
  'mercy/tests/cough/input.yaml': INPUT,
};
