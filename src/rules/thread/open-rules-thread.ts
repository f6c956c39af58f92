// The rules work in a thread of their own, so that the engine answers meanwhile. They do one thing at a time, and organizations take turns.
import type { Diagnosis } from '../../domain/diagnosis/diagnosis.ts';
import { AppError } from '../../domain/errors.ts';
import { makeFairTurns } from '../../domain/fair-turns.ts';
import { unlessAborted } from '../../domain/unless-aborted.ts';
import { QuestionThread, type ThreadParts } from '../../platform/question-thread.ts';
import type { NoteAnswer } from '../../ports/reasoner.ts';
import type { WorkElsewhere } from '../rules-reasoner.ts';
import type { Question, Refusal } from './rules-worker.ts';

export type RulesThread = {
  /** Of the knowledge. */
  readonly version: string;
  readonly work: WorkElsewhere;
  /** Returns when the thread is gone. */
  readonly close: () => Promise<void>;
};

/** Waiting texts of one organization, each of which may take the thread for two seconds. */
const TURNS = { mostWaiting: 32, retryAfterSeconds: 5 };
/** The thread ends its work itself, by the processor time that it took. This is for one that is stuck. */
const THREAD = { deadlineMs: 60_000, maxHeapMb: 1_024, maxNewHeapMb: 8 };
/** Runs and tests without an organization share one turn. */
const NOBODY = '';

/** Rejects with an Error that names every problem of the knowledge. */
export async function openRulesThread(parts: Partial<ThreadParts> = {}): Promise<RulesThread> {
  // The same file ending as this file's: `.js` in a packed engine.
  const file = new URL(import.meta.url.replace('open-rules-thread', 'rules-worker'));
  const thread = new QuestionThread<Question, unknown>({ ...THREAD, file, ...parts }, ERRORS);
  const turns = makeFairTurns(TURNS);

  async function ask(question: Question, organization: string | undefined, signal: AbortSignal): Promise<unknown> {
    const endTurn = await turns.take(organization ?? NOBODY, signal);
    if (signal.aborted) {
      endTurn();
      throw signal.reason;
    }
    const answer = thread.ask(question);
    answer.catch(() => undefined).finally(endTurn);
    // Who no longer wants the answer does not wait for it; the thread finishes its work.
    return await unlessAborted(answer, signal);
  }

  return {
    version: (await thread.ask({ kind: 'open' })) as string,
    work: {
      diagnose: async ({ organization, ...history }, signal) =>
        (await ask({ kind: 'diagnose', history }, organization, signal)) as Diagnosis,
      writeNote: async ({ organization, ...request }, signal) =>
        (await ask({ kind: 'note', request }, organization, signal)) as NoteAnswer,
    },
    close: () => thread.end(new AppError('shuttingDown', 'The rules have been closed')),
  };
}

const ERRORS = {
  tooLong: () => new AppError('internal', 'The rules took too long'),
  brokeDown: () => new AppError('internal', 'The rules broke down'),
  refused: (why: unknown) => {
    const { code, message } = why as Refusal;
    return code === undefined ? new Error(message) : new AppError(code, message);
  },
};
