import { describe, expect, it } from '@jest/globals';
import { aContext, checked } from './checked.ts';

/** Lines of a Composition that has what it needs, from line 1 to 7. */
const COMPOSITION = `resourceType: Composition
status: preliminary
type: { text: Note }
date: "{{ %run.time }}"
author: [ { display: Model } ]
title: "{{ %note.title }}"
subject: "{{ %patient.reference() }}"
`;

function composition(lines: string): readonly string[] {
  return checked(`${COMPOSITION}${lines}`);
}

describe('elements of a resource', () => {
  it('a resource with everything that it needs has no problem', () => {
    expect(composition('')).toEqual([]);
  });

  it('an element that FHIR does not have is found, wherever it is', () => {
    const lines = `sectoin: []
section:
  - titel: a
    code: { coding: [ { sytem: http://loinc.org } ], txet: b }
    section: [ { text: { staus: generated, div: "{{ 'a'.xhtml() }}" } } ]
frobnicate: 1
`;
    expect(composition(lines)).toEqual([
      '8:1 sectoin is no element of Composition; did you mean section?',
      '10:5 titel is no element of Composition.section; did you mean title?',
      '11:25 sytem is no element of Coding; did you mean system?',
      '11:54 txet is no element of CodeableConcept; did you mean text?',
      '12:18 Composition.section.section.text needs status',
      '12:26 staus is no element of Narrative; did you mean status?',
      '13:1 frobnicate is no element of Composition',
    ]);
  });

  it('a value that should be a Reference is reported with how to write one', () => {
    const yaml = `
resourceType: Communication
status: completed
recipient: [ "{{ %practitioner }}" ]
subject: "{{ %patient }}"
`;
    expect(checked(yaml)).toEqual([
      '4:14 Communication.recipient is a list of objects; this is a Practitioner or a PractitionerRole: put .reference() behind it',
      '5:1 Communication.subject is a Reference; this is a Patient: put .reference() behind it',
    ]);
  });

  it('a missing space after a - or a colon is reported, without the errors that follow from it', () => {
    const yaml = `
resourceType: Basic
code:
  -coding: { system: http://loinc.org }
identifier:
  -system: http://example.org
  -value: a
meta:
  source:"x"
`;
    expect(checked(yaml)).toEqual([
      '4:3 -coding is no element of CodeableConcept: a space is missing behind the -',
      '6:3 -system is no element of Identifier: a space is missing behind the -',
      '7:3 -value is no element of Identifier: a space is missing behind the -',
      '8:1 Basic.meta is a Meta; this is a text: a space is missing behind the colon',
    ]);
  });

  it('a required element that no branch of the mapping writes is reported as missing', () => {
    expect(checked('resourceType: Composition\nstatus: final\nsection: [ { title: a } ]')).toEqual([
      '1:1 Composition needs type',
      '1:1 Composition needs date',
      '1:1 Composition needs author',
      '1:1 Composition needs title',
    ]);
  });

  it('a required element may be written by a branch, by a merge, or by a part of unknown shape', () => {
    const yaml = `
resourceType: Flag
"{% if %note.exists() %}": { status: active }
"{% else %}": { code: { text: a } }
"{% merge %}": [ "{{ %chart.conditions }}" ]
`;
    expect(checked(yaml)).toEqual([]);
    expect(checked(yaml.replace(/\n.*merge.*\n/, '\n'))).toEqual(['2:1 Flag needs subject']);
  });

  it('a required value may be written with its extension alone', () => {
    const extension = '{ extension: [ { url: "http://example.org/x", valueCode: unknown } ] }';
    expect(checked(`resourceType: Basic\ncode: { text: a }\n_language: ${extension}`)).toEqual([]);
    const task = `resourceType: Task\nstatus: draft\n_intent: ${extension}`;
    expect(checked(task)).toEqual([]);
    expect(checked(`${task}\n_focus: { id: a }`)).toEqual(['4:1 _focus is no element of Task; did you mean focus?']);
  });

  it('a choice is written with its type, once', () => {
    const yaml = `
resourceType: Observation
status: final
code: { text: a }
value: 5
effective: a
valueString: a
valueBoolean: true
`;
    expect(checked(yaml)).toEqual([
      '5:1 value of Observation is written with its type: valueQuantity …',
      '6:1 effective of Observation is written with its type: effectiveDateTime …',
      '8:1 valueBoolean: only one value[x] can be written, and valueString is there already',
    ]);
  });

  it('of two values of a choice one may be there for each input', () => {
    const yaml = `
resourceType: Observation
status: final
code: { text: a }
valueString: "{{ %note.title }}"
valueInteger: "{{ %disease.rank }}"
`;
    expect(checked(yaml)).toEqual([]);
  });

  it('a missing required choice is reported with all its names', () => {
    expect(checked('resourceType: MedicationStatement\nstatus: active\nsubject: { display: a }')).toEqual([
      '1:1 MedicationStatement needs medicationCodeableConcept or medicationReference',
    ]);
  });

  it('resources inside a resource are checked by their own type', () => {
    const yaml = `
resourceType: Bundle
type: document
entry:
  - resource: { resourceType: Basic, cod: { text: a } }
  - resource: { code: { text: a } }
  - "{% for disease in %diagnosis.diseases %}":
      resource:
        "{% if %disease.rank = 1 %}": { resourceType: Basic, code: a }
        "{% else %}": { resourceType: Bsic }
  - resource: "{{ %patient }}"
  - resource: "{{ %patient.name }}"
  - fullUrl: "urn:uuid:{{ %run.id }}"
`;
    expect(checked(yaml)).toEqual([
      '5:5 Basic needs code',
      '5:38 cod is no element of Basic; did you mean code?',
      '6:5 Bundle.entry.resource is a FHIR resource: it needs resourceType',
      '9:62 Basic.code is a CodeableConcept; this is a text',
      '10:39 Bsic is no resource type of FHIR R4; did you mean Basic?',
      '12:5 Bundle.entry.resource is a Resource; this is a HumanName',
    ]);
  });
});

