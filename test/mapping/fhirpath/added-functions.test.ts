import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { CodeTable } from '../../../src/domain/mapping/code-table.ts';
import { CALLS } from '../../../src/mapping/fhirpath/functions/calls.ts';
import { FUNCTIONS } from '../../../src/mapping/fhirpath/known-functions.ts';
import { evaluate, itemsOf, problemOf } from './evaluate.ts';

const DIV = '<div xmlns="http://www.w3.org/1999/xhtml">';

describe('the table of functions', () => {
  it('every documented function can be run, and every function that can be run is documented', () => {
    expect([...CALLS.keys()].sort()).toEqual([...FUNCTIONS.keys()].sort());
  });

  it('every function documents its usage and its effect in one line', () => {
    for (const [name, { usage, docs }] of FUNCTIONS) {
      expect(usage.startsWith(`${name}(`) && usage.endsWith(')')).toBe(true);
      expect(docs).toMatch(/^\S.{5,100}$/);
    }
  });

  it('the number of arguments is taken from the usage line', () => {
    const arity = (name: string) => [FUNCTIONS.get(name)?.minArguments, FUNCTIONS.get(name)?.maxArguments];
    expect(arity('first')).toEqual([0, 0]);
    expect(arity('where')).toEqual([1, 1]);
    expect(arity('exists')).toEqual([0, 1]);
    expect(arity('iif')).toEqual([2, 3]);
    expect(arity('coalesce')).toEqual([1, 20]);
    expect(arity('code')).toEqual([1, 1]);
  });
});

describe('xhtml()', () => {
  it('a text becomes the div of a narrative', () => {
    expect(itemsOf("'Rest.'.xhtml()")).toEqual([`${DIV}<p>Rest.</p></div>`]);
  });

  it('an empty line begins a paragraph, a line end stays one', () => {
    const text = 'one\ntwo\n\nthree\r\n \r\nfour\n';
    expect(itemsOf('%t.xhtml()', { variables: { t: text } })).toEqual([
      `${DIV}<p>one<br/>two</p><p>three</p><p>four</p></div>`,
    ]);
  });

  it('several texts become one div', () => {
    expect(itemsOf("('a' | 'b').xhtml()")).toEqual([`${DIV}<p>a</p><p>b</p></div>`]);
  });

  it('markup, quotes, control characters, direction marks and halves of characters do not get through', () => {
    const text = `<script>alert("1")</script> & 'x' \u0000\u202e\ud800]]>`;
    expect(itemsOf('%t.xhtml()', { variables: { t: text } })).toEqual([
      `${DIV}<p>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39; \ufffd]]&gt;</p></div>`,
    ]);
  });

  it('an empty input returns nothing', () => {
    expect(itemsOf('{}.xhtml()')).toEqual([]);
    expect(itemsOf("' '.xhtml()")).toEqual([]);
  });

  it('a value that is no text is refused', () => {
    expect(problemOf('1.xhtml()')).toBe('2: xhtml() needs texts, and this is a number');
  });

  const sectionOf = (text: string, ...statements: (readonly [id: string, text: string])[]) => ({
    notice: 'No fever.',
    section: { text, statements: statements.map(([id, words]) => ({ id, text: words })) },
  });

  it.each([
    [
      'each statement of a section has its id',
      'A <b>. C.',
      [
        ['st-1', 'A <b>.'],
        ['st-2', 'C.'],
      ],
      '<p><span id="st-1">A &lt;b&gt;.</span> <span id="st-2">C.</span></p>',
    ],
    [
      'words in front of the section are no statement of it',
      'No fever.',
      [['st-1', 'No fever.']],
      '<p><span id="st-1">No fever.</span></p>',
    ],
    [
      'equal statements have an id each',
      'A.\nA.',
      [
        ['st-1', 'A.'],
        ['st-2', 'A.'],
      ],
      '<p><span id="st-1">A.</span><br/><span id="st-2">A.</span></p>',
    ],
    [
      'a statement over two paragraphs has its id in the first',
      'A.\n\nB.\n\nC.',
      [
        ['st-1', 'A.\n\nB.'],
        ['st-2', 'C.'],
      ],
      '<p><span id="st-1">A.</span></p><p>B.</p><p><span id="st-2">C.</span></p>',
    ],
    [
      'an id that is given twice is written once',
      'A. B.',
      [
        ['st-1', 'A.'],
        ['st-1', 'B.'],
      ],
      '<p><span id="st-1">A.</span> B.</p>',
    ],
    ['a statement that is not in the text has no element', 'A.', [['st-1', 'B.']], '<p>A.</p>'],
    ['a section without statements is a text', 'A.', [], '<p>A.</p>'],
  ] as const)('%s', (_, text, statements, html) => {
    const [div] = itemsOf('%notice.combine(%section).xhtml()', { variables: sectionOf(text, ...statements) });
    expect(div).toBe(`<div xmlns="http://www.w3.org/1999/xhtml"><p>No fever.</p>${html}</div>`);
  });

  it('an id that would be markup is refused', () => {
    const variables = sectionOf('A.', ['"><script>', 'A.']);
    expect(problemOf('%section.xhtml()', { variables })).toContain('needs statements with an id, as in st-1');
  });
});

