// The chart of a made-up patient as FHIR: the persons, the history, and the visit with its recording.
import type {
  AllergyIntolerance,
  CodeableConcept,
  Condition,
  DocumentReference,
  Encounter,
  MedicationStatement,
  Organization,
  Patient,
  Practitioner,
  Resource,
} from '@medplum/fhirtypes';
import { CARE_NOTES, type ChartEntry, type Person, type SandboxPatient } from '../patients/sandbox-patient.ts';

/** The organization of the hospital, and the practitioner in whose name the operator's key decides. */
const HOSPITAL: Organization & { readonly id: string } = {
  resourceType: 'Organization',
  id: 'sandbox-hospital',
  active: true,
  name: 'Sandbox Hospital',
};
const REVIEWER: Practitioner = {
  resourceType: 'Practitioner',
  id: 'sandbox',
  active: true,
  name: [{ use: 'official', given: ['Sandbox'], family: 'Reviewer' }],
};

/** Works here, and has seen none of the patients. */
const NURSE: Practitioner = {
  resourceType: 'Practitioner',
  id: 'sandbox-nurse',
  active: true,
  name: [{ use: 'official', given: ['Nell'], family: 'Placeholder' }],
  qualification: [{ code: { text: 'Nurse' } }],
};

/** The code system of the kind of care, by which the site chooses the template of the note. */
const CARE_SYSTEM = 'urn:sandbox-hospital:care';
const MRN_SYSTEM = 'urn:sandbox-hospital:mrn';
const VISIT_SYSTEM = 'urn:sandbox-hospital:visit';
const STAFF_SYSTEM = 'urn:sandbox-hospital:staff';
const CLASS_SYSTEM = 'http://terminology.hl7.org/CodeSystem/v3-ActCode';
const LANGUAGE_SYSTEM = 'urn:ietf:bcp:47';
const ICD10_SYSTEM = 'http://hl7.org/fhir/sid/icd-10-cm';
const RXNORM_SYSTEM = 'http://www.nlm.nih.gov/research/umls/rxnorm';
const SNOMED_SYSTEM = 'http://snomed.info/sct';
const RECORDING_TYPE = 'audio/ogg';
const STATUS_SYSTEM = 'http://terminology.hl7.org/CodeSystem';

export function hospitalResources(): readonly Resource[] {
  return [HOSPITAL, REVIEWER, NURSE];
}

function patientId(scenario: SandboxPatient): string {
  return scenario.patient.identifier.toLowerCase();
}

/** The patient and the practitioner, with the patient's history. */
export function chartOf(scenario: SandboxPatient): readonly Resource[] {
  const { patient, practitioner, chart } = scenario;
  const subject = { reference: `Patient/${patientId(scenario)}` };
  const numbered = (entries: readonly ChartEntry[], kind: string) =>
    entries.map((entry, index) => ({ entry, id: `${patientId(scenario)}-${kind}-${index + 1}` }));
  const person: Patient = {
    resourceType: 'Patient',
    id: patientId(scenario),
    active: true,
    identifier: [{ system: MRN_SYSTEM, value: patient.identifier }],
    name: [nameOf(patient)],
    gender: patient.gender,
    birthDate: patient.birthDate,
    communication: [{ language: { coding: [{ system: LANGUAGE_SYSTEM, code: scenario.language }] }, preferred: true }],
    managingOrganization: { reference: `Organization/${HOSPITAL.id}` },
  };
  const clinician: Practitioner = {
    resourceType: 'Practitioner',
    id: practitioner.identifier.toLowerCase(),
    active: true,
    identifier: [{ system: STAFF_SYSTEM, value: practitioner.identifier }],
    name: [nameOf(practitioner)],
    qualification: [{ code: { text: practitioner.role } }],
  };
  const allergies = numbered(chart.allergies, 'allergy').map(
    ({ entry, id }): AllergyIntolerance => ({
      resourceType: 'AllergyIntolerance',
      id,
      clinicalStatus: { coding: [{ system: `${STATUS_SYSTEM}/allergyintolerance-clinical`, code: 'active' }] },
      verificationStatus: {
        coding: [{ system: `${STATUS_SYSTEM}/allergyintolerance-verification`, code: 'confirmed' }],
      },
      code: conceptOf(entry),
      patient: subject,
    }),
  );
  const conditions = numbered(chart.conditions, 'condition').map(
    ({ entry, id }): Condition => ({
      resourceType: 'Condition',
      id,
      clinicalStatus: { coding: [{ system: `${STATUS_SYSTEM}/condition-clinical`, code: 'active' }] },
      verificationStatus: { coding: [{ system: `${STATUS_SYSTEM}/condition-ver-status`, code: 'confirmed' }] },
      category: [{ coding: [{ system: `${STATUS_SYSTEM}/condition-category`, code: 'problem-list-item' }] }],
      code: conceptOf(entry),
      subject,
    }),
  );
  const medications = numbered(chart.medications, 'medication').map(
    ({ entry, id }): MedicationStatement => ({
      resourceType: 'MedicationStatement',
      id,
      status: 'active',
      medicationCodeableConcept: conceptOf(entry),
      subject,
    }),
  );
  return [person, clinician, ...allergies, ...conditions, ...medications];
}