describe('kinds of values', () => {
  it.each([
    ['section: text', '8:1 Composition.section is a list of objects; this is a text'],
    ['section: "{{ %note.title }}"', '8:1 Composition.section is a list of objects; this is a text'],
    [
      'section: "{[ %chart.conditions.extension.value ]}"',
      '8:1 Composition.section is a list of objects; this is something else',
    ],
    ['section: { title: a }', '8:1 Composition.section repeats: write it as a list'],
    ['category: "{{ %chart.conditions.category }}"', '8:1 Composition.category repeats: write it as a list'],
    ['section: [ text ]', '8:12 Composition.section is a list of objects; this is a text'],
    ['section: []', '8:1 an empty list is nothing: leave section out'],
    ['custodian: {}', '8:1 an empty object is nothing: leave Composition.custodian out'],
    ['custodian: null', '8:1 FHIR has no null: leave custodian out'],
    ['language: [ en ]', '8:1 Composition.language is a text; this is a list'],
    ['language: "{[ %note.language ]}"', '8:1 Composition.language is a text; this is a list'],
    ['language: { "{{ %note }}": "{{ language }}" }', '8:1 Composition.language is a text; this is a list'],
    ['language: { code: en }', '8:1 Composition.language is a text; this is an object'],
    ['language: 5', '8:1 Composition.language is a text; this is a number: put it in quotes'],
    ['language: true', '8:1 Composition.language is a text; this is true or false: put it in quotes'],
    ['language: "{{ %disease.rank }}"', '8:1 Composition.language is a text; this is a number'],
    ['encounter: Encounter/1', '8:1 Composition.encounter is a Reference; this is a text'],
    [
      'encounter: "{{ %encounter }}"',
      '8:1 Composition.encounter is a Reference; this is an Encounter: put .reference() behind it',
    ],
    [
      'section: [ { code: "{{ \'PLAN\'.code(%codes.sections) }}" } ]',
      '8:14 Composition.section.code is a CodeableConcept; this is a Coding: put it into the list coding',
    ],
    ['encounter: "Encounter/{{ %encounter.id }}"', '8:1 Composition.encounter is a Reference; this is a text'],
    [
      'category: [ "{{ \'PLAN\'.code(%codes.sections) }}" ]',
      '8:13 Composition.category is a list of objects; this is a Coding: put it into the list coding',
    ],
    [
      'encounter: "{{ %session }}"',
      '8:16 Composition.encounter is a Reference: this has key, which is no element of it',
    ],
    [
      'event: [ { period: { start: "{{ %note.exists() }}" } } ]',
      '8:22 Composition.event.period.start is a text; this is true or false',
    ],
    [
      'text: { status: generated, div: "{{ %note.text }}" }',
      '8:37 Composition.text.div is xhtml; this is a plain text: put .xhtml() behind it',
    ],
    ['text: { status: generated, div: plain }', "8:33 div: plain is no xhtml: write {{ 'text'.xhtml() }}"],
  ])('%s', (lines, problem) => {
    expect(composition(lines)).toEqual([problem]);
  });

  it.each([
    'section: "{[ %patient.contained.section ]}"',
    'section: { "{% for section in %note.sections %}": { title: "{{ %section.title }}" } }',
    'section: [ { "{% for section in %note.sections %}": { title: "{{ %section.title }}" } }, { title: last } ]',
    'section: { "{% if %note.exists() %}": [ { title: a } ] }',
    'section: { "{{ %note.sections }}": { title: "{{ title }}" } }',
    'section: [ [ { title: a } ] ]',
    'category: "{[ %chart.conditions.category ]}"',
    'encounter: "{{ %encounter.reference() }}"',
    'custodian: "{{ %organization }}"',
    'event: [ { period: "{{ %encounter.period }}" } ]',
    'text: { status: generated, div: "{{ %note.text.xhtml() }}" }',
    'extension: [ { url: "http://example.org/x", valueString: a } ]',
    'language: "{{ iif(%note.exists(), %note.language) }}"',
    '_language: { id: a }',
    'id: a-1',
  ])('nothing is wrong with %s', (lines) => {
    expect(composition(lines)).toEqual([]);
  });

  it('numbers and truth values are not texts', () => {
    const yaml = `
resourceType: RiskAssessment
status: preliminary
subject: "{{ %patient.reference() }}"
prediction:
  - { probabilityDecimal: "{{ %disease.probability.percent() }}", rationale: "{{ %disease.why }}" }
  - { probabilityDecimal: "0.5" }
  - { probabilityDecimal: "{{ %disease.why }}" }
  - { probabilityDecimal: "{{ %disease.probability }} %" }
  - { relativeRisk: many }
`;
    expect(checked(yaml)).toEqual([
      '7:7 RiskAssessment.prediction.probabilityDecimal is a number; this is a text',
      '8:7 RiskAssessment.prediction.probabilityDecimal is a number; this is a text',
      '9:7 RiskAssessment.prediction.probabilityDecimal is a number; this is a text',
      '10:7 RiskAssessment.prediction.relativeRisk is a number; this is a text',
    ]);
  });

  it('no text of the input comes into a narrative as markup', () => {
    const narrative = (assigned: string, div: string) => `
"{% assign %}": { said: "${assigned}" }
resourceType: Basic
code: { text: a }
text: { status: generated, div: ${div} }
`;
    const problem = expect.stringContaining('Basic.text.div is xhtml; this is a plain text: put .');
    for (const assigned of ['{{ %note.text }}', '{{ %notice }} {{ %note.title }}', "{{ 'x' & %note.title.upper() }}"]) {
      expect(checked(narrative(assigned, '"{{ %said }}"'))).toEqual([problem]);
      expect(checked(narrative(assigned, `'<div xmlns="http://www.w3.org/1999/xhtml">{{ %said }}</div>'`))).toEqual([
        problem,
      ]);
      expect(checked(narrative(assigned, '"{{ %said.xhtml() }}"'))).toEqual([]);
      expect(
        checked(
          narrative(
            assigned,
            `'<div xmlns="http://www.w3.org/1999/xhtml">{{ %said.escape("html") }}</div>'`.replaceAll(
              '"html"',
              "''html''",
            ),
          ),
        ),
      ).toEqual([]);
    }
  });

  it('an attachment holds base64, not the text itself', () => {
    const attachment = (data: string) => `
resourceType: DocumentReference
status: current
content: [ { attachment: { contentType: text/plain, data: ${data} } } ]
`;
    expect(checked(attachment('"{{ %note.text.base64() }}"'))).toEqual([]);
    expect(checked(attachment('"{{ %note.text }}"'))).toEqual([
      '4:63 DocumentReference.content.attachment.data is base64Binary; this is a plain text: put .base64() behind it',
    ]);
  });

  it('an instant is more than a dateTime', () => {
    const yaml = (date: string) => `
resourceType: DocumentReference
status: current
content: [ { attachment: { url: "http://example.org/1" } } ]
date: "{{ ${date} }}"
`;
    expect(checked(yaml('%run.time'))).toEqual([]);
    expect(checked(yaml('%recording.start.instant()'))).toEqual([]);
    expect(checked(yaml('%recording.start'))).toEqual([
      '5:11 DocumentReference.date is an instant; this is a dateTime: put .instant() behind it',
    ]);
  });
});

