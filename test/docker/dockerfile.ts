// Reads a Dockerfile and a .dockerignore, with the features that ours use: stages, instructions, and which files of the context a COPY takes.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.join(import.meta.dirname, '../..');

export type Instruction = { readonly name: string; readonly words: readonly string[]; readonly text: string };
export type Stage = {
  readonly name: string | undefined;
  readonly base: string;
  readonly steps: readonly Instruction[];
};

export type Dockerfile = {
  /** The ARG values before the first FROM. */
  readonly args: Readonly<Record<string, string>>;
  readonly stages: readonly Stage[];
};

export function readDockerfile(file = path.join(ROOT, 'docker/Dockerfile')): Dockerfile {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const steps = lines.map((line): Instruction => {
    const [name = '', ...words] = line.trim().split(/\s+/);
    return { name, words, text: line.trim().slice(name.length).trim() };
  });
  const first = steps.findIndex(({ name }) => name === 'FROM');
  const args = Object.fromEntries(steps.slice(0, first).map(({ text }) => splitOnce(text)));
  const stages: { name: string | undefined; base: string; steps: Instruction[] }[] = [];
  for (const step of steps.slice(first)) {
    if (step.name !== 'FROM') stages.at(-1)?.steps.push(step);
    else stages.push({ name: step.words[2], base: withArgs(step.words[0] ?? '', args), steps: [] });
  }
  return { args, stages };
}

/** The variables of all ENV instructions of a stage. */
export function environmentOf({ steps }: Stage): Readonly<Record<string, string>> {
  return Object.fromEntries(steps.filter(({ name }) => name === 'ENV').flatMap(({ words }) => words.map(splitOnce)));
}

/** The text of the last instruction with this name. */
export function textOf({ steps }: Stage, name: string): string | undefined {
  return steps.findLast((step) => step.name === name)?.text;
}

/** The list `["a", "b"]` of CMD, ENTRYPOINT or HEALTHCHECK … CMD. */
export function commandOf(stage: Stage, name: string): readonly string[] {
  const list = /\[.*\]$/.exec(textOf(stage, name) ?? '');
  if (list === null) throw new Error(`${name} has no list of words`);
  return JSON.parse(list[0]);
}

export type Copied = { readonly source: string; readonly target: string };

/** Which files the COPY instructions of a stage take from the context, and their places in the image. Throws if a file does not exist. */
export function copiesOf({ steps }: Stage, context = ROOT): readonly Copied[] {
  return steps
    .filter(({ name, words }) => name === 'COPY' && !words.some((word) => word.startsWith('--from')))
    .flatMap(({ words }) => {
      const target = words.at(-1) ?? '';
      return words.slice(0, -1).flatMap((pattern) => {
        const sources = globSync(pattern, { cwd: context });
        if (sources.length === 0) throw new Error(`COPY ${pattern}: there is no such file`);
        return sources.map((source) => ({ source, target: targetOf(pattern, source, target) }));
      });
    });
}

/** COPY copies the content of a folder; a file keeps its name. */
function targetOf(pattern: string, source: string, target: string): string {
  return pattern.endsWith('/') ? target : path.posix.join(target, path.posix.basename(source));
}

/** Applies .dockerignore: the last pattern that matches the path, or a folder above it, decides. */
export function isInContext(file: string): boolean {
  const patterns = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const parts = file.split('/');
  const paths = parts.map((_part, index) => parts.slice(0, index + 1).join('/'));
  const last = patterns.findLast((pattern) => paths.some((each) => fits(pattern.replace(/^!/, ''), each)));
  return last === undefined || last.startsWith('!');
}

function fits(pattern: string, file: string): boolean {
  if (/\*\*|[?[\]\\]/.test(pattern)) throw new Error(`.dockerignore: ${pattern} is not supported by this test`);
  const parts = pattern.split('*').map((part) => part.replaceAll('.', '\\.'));
  return new RegExp(`^${parts.join('[^/]*')}$`).test(file);
}

function withArgs(text: string, args: Dockerfile['args']): string {
  return text.replaceAll(/\$\{(\w+)\}/g, (_all, name: string) => args[name] ?? '');
}

function splitOnce(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1).replaceAll(/^"|"$/g, '')];
}
