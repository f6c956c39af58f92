// Questions about a Subscription on the wire.
import { afterEach, describe, expect, it } from '@jest/globals';
import { anOutcome, type ScriptedAnswer, type ScriptedEhr, startScriptedEhr } from './scripted-ehr.ts';

const never = new AbortController().signal;
const BUNDLE = { resourceType: 'Bundle', type: 'history' };

let server: ScriptedEhr | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function asked(...answers: ScriptedAnswer[]) {
  let turn = 0;
  server = await startScriptedEhr(() => answers[Math.min(turn++, answers.length - 1)] ?? 'reset');
  const parameters = { eventsSinceNumber: '4', eventsUntilNumber: '6' };
  const answer = server.ehr.ask({ reference: 'Subscription/7', operation: '$events', parameters }, never);
  return { answer, requests: server.requests };
}

describe('Asking about a Subscription', () => {
  it('goes to the Subscription, with its numbers', async () => {
    const { answer, requests } = await asked({ status: 200, body: BUNDLE });
    expect(await answer).toEqual(BUNDLE);
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET Subscription/7/$events?eventsSinceNumber=4&eventsUntilNumber=6',
    ]);
  });

  it.each([400, 404, 405, 501])('an EHR that says %i does not offer it, and that is no error', async (status) => {
    const { answer } = await asked({ status, body: anOutcome({ code: 'not-supported' }) });
    expect(await answer).toBeUndefined();
  });

  it.each([
    [{ status: 401 }, 'ehrRefused'],
    [{ status: 403 }, 'ehrRefused'],
    [{ status: 503 }, 'ehrUnavailable'],
    [{ status: 200, body: 'no FHIR' }, 'ehrAnswer'],
    [{ status: 200, body: {} }, 'ehrAnswer'],
  ] as const)('whoever is not let in, or gets no answer, is told so (%#)', async (given, code) => {
    const { answer } = await asked(given);
    await expect(answer).rejects.toMatchObject({ code });
  });

  it('what passes is tried again', async () => {
    const { answer, requests } = await asked({ status: 503 }, { status: 200, body: BUNDLE });
    expect(await answer).toEqual(BUNDLE);
    expect(requests).toHaveLength(2);
  });
});
