import { describe, expect, it } from '@jest/globals';
import { makeWorkClock } from '../../../src/rules/thread/work-clock.ts';

describe('the clock of the rules', () => {
  it('ends work whose processor time is over, and counts anew for the next', () => {
    let now = 100;
    const clock = makeWorkClock(2_000, () => now);
    clock.check();
    clock.begin();
    now = 2_100;
    clock.check();
    now = 2_101;
    expect(clock.check).toThrow(expect.objectContaining({ code: 'payloadTooLarge' }));
    clock.begin();
    clock.check();
  });

  it('does not count the time of others', () => {
    const clock = makeWorkClock(50);
    clock.begin();
    // Waiting takes no processor time.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    clock.check();
  });
});
