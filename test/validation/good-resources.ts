// One sound resource of each kind that is written to a chart, as a set whose members point at each other. All of it is made up.

type Json = Record<string, unknown>;

export type NamedResource = { readonly fullUrl: string; readonly resource: Json };

const AI_LABEL = { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'AIAST' };
const XHTML = 'xmlns="http://www.w3.org/1999/xhtml"';
const NOTE = 'Drafted by AI from a recording; nobody has reviewed it yet.\n\nSubjective\nCough for three days.';

const URN = {
  device: 'urn:uuid:0d7c3f1e-1111-5a11-8a11-000000000001',
  documentReference: 'urn:uuid:0d7c3f1e-1111-5a11-8a11-000000000002',
  composition: 'urn:uuid:0d7c3f1e-1111-5a11-8a11-000000000003',
  condition: 'urn:uuid:0d7c3f1e-1111-5a11-8a11-000000000004',
  riskAssessment: 'urn:uuid:0d7c3f1e-1111-5a11-8a11-000000000005',
  flag: 'urn:uuid:0d7c3f1e-1111-5a11-8a11-000000000006',
  task: 'urn:uuid:0d7c3f1e-1111-5a11-8a11-000000000007',
  provenance: 'urn:uuid:0d7c3f1e-1111-5a11-8a11-000000000008',
} as const;

/** Fresh each: two resources must not share what a test breaks. */
const links = () => ({
  meta: { security: [{ ...AI_LABEL }] },
  patient: { reference: 'Patient/p-1' },
  encounter: { reference: 'Encounter/e-1' },
  device: { reference: URN.device, type: 'Device' },
});

export function goodSet(): readonly NamedResource[] {
  return [
    { fullUrl: URN.device, resource: aDevice() },
    { fullUrl: URN.documentReference, resource: aDocumentReference() },
    { fullUrl: URN.composition, resource: aComposition() },
    { fullUrl: URN.condition, resource: aCondition() },
    { fullUrl: URN.riskAssessment, resource: aRiskAssessment() },
    { fullUrl: URN.flag, resource: aFlag() },
    { fullUrl: URN.task, resource: aTask() },
    { fullUrl: URN.provenance, resource: aProvenance() },
  ];
}

export function aDevice(changes: Json = {}): Json {
  return {
    resourceType: 'Device',
    identifier: [{ system: 'urn:chartwright:mercy', value: 'device/chartwright@0.1.0/example-model' }],
    status: 'active',
    manufacturer: 'Example Models',
    deviceName: [{ name: 'Chartwright with example-model', type: 'user-friendly-name' }],
    type: { text: 'AI documentation software' },
    version: [{ value: '0.1.0' }],
    ...changes,
  };
}

export function aDocumentReference(changes: Json = {}): Json {
  const { meta, patient, encounter, device } = links();
  return {
    resourceType: 'DocumentReference',
    meta,
    identifier: [identifier('document-reference')],
    status: 'current',
    docStatus: 'preliminary',
    type: loinc('11506-3', 'Progress note'),
    category: [
      {
        coding: [
          {
            system: 'http://hl7.org/fhir/us/core/CodeSystem/us-core-documentreference-category',
            code: 'clinical-note',
          },
        ],
      },
    ],
    subject: patient,
    date: '2026-01-31T09:45:00.000Z',
    author: [device],
    custodian: { reference: 'Organization/1' },
    description: 'Cough and fever',
    content: [
      {
        attachment: {
          contentType: 'text/plain;charset=utf-8',
          language: 'en',
          data: Buffer.from(NOTE).toString('base64'),
          size: Buffer.byteLength(NOTE),
          title: 'Cough and fever',
          creation: '2026-01-31T09:45:00Z',
        },
      },
    ],
    context: {
      encounter: [encounter],
      period: { start: '2026-01-31T09:30:00Z', end: '2026-01-31T10:44:00+01:00' },
      related: [{ reference: 'DocumentReference/recording-1' }],
    },
    ...changes,
  };
}

export function aComposition(changes: Json = {}): Json {
  const { meta, patient, encounter, device } = links();
  return {
    resourceType: 'Composition',
    meta,
    language: 'en',
    text: narrative('<p>Drafted by AI from a recording.</p>'),
    identifier: identifier('composition'),
    status: 'preliminary',
    type: loinc('11506-3', 'Progress note'),
    subject: patient,
    encounter,
    date: '2026-01-31T09:45:00Z',
    author: [device],
    title: 'Cough and fever',
    confidentiality: 'N',
    custodian: { display: 'Mercy General' },
    section: [
      {
        title: 'Subjective',
        code: loinc('61150-9', 'Subjective Narrative'),
        text: narrative('<p>Cough for three days &amp; fever,<br/>T &gt; 38 &#176;C</p>'),
      },
      {
        title: 'Assessment',
        code: loinc('51848-0', 'Evaluation note'),
        section: [
          {
            title: 'Differential diagnosis',
            text: narrative('<ol><li>Pneumonia</li></ol>'),
            entry: [{ reference: URN.condition }, { reference: URN.riskAssessment }],
          },
        ],
      },
    ],
    ...changes,
  };
}

