// One made-up resource of each type of the sandbox's EHR, with a value in each searchable element.
import type { Resource } from '@medplum/fhirtypes';

const SYSTEM = 'urn:chartwright:samples';
/** Referenced resources have the name of their type as id. */
const to = (type: string) => ({ reference: `${type}/a-${type.toLowerCase()}` });
const concept = (code: string, system = SYSTEM) => ({ coding: [{ system, code }] });
const hl7 = (name: string, code: string) => concept(code, `http://terminology.hl7.org/CodeSystem/${name}`);
const identifier = [{ system: SYSTEM, value: 'of-the-sample' }];
const AT = '2026-11-21T10:00:00Z';
const period = { start: AT, end: '2026-11-21T10:30:00Z' };
const inVisit = { subject: to('Patient'), encounter: to('Encounter') };
const name = [{ family: 'Sample', given: ['Ada'] }];

const SAMPLES: readonly Resource[] = [
  {
    resourceType: 'AllergyIntolerance',
    identifier,
    patient: to('Patient'),
    code: concept('peanut'),
    recordedDate: AT,
    clinicalStatus: hl7('allergyintolerance-clinical', 'active'),
    verificationStatus: hl7('allergyintolerance-verification', 'confirmed'),
  },
  {
    resourceType: 'AuditEvent',
    type: { system: 'http://terminology.hl7.org/CodeSystem/audit-event-type', code: 'rest' },
    action: 'R',
    recorded: AT,
    agent: [{ who: to('Practitioner'), requestor: true }],
    source: { observer: to('Device') },
    entity: [{ what: to('Patient') }],
  },
  { resourceType: 'Binary', contentType: 'audio/wav', data: 'c291bmQ=' },
  {
    resourceType: 'Communication',
    identifier,
    ...inVisit,
    status: 'completed',
    category: [concept('notice')],
    sent: AT,
  },
  {
    resourceType: 'Composition',
    identifier: identifier[0] ?? {},
    ...inVisit,
    status: 'final',
    category: [concept('note')],
    type: concept('progress'),
    date: AT,
    author: [to('Practitioner')],
    title: 'A note',
  },
  {
    resourceType: 'Condition',
    identifier,
    ...inVisit,
    code: concept('cough'),
    category: [concept('encounter-diagnosis')],
    clinicalStatus: hl7('condition-clinical', 'active'),
    verificationStatus: hl7('condition-ver-status', 'confirmed'),
    recordedDate: AT,
    onsetDateTime: '2026-11-20',
    stage: [{ summary: concept('first') }],
  },
  {
    resourceType: 'Consent',
    identifier,
    patient: to('Patient'),
    status: 'active',
    category: [concept('recording')],
    scope: concept('patient-privacy'),
    dateTime: AT,
    policyRule: concept('opt-in'),
  },
  {
    resourceType: 'Device',
    identifier,
    patient: to('Patient'),
    status: 'active',
    type: concept('engine'),
    manufacturer: 'Sample Works',
  },
  {
    resourceType: 'DiagnosticReport',
    identifier,
    ...inVisit,
    status: 'final',
    code: concept('blood'),
    category: [concept('lab')],
    effectiveDateTime: AT,
  },
  {
    resourceType: 'DocumentReference',
    identifier,
    subject: to('Patient'),
    status: 'current',
    category: [concept('clinical-note')],
    type: concept('progress'),
    date: AT,
    author: [to('Practitioner')],
    relatesTo: [{ code: 'appends', target: to('DocumentReference') }],
    content: [{ attachment: { contentType: 'text/plain', data: 'bm90ZQ==' } }],
    context: { encounter: [to('Encounter')], related: [to('Media')], period },
  },
  {
    resourceType: 'Encounter',
    identifier,
    subject: to('Patient'),
    status: 'finished',
    class: { system: SYSTEM, code: 'AMB' },
    type: [concept('visit')],
    period,
    participant: [{ individual: to('Practitioner') }],
    location: [{ location: to('Location') }],
    partOf: to('Encounter'),
  },
  {
    resourceType: 'Flag',
    identifier,
    ...inVisit,
    status: 'active',
    code: concept('red'),
    author: to('Device'),
    period,
  },
  {
    resourceType: 'Immunization',
    identifier,
    patient: to('Patient'),
    status: 'completed',
    vaccineCode: concept('flu'),
    occurrenceDateTime: AT,
  },
  { resourceType: 'Location', identifier, name: 'Sample Ward', status: 'active' },
  {
    resourceType: 'Media',
    identifier,
    ...inVisit,
    status: 'completed',
    type: concept('audio'),
    createdDateTime: AT,
    content: { contentType: 'audio/wav' },
  },
  { resourceType: 'Medication', identifier, code: concept('ibuprofen'), status: 'active' },
  {
    resourceType: 'MedicationRequest',
    identifier,
    ...inVisit,
    status: 'active',
    intent: 'order',
    authoredOn: AT,
    medicationReference: to('Medication'),
  },
  {
    resourceType: 'MedicationStatement',
    identifier,
    subject: to('Patient'),
    context: to('Encounter'),
    status: 'active',
    effectiveDateTime: AT,
    medicationReference: to('Medication'),
  },
  {
    resourceType: 'Observation',
    identifier,
    ...inVisit,
    status: 'final',
    code: concept('pulse'),
    category: [concept('vital-signs')],
    effectiveDateTime: AT,
  },
  { resourceType: 'Organization', identifier, name: 'Sample Hospital' },
  {
    resourceType: 'Patient',
    identifier,
    name,
    birthDate: '1990-02-03',
    gender: 'other',
    active: true,
    link: [{ other: to('Patient'), type: 'seealso' }],
  },
  { resourceType: 'Practitioner', identifier, name, active: true },
  {
    resourceType: 'PractitionerRole',
    identifier,
    practitioner: to('Practitioner'),
    organization: to('Organization'),
  },
  { resourceType: 'Procedure', identifier, ...inVisit, status: 'completed', code: concept('suture') },
  {
    resourceType: 'Provenance',
    target: [to('Condition')],
    agent: [{ who: to('Device') }],
    entity: [{ role: 'source', what: to('Media') }],
    recorded: AT,
  },
  {
    resourceType: 'RiskAssessment',
    identifier,
    ...inVisit,
    status: 'final',
    condition: to('Condition'),
    method: concept('model'),
    performer: to('Device'),
    occurrenceDateTime: AT,
  },
  {
    resourceType: 'ServiceRequest',
    identifier,
    ...inVisit,
    status: 'active',
    intent: 'order',
    code: concept('x-ray'),
  },
  {
    resourceType: 'Subscription',
    status: 'off',
    reason: 'A sample',
    criteria: 'Encounter?status=finished',
    channel: { type: 'rest-hook', endpoint: 'http://127.0.0.1:9/nobody' },
  },
  {
    resourceType: 'Task',
    identifier,
    for: to('Patient'),
    encounter: to('Encounter'),
    status: 'requested',
    intent: 'order',
    code: concept('review'),
    priority: 'routine',
    focus: to('Composition'),
    owner: to('Practitioner'),
    requester: to('Device'),
    authoredOn: AT,
  },
];

/** Returns a new copy; undefined if the type has no sample. */
export function sampleOf(type: string): Resource | undefined {
  return structuredClone(SAMPLES.find(({ resourceType }) => resourceType === type));
}

/** The resources that the samples refer to, with those ids. */
export function sampleTargets(): readonly Resource[] {
  return structuredClone(SAMPLES).map((resource) => ({
    ...resource,
    id: `a-${resource.resourceType.toLowerCase()}`,
  }));
}
