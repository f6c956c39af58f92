// A worker thread that answers questions: started at the first one and reused; ended if it breaks, takes too long or too much memory,
// and started anew for the next question. It answers one question at a time. Its code is made with `answerQuestions`.
import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Reply, Sent } from './thread-answers.ts';

export type ThreadParts = {
  readonly file: URL;
  /** For one question; then the thread is ended. */
  readonly deadlineMs: number;
  /** A last resort: if V8 runs out of heap at a bad moment, the whole process ends, not only the thread. */
  readonly maxHeapMb: number;
  /** Of the heap for new objects; absent: as V8 chooses. */
  readonly maxNewHeapMb?: number;
};

type ThreadErrors = {
  readonly tooLong: (deadlineMs: number) => Error;
  /** The cause is not passed on: its message could quote what was asked. */
  readonly brokeDown: () => Error;
  /** What the thread itself answered with `refuse`. */
  readonly refused?: (why: unknown) => Error;
};

type Open<Answer> = {
  readonly id: number;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
};

export class QuestionThread<Question, Answer> {
  readonly #parts: ThreadParts;
  readonly #errors: ThreadErrors;
  readonly #ending = new Set<Promise<unknown>>();
  #worker: Worker | undefined;
  #open: Open<Answer> | undefined;
  #lastId = 0;

  constructor(parts: ThreadParts, errors: ThreadErrors) {
    this.#parts = parts;
    this.#errors = errors;
  }

  /** The next question must wait for the answer to this one. Rejects with one of the errors if there is none. */
  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { deadlineMs } = this.#parts;
      const worker = this.#worker ?? this.#start();
      worker.ref();
      this.#lastId += 1;
      const tooLong = () => this.end(this.#errors.tooLong(deadlineMs));
      this.#open = { id: this.#lastId, timer: setTimeout(tooLong, deadlineMs), resolve, reject };
      worker.postMessage({ id: this.#lastId, question } satisfies Sent<Question>);
    });
  }

  /** Returns when no thread is left. A waiting question is rejected with the error. */
  async end(error: Error): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#settle()?.reject(error);
    if (worker !== undefined) {
      const ended = worker.terminate();
      this.#ending.add(ended);
      await ended;
      this.#ending.delete(ended);
    }
    await Promise.all(this.#ending);
  }

  #start(): Worker {
    const { file, maxHeapMb, maxNewHeapMb } = this.#parts;
    const worker = new Worker(file, {
      env: compileCache(),
      resourceLimits: {
        maxOldGenerationSizeMb: maxHeapMb,
        ...(maxNewHeapMb !== undefined && { maxYoungGenerationSizeMb: maxNewHeapMb }),
      },
    });
    worker.on('message', (reply: Reply<Answer>) => this.#take(reply));
    const onLost = () => {
      if (this.#worker === worker) void this.end(this.#errors.brokeDown());
    };
    worker.on('error', onLost).on('messageerror', onLost).on('exit', onLost);
    this.#worker = worker;
    return worker;
  }

  #take(reply: Reply<Answer>): void {
    if (reply.id !== this.#open?.id) return;
    const open = this.#settle();
    if ('refused' in reply) open?.reject(this.#errors.refused?.(reply.refused) ?? this.#errors.brokeDown());
    else open?.resolve(reply.answer);
  }

  /** Takes the open question, once. An idle thread keeps no process alive. */
  #settle(): Open<Answer> | undefined {
    const open = this.#open;
    this.#open = undefined;
    clearTimeout(open?.timer);
    this.#worker?.unref();
    return open;
  }
}

/** A thread uses the compiled code of the process only if its own environment names the folder. */
function compileCache(): Readonly<Record<string, string>> {
  // Within the folder, each version of Node has its own.
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(folder) };
}
