import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { MedicalKnowledge } from '../../../src/rules/knowledge/knowledge.ts';
import { KNOWLEDGE_FOLDER, parseKnowledge, readKnowledge } from '../../../src/rules/knowledge/read-knowledge.ts';
import { SHIPPED_LANGUAGES } from './shipped-languages.ts';

const LEXICON = `# findings
cough:
  name: { en: cough, es: tos, pt: tosse }
  en: [cough*]
  es: [tos]
  pt: [tosse]
wet-cough:
  name: { en: wet cough, es: tos húmeda, pt: tosse úmida }
  implies: [cough]
  danger: true
  kind: sign
  en: ["wet cough"]
  es: ["tos humeda"]
  pt: ["tosse umida"]
very-wet-cough:
  name: { en: x, es: x, pt: x }
  implies: [wet-cough]
  values: [{ of: temperature, from: 38, below: 40, ages: "12-" }, { of: heart-rate, below: 50, ages: "0-0.25" }]
`;

const CONDITIONS = `dangers:
  - all: [cough, wet-cough]
    ages: "0-0.25"
    why: { en: a, es: b, pt: c }
conditions:
  bronchitis:
    name: { en: Bronchitis, es: Bronquitis, pt: Bronquite }
    icd10: J20.9
    base: -1.5
    people: [{ ages: "65-", weight: 0.5 }, { sex: male, weight: -8 }]
    needs: [cough]
    findings:
      cough: 1
      wet-cough: { present: 0.5, absent: -0.4 }
    mustNotMiss: true
    urgent: 0.5
    consider: { with: [wet-cough], ages: "16-" }
    alsoThink: [sepsis]
    tests: [{ en: a, es: b, pt: c }]
    care: [{ en: a, es: b, pt: c, url: "https://example.org/a" }, { en: a, es: b, pt: c }]
    drugs:
      - name: { en: a, es: b, pt: c }
        class: { en: a, es: b, pt: c }
        considerations: { en: a, es: b, pt: c }
        avoid: [wet-cough]
  sepsis:
    name: { en: Sepsis, es: Sepsis, pt: Sepse }
    icd10: A41.9
    base: -4
    needs: [cough]
    findings: { cough: 1 }
    mustNotMiss: true
    tests: [{ en: a, es: b, pt: c }]
    care: [{ en: a, es: b, pt: c }]
`;

const URGENCY = `start: -1
urgentFrom: 0
shortest: 5
longest: 90
findings:
  -
    weight: 0.5
    of: fever cough
words:
  en: [{ weight: -0.2, of: refill }]
  es: []
  pt: []
`;

type Files = { readonly lexicon?: string; readonly conditions?: string };

function parse({ lexicon = LEXICON, conditions = CONDITIONS }: Files) {
  return parseKnowledge([
    { path: 'lexicon/chest.yaml', text: lexicon },
    { path: 'conditions/chest.yaml', text: conditions },
  ]);
}

function known(files: Files = {}): MedicalKnowledge {
  const read = parse(files);
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return read.knowledge;
}

function problems(files: Files): string[] {
  const read = parse(files);
  return 'problems' in read ? read.problems.map(({ path, line, message }) => `${path}:${line}: ${message}`) : [];
}

