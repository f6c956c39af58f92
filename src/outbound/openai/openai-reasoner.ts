// A Reasoner behind any server that speaks OpenAI's chat completions. Every answer is streamed, checked against its form and
// complete, or a throw. Holds no state between calls.
import type { AnsweringModel } from '../../domain/answering-model.ts';
import { type CallCause, callCauseOf } from '../../domain/call-cause.ts';
import type { OfficialNames } from '../../domain/coding/official-codes.ts';
import { codesOf, type Diagnosis } from '../../domain/diagnosis/diagnosis.ts';
import { type BadForm, findBadForm, repairDiagnosis } from '../../domain/diagnosis/repair-diagnosis.ts';
import { asAppError } from '../../domain/errors.ts';
import { present } from '../../domain/present.ts';
import type { SpanEnd, SpanStart, Tracing } from '../../platform/tracing/tracing.ts';
import type {
  DiagnosisAnswer,
  DiagnosisEvent,
  DiagnosisRequest,
  NoteAnswer,
  NoteRequest,
  Reasoner,
  ReasonerCall,
} from '../../ports/reasoner.ts';
import { streamAnswer } from './answer-stream.ts';
import { type Attempt, askModel, type Step } from './ask-model.ts';
import { CallWatch, type Timeouts } from './call-watch.ts';
import { readDiagnosis } from './diagnosis-answer.ts';
import { askForDiagnosis } from './diagnosis-prompt.ts';
import type { Growth } from './json-tree.ts';
import { readNote } from './note-answer.ts';
import { askForNote } from './note-prompt.ts';
import { isAnyShown, makePartialDiagnosis } from './partial-diagnosis.ts';
import { promptVersion } from './prompt-version.ts';
import { type Question, withDoubts } from './question.ts';
import type { VendorSettings } from './question-sender.ts';

export type OpenAiReasonerParts = {
  /** Absent: no Authorization header is sent. */
  readonly apiKey?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly model: string;
  readonly timeouts: Timeouts;
  /** Its redirects are not followed, its bodies may be async iterables. */
  readonly fetch: typeof fetch;
  /** The official names of codes, in any language; empty if there are none. Absent: there are none. It does not throw. */
  readonly findNames?: ((codes: readonly string[]) => Promise<OfficialNames>) | undefined;
  readonly onCall?: ((call: ReasonerCall) => void) | undefined;
  /** A call is one span, with all its tries in it. */
  readonly tracing?: Pick<Tracing, 'startSpan'> | undefined;
  /** The pause before a busy vendor is asked again; doubles each time. */
  readonly backoffMs?: number | undefined;
};

type Parts = OpenAiReasonerParts & { readonly settings: VendorSettings };

type Task<Answer> = {
  readonly operation: ReasonerCall['operation'];
  readonly question: Question;
  readonly read: (value: unknown) => Answer;
  readonly findDoubts: (answer: Answer) => Promise<readonly BadForm[]>;
  readonly isShown: (growth: Growth) => boolean;
};
type LastStep<Answer> = Extract<Step<Answer>, { readonly kind: 'answer' }>;

const OPENAI_ADDRESS = 'https://api.openai.com/v1';
const DEFAULT_BACKOFF_MS = 400;
const nothingIsShown = (): boolean => false;

export function makeOpenAiReasoner(given: OpenAiReasonerParts): Reasoner {
  const { apiKey, baseUrl = OPENAI_ADDRESS, model } = given;
  const parts: Parts = { ...given, settings: { apiKey, baseUrl, model } };
  const namesOf = onceForEach(async (diagnosis) => parts.findNames?.(codesOf(diagnosis)) ?? new Map());
  return {
    engine: `openai:${parts.model}`,
    prompt: promptVersion(),

    async diagnose(request: DiagnosisRequest, signal: AbortSignal): Promise<DiagnosisAnswer> {
      const task = { ...diagnosisTask(request, namesOf), operation: 'diagnose', isShown: nothingIsShown } as const;
      const { answer, answeredBy } = await lastAnswer(run(parts, task, signal));
      const repaired = repairDiagnosis(answer, request.language, await namesOf(answer));
      return { ...repaired, ...present({ answeredBy }) };
    },

    async *streamDiagnosis(request: DiagnosisRequest, signal: AbortSignal): AsyncGenerator<DiagnosisEvent> {
      const task = { ...diagnosisTask(request, namesOf), operation: 'stream', isShown: isAnyShown } as const;
      const toPartialDiagnosis = makePartialDiagnosis();
      for await (const step of run(parts, task, signal)) {
        if (step.kind === 'grew') {
          yield { kind: 'progress', snapshot: () => toPartialDiagnosis(step.json.root) };
          continue;
        }
        const { answer, answeredBy } = step;
        const diagnosis = repairDiagnosis(answer, request.language, await namesOf(answer));
        yield { kind: 'final', diagnosis, ...present({ answeredBy }) };
      }
    },

    async writeNote(request: NoteRequest, signal: AbortSignal): Promise<NoteAnswer> {
      const { answer, answeredBy } = await lastAnswer(run(parts, noteTask(request), signal));
      return answer.isMedical ? { ...answer, ...present({ answeredBy }) } : answer;
    },
  };
}

type NamesOf = (diagnosis: Diagnosis) => Promise<OfficialNames>;

/** The names of an answer are needed to judge it, and again to repair it. */
function onceForEach(findNames: NamesOf): NamesOf {
  const found = new WeakMap<Diagnosis, Promise<OfficialNames>>();
  return (diagnosis) => {
    const names = found.get(diagnosis) ?? findNames(diagnosis);
    found.set(diagnosis, names);
    return names;
  };
}

function diagnosisTask(request: DiagnosisRequest, namesOf: NamesOf) {
  const findDoubts = async (answer: Diagnosis) => findBadForm(answer, await namesOf(answer));
  return { question: askForDiagnosis(request), read: readDiagnosis, findDoubts };
}

function noteTask(request: NoteRequest): Task<NoteAnswer> {
  return {
    operation: 'note',
    question: askForNote(request),
    read: (value) => readNote(value, { ...request, utterances: request.transcript.utterances.length }),
    findDoubts: async () => [],
    isShown: nothingIsShown,
  };
}

async function* run<Answer>(
  parts: Parts,
  { operation, question, ...reading }: Task<Answer>,
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
function spanOf(operation: ReasonerCall['operation'], model: string): SpanStart {
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

async function lastAnswer<Answer>(steps: AsyncIterable<Step<Answer>>): Promise<LastStep<Answer>> {
  for await (const step of steps) {
    if (step.kind === 'answer') return step;
  }
  throw new Error('the model was asked and neither answered nor failed');
}