describe('base64() and hash()', () => {
  it('the bytes are those of UTF-8', () => {
    const variables = { t: 'Grüße 🩺' };
    expect(itemsOf('%t.base64()', { variables })).toEqual([Buffer.from('Grüße 🩺').toString('base64')]);
    expect(itemsOf('%t.hash()', { variables })).toEqual([createHash('sha256').update('Grüße 🩺').digest('hex')]);
    expect(itemsOf("''.hash()")).toEqual(['e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855']);
  });

  it('an empty input returns nothing, and a number is refused', () => {
    expect(itemsOf('{}.hash() | {}.base64()')).toEqual([]);
    expect(problemOf('1.hash()')).toBe('2: hash() needs a text, and this is a number');
    expect(problemOf('true.base64()')).toBe('5: base64() needs a text, and this is true or false');
  });
});

describe('reference()', () => {
  const documents = {
    device: [{ reference: 'urn:uuid:1' }],
    condition: [{ reference: 'urn:uuid:2' }, { reference: 'urn:uuid:3' }],
  };
  const patient = { resourceType: 'Patient', id: 'p1' };
  const logical = { type: 'Organization', identifier: { system: 'urn:x', value: '1' } };

  it.each([
    ["'device'.reference()", [{ reference: 'urn:uuid:1' }]],
    ["'condition'.reference()", [{ reference: 'urn:uuid:2' }, { reference: 'urn:uuid:3' }]],
    ["'flag'.reference()", []],
    ["'constructor'.reference()", []],
    ['%patient.reference()', [{ reference: 'Patient/p1' }]],
    ['%draft.reference()', []],
    ["'Patient/1'.reference()", [{ reference: 'Patient/1' }]],
    [
      "'https://ehr.example.org/fhir/R4/Patient/1'.reference()",
      [{ reference: 'https://ehr.example.org/fhir/R4/Patient/1' }],
    ],
    ["'urn:uuid:5'.reference()", [{ reference: 'urn:uuid:5' }]],
    ['%logical.reference()', [logical]],
    ['{}.reference()', []],
  ])('%s', (text, items) => {
    const variables = { patient, logical, draft: { resourceType: 'Patient' } };
    expect(itemsOf(text, { variables, documents })).toEqual(items);
  });

  it('a value that is no reference is refused and not quoted', () => {
    expect(problemOf('%t.reference()', { variables: { t: 'Ana Rossi' } })).toBe(
      "3: reference(): this text is neither a document of the set nor like 'Patient/1'",
    );
    expect(problemOf('1.reference()')).toContain('needs a document, a resource or a reference, and this is a number');
    expect(problemOf('%t.reference()', { variables: { t: { family: 'Rossi' } } })).toContain('and this is an object');
  });
});

