// Compiled mappings by what they were made of, so that fifty sites that inherit a file compile it once, and a reload only what
// changed. What a load did not ask for is forgotten after it.
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CodeTable } from '../../domain/mapping/code-table.ts';
import type { DocumentMapping, Problem } from '../../domain/mapping/mapping.ts';
import { loadMapping } from '../../mapping/mapping.ts';
import { problemAt } from './folder-listing.ts';

type DocumentFacts = {
  readonly documents: readonly string[];
  readonly tables: Readonly<Record<string, CodeTable>>;
  readonly needsNotice: boolean;
};

export type DocumentContext = DocumentFacts & {
  /** Of all of it. */
  readonly hash: string;
};

export type CompiledMapping = { readonly mapping?: DocumentMapping; readonly problems: readonly Problem[] };

type MappingFile = { readonly document: string; readonly shown: string; readonly bytes: Uint8Array };

export type MappingCache = {
  readonly compile: (file: MappingFile, context: DocumentContext) => Promise<CompiledMapping>;
  /** Forgets what was not asked for since the last time. */
  readonly sweep: () => void;
};

export function makeMappingCache(): MappingCache {
  let kept = new Map<string, CompiledMapping>();
  let asked = new Map<string, CompiledMapping>();
  return {
    async compile(file, context) {
      const key = hashOf(file.shown, hashOf(file.bytes), context.hash);
      let compiled = asked.get(key) ?? kept.get(key);
      if (compiled === undefined) {
        // Requests that run meanwhile go on between two files.
        await nextTurn();
        compiled = load(file, context);
      }
      asked.set(key, compiled);
      return compiled;
    },
    sweep() {
      kept = asked;
      asked = new Map();
    },
  };
}

/** Whatever happens in it happens to this file alone. */
function load({ document, shown, bytes }: MappingFile, { hash: _, ...facts }: DocumentContext): CompiledMapping {
  try {
    return loadMapping({ file: shown, text: bytes, context: { kind: 'document', document, ...facts } });
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown';
    return { problems: [problemAt(shown, `the engine failed at this file (${name}); please report it`)] };
  }
}

export function makeContext(facts: DocumentFacts): DocumentContext {
  return { ...facts, hash: hashOf(JSON.stringify(facts)) };
}

export function hashOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('hex');
}
