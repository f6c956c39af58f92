import { describe, expect, test } from '@jest/globals';
import { makeServiceLine } from '../../../src/domain/run/service-line.ts';
import { fc } from '../../support/fast-check.ts';

const goes = { mayGo: true };

/** Three runs in a row find nobody there, at the moment 0. */
function aLineThatIsDown() {
  const line = makeServiceLine();
  for (const run of ['a', 'b', 'c']) {
    line.enter(run, 0);
    line.failed(run, 0);
  }
  return line;
}

describe('the line of a service', () => {
  test('is open to everybody while the service works', () => {
    const line = makeServiceLine();
    expect(line.enter('a', 0)).toEqual(goes);
    expect(line.succeeded('a')).toBe(false);
    expect(line.stoppedForMs(0)).toBeUndefined();
  });

  test('one failure does not stop it: it may be the run itself', () => {
    const line = makeServiceLine();
    expect(line.failed('a', 0)).toEqual({ isOwnFault: false, retryInMs: 1_000 });
    expect(line.enter('b', 0)).toEqual(goes);
  });

  test('three in a row stop it for five seconds, and then one run probes', () => {
    const line = aLineThatIsDown();
    expect(line.enter('d', 0)).toEqual({ mayGo: false, retryInMs: 5_000 });
    expect(line.enter('d', 4_999)).toEqual({ mayGo: false, retryInMs: 1 });
    expect(line.enter('d', 5_000)).toEqual(goes);
    expect(line.enter('e', 5_000)).toEqual({ mayGo: false, retryInMs: 1_000 });
  });

  test('the pauses double up to a minute', () => {
    const line = aLineThatIsDown();
    let now = 5_000;
    const pauses: number[] = [];
    for (let probe = 0; probe < 6; probe += 1) {
      expect(line.enter('a', now)).toEqual(goes);
      const { retryInMs } = line.failed('a', now);
      pauses.push(retryInMs);
      now += retryInMs;
    }
    expect(pauses).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
  });

  test('a probe that succeeds opens it at once, and those who wait are to be told', () => {
    const line = aLineThatIsDown();
    line.enter('d', 5_000);
    expect(line.succeeded('d')).toBe(true);
    expect(line.enter('e', 5_000)).toEqual(goes);
    expect(line.stoppedForMs(5_000)).toBeUndefined();
  });

  test('a probe that ends for another reason says nothing: the next one probes', () => {
    const line = aLineThatIsDown();
    line.enter('d', 5_000);
    line.gaveUp('d');
    expect(line.enter('e', 5_000)).toEqual(goes);
  });

  test('nobody is to blame while nobody is served', () => {
    const line = aLineThatIsDown();
    line.enter('a', 5_000);
    expect(line.failed('a', 5_000).isOwnFault).toBe(false);
  });

  test('who fails again while others are served is to blame', () => {
    const line = makeServiceLine();
    expect(line.failed('poison', 0).isOwnFault).toBe(false);
    line.succeeded('b');
    expect(line.failed('poison', 1).isOwnFault).toBe(true);
    // And it stops the line for nobody.
    line.succeeded('c');
    expect(line.failed('poison', 2).isOwnFault).toBe(true);
    expect(line.enter('d', 2)).toEqual(goes);
  });

  test('whatever happens, it opens again within a minute, to at most one run at a time', () => {
    const act = fc.record({
      run: fc.constantFrom('a', 'b', 'c', 'd'),
      what: fc.constantFrom('enter', 'succeeded', 'failed', 'gaveUp'),
      ms: fc.integer({ min: 0, max: 10_000 }),
    });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const line = makeServiceLine();
        const inside = new Set<string>();
        let now = 0;
        for (const { run, what, ms } of acts) {
          now += ms;
          const wasStopped = line.stoppedForMs(now) !== undefined;
          if (what === 'enter') {
            if (inside.has(run)) continue;
            const entered = line.enter(run, now);
            if (entered.mayGo) inside.add(run);
            else expect(entered.retryInMs).toBeLessThanOrEqual(60_000);
            if (wasStopped && entered.mayGo) {
              expect(line.enter('somebody else', now).mayGo).toBe(false);
            }
          } else if (inside.delete(run)) {
            if (what === 'succeeded') line.succeeded(run);
            else if (what === 'failed') expect(line.failed(run, now).retryInMs).toBeLessThanOrEqual(60_000);
            else line.gaveUp(run);
          }
        }
        for (const run of inside) line.gaveUp(run);
        expect(line.enter('last', now + 60_000)).toEqual(goes);
      }),
    );
  });
});