export type VisitTimes = { readonly start: string; readonly end: string };

/** A visit in progress. */
export function encounterOf(scenario: SandboxPatient, name: string, times: VisitTimes): Encounter {
  const { encounter, practitioner, care } = scenario;
  return {
    resourceType: 'Encounter',
    id: name,
    identifier: [{ system: VISIT_SYSTEM, value: name.toUpperCase() }],
    status: 'in-progress',
    class: { system: CLASS_SYSTEM, code: encounter.class },
    type: [{ coding: [{ system: CARE_SYSTEM, code: CARE_NOTES[care] }], text: encounter.type }],
    subject: {
      reference: `Patient/${patientId(scenario)}`,
      display: `${scenario.patient.given} ${scenario.patient.family}`,
    },
    participant: [
      {
        type: [{ coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ParticipationType', code: 'ATND' }] }],
        individual: {
          reference: `Practitioner/${practitioner.identifier.toLowerCase()}`,
          display: `${practitioner.given} ${practitioner.family}`,
        },
      },
    ],
    period: { start: times.start },
    reasonCode: [{ text: encounter.reason }],
    serviceProvider: { reference: `Organization/${HOSPITAL.id}` },
  };
}

type RecordingParts = {
  readonly visit: Encounter;
  /** The id of the document and of the Binary with the audio. */
  readonly id: string;
  readonly title: string;
  readonly sizeBytes: number;
  readonly madeAt: VisitTimes;
};

export function recordingDocument({ visit, id, title, sizeBytes, madeAt }: RecordingParts): DocumentReference {
  return {
    resourceType: 'DocumentReference',
    id,
    status: 'current',
    docStatus: 'final',
    type: { text: 'Recording of the encounter' },
    ...(visit.subject && { subject: { reference: visit.subject.reference ?? '' } }),
    date: madeAt.end,
    content: [
      {
        attachment: {
          contentType: RECORDING_TYPE,
          url: `Binary/${id}`,
          title,
          size: sizeBytes,
          creation: madeAt.start,
        },
      },
    ],
    context: { encounter: [{ reference: `Encounter/${visit.id}` }], period: { start: madeAt.start, end: madeAt.end } },
  };
}

function nameOf({ given, family }: Person) {
  return { use: 'official' as const, given: [given], family };
}

function conceptOf({ text, icd10, rxnorm, snomed }: ChartEntry): CodeableConcept {
  const coding = [
    ...(icd10 === undefined ? [] : [{ system: ICD10_SYSTEM, code: icd10 }]),
    ...(rxnorm === undefined ? [] : [{ system: RXNORM_SYSTEM, code: rxnorm }]),
    ...(snomed === undefined ? [] : [{ system: SNOMED_SYSTEM, code: snomed }]),
  ];
  return { ...(coding.length > 0 && { coding }), text };
}
