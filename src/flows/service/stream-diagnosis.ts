// Streams a diagnosis: partial states, no more often than a person can follow, then the complete one. All of them are cleaned.

import type { Meter } from '../../domain/access/usage.ts';
import { makeIsAllowedSource } from '../../domain/diagnosis/allowed-source.ts';
import {
  cleanDiagnosis,
  cleanPartialDiagnosis,
  hasRemovedAny,
  makeIsPlausible,
} from '../../domain/diagnosis/clean-diagnosis.ts';
import { codesOf, type Diagnosis, type PartialDiagnosis } from '../../domain/diagnosis/diagnosis.ts';
import { repairDiagnosis } from '../../domain/diagnosis/repair-diagnosis.ts';
import { makeIsSaid } from '../../domain/text/said-addresses.ts';
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
export function makeStreamDiagnosis({
  reasoner,
  runtime,
  sources,
  onDiagnosisRemoved,
  findNames,
}: DiagnoseParts): StreamDiagnosis {
  return async function* ({ request, meter }, signal) {
    const rules = {
      isAllowedSource: makeIsAllowedSource(sources?.() ?? []),
      isSaid: makeIsSaid([request.clinicalHistory ?? '']),
      isPlausible: makeIsPlausible(),
    };
    const startedMs = runtime.monotonicMs();
    let lastPartialMs = Number.NEGATIVE_INFINITY;
    try {
      for await (const event of reasoner.streamDiagnosis(request, signal)) {
        if (event.kind === 'final') {
          const { diagnosis, removed } = cleanDiagnosis({ diagnosis: event.diagnosis, ...rules });
          if (hasRemovedAny(removed)) onDiagnosisRemoved?.(removed);
          const names = await findNames?.(codesOf(diagnosis));
          yield { kind: 'final', diagnosis: repairDiagnosis(diagnosis, request.language, names) };
          continue;
        }
        const nowMs = runtime.monotonicMs();
        if (nowMs - lastPartialMs < PARTIAL_INTERVAL_MS) continue;
        const { diagnosis } = cleanPartialDiagnosis({ diagnosis: event.snapshot(), ...rules });
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
