import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { LANGUAGES } from '../../src/domain/language.ts';
import { IN_LEXICON } from '../../src/domain/note/check/findings/lexicon-names.ts';
import { openLexicon } from '../../src/evidence/open-lexicon.ts';
import { LEXICON_FOLDER, readLexicon } from '../../src/evidence/read-lexicon.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'chartwright-lexicon-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

writeFileSync(
  path.join(folder, 'chest.yaml'),
  `# What people say of the chest.
cough:
  name: { en: cough, es: tos, pt: tosse }
  en: [cough*]
  es: [tos]
  pt: [tosse]
wet-cough:
  name: { en: wet cough, es: tos con flema, pt: tosse com catarro }
  implies: [cough]
  en: ["cough* {3} phlegm|sputum"]
  es: ["tos {3} flema"]
  pt: ["tosse {3} catarro"]
brown-phlegm:
  name: { en: brown phlegm, es: flema marrón, pt: catarro marrom }
  implies: [wet-cough]
  kind: sign
  en: [brown phlegm]
  es: [flema marron]
  pt: [catarro marrom]
hay-fever:
  name: { en: hay fever, es: rinitis alérgica, pt: rinite alérgica }
  kind: condition
  en: [hay fever]
  es: [rinitis alergica]
  pt: [rinite alergica]
fever:
  name: { en: fever, es: fiebre, pt: febre }
  en: [fever*]
  es: [fiebre]
  pt: [febre]
`,
);
const lexicon = openLexicon(folder);

function named(text: string, language: 'en' | 'es' | 'pt' = 'en'): string[] {
  return lexicon.mentionsIn(text, language).map(({ id, from, to }) => `${id}: ${text.slice(from, to)}`);
}

describe('The lexicon of the check', () => {
  it.each([
    ['en', 'A cough with green phlegm', ['cough: cough', 'wet-cough: cough with green phlegm']],
    ['es', 'Tos con poca flema', ['cough: Tos', 'wet-cough: Tos con poca flema']],
    ['pt', 'Tosse com pouco catarro', ['cough: Tosse', 'wet-cough: Tosse com pouco catarro']],
  ] as const)('finds findings of %s with their places', (language, text, found) => {
    expect(named(text, language)).toEqual(found);
  });

  it.each([
    ['the words of a longer finding are no finding of their own', 'hay fever', ['hay-fever: hay fever']],
    ['a phrase skips no denial', 'coughing, no phlegm', ['cough: coughing']],
    ['a phrase ends with its clause', 'a cough; phlegm none', ['cough: cough']],
    ['the words of another language are not searched', 'tos con flema, fiebre', []],
    ['an empty text has none', '', []],
  ])('%s', (_, text, found) => {
    expect(named(text)).toEqual(found);
  });

  it('the kin of a finding are all that it implies and all that imply it, and no others', () => {
    expect([...lexicon.kinOf('wet-cough')].toSorted()).toEqual(['brown-phlegm', 'cough', 'wet-cough']);
    expect([...lexicon.kinOf('fever')]).toEqual(['fever']);
    expect([...lexicon.kinOf('unknown')]).toEqual(['unknown']);
  });

  it('names a finding in each language', () => {
    expect(lexicon.nameOf('wet-cough', 'pt')).toBe('tosse com catarro');
    expect(lexicon.nameOf('unknown', 'en')).toBe('unknown');
  });

  it('refuses a folder that cannot be read, and a finding without a name', () => {
    expect(() => openLexicon(path.join(folder, 'missing'))).toThrow('ENOENT');
    const broken = mkdtempSync(path.join(folder, 'broken-'));
    writeFileSync(path.join(broken, 'chest.yaml'), 'cough:\n  en: [cough]\n');
    expect(() => openLexicon(broken)).toThrow('chest.yaml: cough has no name');
  });

  it('reads the knowledge of the product', () => {
    const own = openLexicon();
    expect(own.mentionsIn('I have chest pain', 'en').map(({ id }) => id)).toContain('chest-pain');
    expect(own.mentionsIn('me duele el pecho', 'es').map(({ id }) => id)).toContain('chest-pain');
    expect(own.mentionsIn('dor no peito', 'pt').map(({ id }) => id)).toContain('chest-pain');
  });

  it('reads of each file, finding by finding, what it says as a whole', () => {
    const whole = readdirSync(LEXICON_FOLDER)
      .toSorted()
      .map((name) => parse(readFileSync(path.join(LEXICON_FOLDER, name), 'utf8')));
    const expected = Object.entries(Object.assign({}, ...whole)) as [string, Record<string, unknown>][];
    const { findings, phrasesIn } = readLexicon(LEXICON_FOLDER);
    expect(findings).toEqual(
      expected.map(([id, { kind = 'complaint', name, implies = [] }]) => ({ id, kind, name, implies })),
    );
    for (const language of LANGUAGES) {
      expect(phrasesIn(language)).toEqual(new Map(expected.map(([id, finding]) => [id, finding[language] ?? []])));
    }
  });

  it('has each finding that the lists of the check name', () => {
    const ids = new Set(readLexicon(LEXICON_FOLDER).findings.map(({ id }) => id));
    expect([...IN_LEXICON.values()].flat().filter((id) => !ids.has(id))).toEqual([]);
  });
});
