// The knowledge as it is shipped, from a cache that the test files share: reading its files takes longer than most of these tests.
import path from 'node:path';
import type { Knowledge } from '../../../src/rules/knowledge/knowledge.ts';
import { loadKnowledge } from '../../../src/rules/knowledge/load-knowledge.ts';
import { KNOWLEDGE_FOLDER } from '../../../src/rules/knowledge/read-knowledge.ts';
import { COMPILE_CACHE } from '../../support/compile-cache.ts';

export function shippedKnowledge(): Knowledge {
  return loadKnowledge(KNOWLEDGE_FOLDER, path.join(COMPILE_CACHE.NODE_COMPILE_CACHE, 'tests'));
}
