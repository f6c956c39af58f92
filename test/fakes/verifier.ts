// A verifier that a test scripts, and that records its questions.
import type { StatementVerdict } from '../../src/domain/note/add-verdicts.ts';
import type { Verifier, VerifierRequest } from '../../src/ports/verifier.ts';

export type VerifierScript = {
  /** The verdict on a statement by its text; undefined: none. */
  judge: (text: string, request: VerifierRequest) => Omit<StatementVerdict, 'id'> | undefined;
  failure: Error | undefined;
  /** Awaited before each answer. */
  wait: (signal: AbortSignal) => Promise<void>;
};

export type FakeVerifier = Verifier & {
  /** A test may change it at any time. */
  readonly script: VerifierScript;
  readonly requests: readonly VerifierRequest[];
};

export const NOT_MENTIONED = { verdict: 'not-mentioned', utterances: [], words: '' } as const;

export function makeFakeVerifier(overrides: Partial<VerifierScript> = {}): FakeVerifier {
  const script: VerifierScript = {
    judge: () => ({ verdict: 'supported', utterances: [0], words: '' }),
    failure: undefined,
    wait: async () => undefined,
    ...overrides,
  };
  const requests: VerifierRequest[] = [];
  return {
    engine: 'fake:verifier',
    script,
    requests,
    async verify(request, signal) {
      requests.push(request);
      signal.throwIfAborted();
      await script.wait(signal);
      if (script.failure !== undefined) throw script.failure;
      return {
        verdicts: request.statements.flatMap(({ id, text }) => {
          const judged = script.judge(text, request);
          return judged === undefined ? [] : [{ id, ...judged }];
        }),
      };
    },
  };
}