export function aCondition(changes: Json = {}): Json {
  const { meta, patient, encounter } = links();
  return {
    resourceType: 'Condition',
    meta,
    identifier: [identifier('condition/J18.9')],
    clinicalStatus: {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'active' }],
    },
    verificationStatus: {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-ver-status', code: 'differential' }],
    },
    category: [
      {
        coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-category', code: 'encounter-diagnosis' }],
      },
    ],
    code: {
      coding: [
        { system: 'http://hl7.org/fhir/sid/icd-10-cm', code: 'J18.9', display: 'Pneumonia, unspecified organism' },
      ],
      text: 'Community-acquired pneumonia',
    },
    subject: patient,
    encounter,
    recordedDate: '2026-01-31T09:45:00Z',
    evidence: [{ detail: [{ reference: URN.documentReference }] }],
    note: [{ text: 'Fever, cough and crackles on the right.' }],
    ...changes,
  };
}

export function aRiskAssessment(changes: Json = {}): Json {
  const { meta, patient, encounter, device } = links();
  return {
    resourceType: 'RiskAssessment',
    meta,
    identifier: [identifier('risk-assessment')],
    status: 'preliminary',
    method: { text: 'Differential diagnosis by a language model' },
    subject: patient,
    encounter,
    occurrenceDateTime: '2026-01-31T09:45:00Z',
    performer: device,
    basis: [{ reference: URN.documentReference }],
    prediction: [
      {
        outcome: { text: 'Community-acquired pneumonia' },
        probabilityDecimal: 62,
        qualitativeRisk: {
          coding: [{ system: 'http://terminology.hl7.org/CodeSystem/risk-probability', code: 'moderate' }],
        },
        rationale: 'Fever, cough and crackles on the right.',
      },
    ],
    ...changes,
  };
}

export function aFlag(changes: Json = {}): Json {
  const { meta, patient, encounter, device } = links();
  return {
    resourceType: 'Flag',
    meta,
    identifier: [identifier('flag')],
    status: 'active',
    category: [{ coding: [{ system: 'http://terminology.hl7.org/CodeSystem/flag-category', code: 'clinical' }] }],
    code: { text: 'Triage RED' },
    subject: patient,
    period: { start: '2026-01-31T09:45:00Z', end: '2026-02-01T09:45:00Z' },
    encounter,
    author: device,
    ...changes,
  };
}

export function aTask(changes: Json = {}): Json {
  const { meta, patient, encounter, device } = links();
  return {
    resourceType: 'Task',
    meta,
    identifier: [identifier('task')],
    status: 'requested',
    intent: 'order',
    priority: 'routine',
    code: { coding: [{ system: 'http://hl7.org/fhir/CodeSystem/task-code', code: 'approve' }] },
    description: 'Review a note drafted by AI',
    focus: { reference: URN.documentReference },
    for: patient,
    encounter,
    authoredOn: '2026-01-31T09:45:00Z',
    requester: device,
    owner: { reference: 'Practitioner/dr-1' },
    ...changes,
  };
}

export function aProvenance(changes: Json = {}): Json {
  const { meta, device } = links();
  return {
    resourceType: 'Provenance',
    meta: { ...meta, tag: [{ system: 'urn:chartwright:mercy', code: 'e-1/s-1/provenance' }] },
    target: [{ reference: URN.composition }, { reference: URN.documentReference }],
    occurredDateTime: '2026-01-31T09:45:00Z',
    recorded: '2026-01-31T09:45:00.123Z',
    activity: {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-DataOperation', code: 'CREATE' }],
    },
    agent: [
      {
        type: {
          coding: [{ system: 'http://terminology.hl7.org/CodeSystem/provenance-participant-type', code: 'author' }],
        },
        who: device,
        onBehalfOf: { reference: 'Organization/1' },
      },
    ],
    entity: [{ role: 'source', what: { reference: 'DocumentReference/recording-1' } }],
    ...changes,
  };
}

export function narrative(inside: string): Json {
  return { status: 'generated', div: `<div ${XHTML}>${inside}</div>` };
}

function identifier(document: string): Json {
  return { system: 'urn:chartwright:mercy', value: `e-1/s-1/${document}` };
}

function loinc(code: string, display: string): Json {
  return { coding: [{ system: 'http://loinc.org', code, display }] };
}
