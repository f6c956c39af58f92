// Reads the findings of knowledge/lexicon (see knowledge/FORMAT.md), and their phrases by language: reading YAML takes much time and memory, and
// most engines hear one language. The rules and the tests check these files in full; here only what would break the reading is refused.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { Language } from '../domain/language.ts';
import type { FindingKind } from '../domain/note/lexicon.ts';
import { cached, hashOfFiles } from '../platform/value-cache.ts';

export const LEXICON_FOLDER = path.join(import.meta.dirname, '../../knowledge/lexicon');

export type LexiconFinding = {
  readonly id: string;
  readonly kind: FindingKind;
  readonly name: Readonly<Record<Language, string>>;
  /** What it implies in one step. */
  readonly implies: readonly string[];
};

export type LexiconFiles = {
  readonly findings: readonly LexiconFinding[];
  /** By the id of the finding. */
  readonly phrasesIn: (language: Language) => ReadonlyMap<string, readonly string[]>;
};

/** Throws if a file cannot be read; `phrasesIn` may throw, too. `cacheFolder` is for tests. */
export function readLexicon(folder: string, cacheFolder?: string): LexiconFiles {
  const key = [folder, import.meta.filename].map(hashOfFiles).join('\n');
  const read = <T>(name: string, make: () => T): T => cached({ name, key, make, folder: cacheFolder });
  return {
    findings: read('lexicon', () => entriesOf(folder).map(readFinding)),
    phrasesIn: (language) =>
      read(
        `lexicon-${language}`,
        () => new Map(entriesOf(folder).map((entry) => [entry.id, readPhrases(entry, language)])),
      ),
  };
}

type Entry = { readonly file: string; readonly id: string; readonly members: readonly string[] };

/** Each finding with the text of each of its members: as one document, a file would take a hundred times its size in memory. */
function entriesOf(folder: string): readonly Entry[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  return files.toSorted().flatMap((file) =>
    readFileSync(path.join(folder, file), 'utf8')
      .split(/^(?=[a-z0-9])/m)
      .filter((text) => /^[a-z0-9]/.test(text))
      .map((text) => {
        const [head = '', ...members] = text.split(/^ {2}(?=[a-z])/m);
        return { file, id: head.slice(0, head.indexOf(':')), members };
      }),
  );
}

function readFinding({ file, id, members }: Entry): LexiconFinding {
  const { kind = 'complaint', name, implies = [] } = readMembers<LexiconFinding>(members, ['kind', 'name', 'implies']);
  if (name === undefined) throw new Error(`${file}: ${id} has no name`);
  return { id, kind, name, implies };
}

function readPhrases({ members }: Entry, language: Language): readonly string[] {
  return readMembers<Record<Language, readonly string[]>>(members, [language])[language] ?? [];
}

function readMembers<Members>(members: readonly string[], names: readonly string[]): Partial<Members> {
  const wanted = members.filter((member) => names.some((name) => member.startsWith(`${name}:`)));
  const read: unknown = parse(wanted.join('').replace(/^ {2}/gm, ''));
  return read ?? {};
}