describe('constants', () => {
  it.each([
    ['status', 'finl', 'status: finl is none of preliminary | final | amended | entered-in-error'],
    ['confidentiality', 'X', 'confidentiality: X is none of U | L | M | N | R | V'],
    ['date', '21.11.2026', 'date: 21.11.2026 is no dateTime: write it like 2026-11-21T09:30:00-06:00'],
    ['date', '2026-02-30', 'date: 2026-02-30 is no dateTime: write it like 2026-11-21T09:30:00-06:00'],
    [
      'date',
      '2026-11-21T09:30:00',
      'date: 2026-11-21T09:30:00 is no dateTime: write it like 2026-11-21T09:30:00-06:00',
    ],
    ['implicitRules', 'http://example.org/a b', 'implicitRules: http://example.org/a b is no uri: it has no spaces'],
    ['language', '" en"', 'language:  en is no code: it has no spaces around it'],
    ['id', 'a_b', 'id: a_b is no id: it has letters, digits, - and ., at most 64'],
    ['title', '" "', 'title: an empty text is no string: an empty text is left out'],
  ])('%s: %s', (key, value, problem) => {
    const others = COMPOSITION.split('\n').filter((line) => !line.startsWith(`${key}:`));
    expect(checked([...others, `${key}: ${value}`].join('\n'))).toEqual([
      expect.stringMatching(new RegExp(`^\\d+:${key.length + 3} ${escaped(problem)}$`)),
    ]);
  });

  it('of many codes only the nearest is suggested', () => {
    expect(checked('resourceType: OperationOutcome\nissue: [ { severity: error, code: requird } ]')).toEqual([
      '2:35 code: requird is none of its 31 codes; did you mean required?',
    ]);
  });

  it.each(['2026', '2026-11', '2026-11-21', '2024-02-29', '2026-11-21T09:30:00Z', '2026-11-21T09:30:00.123-06:00'])(
    '%s is a dateTime',
    (date) => {
      expect(composition(`event: [ { period: { start: "${date}" } } ]`)).toEqual([]);
    },
  );

  it('numbers are checked, too', () => {
    const yaml = `
resourceType: Media
status: completed
content: { size: -1, url: "http://example.org/1" }
height: 0
frames: 1.5
duration: 1.5
`;
    expect(checked(yaml)).toEqual([
      '4:18 size: -1 is no unsignedInt',
      '5:9 height: 0 is no positiveInt',
      '6:9 frames: 1.5 is no positiveInt: it is a whole number',
    ]);
  });

  it('a text that an expression always gives is checked like a constant', () => {
    const yaml = `
resourceType: Task
status: "{{ iif(%review.exists(), 'completed', 'requestd') }}"
intent: "{{ 'order' }}"
priority: "{{ %triage.triage_level }}"
authoredOn: "{{ 'today' }}"
`;
    expect(checked(yaml)).toEqual([
      '3:13 status: requestd is none of draft | requested | received | accepted | rejected | ready | cancelled | in-progress | on-hold | failed | completed | entered-in-error',
      '5:15 priority is routine | urgent | asap | stat; this is never one of them',
      '6:17 authoredOn: today is no dateTime: write it like 2026-11-21T09:30:00-06:00',
    ]);
  });

  it('a code of a required system is one of its codes', () => {
    const yaml = `
resourceType: Condition
subject: "{{ %patient.reference() }}"
verificationStatus:
  coding:
    - system: http://terminology.hl7.org/CodeSystem/condition-ver-status
      code: diferential
    - { system: "http://snomed.info/sct", code: anything }
`;
    expect(checked(yaml)).toEqual([
      '7:13 code: diferential is none of unconfirmed | provisional | differential | confirmed | refuted | entered-in-error',
    ]);
  });
});

