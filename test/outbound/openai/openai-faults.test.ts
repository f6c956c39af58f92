import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { makeOpenAiReasoner, type OpenAiReasonerParts } from '../../../src/outbound/openai/openai-reasoner.ts';
import { makeHttpFetch } from '../../../src/platform/http-fetch.ts';
import type { DiagnosisEvent, Reasoner, ReasonerCall } from '../../../src/ports/reasoner.ts';
import { aHistory, aNoteRequest } from '../../contracts/reasoner-contract.ts';
import { holdTimers, passDeadline } from '../../support/held-timers.ts';
import type { Behaviour } from '../../support/openai-behaviours.ts';
import { FAULTS, makeGate, type OpenAiServer, startOpenAiServer } from '../../support/openai-server.ts';
import { until } from '../../support/until.ts';

const PATIENT = { firstByteMs: 50_000, idleMs: 50_000, totalMs: 55_000 };
const SOON_MS = 150;
/** A pause of 5 s that is not ended fails its test. */
const SHORTER_THAN_PAUSE_MS = 4000;
const httpFetch = makeHttpFetch();

describe('The OpenAI adapter, when the model fails', () => {
  const signal = new AbortController().signal;
  let server: OpenAiServer;
  let calls: ReasonerCall[];

  beforeEach(async () => {
    server = await startOpenAiServer();
    calls = [];
  });
  afterEach(async () => {
    jest.useRealTimers();
    await server.close();
  });

  function aReasoner(parts: Partial<OpenAiReasonerParts> = {}): Reasoner {
    return makeOpenAiReasoner({
      baseUrl: server.baseUrl,
      model: 'made-up-model',
      timeouts: PATIENT,
      fetch: httpFetch,
      onCall: (call) => calls.push(call),
      backoffMs: 1,
      ...parts,
    });
  }

  async function failureOf(asked: Promise<unknown>): Promise<AppError> {
    const failure = await asked.then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(failure instanceof AppError)) throw new Error('an AppError was expected');
    return failure;
  }

  async function readStream(reasoner: Reasoner, events: DiagnosisEvent[] = []): Promise<DiagnosisEvent[]> {
    for await (const event of reasoner.streamDiagnosis(aHistory, signal)) events.push(event);
    return events;
  }

  describe('reports the cause', () => {
    it.each([
      ['cannot answer now', { kind: 'status', status: 503 }, '5xx'],
      ['refuses the key', { kind: 'status', status: 401 }, '4xx'],
      ['closes the connection', FAULTS.drop, 'reset'],
      ['breaks off in the middle', FAULTS.cutMidway, 'reset'],
      ['answers no JSON', FAULTS.malformed, 'answer'],
      ['refuses to answer', FAULTS.refusal, 'answer'],
      ['says nothing', FAULTS.hang, 'timeout'],
    ] as const)('of a call whose vendor %s', async (_, behaviour, cause) => {
      server.behave(behaviour);
      const timeouts = behaviour === FAULTS.hang ? { ...PATIENT, firstByteMs: SOON_MS } : PATIENT;
      await failureOf(aReasoner({ timeouts }).diagnose(aHistory, signal));
      expect(calls).toMatchObject([{ operation: 'diagnose', cause }]);
    });

    it.each([
      ['http://127.0.0.1:1/v1', 'refused'],
      ['http://made-up.invalid/v1', 'dns'],
    ])('of a call to %s', async (baseUrl, cause) => {
      await failureOf(aReasoner({ baseUrl }).diagnose(aHistory, signal));
      expect(calls).toMatchObject([{ cause }]);
    });

    it('of a call without TLS on the other side', async () => {
      await failureOf(aReasoner({ baseUrl: server.baseUrl.replace('http:', 'https:') }).diagnose(aHistory, signal));
      expect(calls).toMatchObject([{ cause: 'tls' }]);
    });
  });

  describe('tries again', () => {
    it.each([
      ['cannot answer now', { kind: 'status', status: 503 }],
      ['asks for a pause', { kind: 'status', status: 429, headers: { 'retry-after': '0' } }],
      ['asks for an invalid pause', { kind: 'status', status: 429, headers: { 'retry-after': 'soon' } }],
      ['reports its own timeout', { kind: 'status', status: 408 }],
      ['closes the connection without an answer', FAULTS.drop],
    ] as const)('the adapter tries up to two more times if the vendor %s', async (_, behaviour) => {
      server.next(behaviour, behaviour);
      await expect(aReasoner().diagnose(aHistory, signal)).resolves.toHaveProperty('triage');
      expect(server.requests.length).toBe(3);
      expect(calls).toEqual([
        {
          operation: 'diagnose',
          outcome: 'success',
          durationMs: expect.any(Number),
          answeredBy: { model: 'made-up-model' },
        },
      ]);
    });

    it('the adapter tries streams and notes again, too', async () => {
      server.next(FAULTS.serverError);
      expect((await readStream(aReasoner())).at(-1)?.kind).toBe('final');
      server.next(FAULTS.serverError);
      await expect(aReasoner().writeNote(aNoteRequest, signal)).resolves.toHaveProperty('isMedical', true);
      expect(server.requests.length).toBe(4);
    });

    it('the adapter gives up after the third failure', async () => {
      server.behave(FAULTS.serverError);
      const failure = await failureOf(aReasoner().diagnose(aHistory, signal));
      expect(failure).toMatchObject({
        code: 'vendorUnavailable',
        message: 'The reasoner cannot answer now (status 500)',
      });
      expect(server.requests.length).toBe(3);
    });

    it('the adapter does not try again if the vendor asks for a pause of minutes, and the caller learns the pause', async () => {
      server.behave(FAULTS.rateLimitedForLong);
      const failure = await failureOf(aReasoner().diagnose(aHistory, signal));
      expect(failure).toMatchObject({ code: 'vendorUnavailable', retryAfterSeconds: 120 });
      expect(server.requests.length).toBe(1);
    });

    it(
      'the adapter stops at once if the caller cancels during a pause',
      async () => {
        server.behave({ kind: 'status', status: 429, headers: { 'retry-after': '5' } });
        const caller = new AbortController();
        const asked = aReasoner().diagnose(aHistory, caller.signal);
        asked.catch(() => undefined);
        await until(() => server.requests.length === 1);
        await server.requests[0]?.closed;
        caller.abort();
        expect((await failureOf(asked)).code).toBe('cancelled');
        expect(server.requests.length).toBe(1);
      },
      SHORTER_THAN_PAUSE_MS,
    );

    it('one time limit holds for all tries together', async () => {
      server.behave({ kind: 'status', status: 429, headers: { 'retry-after': '4' } });
      const failure = await failureOf(
        aReasoner({ timeouts: { ...PATIENT, totalMs: SOON_MS } }).diagnose(aHistory, signal),
      );
      expect(failure).toMatchObject({
        code: 'vendorUnavailable',
        message: expect.stringContaining('REASONER_TOTAL_SECONDS'),
      });
    });
  });

  describe('names the setting to check', () => {
    it.each([
      [400, 'OPENAI_MODEL'],
      [401, 'OPENAI_API_KEY'],
      [403, 'OPENAI_API_KEY'],
      [404, 'OPENAI_BASE_URL'],
      [413, 'OPENAI_BASE_URL'],
      [422, 'OPENAI_MODEL'],
      [302, 'OPENAI_BASE_URL'],
    ])(
      'a vendor that refuses with %i is not asked again, and the error names %s and quotes nothing of the answer',
      async (status, setting) => {
        const quoted = aHistory.clinicalHistory ?? '';
        server.behave({ kind: 'status', status, body: quoted, headers: { location: `${server.baseUrl}/elsewhere` } });
        const failure = await failureOf(aReasoner({ apiKey: 'a-made-up-key' }).diagnose(aHistory, signal));
        expect(failure.code).toBe('vendorRejected');
        expect(failure.message).toContain(setting);
        expect(`${failure.message} ${String(failure.cause)} ${JSON.stringify(failure)}`).not.toMatch(/made-up/);
        expect(server.requests.length).toBe(1);
      },
    );

    it('the error of a vendor that cannot be reached names its address setting', async () => {
      await server.close();
      const failure = await failureOf(aReasoner().diagnose(aHistory, signal));
      expect(failure.code).toBe('vendorUnavailable');
      expect(failure.message).toContain('OPENAI_BASE_URL');
      expect(String(failure.cause)).toContain('ECONNREFUSED');
    });
  });

  describe('never returns a shorter answer', () => {
    it.each([
      ['is cut off', FAULTS.cutMidway],
      ['ends without a reason for its end', FAULTS.noFinishReason],
      ['exceeds its allowed length', FAULTS.tooShort],
      ['was filtered', FAULTS.contentFilter],
      ['asks to call a tool', { kind: 'answer', finishReason: 'tool_calls' }],
      ['is a refusal', FAULTS.refusal],
      ['turns into an error', FAULTS.errorEvent],
      ['has no end', FAULTS.huge],
    ] satisfies [string, Behaviour][])('the adapter fails if the answer %s', async (_, behaviour) => {
      for (const form of ['diagnose', 'note', 'stream'] as const) {
        server.next(behaviour);
        const reasoner = aReasoner();
        const asked = {
          diagnose: () => reasoner.diagnose(aHistory, signal),
          note: () => reasoner.writeNote(aNoteRequest, signal),
          stream: () => readStream(reasoner),
        };
        const failure = await failureOf(asked[form]());
        expect(failure.code).toBe('vendorAnswer');
        expect(calls.at(-1)).toMatchObject({ operation: form, outcome: 'vendorAnswer' });
      }
      expect(server.requests.length).toBe(3);
      await until(() => server.openCalls() === 0);
    });

    it('the adapter also fails on incomplete answers of a server that does not stream', async () => {
      for (const fault of [FAULTS.noFinishReason, FAULTS.tooShort, FAULTS.refusal] as const) {
        server.next({ ...fault, form: 'json' });
        expect((await failureOf(aReasoner().diagnose(aHistory, signal))).code).toBe('vendorAnswer');
      }
    });

    it('the adapter closes the connection of an endless answer', async () => {
      server.next({ ...FAULTS.huge, content: () => 'a'.repeat(48 * 1_048_576) });
      await failureOf(aReasoner().diagnose(aHistory, signal));
      expect(await server.requests[0]?.closed).toBe('gone');
    });
  });

  describe('asks once more after an answer with invalid content', () => {
    const broken = ['malformed', 'empty', 'badCategory', 'badProbability'] as const;

    it.each(broken)('the adapter accepts the second answer after a first one that is %s', async (fault) => {
      server.next(FAULTS[fault]);
      await expect(aReasoner().diagnose(aHistory, signal)).resolves.toHaveProperty('triage');
      expect(server.requests.length).toBe(2);
    });

    it.each(broken)(
      'the adapter does not ask a third time after two answers that are %s, and the error quotes neither',
      async (fault) => {
        server.behave(FAULTS[fault]);
        const failure = await failureOf(aReasoner().diagnose(aHistory, signal));
        expect(failure.code).toBe('vendorAnswer');
        expect(`${failure.message} ${String(failure.cause)}`).not.toMatch(/Here is|perhaps|1\.7|pneumonia/i);
        expect(server.requests.length).toBe(2);
      },
    );

    it('the adapter asks once more after an invalid note', async () => {
      server.next({ kind: 'answer', content: () => ({ is_medical: true, title: 'A', sections: [] }) });
      await expect(aReasoner().writeNote(aNoteRequest, signal)).resolves.toHaveProperty('isMedical', true);
      expect(server.requests.length).toBe(2);
    });

    it('the adapter does not ask again after a part of a stream was delivered', async () => {
      server.behave(FAULTS.badCategory);
      const events: DiagnosisEvent[] = [];
      expect((await failureOf(readStream(aReasoner(), events))).code).toBe('vendorAnswer');
      expect(events.length).toBeGreaterThan(0);
      expect(events.every(({ kind }) => kind === 'progress')).toBe(true);
      expect(server.requests.length).toBe(1);
    });

    it('the adapter streams the second answer after an invalid first one', async () => {
      server.next(FAULTS.malformed);
      const events = await readStream(aReasoner());
      expect(events.at(-1)?.kind).toBe('final');
      expect(server.requests.length).toBe(2);
    });
  });

  describe('limits its waiting times', () => {
    it.each([
      ['the wait for the first byte', FAULTS.hang, 'firstByteMs', 'REASONER_FIRST_BYTE_SECONDS'],
      ['the time of a slow answer', { kind: 'answer', chunkChars: 1, paceMs: 10 }, 'totalMs', 'REASONER_TOTAL_SECONDS'],
      ['the time of a call without any answer', FAULTS.hang, 'totalMs', 'REASONER_TOTAL_SECONDS'],
    ] as const)('the adapter limits %s, and closes the connection', async (_, behaviour, limit, setting) => {
      server.behave(behaviour);
      const reasoner = aReasoner({ timeouts: { ...PATIENT, [limit]: SOON_MS } });
      const hasArrived = () => server.requests[0]?.body !== undefined;
      const call = () => failureOf(reasoner.diagnose(aHistory, signal));
      await expectGivenUp(await passDeadline(call, { after: hasArrived, ms: SOON_MS }), setting);
    });

    it('the adapter limits a pause within an answer, and closes the connection', async () => {
      server.behave(FAULTS.hangMidway);
      // The limit holds from the first byte on, so its time may pass by itself.
      const failure = await failureOf(
        aReasoner({ timeouts: { ...PATIENT, idleMs: SOON_MS } }).diagnose(aHistory, signal),
      );
      await expectGivenUp(failure, 'REASONER_IDLE_SECONDS');
    });

    async function expectGivenUp(failure: AppError, setting: string): Promise<void> {
      expect(failure.code).toBe('vendorUnavailable');
      expect(failure.message).toContain(setting);
      expect(await server.requests[0]?.closed).toBe('gone');
      expect(server.requests.length).toBe(1);
    }

    it('comments in an answer do not count as signs that it goes on', async () => {
      const vendor = createServer((request, response) => {
        request.resume();
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const comments = setInterval(() => response.write(': still here\n\n'), 10);
        response.once('close', () => clearInterval(comments));
      });
      await once(vendor.listen(0, '127.0.0.1'), 'listening');
      const baseUrl = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}/v1`;
      const failure = await failureOf(
        aReasoner({ baseUrl, timeouts: { ...PATIENT, firstByteMs: SOON_MS } }).diagnose(aHistory, signal),
      );
      expect(failure.message).toContain('REASONER_FIRST_BYTE_SECONDS');
      await once(vendor.close(), 'close');
    });

    it('the time that the reader of a stream takes does not count as a pause of the vendor', async () => {
      holdTimers();
      const gate = makeGate();
      server.behave({ kind: 'answer', gate, chunkChars: 200 });
      const reasoner = aReasoner({ timeouts: { ...PATIENT, idleMs: SOON_MS } });
      gate.open(1);
      let showings = 0;
      for await (const event of reasoner.streamDiagnosis(aHistory, signal)) {
        if (event.kind !== 'progress') continue;
        showings += 1;
        if (showings === 1) jest.advanceTimersByTime(2 * SOON_MS);
        gate.openAll();
      }
      expect(showings).toBeGreaterThan(1);
    });
  });
});
