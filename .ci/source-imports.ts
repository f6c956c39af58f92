// Reads the imports of `src` from its lines as text. It tells `import type` from `import`, and counts an import at run time.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export type Import = {
  readonly file: string;
  readonly line: number;
  /** A file as `src/domain/errors.ts`, or the specifier of a package. */
  readonly target: string;
  readonly isType: boolean;
};

export type Source = {
  /** The text of each file of `src`, by its path. */
  readonly texts: ReadonlyMap<string, string>;
  readonly imports: readonly Import[];
};

const IMPORT = /^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm;

/** Reads `src` below a folder. */
export function readSource(root: string): Source {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: root }).map((file) => file.split(path.sep).join('/'));
  const texts = new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
  return { texts, imports: [...texts].flatMap(importsOf) };
}

function importsOf([file, text]: readonly [file: string, text: string]): Import[] {
  return [...text.matchAll(IMPORT)].map((match) => ({
    file,
    line: text.slice(0, match.index).split('\n').length,
    target: resolve(file, match[2] ?? match[3] ?? ''),
    isType: match[1] !== undefined,
  }));
}

function resolve(file: string, specifier: string): string {
  return specifier.startsWith('.') ? path.posix.join(path.posix.dirname(file), specifier) : specifier;
}
