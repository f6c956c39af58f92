// Reads cues/, words/, wording/ and notes/: the words of each language. Their files have fixed names.
import type { z } from 'zod';
import { readYaml, type YamlFile, type YamlProblem } from '../../platform/yaml-file.ts';
import { NOTE_FILES } from '../note-writing/cue-files.ts';
import type { LanguageKnowledge } from './knowledge.ts';
import { CUES_FILE, WORDING_FILE } from './language-schema.ts';
import { WORD_FILES } from './word-lists.ts';

type Schemas = Readonly<Record<string, z.ZodType>>;
/** The value is undefined if there are problems. */
type ReadFolder<S extends Schemas> = {
  readonly value?: { readonly [Name in keyof S]: z.output<S[Name]> };
  readonly problems: readonly YamlProblem[];
};

export function parseLanguages(
  files: readonly YamlFile[],
): { readonly languages: LanguageKnowledge } | { readonly problems: readonly YamlProblem[] } {
  const cues = readFolder(files, 'cues', { en: CUES_FILE, es: CUES_FILE, pt: CUES_FILE });
  const wording = readFolder(files, 'wording', { en: WORDING_FILE, es: WORDING_FILE, pt: WORDING_FILE });
  const words = readFolder(files, 'words', WORD_FILES);
  const notes = readFolder(files, 'notes', NOTE_FILES);
  if (!cues.value || !words.value || !wording.value || !notes.value)
    return { problems: [...cues.problems, ...words.problems, ...wording.problems, ...notes.problems] };
  return { languages: { cues: cues.value, words: words.value, wording: wording.value, notes: notes.value } };
}

function readFolder<S extends Schemas>(files: readonly YamlFile[], folder: string, schemas: S): ReadFolder<S> {
  const wanted = new Map(Object.entries(schemas).map(([name, schema]) => [`${folder}/${name}.yaml`, { name, schema }]));
  const problems: YamlProblem[] = files
    .filter(({ path }) => path.startsWith(`${folder}/`) && !wanted.has(path))
    .map(({ path }) => ({ path, line: 1, message: 'is not known here' }));
  const entries = [...wanted].map(([path, { name, schema }]) => {
    const file = files.find((one) => one.path === path);
    if (file === undefined) problems.push({ path, line: 1, message: 'is missing' });
    const read = file && readYaml(file, schema);
    problems.push(...(read?.problems ?? []));
    return [name, read?.value];
  });
  return problems.length > 0 ? { problems } : { value: Object.fromEntries(entries), problems };
}
