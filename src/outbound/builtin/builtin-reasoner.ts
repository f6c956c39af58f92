// A Reasoner without a vendor: rules over readable knowledge. It sends nothing anywhere, keeps nothing, and gives the same
// answer to the same text. Handed in: what is known, and who reads texts and writes notes.
import type { Diagnosis } from '../../domain/diagnosis.ts';
import { AppError, asAppError } from '../../domain/errors.ts';
import type { ReadPdfText } from '../../platform/file-check/pdf-text.ts';
import type { DiagnosisRequest, NoteAnswer, NoteRequest, Reasoner } from '../../ports/reasoner.ts';
import { buildDiagnosis } from './answering/build-diagnosis.ts';
import { readSent } from './answering/read-sent.ts';
import { streamDiagnosis } from './answering/stream-diagnosis.ts';
import type { HearHistory } from './hearing/heard.ts';
import type { Knowledge } from './knowing/knowledge.ts';

/** Goes up with every change of the rules that changes answers: what a version wrote can be found again, and taken back. */
const RULES_VERSION = 1;

export type BuiltinReasonerParts = {
  readonly knowledge: Knowledge;
  readonly hearHistory: HearHistory;
  readonly writeNote: (request: NoteRequest) => NoteAnswer;
  readonly readPdfText: ReadPdfText;
};

export function makeBuiltinReasoner(parts: BuiltinReasonerParts): Reasoner {
  return {
    engine: `builtin:rules@${RULES_VERSION}`,
    prompt: parts.knowledge.version,
    ensureConfigured: () => undefined,

    async diagnose(request, signal) {
      return await reason(parts, request, signal);
    },

    async *streamDiagnosis(request, signal) {
      yield* streamDiagnosis(await reason(parts, request, signal), () => ensureWanted(signal));
    },

    async writeNote(request, signal) {
      ensureWanted(signal);
      return parts.writeNote(request);
    },
  };
}

async function reason(
  { knowledge, hearHistory, readPdfText }: BuiltinReasonerParts,
  request: DiagnosisRequest,
  signal: AbortSignal,
): Promise<Diagnosis> {
  ensureWanted(signal);
  try {
    const { text, unseen } = await readSent(request, readPdfText, signal);
    return buildDiagnosis({ knowledge, heard: hearHistory(text), unseen, language: request.language });
  } catch (thrown) {
    ensureWanted(signal);
    throw asAppError(thrown);
  }
}

/** Throws where the caller has gone. */
function ensureWanted({ aborted, reason: why }: AbortSignal): void {
  if (aborted) throw why instanceof AppError ? why : new AppError('cancelled', 'The request was cancelled');
}
