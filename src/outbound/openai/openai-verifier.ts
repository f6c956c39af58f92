// A Verifier behind any server that speaks OpenAI's chat completions: one question for all statements of a note. Holds no state between calls.
import { present } from '../../domain/present.ts';
import type { Verifier, VerifierAnswer, VerifierRequest } from '../../ports/verifier.ts';
import { callModel, lastAnswer, type ModelParts, openModel } from './model-call.ts';
import { hashOf } from './prompt-version.ts';
import { readVerdicts } from './verifier-answer.ts';
import { askForVerdicts } from './verifier-prompt.ts';

export function makeOpenAiVerifier(given: ModelParts): Verifier {
  const parts = openModel(given);
  return {
    engine: `openai:${parts.model}`,
    prompt: hashOf([askForVerdicts(EXAMPLE).question]),

    async verify(request: VerifierRequest, signal: AbortSignal): Promise<VerifierAnswer> {
      const { question, asked } = askForVerdicts(request);
      if (asked.ids.length === 0) return { verdicts: [] };
      const task = {
        operation: 'verify',
        question,
        read: (value: unknown) => readVerdicts(value, asked),
        findDoubts: async () => [],
        isShown: () => false,
      } as const;
      const { answer, answeredBy } = await lastAnswer(callModel(parts, task, signal));
      return { verdicts: answer, ...present({ answeredBy }) };
    },
  };
}

/** What differs from call to call is data: one value is enough for the version of the prompt. */
const EXAMPLE: VerifierRequest = {
  statements: [{ id: 'st-1', section: 'SECTION', text: 'text', utterances: [0] }],
  transcript: {
    utterances: [{ speaker: 0, text: 'words', startSeconds: 0, endSeconds: 1, confidence: 1 }],
    durationSeconds: 1,
    language: 'en',
  },
  language: 'en',
};
