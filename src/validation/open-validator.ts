// Validates resources before they leave, in a worker thread, so that the main thread goes on. Calls are answered in their order; a
// call that breaks the thread, or never ends, fails alone.
import { AppError } from '../domain/errors.ts';
import { unlessAborted } from '../domain/unless-aborted.ts';
import { QuestionThread, type ThreadParts } from '../platform/question-thread.ts';
import type { ResourceProblem } from './resource-problem.ts';
import { sizeProblems } from './resource-size.ts';
import type { SetOptions } from './validate-resource.ts';
import type { Answer, Question } from './validation-worker.ts';

export type Validator = {
  /**
   * Returns the problems in the order of the resources; none: they may leave. Throws the signal's reason, and an AppError if the
   * validation could not run: `internal`, or `shuttingDown` after `close`.
   */
  readonly validate: (
    resources: readonly unknown[],
    signal: AbortSignal,
    options?: SetOptions,
  ) => Promise<readonly ResourceProblem[]>;
  /** Returns when the thread is gone. Waiting calls are rejected. */
  readonly close: () => Promise<void>;
};

const ERRORS = {
  tooLong: (deadlineMs: number) => new AppError('internal', `The validation took longer than ${deadlineMs} ms`),
  brokeDown: () => new AppError('internal', 'The validation of resources broke down'),
};

export function openValidator(parts: Partial<ThreadParts> = {}): Validator {
  // The same file ending as this file's: `.js` in a packed engine.
  const file = new URL(import.meta.url.replace('open-validator', 'validation-worker'));
  // The definitions take 60 MB of the heap.
  const thread = new QuestionThread<Question, Answer>({ deadlineMs: 30_000, maxHeapMb: 1_024, file, ...parts }, ERRORS);
  let line: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  return {
    async validate(resources, signal, options = {}) {
      signal.throwIfAborted();
      const { sound, problems } = sortOut(resources, options);
      const turn = line.then(() => {
        signal.throwIfAborted();
        if (isClosed) throw closed();
        return thread.ask({ resources: sound.resources, options: sound.options });
      });
      line = turn.catch(() => undefined);
      const found = await unlessAborted(turn, signal);
      return [...problems, ...found.map((problem) => ({ ...problem, resource: sound.indexes[problem.resource] ?? 0 }))];
    },

    async close() {
      isClosed = true;
      await thread.end(closed());
    },
  };
}

type Sorted = {
  /** The resources that can be passed to a thread at all. */
  readonly sound: {
    readonly resources: readonly unknown[];
    readonly options: SetOptions;
    readonly indexes: readonly number[];
  };
  readonly problems: readonly ResourceProblem[];
};

function sortOut(resources: readonly unknown[], { fullUrls, isPart }: SetOptions): Sorted {
  const wrong = sizeProblems(resources);
  const indexes = [...resources.keys()].filter((index) => wrong[index] === undefined);
  const isWhole = indexes.length === resources.length && !isPart;
  const options = { ...(fullUrls && { fullUrls: indexes.map((index) => fullUrls[index]) }), isPart: !isWhole };
  return {
    sound: { resources: indexes.map((index) => resources[index]), options, indexes },
    problems: wrong.flatMap((message, resource) =>
      message === undefined ? [] : [{ resource, element: 'Resource', message, severity: 'error' as const }],
    ),
  };
}

function closed(): AppError {
  return new AppError('shuttingDown', 'The validation of resources has been closed');
}
