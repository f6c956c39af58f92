// Counts for /metrics what was taken out of the answers of a reasoner. It counts only; no text reaches it.
import type { RemovedFromDiagnosis } from '../domain/diagnosis/clean-diagnosis.ts';
import { type RemovedBySection, totalRemoved } from '../domain/note/clean-note.ts';
import type { Metrics } from '../platform/metrics.ts';

export type CountRemoved = {
  readonly onNoteRemoved: (removed: RemovedBySection) => void;
  readonly onDiagnosisRemoved: (removed: RemovedFromDiagnosis) => void;
};

export function makeCountRemoved({ textRemoved }: Pick<Metrics, 'textRemoved'>): CountRemoved {
  return {
    onNoteRemoved(removed) {
      const { markup, addresses } = totalRemoved(removed);
      textRemoved({ of: 'note', kind: 'markup', count: markup });
      textRemoved({ of: 'note', kind: 'address', count: addresses });
    },
    onDiagnosisRemoved({ links, dosages, markup }) {
      textRemoved({ of: 'diagnosis', kind: 'markup', count: markup });
      textRemoved({ of: 'diagnosis', kind: 'address', count: links });
      textRemoved({ of: 'diagnosis', kind: 'dosage', count: dosages });
    },
  };
}