describe('Valid knowledge', () => {
  it('is read as written, and chains of implied findings are followed', () => {
    const { findings } = known();
    expect(findings.get('very-wet-cough')).toEqual({
      id: 'very-wet-cough',
      name: { en: 'x', es: 'x', pt: 'x' },
      kind: 'complaint',
      implies: ['cough', 'wet-cough'],
      denies: [],
      asked: true,
      isDanger: false,
      phrases: { en: [], es: [], pt: [] },
      values: [
        { of: 'temperature', from: 38, below: 40, ages: { from: 12, to: Number.POSITIVE_INFINITY } },
        { of: 'heart-rate', below: 50, ages: { from: 0, to: 0.25 } },
      ],
    });
    expect(findings.get('wet-cough')).toMatchObject({ isDanger: true, kind: 'sign', phrases: { es: ['tos humeda'] } });
  });

  it('is read the same from YAML that the fast reader refuses', () => {
    const phrases = 'en: [\n    "wet cough"\n  ]';
    expect(known({ lexicon: LEXICON.replace('en: ["wet cough"]', phrases) }).findings).toEqual(known().findings);
  });

  it('uses the file name as the group of a condition, and a plain number as the weight of a present finding', () => {
    const { conditions, dangers } = known();
    expect(conditions).toHaveLength(2);
    expect(conditions[0]).toMatchObject({
      id: 'bronchitis',
      group: 'chest',
      icd10: 'J20.9',
      base: -1.5,
      needs: ['cough'],
      urgent: 0.5,
      consider: { with: ['wet-cough'], ages: { from: 16, to: Number.POSITIVE_INFINITY } },
      alsoThink: ['sepsis'],
    });
    expect(conditions[0]?.findings).toEqual(
      new Map([
        ['cough', { present: 1, absent: 0 }],
        ['wet-cough', { present: 0.5, absent: -0.4 }],
      ]),
    );
    expect(conditions[0]?.people).toEqual([
      { ages: { from: 65, to: Number.POSITIVE_INFINITY }, weight: 0.5 },
      { sex: 'male', weight: -8 },
    ]);
    expect(conditions[0]?.care[1]).toEqual({ en: 'a', es: 'b', pt: 'c' });
    expect(dangers).toEqual([
      { all: ['cough', 'wet-cough'], ages: { from: 0, to: 0.25 }, why: { en: 'a', es: 'b', pt: 'c' } },
    ]);
  });

  it('has another version after each change, and the same version for the same files in any order', () => {
    expect(known().version).toMatch(/^[0-9a-f]{12}$/);
    expect(known().version).not.toBe(known({ lexicon: LEXICON.replace('# findings', '# finding') }).version);
    const files = [
      { path: 'conditions/chest.yaml', text: CONDITIONS },
      { path: 'lexicon/chest.yaml', text: LEXICON },
    ];
    expect(parseKnowledge(files)).toEqual(parseKnowledge(files.toReversed()));
  });

  it('has another version after a change in notes/', () => {
    const version = (text: string) => {
      const files = [
        { path: 'conditions/chest.yaml', text: CONDITIONS },
        { path: 'lexicon/chest.yaml', text: LEXICON },
        { path: 'notes/words.yaml', text },
      ];
      const parsed = parseKnowledge(files);
      return 'knowledge' in parsed && parsed.knowledge.version;
    };
    expect(version('a: b')).toMatch(/^[0-9a-f]{12}$/);
    expect(version('a: b')).not.toBe(version('a: c'));
  });
});

