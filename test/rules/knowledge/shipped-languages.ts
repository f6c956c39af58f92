// The words of the languages as they are shipped, for a made-up medical knowledge.
import type { LanguageKnowledge } from '../../../src/rules/knowledge/knowledge.ts';
import { KNOWLEDGE_FOLDER, readKnowledgeFiles } from '../../../src/rules/knowledge/read-knowledge.ts';
import { parseLanguages } from '../../../src/rules/knowledge/read-languages.ts';

export const SHIPPED_LANGUAGES: LanguageKnowledge = shippedLanguages();

function shippedLanguages(): LanguageKnowledge {
  const read = parseLanguages(readKnowledgeFiles(KNOWLEDGE_FOLDER));
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return read.languages;
}
