import { describe, expect, it } from '@jest/globals';
import { makeReasoner } from '../../src/composition/make-reasoner.ts';
import { readConfig } from '../../src/config.ts';
import { aHistory, aNoteRequest } from '../contracts/reasoner-contract.ts';

type Call = Parameters<Parameters<typeof makeReasoner>[1]>[0];

const signal = new AbortController().signal;

async function choose(environment: Readonly<Record<string, string>> = {}) {
  const calls: Call[] = [];
  return { calls, reasoner: await makeReasoner(readConfig(environment), (call) => calls.push(call)) };
}

describe('the choice of the reasoner', () => {
  it.each([[{ OPENAI_API_KEY: 'made-up' }], [{ OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }]])(
    'is the model if %j is set',
    async (environment) => {
      const { reasoner } = await choose(environment);
      expect(reasoner.engine).toBe('openai:gpt-5.4');
    },
  );

  it('is the rules with their knowledge if nothing is set', async () => {
    const { reasoner } = await choose();
    expect(reasoner.engine).toMatch(/^builtin:rules@\d+$/);
    expect(reasoner.prompt).toMatch(/^[0-9a-f]{12}$/);
  });

  it('reports the calls of the rules like those of a vendor', async () => {
    const { reasoner, calls } = await choose();
    await reasoner.diagnose(aHistory, signal);
    await reasoner.writeNote(aNoteRequest, signal);
    for await (const { kind } of reasoner.streamDiagnosis(aHistory, signal)) if (kind === 'progress') break;
    await expect(reasoner.diagnose(aHistory, AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
    expect(calls.map(({ vendor, operation, outcome }) => [vendor, operation, outcome])).toEqual([
      ['builtin', 'diagnose', 'success'],
      ['builtin', 'note', 'success'],
      ['builtin', 'stream', 'cancelled'],
      ['builtin', 'diagnose', 'cancelled'],
    ]);
  });
});