describe('Knowledge with mistakes is refused, with file and line of each', () => {
  const inLexicon = (from: string, to: string): Files => ({ lexicon: LEXICON.replace(from, to) });
  const inConditions = (from: string, to: string): Files => ({ conditions: CONDITIONS.replace(from, to) });

  it.each<[string, Files, string]>([
    [
      'an unknown key',
      inLexicon('danger: true', 'dangerous: true'),
      'lexicon/chest.yaml:10: wet-cough.dangerous is not known here',
    ],
    ['a missing language', inLexicon('  pt: [tosse]\n', ''), 'lexicon/chest.yaml:2: cough: has no phrases in pt'],
    [
      'a name that is missing in one language',
      inLexicon('es: tos, pt', 'pt'),
      'lexicon/chest.yaml:3: cough.name.es: is a text',
    ],
    [
      'a finding without phrases and values',
      inLexicon(/ {2}values.*\n/.exec(LEXICON)?.[0] ?? '', ''),
      'lexicon/chest.yaml:15: very-wet-cough: has no phrases in en, es, pt',
    ],
    [
      'a phrase that cannot be read',
      inLexicon('[cough*]', '[cou*]'),
      'lexicon/chest.yaml:4: cough.en.0: "cou*" has too few letters before a star: fewer than 4',
    ],
    [
      'a choice that was meant between several words',
      inLexicon('[cough*]', '["wet cough|dry cough"]'),
      'lexicon/chest.yaml:4: cough.en.0: "wet cough|dry cough" has "cough" in a choice and beside it: a choice is between',
    ],
    ['a kind that is none', inLexicon('kind: sign', 'kind: sigh'), 'lexicon/chest.yaml:11: wet-cough.kind'],
    [
      'an unknown value',
      inLexicon('of: temperature', 'of: warmth'),
      'lexicon/chest.yaml:18: very-wet-cough.values.0.of',
    ],
    [
      'a band without bounds',
      inLexicon('below: 50, ', ''),
      'lexicon/chest.yaml:18: very-wet-cough.values.1: has neither from nor below',
    ],
    ['ages that are none', inLexicon('"12-"', '"12"'), 'lexicon/chest.yaml:18: very-wet-cough.values.0.ages'],
    ['an id with capitals', inLexicon('\nwet-cough:', '\nWet-cough:'), 'lexicon/chest.yaml:7: Wet-cough is no id'],
    ['an id twice in one file', inLexicon('wet-cough:', 'cough:'), 'lexicon/chest.yaml:7: Map keys must be unique'],
    [
      'an implied finding that is not defined',
      inLexicon('[cough]\n  danger', '[cuogh]\n  danger'),
      'lexicon/chest.yaml:9: cuogh is no finding of any lexicon',
    ],
    [
      'a circle',
      inLexicon('  en: [cough*]', '  implies: [very-wet-cough]\n  en: [cough*]'),
      'lexicon/chest.yaml:2: implies itself: cough → very-wet-cough → wet-cough → cough',
    ],
    ['YAML that is none', inLexicon('en: [cough*]', 'en: [cough*'), 'lexicon/chest.yaml:'],
    [
      'an invalid code',
      inConditions('J20.9', 'bronchitis'),
      'conditions/chest.yaml:8: conditions.bronchitis.icd10: is no code of ICD-10',
    ],
    [
      'a weight that is too heavy',
      inConditions('cough: 1', 'cough: 6'),
      'conditions/chest.yaml:13: conditions.bronchitis.findings.cough: is over 5',
    ],
    [
      'an absent weight that is too heavy',
      inConditions('absent: -0.4', 'absent: -40'),
      'conditions/chest.yaml:14: conditions.bronchitis.findings.wet-cough.absent: is under -5',
    ],
    [
      'a finding that speaks for a condition whether present or absent',
      inConditions('absent: -0.4', 'absent: 0.4'),
      'conditions/chest.yaml:14: conditions.bronchitis.findings.wet-cough: weighs the same way',
    ],
    [
      'an unknown key of a weight',
      inConditions('absent: -0.4', 'away: -0.4'),
      'conditions/chest.yaml:14: conditions.bronchitis.findings.wet-cough.away is not known here',
    ],
    [
      'a needed finding that is not defined',
      inConditions('needs: [cough]', 'needs: [cought]'),
      'conditions/chest.yaml:11: cought is no finding of any lexicon',
    ],
    [
      'a weighed finding that is not defined',
      inConditions('wet-cough: {', 'wot-cough: {'),
      'conditions/chest.yaml:14: wot-cough is no finding of any lexicon',
    ],
    [
      'a danger of findings that is not defined',
      inConditions('all: [cough, wet', 'all: [cough, wot'),
      'conditions/chest.yaml:2: wot-cough is no finding of any lexicon',
    ],
    [
      'a drug with an unknown reason to avoid it',
      inConditions('avoid: [wet', 'avoid: [wot'),
      'conditions/chest.yaml:25: wot-cough is no finding of any lexicon',
    ],
    [
      'an address that is not https',
      inConditions('https://', 'http://'),
      'conditions/chest.yaml:20: conditions.bronchitis.care.0.url: is no https address',
    ],
    [
      'urgent as a word',
      inConditions('urgent: 0.5', 'urgent: always'),
      'conditions/chest.yaml:16: conditions.bronchitis.urgent: is a number',
    ],
    [
      'a condition considered without mustNotMiss',
      inConditions('mustNotMiss: true\n    urgent: 0.5', 'mustNotMiss: false'),
      'conditions/chest.yaml:6: conditions.bronchitis: is considered without mustNotMiss',
    ],
    [
      'a condition considered with a finding that is not defined',
      inConditions('with: [wet', 'with: [wot'),
      'conditions/chest.yaml:17: wot-cough is no finding of any lexicon',
    ],
    [
      'a condition in alsoThink that is not defined',
      inConditions('alsoThink: [sepsis]', 'alsoThink: [sespis]'),
      'conditions/chest.yaml:18: sespis is no condition',
    ],
    [
      'a condition in its own alsoThink',
      inConditions('alsoThink: [sepsis]', 'alsoThink: [bronchitis]'),
      'conditions/chest.yaml:18: bronchitis is thought of with itself',
    ],
    [
      'a condition in alsoThink that may be missed',
      inConditions('findings: { cough: 1 }\n    mustNotMiss: true', 'findings: { cough: 1 }'),
      'conditions/chest.yaml:18: sepsis is thought of and may be missed',
    ],
    [
      'urgent without mustNotMiss',
      inConditions(
        'mustNotMiss: true\n    urgent: 0.5\n    consider: { with: [wet-cough], ages: "16-" }',
        'urgent: 0.5',
      ),
      'conditions/chest.yaml:6: conditions.bronchitis: is urgent without mustNotMiss',
    ],
    [
      'a danger of one finding without age or sex',
      inConditions('[cough, wet-cough]\n    ages: "0-0.25"', '[cough]'),
      'conditions/chest.yaml:2: dangers.0: names one finding and nobody',
    ],
    [
      'a missing part',
      inConditions('    base: -1.5\n', ''),
      'conditions/chest.yaml:6: conditions.bronchitis.base: is a number',
    ],
  ])('%s', (_, files, expected) => {
    expect(problems(files).some((problem) => problem.startsWith(expected)) ? [expected] : problems(files)).toEqual([
      expected,
    ]);
  });

  it('all mistakes together', () => {
    const found = problems({
      lexicon: LEXICON.replace('kind: sign', 'kind: sigh').replace('[cough*]', '[cou*]'),
      conditions: CONDITIONS.replace('J20.9', 'x').replace('https', 'http'),
    });
    expect(found.map((problem) => problem.split(':').slice(0, 2).join(':'))).toEqual([
      'conditions/chest.yaml:8',
      'conditions/chest.yaml:20',
      'lexicon/chest.yaml:4',
      'lexicon/chest.yaml:11',
    ]);
  });

  it('an id that two files define', () => {
    const second = parseKnowledge([
      { path: 'lexicon/a.yaml', text: LEXICON },
      { path: 'lexicon/b.yaml', text: LEXICON },
    ]);
    expect(second).toMatchObject({
      problems: [{ path: 'lexicon/b.yaml', line: 2, message: 'cough is there already: lexicon/a.yaml:2' }, {}, {}],
    });
  });

  it('a danger that two files define, with its findings in any order', () => {
    const danger = (all: string) => `dangers:\n  - all: ${all}\n    why: { en: a, es: b, pt: c }\nconditions: {}\n`;
    const files = [
      { path: 'lexicon/chest.yaml', text: LEXICON },
      { path: 'conditions/a.yaml', text: danger('[cough, wet-cough]') },
      { path: 'conditions/b.yaml', text: danger('[wet-cough, cough]') },
    ];
    expect(parseKnowledge(files)).toMatchObject({
      problems: [{ path: 'conditions/b.yaml', line: 2, message: 'this danger is there already: conditions/a.yaml:2' }],
    });
  });

  it.each([
    ['weight: 0.5', 'weight: heavy', 7],
    ['weight: 0.5', 'weight: -0.5', 7],
    ['longest: 90', 'longest: 0', 4],
    ['of: fever cough', 'of: ""', 8],
    ['  pt: []', '  pt: none', 12],
  ])('in the urgency model: %s written as %s', (right, wrong, line) => {
    const files = [
      { path: 'lexicon/chest.yaml', text: LEXICON },
      { path: 'urgency/learned.yaml', text: URGENCY.replace(right, wrong) },
    ];
    expect(parseKnowledge(files)).toMatchObject({ problems: [{ path: 'urgency/learned.yaml', line }] });
  });

  it('a second file of the urgency model', () => {
    const files = [
      { path: 'lexicon/chest.yaml', text: LEXICON },
      { path: 'urgency/a.yaml', text: URGENCY },
      { path: 'urgency/b.yaml', text: URGENCY },
    ];
    expect(parseKnowledge(files)).toMatchObject({ problems: [{ path: 'urgency/b.yaml', line: 1 }] });
  });

  it('no lexicon at all', () => {
    expect(parseKnowledge([])).toEqual({ problems: [{ path: 'lexicon', line: 1, message: 'there is no lexicon' }] });
  });
});

