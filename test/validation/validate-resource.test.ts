import { describe, expect, it } from '@jest/globals';
import { validateResources } from '../../src/validation/validate-resource.ts';
import { checkWithAll } from '../support/fhir-checkers.ts';
import {
  aComposition,
  aCondition,
  aDevice,
  aDocumentReference,
  aFlag,
  aProvenance,
  aRiskAssessment,
  aTask,
  goodSet,
  narrative,
} from './good-resources.ts';

type Json = Record<string, unknown>;

/** `element: message` for each error; a set's urns may point outside of it. */
function errorsOf(resource: unknown): string[] {
  return validateResources([resource], { isPart: true })
    .filter(({ severity }) => severity === 'error')
    .map(({ element, message }) => `${element}: ${message}`);
}

function warningsOf(resource: unknown): string[] {
  return validateResources([resource], { isPart: true })
    .filter(({ severity }) => severity === 'warning')
    .map(({ element, message }) => `${element}: ${message}`);
}

describe('a sound set', () => {
  it('of all that is written to a chart has no problems, not even warnings', () => {
    const set = goodSet();
    const fullUrls = set.map(({ fullUrl }) => fullUrl);
    expect(
      validateResources(
        set.map(({ resource }) => resource),
        { fullUrls },
      ),
    ).toEqual([]);
  });

  it.each(goodSet().map(({ resource }) => [String(resource['resourceType']), resource] as const))(
    'has a %s that three other checkers are content with',
    (_, resource) => {
      expect(checkWithAll(resource)).toEqual([]);
    },
  );
});

type Fault = readonly [fault: string, resource: unknown, problem: string | RegExp];

const STRUCTURE: readonly Fault[] = [
  ['no resource type', { status: 'final' }, 'Resource: has no resourceType that FHIR R4 knows'],
  ['a type that FHIR does not know', { resourceType: 'Note' }, 'Resource: has no resourceType that FHIR R4 knows'],
  ['an abstract type', { resourceType: 'DomainResource' }, 'Resource: has no resourceType that FHIR R4 knows'],
  ['a list instead of a resource', [aFlag()], /^Resource: must be a resource/],
  ['nothing', null, /^Resource: must be a resource/],
  ['an unknown element', aComposition({ sectoin: [] }), 'Composition.sectoin: is no element of Composition'],
  ['an inherited name as an element', aFlag({ toString: 'x' }), 'Flag.toString: is no element of Flag'],
  [
    'an element that could not be one',
    aFlag({ 'Hans Muster': 1 }),
    'Flag: has an element whose name is not one of FHIR',
  ],
  ['a missing element', without(aComposition(), 'title'), 'Composition.title: is missing'],
  ['a missing choice', without(aProvenance(), 'agent'), 'Provenance.agent: is missing'],
  ['one value where a list belongs', aComposition({ author: {} }), 'Composition.author: must be a list'],
  ['a list where one value belongs', aFlag({ code: [{ text: 'x' }] }), 'Flag.code: must be one value, not a list'],
  [
    'a list in a list',
    aComposition({ author: [[{ display: 'x' }]] }),
    'Composition.author[0]: must be an object: Reference',
  ],
  ['a text where an object belongs', aFlag({ code: 'RED' }), 'Flag.code: must be an object: CodeableConcept'],
  ['an object where a text belongs', aComposition({ title: { text: 'x' } }), 'Composition.title: must be a string'],
  ['a number where a text belongs', aComposition({ title: 7 }), 'Composition.title: must be a string'],
  ['null', aComposition({ title: null }), 'Composition.title: is null; leave the element out'],
  ['null in a list', aComposition({ author: [null] }), 'Composition.author[0]: is null; leave it out of the list'],
  ['an empty list', aComposition({ section: [] }), 'Composition.section: is an empty list; leave the element out'],
  ['an empty object', aFlag({ period: {} }), 'Flag.period: is empty; leave the element out'],
  ['an empty text', aComposition({ title: ' ' }), 'Composition.title: is empty; leave the element out'],
  [
    'two values of one choice',
    aCondition({ onsetDateTime: '2026', onsetString: 'last year' }),
    'Condition.onsetString: may not be there together with onsetDateTime: only one of them',
  ],
  [
    'an extension of another value of the choice',
    aCondition({ onsetDateTime: '2026', _onsetString: { id: 'x' } }),
    'Condition._onsetString: may not be there together with onsetDateTime: only one of them',
  ],
  ['an extension beside what is no primitive', aFlag({ _code: { id: 'x' } }), 'Flag._code: is no element of Flag'],
  [
    'more extensions than values',
    aPatient({ _given: [null, { id: 'x' }] }),
    'Patient.name[0]._given: is longer than its values',
  ],
  [
    'an extension that is a text',
    aComposition({ _title: 'x' }),
    'Composition._title: must be an object with an id or extensions',
  ],
  [
    'a resource inside that is none',
    aFlag({ contained: [{ resourceType: 'Nobody', id: 'a' }], author: { reference: '#a' } }),
    'Flag.contained[0]: has no resourceType that FHIR R4 knows',
  ],
  [
    'a fault in a resource inside',
    aFlag({ contained: [aDevice({ id: 'a', status: 'broken' })], author: { reference: '#a' } }),
    'Flag.contained[0].status: must be one of active, inactive, entered-in-error, unknown',
  ],
  ['an extension without a URL', aFlag({ extension: [{ valueString: 'x' }] }), 'Flag.extension[0].url: is missing'],
];

