// Tests docs/knowledge.md against the program: its example is valid beside the shipped knowledge, and has the described effect.
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Language } from '../../src/domain/language.ts';
import { buildDiagnosis } from '../../src/rules/answers/build-diagnosis.ts';
import { makeExtractFacts } from '../../src/rules/extraction/extract-facts.ts';
import { parseKnowledge } from '../../src/rules/knowledge/read-knowledge.ts';
import { readOptions } from '../eval/options.ts';
import { SHIPPED_LANGUAGES } from '../rules/knowledge/shipped-languages.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const KNOWLEDGE = path.join(ROOT, 'knowledge');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const page = read('docs/knowledge.md');

const files = globSync('{lexicon,conditions}/*.yaml', { cwd: KNOWLEDGE }).map((name) => ({
  path: name,
  text: readFileSync(path.join(KNOWLEDGE, name), 'utf8'),
}));
const examples = [...page.matchAll(/^```yaml\n# (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = '', text = '']) => ({
  path: name,
  text,
}));

function knowledgeWith(more: typeof files) {
  const parsed = parseKnowledge([...files, ...more]);
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return { ...parsed.knowledge, ...SHIPPED_LANGUAGES };
}

describe('the example in the guide to knowledge', () => {
  const knowledge = knowledgeWith(examples);
  const hearHistory = makeExtractFacts(knowledge);
  const firstOf = (text: string, language: Language) =>
    buildDiagnosis({ knowledge, facts: hearHistory(text), unseen: { images: 0, documents: 0, parts: 0 }, language })
      .diagnosis.diseases[0];

  it('is a valid finding and condition beside the shipped knowledge', () => {
    expect(examples.map((example) => example.path)).toEqual(['lexicon/example.yaml', 'conditions/example.yaml']);
    expect(knowledge.conditions.some(({ id }) => id === 'keloid')).toBe(true);
    expect(knowledge.version).not.toBe(knowledgeWith([]).version);
  });

  it.each<[Language, string, string]>([
    ['en', 'Keloid scar', 'A 25-year-old man. The scar on my shoulder is growing, three months now.'],
    ['es', 'Cicatriz queloide', 'Mujer de 30 años, la cicatriz de la oreja crece y está más gruesa desde hace un mes.'],
    ['pt', 'Cicatriz queloide', 'Mulher de 35 anos, a cicatriz do peito cresce há três semanas.'],
  ])('is answered first in %s: %s', (language, name, text) => {
    expect(firstOf(text, language)).toMatchObject({ name, icd10_code: 'L91.0' });
  });

  it('is the first answer to the request of the page', () => {
    const [, history = ''] = /"clinical_history": "([^"]+)"/.exec(page) ?? [];
    expect(firstOf(history, 'en')).toMatchObject({ icd10_code: 'L91.0' });
  });

  it('is not answered if it is denied', () => {
    expect(firstOf('A 22-year-old woman with an itch of the earlobe. No keloid.', 'en')?.icd10_code).not.toBe('L91.0');
  });
});

describe.each(['docs/knowledge.md', 'docs/evaluation.md'])('%s', (name) => {
  const text = read(name);

  it('uses only existing options of the evaluation', () => {
    const lines = [...text.matchAll(/npm run eval(?: --([^\n#`]*))?/g)].map(([, options = '']) => options.trim());
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) {
      const given = line.replace(' -->', '').split(/\s+/).filter(Boolean);
      expect(() => readOptions(given)).not.toThrow();
    }
  });

  it('names only existing pages and folders', () => {
    const pages = [...text.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, file]) => `docs/${file}`);
    const places = [...text.matchAll(/`((?:src|test)\/[\w/-]+)`/g)].map(([, place]) => place ?? '');
    expect([...pages, ...places].filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  });
});
