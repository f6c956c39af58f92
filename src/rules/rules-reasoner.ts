// A Reasoner without a vendor: rules over readable knowledge. It sends nothing anywhere, keeps nothing, and gives the same
// answer to the same text. Handed in: what is known, and who reads texts and writes notes.
import type { Diagnosis } from '../domain/diagnosis/diagnosis.ts';
import { AppError, asAppError } from '../domain/errors.ts';
import type { ReadPdfText } from '../platform/file-check/pdf-text.ts';
import type { DiagnosisRequest, NoteAnswer, NoteRequest, Reasoner, ReasonerCall } from '../ports/reasoner.ts';
import { buildDiagnosis } from './answers/build-diagnosis.ts';
import { readSent } from './answers/request-text.ts';
import { streamDiagnosis } from './answers/stream-diagnosis.ts';
import type { ExtractFacts } from './extraction/heard.ts';
import type { Knowledge } from './knowledge/knowledge.ts';

/** Goes up with every change of the rules that changes answers: what a version wrote can be found again, and taken back. */
const RULES_VERSION = 1;

export type RulesReasonerParts = {
  readonly knowledge: Knowledge;
  readonly extractFacts: ExtractFacts;
  readonly writeNote: (request: NoteRequest) => NoteAnswer;
  readonly readPdfText: ReadPdfText;
  readonly onCall?: (call: ReasonerCall) => void;
};

export function makeRulesReasoner(parts: RulesReasonerParts): Reasoner {
  return {
    engine: `builtin:rules@${RULES_VERSION}`,
    prompt: parts.knowledge.version,

    async diagnose(request, signal) {
      return await told(parts, 'diagnose', () => reason(parts, request, signal));
    },

    async *streamDiagnosis(request, signal) {
      const tell = beginCall(parts, 'stream');
      let outcome: ReasonerCall['outcome'] = 'cancelled';
      try {
        for await (const event of streamDiagnosis(await reason(parts, request, signal), () => ensureWanted(signal))) {
          if (event.kind === 'final') outcome = 'success';
          yield event;
        }
      } catch (thrown) {
        outcome = asAppError(thrown).code;
        throw thrown;
      } finally {
        tell(outcome);
      }
    },

    async writeNote(request, signal) {
      return await told(parts, 'note', async () => {
        ensureWanted(signal);
        return parts.writeNote(request);
      });
    },
  };
}

type Told = Pick<RulesReasonerParts, 'onCall'>;

function beginCall({ onCall }: Told, operation: ReasonerCall['operation']) {
  const startedMs = performance.now();
  return (outcome: ReasonerCall['outcome']) =>
    onCall?.({ operation, outcome, durationMs: performance.now() - startedMs });
}

async function told<Answer>(
  parts: Told,
  operation: ReasonerCall['operation'],
  work: () => Promise<Answer>,
): Promise<Answer> {
  const tell = beginCall(parts, operation);
  try {
    const answer = await work();
    tell('success');
    return answer;
  } catch (thrown) {
    const failure = asAppError(thrown);
    tell(failure.code);
    throw failure;
  }
}

async function reason(
  { knowledge, extractFacts, readPdfText }: RulesReasonerParts,
  request: DiagnosisRequest,
  signal: AbortSignal,
): Promise<Diagnosis> {
  ensureWanted(signal);
  try {
    const { text, unseen } = await readSent(request, readPdfText, signal);
    return buildDiagnosis({ knowledge, heard: extractFacts(text), unseen, language: request.language });
  } catch (thrown) {
    ensureWanted(signal);
    throw asAppError(thrown);
  }
}

/** Throws where the caller has gone. */
function ensureWanted({ aborted, reason: why }: AbortSignal): void {
  if (aborted) throw why instanceof AppError ? why : new AppError('cancelled', 'The request was cancelled');
}
