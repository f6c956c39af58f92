import { describe, expect, it, jest } from '@jest/globals';
import { AppError } from '../../../../src/domain/errors.ts';
import { makeCachedKnowledge } from '../../../../src/outbound/postgres/sites/cached-knowledge.ts';
import { makeFakeEhrKnowledge } from '../../../fakes/ehr-knowledge.ts';
import { makeFakeRuntime } from '../../../fakes/runtime.ts';

const REFUSED = { name: 'transaction', value: 'refused' } as const;

function aLab() {
  const runtime = makeFakeRuntime();
  const known = makeFakeEhrKnowledge();
  const recall = jest.fn(known.recall);
  return {
    runtime,
    known,
    recall,
    cached: makeCachedKnowledge({ knowledge: { ...known, recall }, runtime, cachedMs: 1_000 }),
  };
}

describe('The cache of what was learned about an EHR', () => {
  it('is read again only after its time', async () => {
    const { cached, known, recall, runtime } = aLab();
    await cached.recall('mercy', '1');
    await known.learn('mercy', '1', REFUSED);
    expect(await cached.recall('mercy', '1')).toEqual([]);
    expect(recall).toHaveBeenCalledTimes(1);
    runtime.advance(1_000);
    expect(await cached.recall('mercy', '1')).toMatchObject([REFUSED]);
  });

  it('shows at once what this engine learns or forgets', async () => {
    const { cached } = aLab();
    await cached.recall('mercy', '1');
    await cached.learn('mercy', '1', REFUSED);
    expect(await cached.recall('mercy', '1')).toMatchObject([REFUSED]);
    await cached.forget('mercy');
    expect(await cached.recall('mercy', '1')).toEqual([]);
  });

  it('keeps the facts of each site and software apart', async () => {
    const { cached } = aLab();
    await cached.learn('mercy', '1', REFUSED);
    expect(await cached.recall('mercy', '1')).toMatchObject([REFUSED]);
    expect(await cached.recall('clinic', '1')).toEqual([]);
    expect(await cached.recall('mercy', '2')).toEqual([]);
  });

  it('does not keep a failed read', async () => {
    const { cached, recall } = aLab();
    recall.mockRejectedValueOnce(new AppError('overloaded', 'no database'));
    await expect(cached.recall('mercy', '1')).rejects.toMatchObject({ code: 'overloaded' });
    expect(await cached.recall('mercy', '1')).toEqual([]);
  });
});