const CODES: readonly Fault[] = [
  [
    'a bogus status',
    aComposition({ status: 'done' }),
    'Composition.status: must be one of preliminary, final, amended, entered-in-error',
  ],
  [
    'a bogus status of a condition',
    aCondition({
      clinicalStatus: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'ill' }] },
    }),
    /^Condition\.clinicalStatus: must have a coding that is one of active, /,
  ],
  [
    'a status of a condition without its system',
    aCondition({ verificationStatus: { coding: [{ code: 'differential' }] } }),
    /^Condition\.verificationStatus: must have a coding .* with its system$/,
  ],
  [
    'a status that is words alone',
    aCondition({ clinicalStatus: { text: 'active' } }),
    /^Condition\.clinicalStatus: must have/,
  ],
  ['a code with a space at its end', aComposition({ language: 'en ' }), /^Composition\.language: is not a code/],
  ['a code of the wrong case', aTask({ intent: 'Order' }), /^Task\.intent: must be one of/],
  [
    'a name instead of a system',
    aFlag({ code: { coding: [{ system: 'LOINC', code: '1-8' }] } }),
    /^Flag\.code\.coding\[0\]\.system: must be a whole URI/,
  ],
];

const FORMATS: readonly Fault[] = [
  ['a dateTime without a zone', aComposition({ date: '2026-01-31T09:45:00' }), /^Composition\.date: is not a dateTime/],
  ['a dateTime without seconds', aComposition({ date: '2026-01-31T09:45Z' }), /^Composition\.date: is not a dateTime/],
  [
    'a day that no calendar has',
    aComposition({ date: '2026-02-29' }),
    'Composition.date: is a date that no calendar has',
  ],
  ['an instant that is a date', aProvenance({ recorded: '2026-01-31' }), /^Provenance\.recorded: is not an instant/],
  ['control characters', aComposition({ title: 'a\u0000b' }), 'Composition.title: has control characters'],
  ['half a character', aComposition({ title: 'a\ud83d' }), /^Composition\.title: has half a character/],
  [
    'a text of more than 1 MiB',
    aComposition({ title: 'x'.repeat(1_048_577) }),
    'Composition.title: is longer than 1 MiB',
  ],
  [
    'a period that ends before it begins',
    aFlag({ period: { start: '2026-01-31T10:00:00Z', end: '2026-01-31T10:30:00+01:00' } }),
    'Flag.period.end: is before the start',
  ],
  [
    'base64 with a line end',
    anAttachment({ data: 'QUJD\n' }),
    'DocumentReference.content[0].attachment.data: is not base64; base64() makes it',
  ],
  [
    'a size that is another',
    anAttachment({ data: 'QUJD', size: 4 }),
    /^DocumentReference\.content\[0\]\.attachment\.size: must be the number of bytes/,
  ],
  ['a negative size', anAttachment({ size: -1 }), /attachment\.size: must be between 0 and 2147483647$/],
  ['an id with a slash', aFlag({ id: 'a/b' }), /^Flag\.id: is not an id/],
  [
    'a probability of more than 100',
    aRisk(100.1),
    'RiskAssessment.prediction[0].probabilityDecimal: must be a percentage, from 0 to 100',
  ],
  [
    'a negative probability',
    aRisk(-1),
    'RiskAssessment.prediction[0].probabilityDecimal: must be a percentage, from 0 to 100',
  ],
];

