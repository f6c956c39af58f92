// A Reasoner without a vendor: rules over readable knowledge. It sends nothing over the network, stores nothing, and gives the same
// answer to the same text.
import type { Diagnosis } from '../domain/diagnosis/diagnosis.ts';
import { repairDiagnosis } from '../domain/diagnosis/repair-diagnosis.ts';
import { AppError, asAppError } from '../domain/errors.ts';
import type { ReadPdfText } from '../platform/file-check/pdf-text.ts';
import type { DiagnosisRequest, NoteAnswer, NoteRequest, Reasoner, ReasonerCall } from '../ports/reasoner.ts';
import { readRequestText } from './answers/request-text.ts';
import { streamDiagnosis } from './answers/stream-diagnosis.ts';
import type { HistoryText } from './rules-work.ts';

/** The work of the rules, wherever it is done. Rejects with an AppError, or with the signal's reason. */
export type WorkElsewhere = {
  readonly diagnose: (history: HistoryText & Asking, signal: AbortSignal) => Promise<Diagnosis>;
  readonly writeNote: (request: NoteRequest, signal: AbortSignal) => Promise<NoteAnswer>;
};
type Asking = { readonly organization: string | undefined };

/** Must be increased with every change of the code that changes answers: the notes of one version can then be found and retracted. */
const RULES_VERSION = 3;

export type RulesReasonerParts = {
  /** Of the knowledge. */
  readonly version: string;
  readonly work: WorkElsewhere;
  readonly readPdfText: ReadPdfText;
  readonly onCall?: (call: ReasonerCall) => void;
};

export function makeRulesReasoner(parts: RulesReasonerParts): Reasoner {
  return {
    engine: `builtin:rules@${RULES_VERSION}`,
    prompt: parts.version,

    async diagnose(request, signal) {
      return await reportCall(parts, 'diagnose', () => reason(parts, request, signal));
    },

    async *streamDiagnosis(request, signal) {
      const report = beginCall(parts, 'stream');
      let outcome: ReasonerCall['outcome'] = 'cancelled';
      try {
        for await (const event of streamDiagnosis(await reason(parts, request, signal), () => throwIfAborted(signal))) {
          if (event.kind === 'final') outcome = 'success';
          yield event;
        }
      } catch (thrown) {
        outcome = asAppError(thrown).code;
        throw thrown;
      } finally {
        report(outcome);
      }
    },

    async writeNote(request, signal) {
      return await reportCall(parts, 'note', async () => {
        throwIfAborted(signal);
        return await parts.work.writeNote(request, signal);
      });
    },
  };
}

type CallReport = Pick<RulesReasonerParts, 'onCall'>;

function beginCall({ onCall }: CallReport, operation: ReasonerCall['operation']) {
  const startedMs = performance.now();
  return (outcome: ReasonerCall['outcome']) =>
    onCall?.({ operation, outcome, durationMs: performance.now() - startedMs });
}

async function reportCall<Answer>(
  parts: CallReport,
  operation: ReasonerCall['operation'],
  work: () => Promise<Answer>,
): Promise<Answer> {
  const report = beginCall(parts, operation);
  try {
    const answer = await work();
    report('success');
    return answer;
  } catch (thrown) {
    const failure = asAppError(thrown);
    report(failure.code);
    throw failure;
  }
}

async function reason(
  { work, readPdfText }: RulesReasonerParts,
  request: DiagnosisRequest,
  signal: AbortSignal,
): Promise<Diagnosis> {
  throwIfAborted(signal);
  try {
    const { text, unseen } = await readRequestText(request, readPdfText, signal);
    const { language, organization } = request;
    const diagnosis = await work.diagnose({ text, unseen, language, organization }, signal);
    // Two conditions of the knowledge may have one code, and are then shown as one. Done here, where the table of diseases is, which is large.
    return repairDiagnosis(diagnosis, language);
  } catch (thrown) {
    throwIfAborted(signal);
    throw asAppError(thrown);
  }
}

/** Throws if the caller has gone. */
function throwIfAborted({ aborted, reason: why }: AbortSignal): void {
  if (aborted) throw why instanceof AppError ? why : new AppError('cancelled', 'The request was cancelled');
}
