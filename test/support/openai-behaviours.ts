// How a wire-level model behaves in a test: what it answers, in which pieces, and where it fails.
import { diagnosisAnswer, type ModelRequest } from './openai-answers.ts';

export type Behaviour =
  | AnswerBehaviour
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** Takes the request and never answers. `reads: false`: does not even take the body. */
  | { readonly kind: 'hang'; readonly reads?: boolean }
  /** Closes the connection without an answer. */
  | { readonly kind: 'drop' };

export type AnswerBehaviour = {
  readonly kind: 'answer';
  /** Absent: what fits the request. A string is sent as it is, anything else as JSON. */
  readonly content?: (usual: unknown, asked: ModelRequest) => unknown;
  /** UTF-16 units in one event. */
  readonly chunkChars?: number;
  /** Each piece of text waits for it, and so does a break. */
  readonly gate?: Gate;
  /** A pause between pieces, for a stream that is watched by eye. */
  readonly paceMs?: number;
  /** `null`: the stream ends without one. */
  readonly finishReason?: string | null;
  readonly refusal?: string;
  /** What happens instead of the rest. */
  readonly breaksOff?: { readonly afterChunks: number; readonly by: 'cut' | 'hang' | 'error-event' };
  /** Absent: what the request asked for by `stream`. */
  readonly form?: 'events' | 'json';
};

export type Gate = {
  /** Lets so many more pieces through. */
  readonly open: (pieces?: number) => void;
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