describe('code()', () => {
  const table: CodeTable = {
    name: 'sections',
    system: 'http://loinc.org',
    unmapped: 'report',
    codes: {
      PLAN: { code: '18776-5', display: 'Plan of care note' },
      DATA: {},
      LOCAL: { code: 'x', system: 'urn:local' },
    },
  };
  const keeping: CodeTable = { name: 'icd', system: 'http://hl7.org/fhir/sid/icd-10-cm', unmapped: 'keep', codes: {} };
  const silent: CodeTable = { name: 'diagnosis', unmapped: 'ignore', codes: {} };
  const listed: CodeTable = {
    ...keeping,
    codes: { 'J18.9': { code: 'J18.9', display: 'Pneumonia', version: '2026' } },
  };
  const variables = { codes: { sections: table, icd: keeping, none: silent, listed }, key: 'PLAN' };

  it.each([
    ['%key.code(%codes.sections)', [{ system: 'http://loinc.org', code: '18776-5', display: 'Plan of care note' }]],
    ["'LOCAL'.code(%codes.sections)", [{ system: 'urn:local', code: 'x' }]],
    ["'DATA'.code(%codes.sections)", []],
    ["'J11.1'.code(%codes.icd)", [{ system: 'http://hl7.org/fhir/sid/icd-10-cm', code: 'J11.1' }]],
    ["'J11.1'.code(%codes.none)", []],
    [
      "'J18.9'.code(%codes.listed)",
      [{ system: 'http://hl7.org/fhir/sid/icd-10-cm', version: '2026', code: 'J18.9', display: 'Pneumonia' }],
    ],
    ['{}.code(%codes.sections)', []],
  ])('%s', (text, items) => {
    const { items: found, unmapped } = evaluate(text, { variables });
    expect(found).toEqual(items);
    expect(unmapped).toEqual([]);
  });

  it.each(['OTHER', 'constructor', '__proto__'])('a code that the table does not have is reported: %s', (key) => {
    const { items, unmapped } = evaluate('%key.code(%codes.sections)', { variables: { ...variables, key } });
    expect(items).toEqual([]);
    expect(unmapped).toEqual([`sections: ${key}`]);
  });

  it('a table may ignore codes that it does not have', () => {
    const silent: CodeTable = { name: 'silent', unmapped: 'ignore', codes: {} };
    const { items, unmapped } = evaluate("'a'.code(%silent)", { variables: { silent } });
    expect([items, unmapped]).toEqual([[], []]);
  });

  it('a value that is no table is refused', () => {
    expect(problemOf("'a'.code('b')")).toBe('4: code() needs a table of codes, as in code(%codes.sections)');
    expect(problemOf("'a'.code(%codes.foo)", { variables })).toContain('needs a table of codes');
    expect(problemOf('1.code(%codes.icd)', { variables })).toBe('2: code() needs a text, and this is a number');
  });
});

describe('percent() and round()', () => {
  it.each([
    ['0.57.percent()', 57],
    ['0.285.percent()', 28.5],
    ['0.12345.percent()', 12.35],
    ['0.percent()', 0],
    ['1.percent()', 100],
    ['0.0001.percent()', 0.01],
    ['1.005.round(2)', 1.01],
    ['2.5.round()', 3],
    ['123456.789.round(1)', 123456.8],
    ['0.1.round(20)', 0.1],
  ])('%s is %d', (text, value) => expect(itemsOf(text)).toEqual([value]));

  it('a value that is no probability is refused', () => {
    expect(problemOf('1.2.percent()')).toBe('4: percent() needs a number from 0 to 1, and this is outside of them');
    expect(problemOf('(-0.1).percent()')).toContain('outside');
    expect(problemOf("'high'.percent()")).toBe('7: percent() needs a number, and this is a text');
  });
});

describe('instant()', () => {
  const chicago = { timeZone: 'America/Chicago' };

  it.each([
    ["'2026-11-21T14:30:00Z'", '2026-11-21T14:30:00Z'],
    ["'2026-11-21T14:30:00.250+05:30'", '2026-11-21T14:30:00.250+05:30'],
    ["'2026-11-21T14:30+01:00'", '2026-11-21T14:30:00+01:00'],
    ["'2026-11-21T14:30:00'", '2026-11-21T14:30:00-06:00'],
    ["'2026-07-01T14:30'", '2026-07-01T14:30:00-05:00'],
    ["'2026-11-21'", '2026-11-21T00:00:00-06:00'],
    ["'2026-03-08'", '2026-03-08T00:00:00-06:00'],
    ['@2026-11-21T14:30', '2026-11-21T14:30:00-06:00'],
    // The hour that summer time skips, and the hour that comes twice.
    ["'2026-03-08T02:30:00'", '2026-03-08T03:30:00-05:00'],
    ["'2026-03-08T01:59:59'", '2026-03-08T01:59:59-06:00'],
    ["'2026-03-08T03:00:00'", '2026-03-08T03:00:00-05:00'],
    ["'2026-11-01T01:30:00'", '2026-11-01T01:30:00-05:00'],
    ["'2026-11-01T02:00:00'", '2026-11-01T02:00:00-06:00'],
  ])('%s in Chicago is %s', (text, instant) => expect(itemsOf(`${text}.instant()`, chicago)).toEqual([instant]));

  it.each([
    ['Asia/Kolkata', '2026-11-21T14:30:00+05:30'],
    ['Pacific/Kiritimati', '2026-11-21T14:30:00+14:00'],
    ['Pacific/Marquesas', '2026-11-21T14:30:00-09:30'],
    ['UTC', '2026-11-21T14:30:00Z'],
  ])('in %s', (timeZone, instant) => expect(itemsOf("'2026-11-21T14:30'.instant()", { timeZone })).toEqual([instant]));

  it('the start of a day that has no midnight is its first hour', () => {
    expect(itemsOf("'2018-11-04'.instant()", { timeZone: 'America/Sao_Paulo' })).toEqual(['2018-11-04T01:00:00-02:00']);
  });

  it.each(["'yesterday'", "'2026'", "'2026-11'", "'2026-02-30'", "'2026-11-21T25:00'", "''", "'T10:00'"])(
    '%s is refused',
    (text) =>
      expect(problemOf(`${text}.instant()`)).toContain(
        'instant() needs a day or a time, as 2026-11-21 or 2026-11-21T14:30:00Z',
      ),
  );

  it('a number is refused, and an empty input returns nothing', () => {
    expect(problemOf('5.instant()')).toBe('2: instant() needs a time, and this is a number');
    expect(itemsOf('{}.instant()')).toEqual([]);
  });

  it('an unknown time zone is refused with a message', () => {
    expect(problemOf("'2026-11-21'.instant()", { timeZone: 'Mars/Base' })).toContain(
      'the time zone of the site is not known',
    );
  });
});

