// The other side of a question thread: the code that runs in the worker.
import { parentPort } from 'node:worker_threads';

export type Sent<Question> = { readonly id: number; readonly question: Question };
export type Reply<Answer> =
  | { readonly id: number; readonly answer: Answer }
  | { readonly id: number; readonly refused: unknown };

/** Thrown by the work in a thread to answer with a reason instead of an answer. Anything else that is thrown ends the thread. */
export class RefusedQuestion extends Error {
  readonly why: unknown;

  constructor(why: unknown) {
    super('the question was refused');
    this.why = why;
  }
}

export function answerQuestions<Question, Answer>(answer: (question: Question) => Answer): void {
  parentPort?.on('message', ({ id, question }: Sent<Question>) => {
    parentPort?.postMessage(replyTo(id, () => answer(question)));
  });
}

function replyTo<Answer>(id: number, answer: () => Answer): Reply<Answer> {
  try {
    return { id, answer: answer() };
  } catch (thrown) {
    if (thrown instanceof RefusedQuestion) return { id, refused: thrown.why };
    throw thrown;
  }
}
