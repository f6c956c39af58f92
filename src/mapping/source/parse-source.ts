// A file that a person edits, read with everything that is wrong with it as a file. What it means is not looked at here.
import { readJson } from './read-json.ts';
import { readText } from './read-text.ts';
import { readYaml } from './read-yaml.ts';
import { makePlaceOf } from './source-lines.ts';
import type { ReadSource } from './source-tree.ts';

type SourceFile = {
  /** As problems are to name it; one that ends in `.json` is read as JSON. */
  readonly file: string;
  readonly text: Uint8Array | string;
};

export function parseSource({ file, text }: SourceFile): ReadSource {
  const read = readText(file, text);
  if ('problem' in read) return { problems: [read.problem] };
  const placeOf = makePlaceOf(file, read.text);
  return file.endsWith('.json') ? readJson({ text: read.text, placeOf }) : readYaml({ text: read.text, placeOf });
}
