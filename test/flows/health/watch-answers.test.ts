import { describe, expect, it } from '@jest/globals';
import { type AnswerChange, makeWatchAnswers } from '../../../src/flows/health/watch-answers.ts';

const HOUR_MS = 3_600_000;
const OLD = { model: 'gpt-5.4-2026-03-05', fingerprint: 'fp_1' };
const NEW = { model: 'gpt-5.4-2026-05-01', fingerprint: 'fp_1' };

function aWatch() {
  let nowMs = Date.parse('2026-05-02T08:00:00Z');
  const changes: AnswerChange[] = [];
  const watch = makeWatchAnswers({ now: () => new Date(nowMs), onChange: (change) => changes.push(change) });
  return { watch, changes, pass: (ms: number) => (nowMs += ms) };
}

describe('The watch over which model answers', () => {
  it('finds nothing in the first answer, and in further ones of the same model', () => {
    const { watch, changes } = aWatch();
    expect(watch.current()).toEqual({});
    for (let count = 0; count < 3; count += 1) watch.note(OLD);
    expect(changes).toEqual([]);
    expect(watch.current()).toEqual({ last: 'gpt-5.4-2026-03-05 fp_1' });
  });

  it.each([
    ['another model', NEW, 'gpt-5.4-2026-05-01 fp_1'],
    ['another fingerprint', { ...OLD, fingerprint: 'fp_2' }, 'gpt-5.4-2026-03-05 fp_2'],
  ])('finds %s, once', (_, next, name) => {
    const { watch, changes, pass } = aWatch();
    watch.note(OLD);
    pass(HOUR_MS);
    watch.note(next);
    watch.note(next);
    const change = { from: 'gpt-5.4-2026-03-05 fp_1', to: name, at: new Date('2026-05-02T09:00:00Z') };
    expect(changes).toEqual([change]);
    expect(watch.current()).toEqual({ last: name, change });
  });

  it('does not repeat itself while a vendor answers with two models in turn, but does when one comes back after a day', () => {
    const { watch, changes, pass } = aWatch();
    for (let count = 0; count < 4; count += 1) {
      watch.note(OLD);
      watch.note(NEW);
    }
    expect(changes.length).toBe(1);
    pass(25 * HOUR_MS);
    watch.note(NEW);
    watch.note(OLD);
    expect(changes.map(({ to }) => to)).toEqual(['gpt-5.4-2026-05-01 fp_1', 'gpt-5.4-2026-03-05 fp_1']);
  });

  it('finds a change that happened before the process started', () => {
    const { watch, changes } = aWatch();
    watch.remember('gpt-5.4-2026-03-05 fp_1');
    watch.note(NEW);
    expect(changes.length).toBe(1);
  });

  it('does not let an old answer replace one that was seen', () => {
    const { watch, changes } = aWatch();
    watch.note(NEW);
    watch.remember('gpt-5.4-2026-03-05 fp_1');
    watch.note(NEW);
    expect(changes).toEqual([]);
  });
});
