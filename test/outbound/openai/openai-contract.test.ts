import { makeOpenAiReasoner } from '../../../src/outbound/openai/openai-reasoner.ts';
import { makeHttpFetch } from '../../../src/platform/http-fetch.ts';
import {
  type ReasonerTrouble,
  reasonerContract,
  type VendorHarness,
  vendorReasonerContract,
} from '../../contracts/reasoner-contract.ts';
import { notMedicalAnswer } from '../../support/openai-answers.ts';
import type { Behaviour } from '../../support/openai-behaviours.ts';
import { FAULTS, startOpenAiServer } from '../../support/openai-server.ts';

const TROUBLES: Readonly<Record<ReasonerTrouble, Behaviour>> = {
  'is-down': FAULTS.serverError,
  'refuses-us': FAULTS.unauthorized,
  'breaks-the-form': FAULTS.badCategory,
  'cuts-its-answer': FAULTS.cutMidway,
};

const TRANSPORTS: Readonly<Record<string, typeof fetch>> = {
  "the product's own fetch": makeHttpFetch(),
  "Node's fetch": fetch,
};

for (const [transport, fetchOfTransport] of Object.entries(TRANSPORTS)) {
  const open = async (): Promise<VendorHarness> => {
    const server = await startOpenAiServer();
    const reasoner = makeOpenAiReasoner({
      apiKey: 'a-made-up-key',
      baseUrl: server.baseUrl,
      model: 'made-up-model',
      timeouts: { firstByteMs: 50_000, idleMs: 50_000, totalMs: 55_000 },
      fetch: fetchOfTransport,
      backoffMs: 1,
    });
    return {
      reasoner,
      trouble: (trouble) => server.behave(TROUBLES[trouble]),
      hang: () => server.behave(FAULTS.hang),
      hangMidway: () => server.behave({ kind: 'answer', breaksOff: { afterChunks: 20, by: 'hang' } }),
      answerAs: (answeredBy) =>
        server.behave({
          kind: 'answer',
          maker: { model: answeredBy?.model, system_fingerprint: answeredBy?.fingerprint },
        }),
      findNothingMedical: () => server.behave({ kind: 'answer', content: notMedicalAnswer }),
      openCalls: server.openCalls,
      close: server.close,
    };
  };
  reasonerContract(`the outlet to OpenAI over ${transport}`, open);
  vendorReasonerContract(`the outlet to OpenAI over ${transport}`, open);
}
