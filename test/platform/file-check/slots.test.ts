import { describe, expect, it } from '@jest/globals';
import { makeSlots } from '../../../src/platform/file-check/slots.ts';

const never = new AbortController().signal;

describe('a few at once', () => {
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

  it('never lets more in than there are places, whoever comes at the moment when one becomes free', async () => {
    const slots = makeSlots(1);
    let inside = 0;
    let most = 0;
    const visit = async () => {
      const giveBack = await slots.take(never);
      inside += 1;
      most = Math.max(most, inside);
      await Promise.resolve();
      inside -= 1;
      giveBack();
    };
    await Promise.all(Array.from({ length: 50 }, () => visit().then(visit)));
    expect(most).toBe(1);
  });

  it('lets who gives up while waiting leave the line, and keeps the place for the next one', async () => {
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

  it('does not let in who has given up before', async () => {
    await expect(makeSlots(1).take(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  });
});
