import { describe, expect, it } from '@jest/globals';
import { aContext, checked, checkedExpression } from './checked.ts';

describe('names and members in expressions', () => {
  it.each([
    '%note.sections.title',
    "%note.sections.where(key = 'PLAN').text",
    '%note.sections.first().text',
    '%note.sections[0].text',
    "%note.sections.where($this.key = 'PLAN').select(title & ': ' & text)",
    '%diagnosis.diseases.select(drugs.name)',
    '%diagnosis.diseases.where(drugs.exists(first_line)).name',
    '%disease.standard_care.url',
    '%encounter.period.start',
    '%encounter.participant.individual.reference',
    '%encounter.subject.reference',
    "%patient.name.where(use = 'official').given.join(' ')",
    '%patient.birthDate.extension',
    '%patient._birthDate.extension.value',
    '%patient.resourceType',
    '%practitioner.name.family',
    '%practitioner.practitioner.display',
    '%chart.observations.value',
    '%chart.observations.valueQuantity.value',
    '%chart.observations.value.ofType(Quantity).unit',
    '(%chart.observations.value as Quantity).unit',
    '%chart.medications.dosage.text',
    '%chart.medications.medication.ofType(CodeableConcept).text',
    '%context.note.title',
    '%site.write.conditions',
    '%organization.reference',
    "'device'.reference()",
    "'Patient/1'.reference()",
    "'urn:uuid:6f1e2a1c-0c2b-4d2f-9d6b-0a1b2c3d4e5f'.reference()",
    '%patient.reference()',
    '%encounter.subject.reference()',
    "'PLAN'.code(%codes.sections)",
    "'anything'.code(%codes.diagnosis)",
    '%note.sections.key.code(%codes.sections).display',
    '%disease.probability.percent()',
    '%disease.probability.round(2) > 0.5',
    "iif(%triage.triage_level = 'RED', 'stat', 'routine')",
    '%encounter.period.start > @2026-01-01',
    '%run.time + 30 days',
    "%encounter.status in ('finished' | 'in-progress')",
    "%encounter.status ~ 'FINISHED'",
    '%disease.rank + 1',
    '%disease.rank.toString() & %disease.name',
    '%note.sections.repeat(title)',
    '%loinc',
    "%note.sections.aggregate($this.title & $total, '')",
    '%patient.contained.name',
    '{}',
  ])('nothing is wrong with %s', (expression) => {
    expect(checkedExpression(expression)).toEqual([]);
  });

  it.each([
    ['%nte.title', '0 %nte is not known here; did you mean %note?'],
    ['note.title', '0 note is not known here; did you mean %note?'],
    ['%note.sectoins', '0 %note.sectoins is not known here; did you mean %note.sections?'],
    ['%note.sectoins.title', '0 %note.sectoins is not known here; did you mean %note.sections?'],
    ["'x' & %note.titel", '6 %note.titel is not known here; did you mean %note.title?'],
    ['%context.nte', '0 %context.nte is not known here; did you mean %context.note?'],
    [
      '%note.frobnicate',
      '0 %note.frobnicate is not known here; %note has title, type, template, language, sections, statements, missing, fields, text',
    ],
    ["%note.sections.where(kye = 'PLAN')", '21 kye is no member of %note.sections; did you mean key?'],
    ["%note.fields.where(text = '')", '19 text is no member of %note.fields; it has name, value'],
    ['%note.sections.select($this.kye)', '28 kye is no member of %note.sections; did you mean key?'],
    ['%note.sections.first().kye', '23 kye is no member of %note.sections; did you mean key?'],
    ['%note.sections[0].kye', '0 %note.sections[0].kye is not known here; did you mean %note.sections[0].key?'],
    [
      '%diagnosis.diseases.where(drugs.exists(nmae))',
      '39 nmae is no member of %diagnosis.diseases.drugs; did you mean name?',
    ],
    ['%note.title.text', '0 %note.title is a text: it has no member text'],
    ['%encounter.perod', '0 %encounter.perod: Encounter has no element perod; did you mean period?'],
    ['%encounter.period.strat', '0 %encounter.period.strat: Period has no element strat; did you mean start?'],
    [
      '%encounter.participant.tpye',
      '0 %encounter.participant.tpye: Encounter.participant has no element tpye; did you mean type?',
    ],
    ['%encounter.participant.where(tpye.exists())', '29 Encounter.participant has no element tpye; did you mean type?'],
    [
      '%chart.observations.valueQuantiy',
      '0 %chart.observations.valueQuantiy: Observation has no element valueQuantiy; did you mean valueQuantity?',
    ],
    [
      '%practitioner.nam',
      '0 %practitioner.nam: neither Practitioner nor PractitionerRole has an element nam; did you mean name?',
    ],
    [
      '%codes.sectoins',
      '0 %codes.sectoins: there is no table sectoins; did you mean sections? Tables are files in codes/',
    ],
    ["'PLAN'.code(%codes.triage)", '12 %codes.triage: there is no table triage. Tables are files in codes/'],
    [
      "'PLAN'.code(%codes.visit-kinds)",
      '12 there is no table visit-kinds. Tables are files in codes/, and codes/visit-kinds.yaml is %codes.visitKinds',
    ],
    ['%codes.sec-tions', '0 %codes.sec-tions is not known here; did you mean %codes.sections?'],
    [
      '%note.sections.where(key = RED).text',
      "27 RED is no member of %note.sections: a text is written in quotes: 'RED'",
    ],
    [
      '%encounter.participant.where(type = RED)',
      "36 Encounter.participant has no element RED: a text is written in quotes: 'RED'",
    ],
    ['%triage.triage_level = RED', "23 RED is not known here: a text is written in quotes: 'RED'"],
    [
      '%note.RED',
      '0 %note.RED is not known here; %note has title, type, template, language, sections, statements, missing, fields, text',
    ],
    ["'PLNA'.code(%codes.sections)", '7 the table sections has no PLNA; did you mean PLAN?'],
    ["'PLAN'.code('sections')", '12 code() takes a table, as in code(%codes.sections): this is a text'],
    ["'devise'.reference()", '9 there is no document devise; did you mean device?'],
    ["'Pateint/1'.reference()", '12 Pateint is no resource type of FHIR R4; did you mean Patient?'],
    [
      '%encounter.class.reference()',
      '17 reference() is for resources, documents and texts like Patient/1: %encounter.class is a Coding',
    ],
  ])('%s: %s', (expression, problem) => {
    expect(checkedExpression(expression)).toEqual([problem]);
  });
});