const REFERENCES: readonly Fault[] = [
  [
    'a reference to the wrong kind of resource',
    aCondition({ subject: { reference: 'Device/1' } }),
    'Condition.subject.reference: points to a Device; it may point to Patient or Group',
  ],
  [
    'the same at another address',
    aCondition({ subject: { reference: 'https://ehr.example.org/fhir/Device/1' } }),
    /^Condition\.subject\.reference: points to a Device/,
  ],
  [
    'the same of one version',
    aCondition({ subject: { reference: 'Device/1/_history/2' } }),
    /^Condition\.subject\.reference: points to a Device/,
  ],
  [
    'the same by a search',
    aCondition({ subject: { reference: 'Device?identifier=a' } }),
    /^Condition\.subject\.reference: points to a Device/,
  ],
  [
    'a type that is not allowed',
    aCondition({ subject: { type: 'Device', display: 'x' } }),
    /^Condition\.subject\.type: points to a Device/,
  ],
  [
    "a type that is not the reference's",
    aFlag({ subject: { reference: 'Patient/1', type: 'Group' } }),
    'Flag.subject.type: says Group, and the reference points to a Patient',
  ],
  [
    'a type that FHIR does not know',
    aFlag({ subject: { type: 'Person1', display: 'x' } }),
    'Flag.subject.type: is no type of resource that FHIR R4 knows',
  ],
  [
    'an id alone',
    aFlag({ subject: { reference: 'p-1' } }),
    /^Flag\.subject\.reference: is no reference: write Type\/id/,
  ],
  [
    'a type in small letters',
    aFlag({ subject: { reference: 'patient/p-1' } }),
    /^Flag\.subject\.reference: is no reference/,
  ],
  [
    'a reference without an id',
    aFlag({ subject: { reference: 'Patient/' } }),
    /^Flag\.subject\.reference: is no reference/,
  ],
  [
    'a contained resource that is not there',
    aFlag({ author: { reference: '#a' } }),
    'Flag.author.reference: points to a contained resource that is not there',
  ],
  [
    'a contained resource of the wrong kind',
    aFlag({ contained: [{ resourceType: 'Location', id: 'a' }], author: { reference: '#a' } }),
    /^Flag\.author\.reference: points to a Location/,
  ],
  [
    'a contained resource that nobody needs',
    aFlag({ contained: [aDevice({ id: 'a' })] }),
    'Flag.contained: has a resource that nothing here points to',
  ],
  ['a reference to nothing', aFlag({ subject: { type: 'Patient' } }), /^Flag\.subject: points to nothing/],
];

