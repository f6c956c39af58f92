// Builds the text that a run gives to a reasoner: the conversation and the patient's facts from the chart.
import type { Resource } from '@medplum/fhirtypes';
import { writeHistory } from '../../src/domain/history/chart-history.ts';
import { makeDiagnosisHistory } from '../../src/domain/history/diagnosis-history.ts';
import type { Transcript } from '../../src/domain/recording/transcript.ts';
import type { ChartEntry, SandboxPatient } from '../../src/sandbox/patients/sandbox-patient.ts';

const MAX_CHARACTERS = 10_000;

export function historyOf(sandboxPatient: SandboxPatient, transcript: Transcript): string {
  const { language } = sandboxPatient;
  return makeDiagnosisHistory({ transcript, history: chartOf(sandboxPatient), language });
}

function chartOf({ patient, encounter, chart }: SandboxPatient): string {
  const { gender, birthDate } = patient;
  const subject = { reference: 'Patient/1' };
  const { text } = writeHistory({
    encounter: {
      resourceType: 'Encounter',
      id: '1',
      status: 'finished',
      class: { code: encounter.class },
      period: { start: encounter.start, end: encounter.end },
      reasonCode: [{ text: encounter.reason }],
    },
    patient: { resourceType: 'Patient', id: '1', gender, birthDate },
    groups: {
      allergies: each(chart.allergies, (code, id) => ({
        resourceType: 'AllergyIntolerance',
        id,
        code,
        patient: subject,
      })),
      conditions: each(chart.conditions, (code, id) => ({ resourceType: 'Condition', id, code, subject })),
      medications: each(chart.medications, (code, id) => ({
        resourceType: 'MedicationStatement',
        id,
        status: 'active',
        medicationCodeableConcept: code,
        subject,
      })),
    },
    timeZone: 'UTC',
    now: new Date(encounter.end),
    maxCharacters: MAX_CHARACTERS,
  });
  return text;
}

function each(
  entries: readonly ChartEntry[],
  make: (code: { readonly text: string }, id: string) => Resource,
): readonly Resource[] {
  return entries.map(({ text }, index) => make({ text }, String(index + 1)));
}
