// What was learned of EHRs is asked for once in a while, and what is news is known at once.
import { describe, expect, jest, test } from '@jest/globals';
import { AppError } from '../../../src/domain/errors.ts';
import { keepKnowledge } from '../../../src/outbound/postgres/cached-knowledge.ts';
import { makeFakeEhrKnowledge } from '../../fakes/ehr-knowledge.ts';
import { makeFakeRuntime } from '../../fakes/runtime.ts';

const REFUSED = { name: 'transaction', value: 'refused' } as const;

function aLab() {
  const runtime = makeFakeRuntime();
  const known = makeFakeEhrKnowledge();
  const recall = jest.fn(known.recall);
  return { runtime, known, recall, kept: keepKnowledge({ knowledge: { ...known, recall }, runtime, keptMs: 1_000 }) };
}

describe('what was learned of an EHR', () => {
  test('is asked for once in a while', async () => {
    const { kept, known, recall, runtime } = aLab();
    await kept.recall('mercy', '1');
    await known.learn('mercy', '1', REFUSED);
    expect(await kept.recall('mercy', '1')).toEqual([]);
    expect(recall).toHaveBeenCalledTimes(1);
    runtime.advance(1_000);
    expect(await kept.recall('mercy', '1')).toMatchObject([REFUSED]);
  });

  test('is known at once where it was learned here, and gone at once where it is forgotten here', async () => {
    const { kept } = aLab();
    await kept.recall('mercy', '1');
    await kept.learn('mercy', '1', REFUSED);
    expect(await kept.recall('mercy', '1')).toMatchObject([REFUSED]);
    await kept.forget('mercy');
    expect(await kept.recall('mercy', '1')).toEqual([]);
  });

  test('is that of each site, and of its software of today', async () => {
    const { kept } = aLab();
    await kept.learn('mercy', '1', REFUSED);
    expect(await kept.recall('mercy', '1')).toMatchObject([REFUSED]);
    expect(await kept.recall('clinic', '1')).toEqual([]);
    expect(await kept.recall('mercy', '2')).toEqual([]);
  });

  test('is asked for again after a failure', async () => {
    const { kept, recall } = aLab();
    recall.mockRejectedValueOnce(new AppError('overloaded', 'no database'));
    await expect(kept.recall('mercy', '1')).rejects.toMatchObject({ code: 'overloaded' });
    expect(await kept.recall('mercy', '1')).toEqual([]);
  });
});
