import { describe, expect, it } from '@jest/globals';
import { makeAbsentReasoner } from '../../../src/outbound/builtin/absent-reasoner.ts';
import { aHistory, aNoteRequest } from '../../contracts/reasoner-contract.ts';

describe('Where no reasoner is configured', () => {
  const reasoner = makeAbsentReasoner('No reasoner: set OPENAI_API_KEY');
  const signal = new AbortController().signal;
  const refusal = { name: 'AppError', code: 'notConfigured', message: 'No reasoner: set OPENAI_API_KEY' };

  it('nobody is named as the engine', () => {
    expect(reasoner.engine).toBeUndefined();
  });

  it('every question is refused with the setting to make, and nothing is answered', async () => {
    await expect(reasoner.diagnose(aHistory, signal)).rejects.toMatchObject(refusal);
    await expect(reasoner.writeNote(aNoteRequest, signal)).rejects.toMatchObject(refusal);
    const stream = reasoner.streamDiagnosis(aHistory, signal)[Symbol.asyncIterator]();
    await expect(stream.next()).rejects.toMatchObject(refusal);
  });
});
