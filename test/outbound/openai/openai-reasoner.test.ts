import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LANGUAGES } from '../../../src/domain/language.ts';
import { makeOpenAiReasoner, type OpenAiReasonerParts } from '../../../src/outbound/openai/openai-reasoner.ts';
import { makeHttpFetch } from '../../../src/platform/http-fetch.ts';
import type { Reasoner, ReasonerCall } from '../../../src/ports/reasoner.ts';
import { aHistory, aNoteRequest } from '../../contracts/reasoner-contract.ts';
import { diagnosisAnswer, noteAnswer, nothingFoundAnswer } from '../../support/openai-answers.ts';
import { makeGate, type OpenAiServer, startOpenAiServer } from '../../support/openai-server.ts';

const httpFetch = makeHttpFetch();

describe('The OpenAI adapter', () => {
  const signal = new AbortController().signal;
  const environment = { ...process.env };
  let server: OpenAiServer;
  let calls: ReasonerCall[];

  beforeEach(async () => {
    server = await startOpenAiServer();
    calls = [];
  });
  afterEach(async () => {
    process.env = { ...environment };
    await server.close();
  });

  function aReasoner(parts: Partial<OpenAiReasonerParts> = {}): Reasoner {
    return makeOpenAiReasoner({
      baseUrl: server.baseUrl,
      model: 'made-up-model',
      timeouts: { firstByteMs: 50_000, idleMs: 50_000, totalMs: 55_000 },
      fetch: httpFetch,
      onCall: (call) => calls.push(call),
      ...parts,
    });
  }

  it('asks for a streamed answer with a strict schema', async () => {
    await aReasoner().diagnose(aHistory, signal);
    expect(server.requests[0]?.body).toMatchObject({
      model: 'made-up-model',
      stream: true,
      response_format: { type: 'json_schema', json_schema: { name: 'differential_diagnosis', strict: true } },
      messages: [{ role: 'system' }, { role: 'user' }],
    });
  });

  it.each(LANGUAGES)('returns the diagnosis and the note in the requested language (%s)', async (language) => {
    const diagnosis = await aReasoner().diagnose({ ...aHistory, language }, signal);
    const said = diagnosisAnswer(language);
    expect(diagnosis.triage).toEqual(said.triage);
    expect(diagnosis.diagnosis.diseases.map(({ name }) => name)).toEqual(
      said.diagnosis.diseases.map(({ name }) => name),
    );
    const answer = await aReasoner().writeNote({ ...aNoteRequest, language }, signal);
    expect(answer).toMatchObject({ isMedical: true, note: { title: noteAnswer({ language, schema: {} }).title } });
  });

  it('reads the answer of a server that does not stream', async () => {
    server.behave({ kind: 'answer', form: 'json' });
    const streamed: string[] = [];
    for await (const event of aReasoner().streamDiagnosis(aHistory, signal)) streamed.push(event.kind);
    expect(streamed.at(-1)).toBe('final');
    await expect(aReasoner().writeNote(aNoteRequest, signal)).resolves.toHaveProperty('isMedical', true);
  });

  it('returns no diseases for a text without health content', async () => {
    server.behave({ kind: 'answer', content: () => nothingFoundAnswer('en') });
    const { diagnosis, triage } = await aReasoner().diagnose(aHistory, signal);
    expect(diagnosis.diseases).toEqual([]);
    expect(triage.triage_level).toBe('WHITE');
  });

  it.each([1, 2, 7, 10_000])('reads an answer in pieces of %i characters', async (chunkChars) => {
    server.behave({ kind: 'answer', chunkChars });
    const { diagnosis } = await aReasoner().diagnose({ ...aHistory, language: 'es' }, signal);
    expect(diagnosis.diseases[0]?.why).toBe(diagnosisAnswer('es').diagnosis.diseases[0]?.why);
  });

  describe('streams of diagnosis', () => {
    it('show the first disease while the rest still arrives', async () => {
      const gate = makeGate();
      server.behave({ kind: 'answer', gate, chunkChars: 80 });
      gate.open(1);
      let firstShowing: unknown;
      for await (const event of aReasoner().streamDiagnosis(aHistory, signal)) {
        if (firstShowing !== undefined || event.kind !== 'progress') continue;
        firstShowing = event.snapshot();
        expect(server.openCalls()).toBe(1);
        gate.openAll();
      }
      expect(firstShowing).toEqual({ diagnosis: { diseases: [{ name: 'Community-acquired pneumonia' }] } });
    });

    it('build a snapshot from what is known when it is requested', async () => {
      const snapshots: (() => unknown)[] = [];
      let final: unknown;
      for await (const event of aReasoner().streamDiagnosis(aHistory, signal)) {
        if (event.kind === 'progress') snapshots.push(event.snapshot);
        else final = event.diagnosis;
      }
      expect(snapshots[0]?.()).toEqual(final);
    });

    it('cancel the call when their reader leaves', async () => {
      const gate = makeGate();
      server.behave({ kind: 'answer', gate, chunkChars: 80 });
      gate.open(2);
      for await (const event of aReasoner().streamDiagnosis(aHistory, signal)) {
        expect(event.kind).toBe('progress');
        break;
      }
      expect(await server.requests[0]?.closed).toBe('gone');
      expect(calls).toEqual([{ operation: 'stream', outcome: 'cancelled', durationMs: expect.any(Number) }]);
    });
  });

  describe('sends no credentials beyond its settings:', () => {
    it('a call without a key has no authorization header', async () => {
      await aReasoner().diagnose(aHistory, signal);
      expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
    });

    it('a call has only the key of the settings, whatever the environment contains', async () => {
      Object.assign(process.env, {
        OPENAI_API_KEY: 'from-the-environment',
        OPENAI_ADMIN_KEY: 'from-the-environment',
        OPENAI_ORG_ID: 'from-the-environment',
        OPENAI_PROJECT_ID: 'from-the-environment',
        OPENAI_BASE_URL: 'http://127.0.0.1:9/from-the-environment',
        OPENAI_CUSTOM_HEADERS: 'x-custom: from-the-environment',
        OPENAI_LOG: 'debug',
      });
      const printed = (['debug', 'info', 'log', 'warn', 'error'] as const).map((level) => jest.spyOn(console, level));
      await aReasoner({ apiKey: 'a-made-up-key' }).diagnose(aHistory, signal);
      const { headers, rawBody } = server.requests[0] ?? {};
      expect(headers?.authorization).toBe('Bearer a-made-up-key');
      expect(JSON.stringify([headers, rawBody])).not.toContain('from-the-environment');
      expect(Object.keys(headers ?? {}).sort()).toEqual(
        ['accept', 'authorization', 'connection', 'content-length', 'content-type', 'host', 'user-agent'].sort(),
      );
      for (const spy of printed) expect(spy).not.toHaveBeenCalled();
    });
  });

  describe('names the model that answered:', () => {
    it.each([
      ['an empty name', { model: '' }],
      ['no text', { model: { name: 'gpt' }, system_fingerprint: 7 }],
      ['null', { model: null, system_fingerprint: null }],
      ['only a fingerprint', { system_fingerprint: 'fp_1' }],
    ])('an answer whose model is %s names none, and is as good as any', async (_, maker) => {
      server.behave({ kind: 'answer', maker });
      const diagnosis = await aReasoner().diagnose(aHistory, signal);
      expect(diagnosis).not.toHaveProperty('answeredBy');
      expect(diagnosis.diagnosis.diseases.length).toBe(3);
    });

    it('a server that does not stream names it as well', async () => {
      server.behave({ kind: 'answer', form: 'json', maker: { model: 'made-up-2', system_fingerprint: 'fp_2' } });
      const { answeredBy } = await aReasoner().diagnose(aHistory, signal);
      expect(answeredBy).toEqual({ model: 'made-up-2', fingerprint: 'fp_2' });
    });

    it('a name of a vendor has no markup, no line break and an end', async () => {
      const model = `made-up\n<b>"2"</b>${'x'.repeat(9000)}`;
      server.behave({ kind: 'answer', maker: { model } });
      const { answeredBy } = await aReasoner().diagnose(aHistory, signal);
      expect(answeredBy?.model).toMatch(/^made-upb2\/bx{89}$/);
      expect(calls.at(-1)?.answeredBy).toEqual(answeredBy);
    });
  });

  it('reports how each call ended', async () => {
    await aReasoner().diagnose(aHistory, signal);
    await aReasoner().writeNote(aNoteRequest, signal);
    for await (const _ of aReasoner().streamDiagnosis(aHistory, signal)) {
      // The stream is read to its end.
    }
    expect(calls.map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual([
      'diagnose success',
      'note success',
      'stream success',
    ]);
  });
});
