// Streams a diagnosis: partial states, no more often than a person can follow, then the complete one.

import type { Meter } from '../../domain/access/usage.ts';
import { codesOf, type Diagnosis, type PartialDiagnosis } from '../../domain/diagnosis/diagnosis.ts';
import { repairDiagnosis } from '../../domain/diagnosis/repair-diagnosis.ts';
import type { DiagnosisRequest } from '../../ports/reasoner.ts';
import type { DiagnoseParts } from './diagnose.ts';

const PARTIAL_INTERVAL_MS = 50;

export type DiagnosisStep =
  | { readonly kind: 'partial'; readonly diagnosis: PartialDiagnosis }
  | { readonly kind: 'final'; readonly diagnosis: Diagnosis };

export type StreamDiagnosis = (
  work: { readonly request: DiagnosisRequest; readonly meter: Meter },
  signal: AbortSignal,
) => AsyncIterable<DiagnosisStep>;

/** Ends with exactly one `final`, or throws what the reasoner threw. Leaving the loop cancels the reasoner. */
export function makeStreamDiagnosis({ reasoner, runtime, findNames }: DiagnoseParts): StreamDiagnosis {
  return async function* ({ request, meter }, signal) {
    const startedMs = runtime.monotonicMs();
    let lastPartialMs = Number.NEGATIVE_INFINITY;
    try {
      for await (const event of reasoner.streamDiagnosis(request, signal)) {
        if (event.kind === 'final') {
          const names = await findNames?.(codesOf(event.diagnosis));
          yield { kind: 'final', diagnosis: repairDiagnosis(event.diagnosis, request.language, names) };
          continue;
        }
        const nowMs = runtime.monotonicMs();
        if (nowMs - lastPartialMs < PARTIAL_INTERVAL_MS) continue;
        const diagnosis = event.snapshot();
        if (!hasContent(diagnosis)) continue;
        lastPartialMs = nowMs;
        yield { kind: 'partial', diagnosis };
      }
    } finally {
      meter.aiMs += runtime.monotonicMs() - startedMs;
    }
  };
}

/** Before the first disease with a name or a triage level there is nothing to show. */
function hasContent({ diagnosis, triage }: PartialDiagnosis): boolean {
  return diagnosis?.diseases?.[0]?.name !== undefined || triage?.triage_level !== undefined;
}