const RULES: readonly Fault[] = [
  [
    'a section with nothing in it',
    aComposition({ section: [{ title: 'x' }] }),
    /^Composition\.section\[0\]: breaks the rule cmp-1 of FHIR: /,
  ],
  [
    'a deep section with nothing in it',
    aComposition({ section: [{ section: [{ title: 'x' }] }] }),
    /^Composition\.section\[0\]\.section\[0\]: breaks the rule cmp-1/,
  ],
  [
    'an empty reason beside entries',
    aComposition({ section: [{ emptyReason: { text: 'x' }, entry: [{ reference: 'Condition/1' }] }] }),
    /^Composition\.section\[0\]: breaks the rule cmp-2/,
  ],
  [
    'an entered-in-error condition with a clinical status',
    aCondition({
      verificationStatus: {
        coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-ver-status', code: 'entered-in-error' }],
      },
    }),
    /^Condition: breaks the rule con-5/,
  ],
  [
    'a range that is not in percent',
    aRiskAssessment({ prediction: [{ probabilityRange: { low: { value: 1 } } }] }),
    /^RiskAssessment\.prediction\[0\]\.probabilityRange: breaks the rule ras-1/,
  ],
  [
    'an extension with both a value and extensions',
    aFlag({ extension: [{ url: 'urn:x', valueString: 'a', extension: [{ url: 'urn:y', valueString: 'b' }] }] }),
    /^Flag\.extension\[0\]: breaks the rule ext-1/,
  ],
];

describe.each([
  ['structure', STRUCTURE],
  ['codes', CODES],
  ['formats', FORMATS],
  ['references', REFERENCES],
  ['rules', RULES],
] as const)('faults of %s', (_, faults) => {
  it.each(faults)('finds %s, where it is', (_fault, resource, problem) => {
    const errors = errorsOf(resource);
    expect(errors).toContainEqual(typeof problem === 'string' ? problem : expect.stringMatching(problem));
    // One fault, one complaint: a second one would send its reader elsewhere.
    expect(errors).toHaveLength(1);
  });
});

describe('narratives', () => {
  it('are looked at in the resource and in each section', () => {
    const evil = narrative('<script>alert(1)</script>');
    const sections = [
      { title: 'a', text: narrative('<p>x</p>') },
      { title: 'b', section: [{ text: evil }] },
    ];
    expect(errorsOf(aComposition({ text: evil, section: sections }))).toEqual([
      'Composition.text.div: has <script> that FHIR allows in no narrative; text from outside must go through xhtml()',
      'Composition.section[1].section[0].text.div: has <script> that FHIR allows in no narrative; text from outside must go through xhtml()',
    ]);
  });

  it('of more than 1 MiB may leave, with a warning', () => {
    const text = narrative('x'.repeat(1_100_000));
    expect(errorsOf(aComposition({ text }))).toEqual([]);
    expect(warningsOf(aComposition({ text }))).toEqual([
      'Composition.text.div: is longer than 1 MiB: some servers will refuse it',
    ]);
  });
});

describe('warnings', () => {
  it('a code that its own system does not have', () => {
    const category = [
      { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-category', code: 'diagnose' }] },
    ];
    expect(warningsOf(aCondition({ category }))).toEqual([
      'Condition.category[0].coding[0].code: is no code of http://terminology.hl7.org/CodeSystem/condition-category as FHIR R4 has it',
    ]);
    expect(errorsOf(aCondition({ category }))).toEqual([]);
  });

  it('text that would turn the direction of what follows', () => {
    expect(warningsOf(aComposition({ title: '5 \u202emg' }))).toEqual([
      'Composition.title: has characters that turn the direction of the text that follows',
    ]);
  });
});

describe('what is allowed', () => {
  it.each<readonly [string, Json]>([
    ['a large attachment', anAttachment({ data: Buffer.alloc(3_000_000, 'a').toString('base64') })],
    [
      'a null that stands for a value with an extension',
      aPatient({ given: ['A', null], _given: [null, { extension: [{ url: 'urn:x', valueString: 'b' }] }] }),
    ],
    [
      'an extension in place of a value',
      { ...without(aComposition(), 'title'), _title: { extension: [{ url: 'urn:x', valueCode: 'unknown' }] } },
    ],
    ['a logical reference', aFlag({ author: { type: 'Organization', identifier: { system: 'urn:x', value: '1' } } })],
    [
      'a reference to the resource around it',
      aFlag({ contained: [aProvenance({ meta: undefined, id: 'a', target: [{ reference: '#' }] })] }),
    ],
    ['times in two zones', aFlag({ period: { start: '2026-01-31T23:00:00Z', end: '2026-01-31T18:30:00-06:00' } })],
    ['a leap day and a leap second', aComposition({ date: '2024-02-29T23:59:60.5+14:00' })],
    ['a member that is undefined: it is not written', aFlag({ language: undefined })],
    [
      'a code that came after R4',
      aFlag({
        meta: { security: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'AIAST' }] },
      }),
    ],
    [
      'codes of systems that others keep',
      aFlag({
        code: {
          coding: [
            { system: 'http://snomed.info/sct', code: '386661006' },
            { system: 'urn:oid:1.2.3', code: 'any' },
          ],
        },
      }),
    ],
    ['emoji, tabs and line ends', aComposition({ title: 'a\t👩‍⚕️\n\u00e9' })],
    [
      'a bundle',
      {
        resourceType: 'Bundle',
        type: 'collection',
        entry: [{ fullUrl: 'urn:uuid:0d7c3f1e-1111-5a11-8a11-000000000009', resource: without(aFlag(), 'author') }],
      },
    ],
  ])('%s', (_, resource) => {
    expect(validateResources([resource], { isPart: true })).toEqual([]);
  });
});

