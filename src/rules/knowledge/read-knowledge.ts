// Reads the knowledge of the rules. All or nothing: rules that use half of the files would not be noticed. All problems are reported
// together, with file and line.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type ReadFile, readYaml, type YamlFile, type YamlProblem } from '../../platform/yaml-file.ts';
import { checkReferences, impliedBy } from './check-references.ts';
import type { Finding, Knowledge, MedicalKnowledge, UrgencyModel } from './knowledge.ts';
import {
  CONDITIONS_FILE,
  type ConditionsFile,
  LEXICON_FILE,
  type LexiconFile,
  URGENCY_FILE,
  type UrgencyFile,
} from './knowledge-schema.ts';
import { parseLanguages } from './read-languages.ts';

const FOLDERS = ['lexicon', 'conditions', 'urgency', 'cues', 'words', 'wording', 'notes'];
const VERSION_DIGITS = 12;
export const KNOWLEDGE_FOLDER = join(import.meta.dirname, '../../../knowledge');

/** Throws one error that names every problem with file and line. */
export function readKnowledge(folder: string): Knowledge {
  return knowledgeOf(readKnowledgeFiles(folder));
}

export function readKnowledgeFiles(folder: string): readonly YamlFile[] {
  return FOLDERS.flatMap((name) => filesOf(folder, name)).toSorted(byPath);
}

/** Throws as `readKnowledge`. */
export function knowledgeOf(files: readonly YamlFile[]): Knowledge {
  const [medical, words] = [parseKnowledge(files), parseLanguages(files)];
  if ('knowledge' in medical && 'languages' in words) return { ...medical.knowledge, ...words.languages };
  const found = [medical, words].flatMap((read) => ('problems' in read ? read.problems : []));
  const problems = found.toSorted(byPlace).map(({ path, line, message }) => `${path}:${line}: ${message}`);
  throw new Error(`The knowledge of the rules has ${problems.length} problems:\n${problems.join('\n')}`);
}

/** What is in lexicon/, conditions/ and urgency/. All files count for the version. */
export function parseKnowledge(
  files: readonly YamlFile[],
): { readonly knowledge: MedicalKnowledge } | { readonly problems: readonly YamlProblem[] } {
  const sorted = files.toSorted(byPath);
  const inFolder = (name: string) => sorted.filter(({ path }) => path.startsWith(`${name}/`));
  const lexicons = inFolder('lexicon').map((file) => readYaml(file, LEXICON_FILE));
  const conditions = inFolder('conditions').map((file) => readYaml(file, CONDITIONS_FILE));
  const urgencies = inFolder('urgency').map((file) => readYaml(file, URGENCY_FILE));
  const own = [...lexicons, ...conditions, ...urgencies].flatMap(({ problems }) => problems);
  // If a lexicon cannot be read, its findings would be reported as unknown everywhere.
  const isWhole = lexicons.every(({ value }) => value !== undefined);
  const problems = [...own, ...(isWhole ? checkReferences(lexicons, conditions) : [])];
  for (const { path } of urgencies.slice(1))
    problems.push({ path, line: 1, message: 'is one too many: there is one urgency model' });
  if (lexicons.length === 0) problems.push({ path: 'lexicon', line: 1, message: 'there is no lexicon' });
  if (problems.length > 0) return { problems: problems.toSorted(byPlace) };
  const [urgency] = urgencies.flatMap(({ value }) => (value === undefined ? [] : [toUrgencyModel(value)]));
  const read = build(lexicons, conditions);
  return { knowledge: { ...read, ...(urgency && { urgency }), version: versionOf(sorted) } };
}

function filesOf(folder: string, inside: string): YamlFile[] {
  return readdirSync(join(folder, inside))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => ({ path: `${inside}/${name}`, text: readFileSync(join(folder, inside, name), 'utf8') }));
}

function byPath(a: YamlFile, b: YamlFile): number {
  return a.path < b.path ? -1 : 1;
}

function byPlace(a: YamlProblem, b: YamlProblem): number {
  return a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1;
}

/** A hash of files in the order of their paths. */
export function versionOf(files: readonly YamlFile[]): string {
  const hash = createHash('sha256');
  for (const { path, text } of files) hash.update(`${path}\n${text.length}\n${text}\n`);
  return hash.digest('hex').slice(0, VERSION_DIGITS);
}

function build(
  lexicons: readonly ReadFile<LexiconFile>[],
  conditions: readonly ReadFile<ConditionsFile>[],
): Omit<MedicalKnowledge, 'version'> {
  const raw = lexicons.flatMap(({ value }) => Object.entries(value ?? {}));
  const implies = new Map(raw.map(([id, finding]) => [id, finding.implies]));
  return {
    findings: new Map(raw.map(([id, finding]) => [id, toFinding(id, finding, impliedBy(id, implies))])),
    conditions: conditions.flatMap(({ path, value }) =>
      Object.entries(value?.conditions ?? {}).map(([id, { findings, ...rest }]) => ({
        ...rest,
        id,
        group: basename(path, '.yaml'),
        findings: new Map(Object.entries(findings)),
      })),
    ),
    dangers: conditions.flatMap(({ value }) => value?.dangers ?? []),
  };
}

function toFinding(
  id: string,
  { en = [], es = [], pt = [], danger, ...rest }: LexiconFile[string],
  implies: readonly string[],
): Finding {
  return { ...rest, id, implies, isDanger: danger, phrases: { en, es, pt } };
}

function toUrgencyModel({ findings, words, ...rest }: UrgencyFile): UrgencyModel {
  const byName = (lists: UrgencyFile['findings']) =>
    new Map(lists.flatMap(({ weight, of }) => of.map((name) => [name, weight] as const)));
  return {
    ...rest,
    findings: byName(findings),
    words: { en: byName(words.en), es: byName(words.es), pt: byName(words.pt) },
  };
}
