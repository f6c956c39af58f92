import { describe, expect, it } from '@jest/globals';
import { makeVerifier } from '../../src/composition/make-verifier.ts';
import { readConfig } from '../../src/config.ts';
import type { VerifierRequest } from '../../src/ports/verifier.ts';
import { type OpenAiServer, startOpenAiServer } from '../support/openai-server.ts';

const request: VerifierRequest = {
  statements: [{ id: 'st-1', section: 'PLAN', text: 'Rest.', utterances: [] }],
  transcript: {
    utterances: [{ speaker: 0, text: 'Rest well.', startSeconds: 0, endSeconds: 1, confidence: 1 }],
    durationSeconds: 1,
    language: 'en',
  },
  language: 'en',
};

async function choose(environment: Readonly<Record<string, string>>) {
  return await makeVerifier(readConfig(environment), () => undefined);
}

describe('the choice of the verifier', () => {
  it.each([
    [{}, undefined],
    [{ OPENAI_API_KEY: 'made-up' }, 'openai:gpt-5.4'],
    [{ OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_MODEL: 'writer' }, 'openai:writer'],
    [{ OPENAI_API_KEY: 'made-up', VERIFIER_MODEL: 'judge' }, 'openai:judge'],
    [{ OPENAI_API_KEY: 'made-up', VERIFIER_MODEL: 'off' }, undefined],
    [{ VERIFIER_MODEL: 'judge', VERIFIER_BASE_URL: 'http://127.0.0.1:1/v1' }, 'openai:judge'],
    [{ VERIFIER_MODEL: 'judge', VERIFIER_API_KEY: 'made-up' }, 'openai:judge'],
  ])('with %j it is %s', async (environment, engine) => {
    expect((await choose(environment))?.engine).toBe(engine);
  });

  async function keysAt(environment: (own: OpenAiServer, other: OpenAiServer) => Readonly<Record<string, string>>) {
    const [own, other] = [await startOpenAiServer(), await startOpenAiServer()];
    try {
      const verifier = await choose(environment(own, other));
      await verifier?.verify(request, new AbortController().signal);
      const keyOf = ({ headers }: OpenAiServer['requests'][number]) => headers.authorization;
      return { own: own.requests.map(keyOf), other: other.requests.map(keyOf) };
    } finally {
      await Promise.all([own.close(), other.close()]);
    }
  }

  it('asks the server of the reasoner with its key, unless it has a key of its own', async () => {
    expect(await keysAt((own) => ({ OPENAI_BASE_URL: own.baseUrl, OPENAI_API_KEY: 'key-of-the-reasoner' }))).toEqual({
      own: ['Bearer key-of-the-reasoner'],
      other: [],
    });
    const ofItsOwn = { OPENAI_API_KEY: 'key-of-the-reasoner', VERIFIER_API_KEY: 'own' };
    expect(await keysAt((own) => ({ OPENAI_BASE_URL: own.baseUrl, ...ofItsOwn }))).toEqual({
      own: ['Bearer own'],
      other: [],
    });
  });

  it('never sends the key of the reasoner to another server', async () => {
    const settings = { OPENAI_API_KEY: 'key-of-the-reasoner', VERIFIER_MODEL: 'judge' };
    expect(
      await keysAt((own, other) => ({ OPENAI_BASE_URL: own.baseUrl, VERIFIER_BASE_URL: other.baseUrl, ...settings })),
    ).toEqual({ own: [], other: [undefined] });
  });
});
