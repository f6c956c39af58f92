// Makes one complete differential diagnosis of a clinical history with its attachments, cleans and repairs it, whatever has made it.

import type { Meter } from '../../domain/access/usage.ts';
import { makeIsAllowedSource } from '../../domain/diagnosis/allowed-source.ts';
import { cleanDiagnosis, hasRemovedAny, type RemovedFromDiagnosis } from '../../domain/diagnosis/clean-diagnosis.ts';
import { codesOf } from '../../domain/diagnosis/diagnosis.ts';
import { repairDiagnosis } from '../../domain/diagnosis/repair-diagnosis.ts';
import { makeIsSaid } from '../../domain/text/said-addresses.ts';
import type { DiagnosisAnswer, DiagnosisRequest, Reasoner } from '../../ports/reasoner.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { FindNames } from '../codes/official-names.ts';

export type DiagnoseParts = {
  readonly reasoner: Reasoner;
  readonly runtime: Runtime;
  /** The hosts whose links are shown if the caller names none. */
  readonly sources?: () => readonly string[];
  readonly onDiagnosisRemoved?: (removed: RemovedFromDiagnosis) => void;
  readonly findNames?: FindNames;
};

export type Diagnose = (
  work: {
    readonly request: DiagnosisRequest;
    readonly meter: Meter;
    /** The hosts of the site. */
    readonly sources?: readonly string[];
  },
  signal: AbortSignal,
) => Promise<DiagnosisAnswer & { readonly removed?: RemovedFromDiagnosis }>;

/** Throws what the reasoner throws; it never returns a partial diagnosis. */
export function makeDiagnose(parts: DiagnoseParts): Diagnose {
  const { reasoner, runtime, sources: usual, onDiagnosisRemoved, findNames } = parts;
  return async ({ request, meter, sources }, signal) => {
    const startedMs = runtime.monotonicMs();
    try {
      const answer = await reasoner.diagnose(request, signal);
      const { diagnosis, removed } = cleanDiagnosis({
        diagnosis: answer,
        isAllowedSource: makeIsAllowedSource(sources ?? usual?.() ?? []),
        isSaid: makeIsSaid([request.clinicalHistory ?? '']),
      });
      const names = await findNames?.(codesOf(diagnosis));
      const repaired = { ...answer, ...repairDiagnosis(diagnosis, request.language, names) };
      if (!hasRemovedAny(removed)) return repaired;
      onDiagnosisRemoved?.(removed);
      return { ...repaired, removed };
    } finally {
      meter.aiMs += runtime.monotonicMs() - startedMs;
    }
  };
}