describe('A folder of knowledge', () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  function folderWith(lexicon: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'knowledge-'));
    folders.push(folder);
    for (const name of ['lexicon', 'conditions', 'urgency']) mkdirSync(join(folder, name));
    for (const name of ['cues', 'words', 'wording', 'notes'])
      cpSync(join(KNOWLEDGE_FOLDER, name), join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'lexicon', 'chest.yaml'), lexicon);
    writeFileSync(join(folder, 'lexicon', 'notes.txt'), 'not: [read');
    writeFileSync(join(folder, 'conditions', 'chest.yaml'), CONDITIONS);
    return folder;
  }

  it('is read like the list of its files', () => {
    expect(readKnowledge(folderWith(LEXICON))).toEqual({
      ...known(),
      ...SHIPPED_LANGUAGES,
      version: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
  });

  it('with mistakes throws one error with all of them', () => {
    const folder = folderWith(LEXICON.replace('kind: sign', 'kind: sigh').replace('[cough*]', '[cou*]'));
    expect(() => readKnowledge(folder)).toThrow(
      /has 2 problems:\nlexicon\/chest\.yaml:4: .*\nlexicon\/chest\.yaml:11: /,
    );
  });

  it.each([
    ['a cue of an unknown kind', 'cues/es.yaml', 'allergy:', 'alergy:', 'cues/es.yaml:2: alergy is not known here'],
    [
      'a broken cue',
      'cues/en.yaml',
      '- free of',
      '- free {9} of',
      'cues/en.yaml:8: negation.2: "free {9} of|from" has',
    ],
    [
      'a sentence without its list',
      'wording/en.yaml',
      'for it: {list}',
      'for it',
      'wording/en.yaml:6: why.speaksFor: has',
    ],
    ['a sentence with another place', 'wording/pt.yaml', '{list}', '{lists}', 'wording/pt.yaml:6: why.speaksFor: has'],
    ['a list that is missing', 'words/times.yaml', '\nwas: ', '\nwasnt: ', 'words/times.yaml:1: was: is a text'],
    ['a word with accents', 'words/scopes.yaml', ' nao ', ' não ', 'words/scopes.yaml:3: barrier.'],
    ['a star in a word', 'words/times.yaml', ' crece ', ' cre*ce ', 'words/times.yaml:'],
    ['a pattern that is none', 'words/patterns.yaml', '- ^que yo$', '- ^(que yo$', 'words/patterns.yaml:'],
    [
      'a sentence that is missing',
      'wording/en.yaml',
      '\nuncertain:',
      '\n# ',
      'wording/en.yaml:1: uncertain: is a text',
    ],
  ])('with %s in its words is refused with file and line', (_, name, from, to, expected) => {
    const folder = folderWith(LEXICON);
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
    expect(() => readKnowledge(folder)).toThrow(expected);
  });

  it('is refused if a file of words is missing or has an unknown name', () => {
    const folder = folderWith(LEXICON);
    renameSync(join(folder, 'cues/en.yaml'), join(folder, 'cues/english.yaml'));
    expect(() => readKnowledge(folder)).toThrow(
      /cues\/en\.yaml:1: is missing\ncues\/english\.yaml:1: is not known here/,
    );
  });
});
