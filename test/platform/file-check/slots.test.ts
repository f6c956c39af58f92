import { describe, expect, it } from '@jest/globals';
import { makeSlots } from '../../../src/platform/file-check/slots.ts';

const never = new AbortController().signal;

describe('slots for a few callers at once', () => {
  it('lets the others in one by one, in the order in which they came', async () => {
    const slots = makeSlots(2);
    const order: string[] = [];
    const enter = async (name: string) => {
      const giveBack = await slots.take(never);
      order.push(name);
      return giveBack;
    };
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

  it('lets no other caller in while a place goes to the waiting one', async () => {
    const slots = makeSlots(1);
    const order: string[] = [];
    const enter = (name: string) => slots.take(never).finally(() => order.push(name));
    const first = await enter('first');
    const second = enter('second');
    first();
    const third = enter('third');
    (await second)();
    expect(order).toEqual(['first', 'second']);
    (await third)();
    expect(order).toEqual(['first', 'second', 'third']);
  });

  it('drops a waiting caller that aborts, and gives the place to the next one', async () => {
    const slots = makeSlots(1);
    const leaver = new AbortController();
    const first = await slots.take(never);
    const second = slots.take(leaver.signal);
    const third = slots.take(never);
    leaver.abort(new Error('the client left'));
    await expect(second).rejects.toThrow('the client left');
    first();
    (await third)();
    expect(await slots.take(never)).toBeDefined();
  });

  it('does not let in a caller that has aborted before', async () => {
    await expect(makeSlots(1).take(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  });
});
