// Behaviours of a simulated model: its answer, the pieces of the answer, and its failures.
import { diagnosisAnswer, type ModelRequest } from './openai-answers.ts';

export type Behaviour =
  | AnswerBehaviour
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** Accepts the request and never answers. `reads: false`: it does not even read the body. */
  | { readonly kind: 'hang'; readonly reads?: boolean }
  /** Closes the connection without an answer. */
  | { readonly kind: 'drop' };

export type AnswerBehaviour = {
  readonly kind: 'answer';
  /** Absent: an answer that fits the request. A string is sent unchanged, any other value as JSON. */
  readonly content?: (usual: unknown, asked: ModelRequest) => unknown;
  /** The number of UTF-16 units in one event. */
  readonly chunkChars?: number;
  /** Each piece of text waits for the gate, and so does a break. */
  readonly gate?: Gate;
  /** The pause between pieces, for a limit on the whole answer. */
  readonly paceMs?: number;
  /** `null`: the stream ends without a reason. */
  readonly finishReason?: string | null;
  readonly refusal?: string;
  /** The failure that replaces the rest of the answer. */
  readonly breaksOff?: { readonly afterChunks: number; readonly by: 'cut' | 'hang' | 'error-event' };
  /** What each event says of the model; a member that is undefined is left out. Absent: the model that was asked for. */
  readonly maker?: { readonly model?: unknown; readonly system_fingerprint?: unknown };
  /** Absent: the form that the request asks for by `stream`. */
  readonly form?: 'events' | 'json';
};

export type Gate = {
  /** Lets that many more pieces through. */
  readonly open: (pieces?: number) => void;
  /** Lets one piece through if one is waiting. */
  readonly openWaiting: () => void;
  readonly openAll: () => void;
  readonly pass: () => Promise<void>;
};

export function makeGate(): Gate {
  let permits = 0;
  const waiting: (() => void)[] = [];
  const release = () => {
    while (permits > 0 && waiting.length > 0) {
      permits -= 1;
      waiting.shift()?.();
    }
  };
  return {
    open: (pieces = 1) => {
      permits += pieces;
      release();
    },
    openAll: () => {
      permits = Number.POSITIVE_INFINITY;
      release();
    },
    openWaiting: () => waiting.shift()?.(),
    pass: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        release();
      }),
  };
}

const HUGE_CHARS = 3 * 1_048_576;

/** The faults of a model, by name. */
export const FAULTS = {
  serverError: { kind: 'status', status: 500 },
  rateLimited: { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
  rateLimitedForLong: { kind: 'status', status: 429, headers: { 'retry-after': '120' } },
  unauthorized: { kind: 'status', status: 401 },
  unknownModel: { kind: 'status', status: 404 },
  badRequest: { kind: 'status', status: 400 },
  hang: { kind: 'hang' },
  drop: { kind: 'drop' },
  hangMidway: { kind: 'answer', breaksOff: { afterChunks: 5, by: 'hang' } },
  cutMidway: { kind: 'answer', breaksOff: { afterChunks: 5, by: 'cut' } },
  errorEvent: { kind: 'answer', breaksOff: { afterChunks: 5, by: 'error-event' } },
  noFinishReason: { kind: 'answer', finishReason: null },
  tooShort: { kind: 'answer', finishReason: 'length' },
  contentFilter: { kind: 'answer', finishReason: 'content_filter' },
  refusal: { kind: 'answer', refusal: 'I cannot help with that.' },
  malformed: { kind: 'answer', content: () => 'Here is your diagnosis: {' },
  empty: { kind: 'answer', content: () => '' },
  badCategory: { kind: 'answer', content: (_, { language }) => withDisease(language, { category: 'perhaps' }) },
  badProbability: { kind: 'answer', content: (_, { language }) => withDisease(language, { probability: 1.7 }) },
  huge: { kind: 'answer', chunkChars: 65_536, content: () => `{"diagnosis": "${'a'.repeat(HUGE_CHARS)}"}` },
} as const satisfies Readonly<Record<string, Behaviour>>;

function withDisease(language: ModelRequest['language'], change: Readonly<Record<string, unknown>>): unknown {
  const answer = diagnosisAnswer(language);
  return {
    ...answer,
    diagnosis: { diseases: answer.diagnosis.diseases.map((disease) => ({ ...disease, ...change })) },
  };
}
