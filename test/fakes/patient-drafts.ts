// The drafts of a patient, in memory: of the runs that the fake stores share.
import type { PatientDrafts } from '../../src/ports/patient-drafts.ts';
import { isDraft, rankOf } from './drafts.ts';
import type { RunsMemory } from './runs-store.ts';

export function makeFakePatientDrafts(memory: RunsMemory): PatientDrafts {
  return {
    list: async ({ site, patient, encounter, reasons, withWritten, limit }) =>
      [...memory.runs.values()]
        .filter((run) => isDraft(memory, run) && run.site === site && run.patient === patient)
        .filter((run) => encounter === undefined || run.encounter === encounter)
        .filter(({ status, reason }) => (status === 'written' ? withWritten : reasons.some((one) => one === reason)))
        .toSorted((one, other) => rankOf(other) - rankOf(one) || one.serial - other.serial)
        .slice(0, limit)
        .map(({ id: run, encounter: visit, status, draft }) => ({
          run,
          encounter: visit,
          isInChart: status === 'written',
          ...(draft !== undefined && { facts: draft }),
        })),
  };
}
