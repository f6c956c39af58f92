import { describe, expect, it } from '@jest/globals';
import { makeFairSlots } from '../../src/platform/fair-slots.ts';

const never = new AbortController().signal;

/** Enters, and writes the name down when the slot is there. */
function recorder(limits: { readonly shared: number; readonly most: number }) {
  const slots = makeFairSlots(limits);
  const order: string[] = [];
  const enter = async (name: string, owner = 'one') => {
    const giveBack = await slots.take(owner, never);
    order.push(name);
    return giveBack;
  };
  return { slots, order, enter };
}

describe('slots of one owner', () => {
  it('are given one by one, in the order in which the callers came', async () => {
    const { order, enter } = recorder({ shared: 2, most: 4 });
    const first = await enter('first');
    const second = await enter('second');
    const third = enter('third');
    const fourth = enter('fourth');
    await Promise.resolve();
    expect(order).toEqual(['first', 'second']);
    second();
    (await third)();
    first();
    (await fourth)();
    expect(order).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it('go to the waiting caller, and not to one that comes in that moment', async () => {
    const { order, enter } = recorder({ shared: 1, most: 1 });
    const first = await enter('first');
    const second = enter('second');
    first();
    const third = enter('third');
    (await second)();
    (await third)();
    expect(order).toEqual(['first', 'second', 'third']);
  });

  it('are given back once, however often the caller says so', async () => {
    const { slots, enter } = recorder({ shared: 2, most: 2 });
    const giveBack = await enter('first');
    await enter('second');
    giveBack();
    giveBack();
    expect(slots.inUse()).toBe(1);
  });

  it('are not kept for a caller that aborts while it waits', async () => {
    const { slots, enter } = recorder({ shared: 1, most: 1 });
    const leaver = new AbortController();
    const first = await enter('first');
    const second = slots.take('one', leaver.signal);
    const third = enter('third');
    leaver.abort(new Error('the client left'));
    await expect(second).rejects.toThrow('the client left');
    first();
    (await third)();
    expect([slots.inUse(), slots.waiting()]).toEqual([0, 0]);
  });

  it('are not given to a caller that has aborted before', async () => {
    const { slots } = recorder({ shared: 1, most: 1 });
    await expect(slots.take('one', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  });
});

describe('slots of several owners', () => {
  it('are there at once for an owner that has none, however many another one has and waits for', async () => {
    const { slots, order, enter } = recorder({ shared: 2, most: 3 });
    await enter('a1', 'a');
    await enter('a2', 'a');
    void enter('a3', 'a');
    void enter('a4', 'a');
    (await enter('b1', 'b'))();
    (await enter('c1', 'c'))();
    expect(order).toEqual(['a1', 'a2', 'b1', 'c1']);
    expect([slots.inUse(), slots.waiting('a'), slots.waiting('b')]).toEqual([2, 2, 0]);
  });

  it('are there for the next work of an owner as soon as its own work before has ended', async () => {
    const { enter, order } = recorder({ shared: 1, most: 3 });
    await enter('a1', 'a');
    void enter('a2', 'a');
    const first = await enter('b1', 'b');
    const second = enter('b2', 'b');
    first();
    await second;
    expect(order).toEqual(['a1', 'b1', 'b2']);
  });

  it('go first to the waiting owner that has the fewest', async () => {
    const { enter, order } = recorder({ shared: 2, most: 2 });
    const first = await enter('a1', 'a');
    await enter('a2', 'a');
    void enter('a3', 'a');
    const other = enter('b1', 'b');
    first();
    await other;
    expect(order).toEqual(['a1', 'a2', 'b1']);
  });

  it('are never more than the limit of all', async () => {
    const { slots, enter } = recorder({ shared: 1, most: 2 });
    await enter('a1', 'a');
    const second = await enter('b1', 'b');
    const third = enter('c1', 'c');
    expect([slots.inUse(), slots.waiting()]).toEqual([2, 1]);
    second();
    await third;
    expect([slots.inUse(), slots.waiting()]).toEqual([2, 0]);
  });
});