describe('references', () => {
  it('a reference points at what its element takes', () => {
    const yaml = `
resourceType: Condition
subject: { reference: Patient/1 }
asserter: { reference: "Device/{{ %run.id }}" }
recorder: "{{ %patient.reference() }}"
encounter: "{{ %patient.reference() }}"
evidence: [ { detail: [ { reference: "Compositon/1" }, { reference: "#a" }, { reference: "http://example.org/Foo/1" } ] } ]
`;
    expect(checked(yaml)).toEqual([
      '4:24 Condition.asserter cannot refer to a Device: it takes Practitioner | PractitionerRole | Patient | RelatedPerson',
      '6:16 Condition.encounter cannot refer to a Patient: it takes Encounter',
      '7:38 Compositon is no resource type of FHIR R4; did you mean Composition?',
    ]);
  });
});

describe('the resource that a mapping makes', () => {
  it.each([
    ['just a text', '1:1 this document is one FHIR resource; this is a text'],
    ['[ { resourceType: Basic, code: { text: a } } ]', '1:1 this document is one FHIR resource; this is a list'],
    ['"{{ %note.title }}"', '1:1 this document is one FHIR resource; this is a text'],
    ['status: final', '1:1 this document is a FHIR resource: it needs resourceType'],
    ['resourceType: Compositon', '1:15 Compositon is no resource type of FHIR R4; did you mean Composition?'],
    ['resourceType: DomainResource', '1:15 DomainResource is no resource type of FHIR R4'],
  ])('%s', (yaml, problem) => {
    expect(checked(yaml)).toEqual([problem]);
  });

  it.each([
    '"{{ %patient }}"',
    '"{% if %review.exists() %}": { resourceType: Basic, code: { text: a } }',
    '"{{ %chart.conditions.extension }}"',
  ])('%s may make one', (yaml) => {
    expect(checked(yaml).filter((said) => !said.includes('Extension'))).toEqual([]);
  });

  it('the type may depend on the input: each possible type is checked', () => {
    const yaml = `
subject: "{{ %patient.reference() }}"
"{% if %review.exists() %}": { resourceType: Basic, code: { text: a } }
"{% else %}": { resourceType: Basic, cod: { text: a } }
`;
    expect(checked(yaml)).toEqual(['4:38 cod is no element of Basic; did you mean code?']);
  });

  it('an assigned part may be completed later: a missing element is no problem', () => {
    const yaml = `
"{% assign %}":
  - start: { resourceType: Composition, titel: a }
resourceType: Basic
code: { text: a }
`;
    expect(checked(yaml)).toEqual(['3:41 titel is no element of Composition; did you mean title?']);
  });

  it('the notice is a text', () => {
    const context = aContext({ document: 'notice' });
    expect(
      checked('"{% if %note.language = \'es\' %}": Borrador\n"{% else %}": "Draft {{ %run.model.name }}"', context),
    ).toEqual([]);
    expect(checked('"{{ %run.model.name }}"', context)).toEqual([]);
    expect(checked('text: a', context)).toEqual(['1:1 notice makes the AI notice: a text']);
    expect(checked('"{{ %run }}"', context)).toEqual(['1:1 notice makes the AI notice: a text']);
    expect(checked('"{% if %note.exists() %}": [ a ]', context)).toEqual(['1:28 notice makes the AI notice: a text']);
  });
});

it('a mapping on any input is not compared with FHIR: it may be one for another engine', () => {
  const source = 'a: { b: [ { resourceType: Composition, sectoin: "{{ %a.b }}" } ] }';
  expect(checked(source, { kind: 'free', variables: ['a'], isStrict: true })).toEqual([]);
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