describe('a set', () => {
  const fullUrl = 'urn:uuid:0d7c3f1e-2222-5a11-8a11-000000000001';
  const pointing = aFlag({ author: { reference: fullUrl } });

  it('whose member is pointed to is whole', () => {
    expect(validateResources([aDevice(), pointing], { fullUrls: [fullUrl] })).toEqual([]);
  });

  it('may name its members by their ids', () => {
    expect(validateResources([aDevice({ id: fullUrl.slice('urn:uuid:'.length) }), pointing])).toEqual([]);
  });

  it('whose member is pointed to and missing is not whole', () => {
    expect(validateResources([aDevice(), pointing])).toEqual([
      {
        resource: 1,
        element: 'Flag.author.reference',
        message: 'points to a resource that is not in this set',
        severity: 'error',
      },
    ]);
    expect(validateResources([pointing], { isPart: true })).toEqual([]);
  });

  it('whose members are of the wrong kind for what points to them', () => {
    expect(validateResources([{ resourceType: 'Location' }, pointing], { fullUrls: [fullUrl] })).toEqual([
      expect.objectContaining({
        resource: 1,
        message: expect.stringMatching(/^points to a Location; it may point to Device, /),
      }),
    ]);
  });

  it('has no two resources of one type with one identifier', () => {
    const identifier = { system: 'urn:x', value: '1' };
    const other = { system: 'urn:y', value: '1' };
    const set = [
      aTask({ identifier: [other, identifier], requester: undefined, focus: undefined }),
      without(aFlag({ identifier: [identifier] }), 'author'),
      aTask({ identifier: [identifier], requester: undefined, focus: undefined }),
    ];
    expect(validateResources(set)).toEqual([
      {
        resource: 2,
        element: 'Task.identifier[0]',
        message: 'another Task of this set has the same identifier',
        severity: 'error',
      },
    ]);
  });

  it('tells for each problem whose it is', () => {
    const problems = validateResources([aDevice(), aDevice({ identifier: undefined, status: 'x' }), null]);
    expect(problems.map(({ resource, element }) => [resource, element])).toEqual([
      [1, 'Device.status'],
      [2, 'Resource'],
    ]);
  });
});

function without(resource: Json, key: string): Json {
  return Object.fromEntries(Object.entries(resource).filter(([name]) => name !== key));
}

function anAttachment(changes: Json): Json {
  return aDocumentReference({ content: [{ attachment: { contentType: 'text/plain', ...changes } }] });
}

function aRisk(probabilityDecimal: number): Json {
  return aRiskAssessment({ prediction: [{ probabilityDecimal }] });
}

function aPatient(name: Json): Json {
  return { resourceType: 'Patient', name: [{ given: ['A'], ...name }] };
}
