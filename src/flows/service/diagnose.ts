// Makes one complete differential diagnosis of a clinical history with its attachments, and repairs it, whatever has made it.

import type { Meter } from '../../domain/access/usage.ts';
import { codesOf } from '../../domain/diagnosis/diagnosis.ts';
import { repairDiagnosis } from '../../domain/diagnosis/repair-diagnosis.ts';
import type { DiagnosisAnswer, DiagnosisRequest, Reasoner } from '../../ports/reasoner.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { FindNames } from '../codes/official-names.ts';

export type DiagnoseParts = {
  readonly reasoner: Reasoner;
  readonly runtime: Runtime;
  readonly findNames?: FindNames;
};

export type Diagnose = (
  work: { readonly request: DiagnosisRequest; readonly meter: Meter },
  signal: AbortSignal,
) => Promise<DiagnosisAnswer>;

/** Throws what the reasoner throws; it never returns a partial diagnosis. */
export function makeDiagnose({ reasoner, runtime, findNames }: DiagnoseParts): Diagnose {
  return async ({ request, meter }, signal) => {
    const startedMs = runtime.monotonicMs();
    try {
      const answer = await reasoner.diagnose(request, signal);
      const names = await findNames?.(codesOf(answer));
      return { ...answer, ...repairDiagnosis(answer, request.language, names) };
    } finally {
      meter.aiMs += runtime.monotonicMs() - startedMs;
    }
  };
}
