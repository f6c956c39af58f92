// Builders for the resources of a chart. All content is made up.
import type { Resource } from '@medplum/fhirtypes';

type Changes = Readonly<Record<string, unknown>>;

/** Any shape is allowed, because an EHR may send other content than the types declare. */
export function aResource(resourceType: string, id: string, members: Changes = {}): Resource {
  return { resourceType, id, ...members } as unknown as Resource;
}

const SUBJECT = { subject: { reference: 'Patient/p-1' } };
const ENCOUNTER = { encounter: { reference: 'Encounter/e-1' } };

function coded(system: string, code: string) {
  return { coding: [{ system: `http://terminology.hl7.org/CodeSystem/${system}`, code }] };
}

export function anEncounter(changes: Changes = {}): Resource {
  return aResource('Encounter', 'e-1', {
    status: 'finished',
    class: { code: 'AMB' },
    ...SUBJECT,
    period: { start: '2026-11-20T10:00:00Z', end: '2026-11-20T10:30:00Z' },
    ...changes,
  });
}

export function aPatient(changes: Changes = {}): Resource {
  return aResource('Patient', 'p-1', { birthDate: '1959-04-02', gender: 'female', ...changes });
}

export function aCondition(id: string, changes: Changes = {}): Resource {
  return aResource('Condition', id, {
    ...SUBJECT,
    clinicalStatus: coded('condition-clinical', 'active'),
    verificationStatus: coded('condition-ver-status', 'confirmed'),
    code: { text: `Condition ${id}` },
    ...changes,
  });
}

export function aMedication(id: string, changes: Changes = {}): Resource {
  const medicationCodeableConcept = { text: `Medicine ${id}` };
  return aResource('MedicationRequest', id, { ...SUBJECT, status: 'active', medicationCodeableConcept, ...changes });
}

export function anAllergy(id: string, changes: Changes = {}): Resource {
  return aResource('AllergyIntolerance', id, {
    patient: { reference: 'Patient/p-1' },
    clinicalStatus: coded('allergyintolerance-clinical', 'active'),
    code: { text: `Substance ${id}` },
    ...changes,
  });
}

export function anObservation(id: string, changes: Changes = {}): Resource {
  return aResource('Observation', id, {
    ...SUBJECT,
    ...ENCOUNTER,
    status: 'final',
    category: [coded('observation-category', 'vital-signs')],
    code: { text: 'Heart rate' },
    valueQuantity: { value: 88, unit: '/min' },
    effectiveDateTime: '2026-11-20T10:05:00Z',
    ...changes,
  });
}

export function aReport(id: string, changes: Changes = {}): Resource {
  return aResource('DiagnosticReport', id, {
    ...SUBJECT,
    ...ENCOUNTER,
    status: 'final',
    code: { text: 'Chest X-ray' },
    effectiveDateTime: '2026-11-20T10:20:00Z',
    conclusion: 'No infiltrate.',
    ...changes,
  });
}

/** Returns a resource with a label of v3-Confidentiality. */
export function labelled(code: string) {
  return { meta: { security: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality', code }] } };
}
