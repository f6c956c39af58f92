// Reads the findings of knowledge/lexicon (see knowledge/FORMAT.md). The rules and the tests check these files in full; here only what
// would break the reading is refused.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { LANGUAGES, type Language } from '../domain/language.ts';
import type { FindingKind } from '../domain/note/lexicon.ts';
import { cached, hashOfFiles } from '../platform/value-cache.ts';

export const LEXICON_FOLDER = path.join(import.meta.dirname, '../../knowledge/lexicon');

export type LexiconFinding = {
  readonly id: string;
  readonly kind: FindingKind;
  readonly name: Readonly<Record<Language, string>>;
  /** What it implies in one step. */
  readonly implies: readonly string[];
  readonly phrases: Readonly<Record<Language, readonly string[]>>;
};

/** Throws if a file cannot be read. `cacheFolder` is for tests. */
export function readLexicon(folder: string, cacheFolder?: string): readonly LexiconFinding[] {
  const key = [folder, import.meta.filename].map(hashOfFiles).join('\n');
  return cached({ name: 'lexicon', key, make: () => readFolder(folder), folder: cacheFolder });
}

function readFolder(folder: string): readonly LexiconFinding[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  return files.toSorted().flatMap((name) => readFindings(readFileSync(path.join(folder, name), 'utf8'), name));
}

/** One finding after the other: as one document, a file would take a hundred times its size in memory. */
function readFindings(text: string, file: string): LexiconFinding[] {
  return text.split(/^(?=[a-z0-9])/m).flatMap((part) => {
    const read: unknown = parse(part);
    return Object.entries(read ?? {}).map(([id, written]) => toFinding(id, written as WrittenFinding, file));
  });
}

type WrittenFinding = Partial<
  Pick<LexiconFinding, 'kind' | 'name' | 'implies'> & Readonly<Record<Language, readonly string[]>>
>;

function toFinding(
  id: string,
  { kind = 'complaint', name, implies = [], ...more }: WrittenFinding,
  file: string,
): LexiconFinding {
  if (name === undefined) throw new Error(`${file}: ${id} has no name`);
  const phrases = Object.fromEntries(LANGUAGES.map((language) => [language, more[language] ?? []]));
  return { id, kind, name, implies, phrases: phrases as LexiconFinding['phrases'] };
}
