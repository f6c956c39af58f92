import { describe, expect, it } from '@jest/globals';
import { BodyPace } from '../../../../src/inbound/http/body/body-pace.ts';

const RATE = { bytesPerSecond: 1_000, windowMs: 10_000, graceMs: 10_000 };

describe('the pace of a body', () => {
  it('is not checked during the grace period', () => {
    const pace = new BodyPace(RATE);
    expect(pace.isTooSlow(9_999)).toBe(false);
    expect(pace.isTooSlow(10_000)).toBe(true);
  });

  it('is sufficient at exactly the minimum rate, and not below', () => {
    const pace = new BodyPace(RATE);
    for (let second = 0; second < 60; second += 1) {
      pace.waited(1_000);
      pace.received(1_000);
    }
    expect(pace.isTooSlow()).toBe(false);
    for (let second = 0; second < 10; second += 1) {
      pace.waited(1_000);
      pace.received(900);
    }
    expect(pace.isTooSlow()).toBe(true);
  });

  it('ignores bytes from before the window', () => {
    const pace = new BodyPace(RATE);
    pace.received(50_000_000);
    pace.waited(9_000);
    expect(pace.isTooSlow(500)).toBe(false);
    expect(pace.isTooSlow(10_000)).toBe(true);
  });

  it('tolerates a pause that the rest of the window makes up for', () => {
    const pace = new BodyPace(RATE);
    pace.waited(6_000);
    pace.received(10_000);
    expect(pace.isTooSlow(9_000)).toBe(false);
  });

  it('does not store every small chunk', () => {
    const pace = new BodyPace(RATE);
    for (let drop = 0; drop < 100_000; drop += 1) {
      pace.waited(0.1);
      pace.received(1);
    }
    expect(pace.isTooSlow()).toBe(false);
    pace.waited(1);
    expect(pace.isTooSlow(9_900)).toBe(true);
  });
});
