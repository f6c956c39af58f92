// The second check of a note, by a model, behind the first one. It can only add marks. If the model fails or is late, the report is that of the
// first check, and says that the second is missing.
import type { Meter } from '../../domain/access/usage.ts';
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import { addVerdicts } from '../../domain/note/add-verdicts.ts';
import type { CheckParts } from '../../domain/note/check-note.ts';
import type { CheckReport, StatementEvidence } from '../../domain/note/check-report.ts';
import { checkedText } from '../../domain/note/checked-text.ts';
import { present } from '../../domain/present.ts';
import { makeCircuit } from '../../domain/run/circuit.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Verifier, VerifierAnswer, VerifierRequest } from '../../ports/verifier.ts';

export type VerifyNoteParts = {
  /** Absent: there is no second check. */
  readonly verifier?: Verifier | undefined;
  readonly runtime: Pick<Runtime, 'monotonicMs'>;
  readonly onVerified?: ((end: VerifierEnd) => void) | undefined;
};

/** How one second check ended, for the log and metrics: nothing of the note. */
export type VerifierEnd = {
  readonly outcome: 'checked' | 'failed';
  readonly code?: ErrorCode;
  /** Absent for a caller of the REST interface. */
  readonly run?: string;
};

export type VerifyWork = {
  /** What the first check was given. */
  readonly checked: CheckParts;
  /** What the first check found. */
  readonly report: CheckReport;
  readonly meter: Meter;
  readonly run?: string;
  /** How the verifier is called: within the limits of its caller. Absent: at once. */
  readonly call?: (ask: (signal: AbortSignal) => Promise<VerifierAnswer>) => Promise<VerifierAnswer>;
};

/** Throws only if the signal aborts, and what is no AppError. */
export type VerifyNote = (work: VerifyWork, signal: AbortSignal) => Promise<CheckReport>;

export function makeVerifyNote({ verifier, runtime, onVerified }: VerifyNoteParts): VerifyNote {
  const askUnlessDown = makeAskUnlessDown(runtime);
  return async ({ checked, report, meter, run, call = (ask) => ask(signal) }, signal) => {
    const request = requestOf(checked, report);
    if (verifier === undefined || request.statements.length === 0) return report;
    const ask = async (ending: AbortSignal): Promise<VerifierAnswer> => {
      const startedMs = runtime.monotonicMs();
      try {
        return await askUnlessDown(() => verifier.verify(request, ending), ending);
      } finally {
        meter.aiMs += runtime.monotonicMs() - startedMs;
      }
    };
    const model = verifier.engine;
    try {
      const { verdicts } = await call(ask);
      const { note, transcript, ...settings } = checked;
      const added = addVerdicts({ report, verdicts, note, transcript, settings });
      const unjudged = request.statements.length - verdicts.length;
      onVerified?.({ outcome: 'checked', ...present({ run }) });
      return { ...added, verifier: { model, outcome: 'checked', ...(unjudged > 0 && { unjudged }) } };
    } catch (thrown) {
      if (signal.aborted || !(thrown instanceof AppError)) throw thrown;
      onVerified?.({ outcome: 'failed', code: thrown.code, ...present({ run }) });
      return { ...report, verifier: { model, outcome: 'failed' } };
    }
  };
}

const VENDOR_FAILURES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['vendorUnavailable', 'vendorRejected']);

/** While the verifier is down it is not asked, so that no run and no caller waits for its time limit. Its circuit is its own: it says nothing about the reasoner. */
function makeAskUnlessDown({ monotonicMs }: VerifyNoteParts['runtime']) {
  const circuit = makeCircuit();
  let calls = 0;
  return async (ask: () => Promise<VerifierAnswer>, signal: AbortSignal): Promise<VerifierAnswer> => {
    calls += 1;
    const caller = String(calls);
    if (!circuit.enter(caller, monotonicMs()).mayCall)
      throw new AppError('vendorUnavailable', 'The verifier is not available');
    try {
      const answer = await ask();
      circuit.succeeded(caller);
      return answer;
    } catch (thrown) {
      const isDown = !signal.aborted && thrown instanceof AppError && VENDOR_FAILURES.has(thrown.code);
      if (isDown) circuit.failed(caller, monotonicMs());
      else circuit.abandoned(caller);
      throw thrown;
    }
  };
}

function requestOf({ note, transcript, language, chart }: CheckParts, report: CheckReport): VerifierRequest {
  const textOf = ({ section, from, to }: StatementEvidence) => checkedText(note, section).slice(from, to);
  return {
    statements: (report.evidence ?? []).map((statement) => ({
      id: statement.id,
      section: statement.section,
      text: textOf(statement),
      utterances: statement.moments.map(({ utterance }) => utterance),
    })),
    transcript,
    language,
    ...present({ chart }),
  };
}
