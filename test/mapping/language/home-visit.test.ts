// A form of a home visit made into a transaction Bundle, with most of the language at once: names that build on names, loops over
// unions, ifs inside of keys, a second visit that updates what the first one wrote and removes what is gone.
import { expect, it } from '@jest/globals';
import { applyText } from './run-mapping.ts';

const MAPPING = `
body:
  "{% assign %}":
    - patient: "Patient/{{ %visit.subject.id }}"
    - written: "{[ %earlier.target.reference ]}"
    - pulse: "{{ %visit.repeat(item).where(linkId = 'pulse').answer.value }}"
    - oxygen: "{{ %visit.repeat(item).where(linkId = 'oxygen').answer.value }}"
    - allergies: "{[ %visit.repeat(item).where(linkId = 'allergy').answer.value ]}"
    - measured:
        - "{% if %pulse.exists() %}":
            "{% assign %}":
              - known: >-
                  {{
                    %chart.where(
                      resourceType = 'Observation' and
                      code.coding.code = '8867-4' and
                      ('Observation/' + id) in %written
                    ).id
                  }}
            fullUrl: urn:uuid:pulse
            request:
              "{% if %known.exists() %}":
                method: PUT
                url: "Observation/{{ %known }}"
              "{% else %}":
                method: POST
                url: Observation
            resource:
              resourceType: Observation
              id: "{{ %known }}"
              status: final
              subject: { reference: "{{ %patient }}" }
              code: { coding: [{ system: http://loinc.org, code: 8867-4 }] }
              valueQuantity:
                value: "{{ %pulse }}"
                unit: /min
              interpretation:
                "{% if %pulse > 100 %}": [{ text: fast }]
        - "{% if %oxygen.exists() %}":
            fullUrl: urn:uuid:oxygen
            request: { method: POST, url: Observation }
            resource:
              resourceType: Observation
              status: final
              subject: { reference: "{{ %patient }}" }
              valueQuantity:
                value:
                  "{% if %oxygen <= 1 %}": "{{ %oxygen * 100 }}"
                  "{% else %}": "{{ %oxygen }}"
    - reported:
        "{% for number, allergy in %allergies %}":
          "{% assign %}":
            - known: "{{ %chart.where(resourceType = 'AllergyIntolerance' and code.coding.code = %allergy.code).id }}"
          fullUrl: "urn:uuid:allergy-{{ %number }}"
          request:
            "{% if %known.exists() %}": { method: PUT, url: "AllergyIntolerance/{{ %known }}" }
            "{% else %}": { method: POST, url: AllergyIntolerance }
          resource:
            resourceType: AllergyIntolerance
            id: "{{ %known }}"
            patient: { reference: "{{ %patient }}" }
            code:
              coding: ["{{ %allergy }}"]
              text: "{{ %allergy.display }}"
    - proofs:
        "{% for one in %measured | %reported %}":
          request: { method: POST, url: Provenance }
          resource:
            resourceType: Provenance
            target: [{ reference: "{{ %one.fullUrl }}" }]
            agent: [{ who: { reference: "{{ %visit.author.reference }}" } }]
  resourceType: Bundle
  type: transaction
  entry:
    - "{% for one in %measured | %reported | %proofs %}": "{{ %one }}"
    - "{% assign %}":
        - kept: "{[ (%measured | %reported).resource.select(resourceType + '/' + id) ]}"
      "{% for gone in %written.exclude(%kept) %}":
        - request: { method: DELETE, url: "{{ %gone }}" }
`;

const CODINGS = [
  { system: 'http://snomed.info/sct', code: '91936005', display: 'Penicillin' },
  { system: 'http://snomed.info/sct', code: '300913006', display: '{{ %visit }} shellfish' },
];

const visit = {
  resourceType: 'QuestionnaireResponse',
  subject: { id: 'p9' },
  author: { reference: 'Practitioner/2' },
  item: [
    { linkId: 'vitals', item: [{ linkId: 'pulse', answer: [{ valueDecimal: 112 }] }] },
    { linkId: 'oxygen', answer: [{ valueDecimal: 0.97 }] },
    { linkId: 'allergy', answer: CODINGS.map((valueCoding) => ({ valueCoding })) },
  ],
};

function pulse(id?: string): unknown {
  return {
    fullUrl: 'urn:uuid:pulse',
    request: id === undefined ? { method: 'POST', url: 'Observation' } : { method: 'PUT', url: `Observation/${id}` },
    resource: {
      resourceType: 'Observation',
      ...(id === undefined ? {} : { id }),
      status: 'final',
      subject: { reference: 'Patient/p9' },
      code: { coding: [{ system: 'http://loinc.org', code: '8867-4' }] },
      valueQuantity: { value: 112, unit: '/min' },
      interpretation: [{ text: 'fast' }],
    },
  };
}

const oxygen = {
  fullUrl: 'urn:uuid:oxygen',
  request: { method: 'POST', url: 'Observation' },
  resource: {
    resourceType: 'Observation',
    status: 'final',
    subject: { reference: 'Patient/p9' },
    valueQuantity: { value: 97 },
  },
};

function allergy(number: number, id?: string): unknown {
  const coding = CODINGS[number];
  return {
    fullUrl: `urn:uuid:allergy-${number}`,
    request:
      id === undefined
        ? { method: 'POST', url: 'AllergyIntolerance' }
        : { method: 'PUT', url: `AllergyIntolerance/${id}` },
    resource: {
      resourceType: 'AllergyIntolerance',
      ...(id === undefined ? {} : { id }),
      patient: { reference: 'Patient/p9' },
      code: { coding: [coding], text: coding?.display },
    },
  };
}

function proof(fullUrl: string): unknown {
  return {
    request: { method: 'POST', url: 'Provenance' },
    resource: {
      resourceType: 'Provenance',
      target: [{ reference: fullUrl }],
      agent: [{ who: { reference: 'Practitioner/2' } }],
    },
  };
}

const PROOFS = ['pulse', 'oxygen', 'allergy-0', 'allergy-1'].map((name) => proof(`urn:uuid:${name}`));

it('a first home visit creates all resources', () => {
  expect(applyText(MAPPING, { visit, chart: [], earlier: [] })).toStrictEqual({
    body: {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [pulse(), oxygen, allergy(0), allergy(1), ...PROOFS],
    },
  });
});

it('a second home visit updates existing resources and deletes dropped ones', () => {
  const chart = [
    { resourceType: 'Observation', id: 'o1', code: { coding: [{ code: '8867-4' }] } },
    { resourceType: 'Observation', id: 'of-somebody', code: { coding: [{ code: '8867-4' }] } },
    { resourceType: 'AllergyIntolerance', id: 'a1', code: { coding: [{ code: '300913006' }] } },
  ];
  const earlier = [
    { target: [{ reference: 'Observation/o1' }] },
    { target: [{ reference: 'AllergyIntolerance/a1' }, { reference: 'AllergyIntolerance/a7' }] },
  ];
  expect(applyText(MAPPING, { visit, chart, earlier })).toStrictEqual({
    body: {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [
        pulse('o1'),
        oxygen,
        allergy(0),
        allergy(1, 'a1'),
        ...PROOFS,
        { request: { method: 'DELETE', url: 'AllergyIntolerance/a7' } },
      ],
    },
  });
});

it('an empty form makes a Bundle without entries', () => {
  const empty = { resourceType: 'QuestionnaireResponse', subject: { id: 'p9' } };
  expect(applyText(MAPPING, { visit: empty, chart: [], earlier: [] })).toStrictEqual({
    body: { resourceType: 'Bundle', type: 'transaction' },
  });
});