describe('kinds of values in expressions', () => {
  it.each([
    ['%note.title.percent()', '12 percent() is for numbers: %note.title is a text'],
    ['%disease.probability.upper()', '21 upper() is for texts: %disease.probability is a number'],
    ['%note.xhtml()', '6 xhtml() is for texts: %note is an object'],
    ['%encounter.class.base64()', '17 base64() is for texts: %encounter.class is a Coding'],
    ['%encounter.period.start.instant().round(1)', '34 round() is for numbers: this is a text'],
    ["%disease.probability = 'high'", '21 %disease.probability is a number: it cannot be compared with a text'],
    ["'high' < %disease.probability", '7 %disease.probability is a number: it cannot be compared with a text'],
    ["%encounter.class = 'AMB'", '17 %encounter.class is a Coding: it cannot be compared with a text'],
    [
      "%disease.drugs.where(first_line = 'true')",
      '32 %disease.drugs.first_line is true or false: it cannot be compared with a text',
    ],
    ["%encounter.status = 'finshed'", "18 %encounter.status is never 'finshed'; did you mean 'finished'?"],
    ["%triage.triage_level != 'green'", "21 %triage.triage_level is never 'green'; it is RED | WHITE"],
    [
      "%encounter.status in ('finished' | 'finshed')",
      "18 %encounter.status is never 'finshed'; did you mean 'finished'?",
    ],
    ['%note.sections.where(key = 5)', '25 %note.sections.key is a text: it cannot be compared with a number'],
    ["%disease.rank + '.'", '14 + does not put a number and a text together: put .toString() behind what is no text'],
    ["%disease.rank & '.'", '14 & is for texts: %disease.rank is a number: put .toString() behind it'],
    ['%disease.drugs.first_line * 2', '26 * is for numbers: this is true or false'],
    ['-%note.title', '0 - is for numbers: this is a text'],
    ["%note.sections['a']", '14 [ ] takes a number: this is a text'],
    ['%chart.observations.value.ofType(Patient)', '26 %chart.observations.value is never a Patient'],
    ['%encounter is Patient', '11 %encounter is an Encounter, never a Patient'],
  ])('%s: %s', (expression, problem) => {
    expect(checkedExpression(expression)).toEqual([problem]);
  });

  it('all problems of an expression are reported in the order of the text', () => {
    expect(checkedExpression('%nte.title & %note.titel & %patient.nmae.given')).toEqual([
      '0 %nte is not known here; did you mean %note?',
      '13 %note.titel is not known here; did you mean %note.title?',
      '27 %patient.nmae: Patient has no element nmae; did you mean name?',
    ]);
  });
});