describe('an error message never holds a value of the input', () => {
  const secret = 'Ana-Rossi-1980';

  it.each([
    '%v.instant()',
    '%v.percent()',
    '%v.abs()',
    '%v + 1',
    '%v > 1',
    "%v.decode('hex')",
    "'x'.encode(%v)",
    "'x'.escape(%v)",
    '%v.reference()',
    '(%v | 2).upper()',
    '(%v | 2).join()',
    '-%v',
    'iif(true, %v, 1).sum() + 1',
    '%v.allTrue()',
    '%list[%v]',
    'code(%v)',
  ])('%s', (text) => {
    const problem = problemOf(text, { variables: { v: secret, list: [1] }, context: secret });
    expect(problem).not.toBe('no problem');
    expect(problem).not.toContain('Rossi');
  });
});

describe('ageYears()', () => {
  const at = (time: string, timeZone = 'UTC') => ({ time, timeZone });
  const born = (birthDate: string) => `'${birthDate}'.ageYears()`;

  it.each([
    ['the day before the birthday', '2010-06-15', '2026-06-14T12:00:00Z', 15],
    ['the birthday', '2010-06-15', '2026-06-15T00:00:00Z', 16],
    ['a birthday on the 29th of February, in a year without one', '2012-02-29', '2025-02-28T12:00:00Z', 12],
    ['the day of birth', '2026-06-15', '2026-06-15T12:00:00Z', 0],
    ['only the month known', '2010-06', '2026-06-29T12:00:00Z', 15],
    ['only the year known', '2010', '2026-11-21T12:00:00Z', 15],
    ['born this year, in some month', '2026', '2026-03-01T12:00:00Z', 0],
  ])('%s', (_, birthDate, time, years) => {
    expect(itemsOf(born(birthDate), at(time))).toEqual([years]);
  });

  it('a day begins at midnight in the time zone of the hospital', () => {
    const time = '2026-06-15T03:00:00Z';
    expect(itemsOf(born('2010-06-15'), at(time, 'America/Chicago'))).toEqual([15]);
    expect(itemsOf(born('2010-06-15'), at(time, 'Europe/Madrid'))).toEqual([16]);
  });

  it('reads the birth date of a Patient, and gives nothing without one', () => {
    const patient = { resourceType: 'Patient', birthDate: '2010-06-15' };
    const variables = { patient, nobody: { resourceType: 'Patient' } };
    expect(itemsOf('%patient.ageYears() in (12..17)', { variables, ...at('2026-01-01T00:00:00Z') })).toEqual([true]);
    expect(itemsOf('%nobody.ageYears()', { variables, ...at('2026-01-01T00:00:00Z') })).toEqual([]);
  });

  it.each([
    ["'tomorrow'.ageYears()", { time: '2026-01-01T00:00:00Z' }],
    ["'2027-01-01'.ageYears()", { time: '2026-01-01T00:00:00Z' }],
    ["'2010-01-01'.ageYears()", {}],
    ['true.ageYears()', { time: '2026-01-01T00:00:00Z' }],
  ])('%s is refused', (text, evaluation) => {
    expect(problemOf(text, evaluation)).toMatch(/^\d+: ageYears\(\)/);
  });
});

describe('a range of whole numbers', () => {
  it.each([
    ['(1..3)', [1, 2, 3]],
    ['5 in (5..5)', [true]],
    ['(0..2).count() + 1', [4]],
    ['11 in (12..17)', [false]],
  ])('%s', (text, items) => expect(itemsOf(text)).toEqual(items));

  it.each(['(3..1)', '(1.5..2)', '(1..5000)', '(1...3)', '(1..)', '(..3)'])('%s is refused', (text) => {
    expect(problemOf(text)).not.toBe('no problem');
  });
});
