// Collects the requests of several pieces of work that run at the same time: when each of them waits for an answer, all that they wait
// for is asked at once.
import type { SendRequest } from './fhir-client.ts';
import type { EhrRequest } from './transport.ts';

export type GatheredRequest<Answer> = {
  readonly request: EhrRequest;
  readonly what: string;
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
};

export type Gathering<Answer> = {
  readonly sendOf: (work: number) => SendRequest<Answer>;
  /** The work has ended: the others need not wait for it any more. */
  readonly leave: (work: number) => void;
};

/** `ask` must resolve each of the requests, and must not throw. */
export function gather<Answer>(
  works: number,
  ask: (requests: readonly GatheredRequest<Answer>[]) => void,
): Gathering<Answer> {
  const open = new Set(Array.from({ length: works }, (_, work) => work));
  const waiting = new Map<number, GatheredRequest<Answer>[]>();
  const isComplete = () => waiting.size > 0 && [...open].every((work) => waiting.has(work));
  const askIfComplete = () => {
    // A moment later, because a work may have more to ask for at the same time.
    if (isComplete()) setImmediate(askAll);
  };
  const askAll = () => {
    if (!isComplete()) return;
    const requests = [...waiting.values()].flat();
    waiting.clear();
    ask(requests);
  };
  return {
    sendOf: (work) => (request, what) => {
      const { promise, resolve } = Promise.withResolvers<Answer>();
      waiting.set(work, [...(waiting.get(work) ?? []), { request, what, resolve }]);
      askIfComplete();
      return promise;
    },
    leave(work) {
      open.delete(work);
      askIfComplete();
    },
  };
}