describe('names that a mapping assigns', () => {
  it('an item of a loop has the members of the items of its list', () => {
    const yaml = `
resourceType: Basic
code:
  "{% for index, section in %note.sections %}":
    text: "{{ %section.titel & %index.toString() }}"
`;
    expect(checked(yaml)).toEqual([
      '3:1 Basic.code is a CodeableConcept; this is a list',
      '5:15 %section.titel is not known here; did you mean %section.title?',
    ]);
  });

  it('an assigned object has the members that were written', () => {
    const yaml = `
"{% assign %}":
  - coding: { system: http://loinc.org, code: 11506-3 }
  - plan: "{{ %note.sections.where(key = 'PLAN') }}"
resourceType: Basic
code:
  coding: [ "{{ %coding }}" ]
  text: "{{ %coding.cod & %plan.txet }}"
`;
    expect(checked(yaml)).toEqual([
      '8:13 %coding.cod is not known here; did you mean %coding.code?',
      '8:27 %plan.txet is not known here; did you mean %plan.text?',
    ]);
  });

  it('members merged over an assigned object belong to it too', () => {
    const yaml = `
"{% assign %}":
  - one:
      a: text
      "{% if %note.exists() %}": { b: text }
      "{% merge %}": [ { c: 1 }, "{{ %note }}" ]
resourceType: Basic
code: { text: "{{ %one.a & %one.b & %one.c.toString() & %one.title & %one.d }}" }
`;
    expect(checked(yaml)).toEqual([
      '8:70 %one.d is not known here; %one has a, c, title, type, template, language, sections, statements, missing, fields, text, b',
    ]);
  });

  it('a name is in scope only within its object', () => {
    const yaml = `
resourceType: Basic
code: { "{% assign %}": { inner: a }, text: "{{ %inner }}" }
created: "{{ %inner }}"
`;
    expect(checked(yaml)).toEqual(['4:14 %inner is not known here']);
  });

  it('an inner name hides an outer one within its object only', () => {
    const yaml = `
resourceType: Basic
code: { "{% assign %}": { note: { name: a } }, text: "{{ %note.name }}" }
identifier: [ { value: "{{ %note.name }}" } ]
`;
    expect(checked(yaml)).toEqual([
      '4:28 %note.name is not known here; %note has title, type, template, language, sections, statements, missing, fields, text',
    ]);
  });

  it('in a context block bare names read its item', () => {
    const yaml = `
resourceType: Basic
code: { text: x }
identifier:
  "{{ %note.sections }}":
    system: "{{ kye }}"
    value: "{{ key }}"
`;
    expect(checked(yaml)).toEqual(['6:17 kye is no member of %note.sections; did you mean key?']);
  });
});

describe('functions that take one item and not two', () => {
  const document = (line: string) => `resourceType: Basic\ncode: { text: a }\n${line}`;

  it.each([
    [
      '"{% if %note.sections %}": { author: { display: x } }',
      ['3:8 this may be several, and a condition is a single value: put .exists() behind it'],
    ],
    [
      '"{% if %patient.name.given %}": { author: { display: x } }',
      ['3:8 this may be several, and a condition is a single value: put .exists() behind it'],
    ],
    ['"{% if %note.sections.exists() %}": { author: { display: x } }', []],
    ['"{% if %patient.active %}": { author: { display: x } }', []],
  ])('%s', (line, problems) => expect(checked(document(line))).toEqual(problems));
});

describe('values of the wrong kind for their place', () => {
  it.each([
    [
      'code: { text: "x {{ %patient.name }}" }',
      /^2:21 this gives .*, which cannot be put into a text: name one of its elements$/,
    ],
    ['code: { text: a, "{% merge %}": ["{{ %note.title }}"] }', /^2:34 \{% merge %\} takes an object/],
    [
      'code: { text: a, "{% if %note.exists() %}": "{{ %note.title }}" }',
      /^2:\d+ an \{% if %\} beside other keys makes an object/,
    ],
  ])('%s', (line, problem) => {
    const problems = checked(`resourceType: Basic\n${line}`);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
  });
});

describe('an input with unknown members', () => {
  const free = { kind: 'free', variables: ['note'], isStrict: true } as const;

  it('names are checked, and members are not', () => {
    expect(checkedExpression("%note.anything.where(at = 'all').percent() & %noet", free)).toEqual([
      '45 %noet is not known here; did you mean %note?',
    ]);
  });

  it('a bare name is an error in a strict mapping, and reads the input otherwise', () => {
    expect(checkedExpression('item.text', free)).toHaveLength(1);
    expect(checkedExpression('item.text', { ...free, isStrict: false })).toEqual([]);
  });

  it('members of assigned objects are not checked: they are empty', () => {
    expect(checked('"{% assign %}": { a: { b: 1 } }\nc: "{{ %a.x }}"', free)).toEqual([]);
  });
});

describe('a document that depends on tables and documents of its site', () => {
  it('a table whose file name has a - is reported by its name in expressions', () => {
    const visitKinds = { name: 'visit-kinds', unmapped: 'keep', codes: {} } as const;
    const context = aContext({ tables: { visitKinds } });
    expect(checkedExpression("'a'.code(%codes.visit-kinds)", context)).toEqual([
      '9 %codes.visit-kinds is not known here; did you mean %codes.visitKinds?',
    ]);
    expect(checkedExpression("'a'.code(%codes.visit-kind)", context)).toEqual([
      '9 %codes.visit-kind is not known here; did you mean %codes.visitKinds?',
    ]);
  });

  it('on a site without tables the message says that there is none', () => {
    const context = aContext({ tables: {}, documents: [] });
    expect(checkedExpression("'PLAN'.code(%codes.sections) | 'device'.reference()", context)).toEqual([
      '12 %codes.sections: there is no table sections. Tables are files in codes/',
      '40 there is no document device',
    ]);
  });
});
