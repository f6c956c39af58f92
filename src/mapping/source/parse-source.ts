// Parses a file that a person edits and reports all mistakes of its syntax. Its meaning is checked elsewhere.
import { readJson } from './read-json.ts';
import { readText } from './read-text.ts';
import { readYaml } from './read-yaml.ts';
import { makePlaceOf } from './source-lines.ts';
import type { ReadSource } from './source-tree.ts';

type SourceFile = {
  /** The name for messages; a name that ends in `.json` is read as JSON. */
  readonly file: string;
  readonly text: Uint8Array | string;
};

export function parseSource({ file, text }: SourceFile): ReadSource {
  const read = readText(file, text);
  if ('problem' in read) return { problems: [read.problem] };
  const placeOf = makePlaceOf(file, read.text);
  return file.endsWith('.json') ? readJson({ text: read.text, placeOf }) : readYaml({ text: read.text, placeOf });
}
