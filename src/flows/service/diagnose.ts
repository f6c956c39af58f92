// Makes one complete differential diagnosis of a clinical history with its attachments.

import type { Meter } from '../../domain/access/usage.ts';
import type { Diagnosis } from '../../domain/diagnosis/diagnosis.ts';
import type { DiagnosisRequest, Reasoner } from '../../ports/reasoner.ts';
import type { Runtime } from '../../ports/runtime.ts';

type DiagnoseParts = { readonly reasoner: Reasoner; readonly runtime: Runtime };

export type Diagnose = (
  work: { readonly request: DiagnosisRequest; readonly meter: Meter },
  signal: AbortSignal,
) => Promise<Diagnosis>;

/** Throws what the reasoner throws; it never returns a partial diagnosis. */
export function makeDiagnose({ reasoner, runtime }: DiagnoseParts): Diagnose {
  return async ({ request, meter }, signal) => {
    const startedMs = runtime.monotonicMs();
    try {
      return await reasoner.diagnose(request, signal);
    } finally {
      meter.aiMs += runtime.monotonicMs() - startedMs;
    }
  };
}
