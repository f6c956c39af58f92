// Tests requests about a Subscription.
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

describe('A request about a Subscription', () => {
  it('is sent to the Subscription, with its event numbers', async () => {
    const { answer, requests } = await asked({ status: 200, body: BUNDLE });
    expect(await answer).toEqual(BUNDLE);
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET Subscription/7/$events?eventsSinceNumber=4&eventsUntilNumber=6',
    ]);
  });

  it.each([400, 404, 405, 501])('is not supported by an EHR that answers %i, which is not an error', async (status) => {
    const { answer } = await asked({ status, body: anOutcome({ code: 'not-supported' }) });
    expect(await answer).toBeUndefined();
  });

  it.each([
    [{ status: 401 }, 'ehrUnavailable'],
    [{ status: 403 }, 'ehrRefused'],
    [{ status: 503 }, 'ehrUnavailable'],
    [{ status: 200, body: 'no FHIR' }, 'ehrAnswer'],
    [{ status: 200, body: {} }, 'ehrAnswer'],
  ] as const)('fails if it is refused or has no valid answer (%#)', async (given, code) => {
    const { answer } = await asked(given);
    await expect(answer).rejects.toMatchObject({ code });
  });

  it('is tried again after a passing failure', async () => {
    const { answer, requests } = await asked({ status: 503 }, { status: 200, body: BUNDLE });
    expect(await answer).toEqual(BUNDLE);
    expect(requests).toHaveLength(2);
  });
});
