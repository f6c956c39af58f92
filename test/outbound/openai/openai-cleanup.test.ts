import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { makeOpenAiReasoner } from '../../../src/outbound/openai/openai-reasoner.ts';
import { aHistory } from '../../contracts/reasoner-contract.ts';
import { diagnosisAnswer } from '../../support/openai-answers.ts';
import { until } from '../../support/until.ts';

const WHOLE = `data: ${JSON.stringify({
  choices: [{ delta: { content: JSON.stringify(diagnosisAnswer('en')) }, finish_reason: 'stop' }],
})}\n\n`;

/** Makes an answer that stops after this text, and remains open until it is cancelled. */
function endless(text: string, onCancel: () => void = () => undefined): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      if (text !== '') controller.enqueue(Buffer.from(text));
    },
    cancel: onCancel,
  });
}

function answering(body: ReadableStream<Uint8Array> | string, status: number, contentType: string) {
  const signals: AbortSignal[] = [];
  const reasoner = makeOpenAiReasoner({
    baseUrl: 'http://127.0.0.1:9/v1',
    model: 'made-up-model',
    timeouts: { firstByteMs: 50_000, idleMs: 50_000, totalMs: 55_000 },
    fetch: async (_, init) => {
      if (init?.signal) signals.push(init.signal);
      return new Response(body, { status, headers: { 'content-type': contentType } });
    },
    backoffMs: 1,
  });
  return { reasoner, signals };
}

describe('After a call to the model', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([
    ['with an answer', `${WHOLE}data: [DONE]\n\n`, 200, 'text/event-stream'],
    ['with a refusal', '', 401, 'application/json'],
    ['with a page of a gateway', endless('<html>'), 200, 'text/html'],
    ['with a broken answer', endless('data: {oops\n\n'), 200, 'text/event-stream'],
  ])('that ended %s, no timer, no listener and no connection remains', async (_, body, status, contentType) => {
    const caller = new AbortController();
    const { reasoner, signals } = answering(body, status, contentType);
    await reasoner.diagnose(aHistory, caller.signal).catch(() => undefined);
    expect(jest.getTimerCount()).toBe(0);
    expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
    expect(signals.length).toBe(1);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
  });

  it('that was refused, the body of the refusal was not read', async () => {
    let isCancelled = false;
    const body = endless('{"error":', () => {
      isCancelled = true;
    });
    const { reasoner } = answering(body, 401, 'application/json');
    await expect(reasoner.diagnose(aHistory, new AbortController().signal)).rejects.toMatchObject({
      code: 'vendorRejected',
    });
    expect(isCancelled).toBe(true);
  });

  it('that the caller ended, the call to the vendor is cancelled, whatever had already arrived', async () => {
    const caller = new AbortController();
    const { reasoner } = answering(endless(WHOLE), 200, 'text/event-stream');
    let hasShown = false;
    const asked = (async () => {
      for await (const event of reasoner.streamDiagnosis(aHistory, caller.signal)) {
        hasShown = true;
        expect(event.kind).toBe('progress');
      }
    })();
    asked.catch(() => undefined);
    jest.useRealTimers();
    await until(() => hasShown);
    caller.abort();
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
  });
});
