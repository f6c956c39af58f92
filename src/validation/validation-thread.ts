// The worker thread of the validator: started at the first question and reused; ended if it breaks, takes too long or too much
// memory, and started anew for the next question. It answers one question at a time.
import { Worker } from 'node:worker_threads';
import { AppError } from '../domain/errors.ts';
import type { ResourceProblem } from './resource-problem.ts';
import type { SetOptions } from './validate-resource.ts';
import type { Answer, Question } from './validation-worker.ts';

export type ThreadParts = {
  /** For one question; then the thread is ended. */
  readonly deadlineMs: number;
  /**
   * A last resort, since the size of a set is limited before. It is far above the 60 MB that the definitions take: if V8 runs out of
   * heap while it parses them, the whole process ends, not only the thread.
   */
  readonly maxHeapMb: number;
  readonly file: URL;
};

type Open = {
  readonly id: number;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (problems: readonly ResourceProblem[]) => void;
  readonly reject: (error: AppError) => void;
};

export class ValidationThread {
  readonly #parts: ThreadParts;
  readonly #ending = new Set<Promise<unknown>>();
  #worker: Worker | undefined;
  #open: Open | undefined;
  #lastId = 0;

  constructor(parts: ThreadParts) {
    this.#parts = parts;
  }

  /** The next question must wait for the answer to this one. Throws an AppError if the thread was lost. */
  ask(resources: readonly unknown[], options: SetOptions): Promise<readonly ResourceProblem[]> {
    return new Promise((resolve, reject) => {
      const { deadlineMs } = this.#parts;
      const worker = this.#worker ?? this.#start();
      worker.ref();
      this.#lastId += 1;
      const question: Question = { id: this.#lastId, resources, options };
      const tooLong = () => this.end(new AppError('internal', `The validation took longer than ${deadlineMs} ms`));
      this.#open = { id: question.id, timer: setTimeout(tooLong, deadlineMs), resolve, reject };
      worker.postMessage(question);
    });
  }

  /** Returns when no thread is left. A waiting question is rejected with the error. */
  async end(error: AppError): Promise<void> {
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
    const { file, maxHeapMb } = this.#parts;
    const worker = new Worker(file, { env: {}, resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } });
    worker.on('message', ({ id, problems }: Answer) => {
      if (id === this.#open?.id) this.#settle()?.resolve(problems);
    });
    // The cause is not passed on: its message could quote a resource.
    const onLost = () => {
      if (this.#worker === worker) void this.end(new AppError('internal', 'The validation of resources broke down'));
    };
    worker.on('error', onLost).on('messageerror', onLost).on('exit', onLost);
    this.#worker = worker;
    return worker;
  }

  /** Takes the open question, once. An idle thread keeps no process alive. */
  #settle(): Open | undefined {
    const open = this.#open;
    this.#open = undefined;
    clearTimeout(open?.timer);
    this.#worker?.unref();
    return open;
  }
}
