// Caches compiled mappings by their source, so that fifty sites that inherit a file compile it once, and a reload compiles only changes.
// Entries that a load did not use are dropped after it.
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
  /** The hash of the whole source. */
  readonly hash: string;
};

export type CompiledMapping = { readonly mapping?: DocumentMapping; readonly problems: readonly Problem[] };

type MappingFile = { readonly document: string; readonly shown: string; readonly bytes: Uint8Array };

export type MappingCache = {
  readonly compile: (file: MappingFile, context: DocumentContext) => Promise<CompiledMapping>;
  /** Drops entries that were not used since the last call. */
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
        // Between two files, requests that are being served continue.
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

/** A failure affects this file alone. */
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
