import { describe, expect, it } from '@jest/globals';
import { makeCircuit } from '../../../src/domain/run/circuit.ts';
import { fc } from '../../support/fast-check.ts';

const goes = { mayCall: true };

/** Three callers in a row have failed at the moment 0. */
function anOpenCircuit() {
  const circuit = makeCircuit();
  for (const run of ['a', 'b', 'c']) {
    circuit.enter(run, 0);
    circuit.failed(run, 0);
  }
  return circuit;
}

describe('the circuit of a service', () => {
  it('a working service is open to every caller', () => {
    const circuit = makeCircuit();
    expect(circuit.enter('a', 0)).toEqual(goes);
    expect(circuit.succeeded('a')).toBe(false);
    expect(circuit.openForMs(0)).toBeUndefined();
  });

  it('one failure does not stop the calls: it may be the fault of the caller', () => {
    const circuit = makeCircuit();
    expect(circuit.failed('a', 0)).toEqual({ isOwnFault: false, retryInMs: 1_000 });
    expect(circuit.enter('b', 0)).toEqual(goes);
  });

  it('three failures in a row stop the calls for five seconds, and then one caller probes', () => {
    const circuit = anOpenCircuit();
    expect(circuit.enter('d', 0)).toEqual({ mayCall: false, retryInMs: 5_000 });
    expect(circuit.enter('d', 4_999)).toEqual({ mayCall: false, retryInMs: 1 });
    expect(circuit.enter('d', 5_000)).toEqual(goes);
    expect(circuit.enter('e', 5_000)).toEqual({ mayCall: false, retryInMs: 1_000 });
  });

  it('the pauses double after each failed probe, up to a minute', () => {
    const circuit = anOpenCircuit();
    let now = 5_000;
    const pauses: number[] = [];
    for (let probe = 0; probe < 6; probe += 1) {
      expect(circuit.enter('a', now)).toEqual(goes);
      const { retryInMs } = circuit.failed('a', now);
      pauses.push(retryInMs);
      now += retryInMs;
    }
    expect(pauses).toEqual([10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
  });

  it('a probe that succeeds lets all callers through at once, and reports that the service recovered', () => {
    const circuit = anOpenCircuit();
    circuit.enter('d', 5_000);
    expect(circuit.succeeded('d')).toBe(true);
    expect(circuit.enter('e', 5_000)).toEqual(goes);
    expect(circuit.openForMs(5_000)).toBeUndefined();
  });

  it('after a probe that was abandoned the next caller probes', () => {
    const circuit = anOpenCircuit();
    circuit.enter('d', 5_000);
    circuit.abandoned('d');
    expect(circuit.enter('e', 5_000)).toEqual(goes);
  });

  it('no caller is at fault while the service serves no caller', () => {
    const circuit = anOpenCircuit();
    circuit.enter('a', 5_000);
    expect(circuit.failed('a', 5_000).isOwnFault).toBe(false);
  });

  it('a caller that fails again while others are served is at fault', () => {
    const circuit = makeCircuit();
    expect(circuit.failed('poison', 0).isOwnFault).toBe(false);
    circuit.succeeded('b');
    expect(circuit.failed('poison', 1).isOwnFault).toBe(true);
    // It does not stop the calls of others.
    circuit.succeeded('c');
    expect(circuit.failed('poison', 2).isOwnFault).toBe(true);
    expect(circuit.enter('d', 2)).toEqual(goes);
  });

  it('after any sequence of results the circuit lets a call through within a minute, and one caller at a time while it probes', () => {
    const act = fc.record({
      run: fc.constantFrom('a', 'b', 'c', 'd'),
      what: fc.constantFrom('enter', 'succeeded', 'failed', 'gaveUp'),
      ms: fc.integer({ min: 0, max: 10_000 }),
    });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const circuit = makeCircuit();
        const inside = new Set<string>();
        let now = 0;
        for (const { run, what, ms } of acts) {
          now += ms;
          const wasStopped = circuit.openForMs(now) !== undefined;
          if (what === 'enter') {
            if (inside.has(run)) continue;
            const entered = circuit.enter(run, now);
            if (entered.mayCall) inside.add(run);
            else expect(entered.retryInMs).toBeLessThanOrEqual(60_000);
            if (wasStopped && entered.mayCall) {
              expect(circuit.enter('another', now).mayCall).toBe(false);
            }
          } else if (inside.delete(run)) {
            if (what === 'succeeded') circuit.succeeded(run);
            else if (what === 'failed') expect(circuit.failed(run, now).retryInMs).toBeLessThanOrEqual(60_000);
            else circuit.abandoned(run);
          }
        }
        for (const run of inside) circuit.abandoned(run);
        expect(circuit.enter('last', now + 60_000)).toEqual(goes);
      }),
    );
  });
});
