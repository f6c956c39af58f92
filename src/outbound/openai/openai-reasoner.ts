// A Reasoner behind any server that speaks OpenAI's chat completions. Every answer is streamed, checked against its form and
// complete, or a throw. Holds no state between calls.
import type { Diagnosis } from '../../domain/diagnosis/diagnosis.ts';
import { asAppError } from '../../domain/errors.ts';
import type {
  DiagnosisEvent,
  DiagnosisRequest,
  NoteAnswer,
  NoteRequest,
  Reasoner,
  ReasonerCall,
} from '../../ports/reasoner.ts';
import { streamAnswer } from './answer-stream.ts';
import { askModel, type Step } from './ask-model.ts';
import { CallWatch, type Timeouts } from './call-watch.ts';
import { readDiagnosis } from './diagnosis-answer.ts';
import { askForDiagnosis } from './diagnosis-prompt.ts';
import type { Growth } from './json-tree.ts';
import { readNote } from './note-answer.ts';
import { askForNote } from './note-prompt.ts';
import { isAnyShown, toPartialDiagnosis } from './partial-diagnosis.ts';
import { promptVersion } from './prompt-version.ts';
import type { Question } from './question.ts';

export type OpenAiReasonerParts = {
  /** Absent: no Authorization header is sent. */
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly model: string;
  readonly timeouts: Timeouts;
  /** Its redirects are not followed, its bodies may be async iterables. */
  readonly fetch: typeof fetch;
  readonly onCall?: ((call: ReasonerCall) => void) | undefined;
  /** The pause before a busy vendor is asked again; doubles each time. */
  readonly backoffMs?: number | undefined;
};

type Task<Answer> = {
  readonly operation: ReasonerCall['operation'];
  readonly question: Question;
  readonly read: (value: unknown) => Answer;
  readonly isShown: (growth: Growth) => boolean;
};

const OPENAI_ADDRESS = 'https://api.openai.com/v1';
const DEFAULT_BACKOFF_MS = 400;
const nothingIsShown = (): boolean => false;

export function makeOpenAiReasoner(parts: OpenAiReasonerParts): Reasoner {
  return {
    engine: `openai:${parts.model}`,
    prompt: promptVersion(),

    async diagnose(request: DiagnosisRequest, signal: AbortSignal): Promise<Diagnosis> {
      const question = askForDiagnosis(request);
      const task: Task<Diagnosis> = { operation: 'diagnose', question, read: readDiagnosis, isShown: nothingIsShown };
      return await lastAnswer(run(parts, task, signal));
    },

    async *streamDiagnosis(request: DiagnosisRequest, signal: AbortSignal): AsyncGenerator<DiagnosisEvent> {
      const question = askForDiagnosis(request);
      const task: Task<Diagnosis> = { operation: 'stream', question, read: readDiagnosis, isShown: isAnyShown };
      for await (const step of run(parts, task, signal)) {
        if (step.kind === 'answer') yield { kind: 'final', diagnosis: step.answer };
        else yield { kind: 'progress', snapshot: () => toPartialDiagnosis(step.json.root) };
      }
    },

    async writeNote(request: NoteRequest, signal: AbortSignal): Promise<NoteAnswer> {
      const question = askForNote(request);
      const read = (value: unknown) => readNote(value, request.template, request.language);
      return await lastAnswer(run(parts, { operation: 'note', question, read, isShown: nothingIsShown }, signal));
    },
  };
}

async function* run<Answer>(
  parts: OpenAiReasonerParts,
  { operation, question, read, isShown }: Task<Answer>,
  callerSignal: AbortSignal,
): AsyncGenerator<Step<Answer>> {
  const { timeouts, model, apiKey, baseUrl = OPENAI_ADDRESS, backoffMs = DEFAULT_BACKOFF_MS } = parts;
  const settings = { apiKey, baseUrl, model, fetch: parts.fetch };
  const startedMs = performance.now();
  // One clock for all tries together; each try has its own for its first and further bytes.
  const watch = new CallWatch({ timeouts, signal: callerSignal });
  watch.expect('totalMs');
  let outcome: ReasonerCall['outcome'] = 'cancelled';
  try {
    const stream = () => streamAnswer({ settings, timeouts, question, signal: watch.signal });
    for await (const step of askModel({ stream, read, isShown, backoffMs, signal: watch.signal })) {
      if (step.kind === 'answer') outcome = 'success';
      yield step;
    }
  } catch (error) {
    const failure = asAppError(error);
    outcome = failure.code;
    throw failure;
  } finally {
    watch.stop();
    parts.onCall?.({ operation, outcome, durationMs: performance.now() - startedMs });
  }
}

async function lastAnswer<Answer>(steps: AsyncIterable<Step<Answer>>): Promise<Answer> {
  for await (const step of steps) {
    if (step.kind === 'answer') return step.answer;
  }
  throw new Error('the model was asked and neither answered nor failed');
}
