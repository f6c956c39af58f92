// One call of a model with all its tries: within its time, as one span, and reported once with its outcome.
import type { AnsweringModel } from '../../domain/answering-model.ts';
import { type CallCause, callCauseOf } from '../../domain/call-cause.ts';
import type { BadForm } from '../../domain/diagnosis/repair-diagnosis.ts';
import { asAppError } from '../../domain/errors.ts';
import { present } from '../../domain/present.ts';
import type { SpanEnd, SpanStart, Tracing } from '../../platform/tracing/tracing.ts';
import type { ReasonerCall } from '../../ports/reasoner.ts';
import { streamAnswer } from './answer-stream.ts';
import { type Attempt, askModel, type Step } from './ask-model.ts';
import { CallWatch, type Timeouts } from './call-watch.ts';
import type { Growth } from './json-tree.ts';
import { type Question, withDoubts } from './question.ts';
import type { VendorSettings } from './question-sender.ts';

const OPENAI_ADDRESS = 'https://api.openai.com/v1';

export type ModelParts = {
  /** Absent: no Authorization header is sent. */
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly model: string;
  readonly timeouts: Timeouts;
  /** Its redirects are not followed, its bodies may be async iterables. */
  readonly fetch: typeof fetch;
  readonly onCall?: ((call: ReasonerCall) => void) | undefined;
  /** A call is one span, with all its tries in it. */
  readonly tracing?: Pick<Tracing, 'startSpan'> | undefined;
  /** The pause before a busy vendor is asked again; doubles each time. */
  readonly backoffMs?: number | undefined;
};

/** Ready to be asked: its settings are one object for all questions, so that they share a client. */
export type OpenModel = ModelParts & { readonly settings: VendorSettings };

export function openModel(parts: ModelParts): OpenModel {
  const { apiKey, baseUrl = OPENAI_ADDRESS, model } = parts;
  return { ...parts, settings: { apiKey, baseUrl, model } };
}

type ModelOperation = ReasonerCall['operation'];

export type ModelTask<Answer> = {
  readonly operation: ModelOperation;
  readonly question: Question;
  readonly read: (value: unknown) => Answer;
  readonly findDoubts: (answer: Answer) => Promise<readonly BadForm[]>;
  readonly isShown: (growth: Growth) => boolean;
};
type LastStep<Answer> = Extract<Step<Answer>, { readonly kind: 'answer' }>;

const DEFAULT_BACKOFF_MS = 400;

/** Throws an AppError. */
export async function* callModel<Answer>(
  parts: OpenModel,
  { operation, question, ...reading }: ModelTask<Answer>,
  callerSignal: AbortSignal,
): AsyncGenerator<Step<Answer>> {
  const { settings, timeouts, model, backoffMs = DEFAULT_BACKOFF_MS } = parts;
  const span = parts.tracing?.startSpan(spanOf(operation, model));
  // The body of a generator belongs to the trace of its reader, so that each request is put into the span by itself.
  const tracedFetch: typeof fetch = (input, init) =>
    span?.run(() => parts.fetch(input, init)) ?? parts.fetch(input, init);
  const startedMs = performance.now();
  // One clock for all tries together; each try has its own for its first and further bytes.
  const watch = new CallWatch({ timeouts, signal: callerSignal });
  watch.expect('totalMs');
  let outcome: ReasonerCall['outcome'] = 'cancelled';
  let answeredBy: AnsweringModel | undefined;
  let cause: CallCause | undefined;
  try {
    const stream = ({ doubts, onModel }: Attempt) =>
      streamAnswer({
        settings,
        fetch: tracedFetch,
        timeouts,
        question: withDoubts(question, doubts),
        onModel,
        signal: watch.signal,
      });
    for await (const step of askModel({ ...reading, stream, backoffMs, signal: watch.signal })) {
      if (step.kind === 'answer') {
        outcome = 'success';
        answeredBy = step.answeredBy;
      }
      yield step;
    }
  } catch (error) {
    const failure = asAppError(error);
    outcome = failure.code;
    cause = callCauseOf(failure);
    throw failure;
  } finally {
    watch.stop();
    span?.end(spanEnd(outcome, answeredBy));
    parts.onCall?.({
      operation,
      outcome,
      durationMs: performance.now() - startedMs,
      ...present({ answeredBy, cause }),
    });
  }
}

/** By OpenTelemetry's names for generative AI: nothing of the question, and nothing of the answer. */
function spanOf(operation: ModelOperation, model: string): SpanStart {
  const attributes = {
    'gen_ai.provider.name': 'openai',
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': model,
    'chartwright.operation': operation,
  };
  return { name: `chat ${model}`, kind: 'client', attributes };
}

function spanEnd(outcome: ReasonerCall['outcome'], answeredBy: AnsweringModel | undefined): SpanEnd {
  const attributes = { 'gen_ai.response.model': answeredBy?.model };
  return outcome === 'success' ? { attributes } : { attributes, errorType: outcome };
}

export async function lastAnswer<Answer>(steps: AsyncIterable<Step<Answer>>): Promise<LastStep<Answer>> {
  for await (const step of steps) {
    if (step.kind === 'answer') return step;
  }
  throw new Error('the model was asked and neither answered nor failed');
}
