// All that the rules need from knowledge/. Parsing and checking these files takes longer than all else at start, so the result is
// cached: it is used again as long as no file changes.
import path from 'node:path';
import { cached, hashOfFiles } from '../../platform/value-cache.ts';
import { checkCues } from '../note-writing/note-writer.ts';
import type { Knowledge } from './knowledge.ts';
import { knowledgeOf, readKnowledgeFiles, versionOf } from './read-knowledge.ts';

/** The code that reads and checks the files: a cached value of other code is not used. */
const CODE = ['..', '../../clinical-text', `../../platform/yaml-file${path.extname(import.meta.filename)}`];

/** Throws one error that names every problem with file and line. `cacheFolder` is for tests. */
export function loadKnowledge(folder: string, cacheFolder?: string): Knowledge {
  const files = readKnowledgeFiles(folder);
  const code = CODE.map((place) => hashOfFiles(path.join(import.meta.dirname, place)));
  const key = [versionOf(files), ...code].join('\n');
  const read = (): Knowledge => {
    const knowledge = knowledgeOf(files);
    checkCues(knowledge);
    return knowledge;
  };
  return cached({ name: 'knowledge', key, make: read, folder: cacheFolder });
}
