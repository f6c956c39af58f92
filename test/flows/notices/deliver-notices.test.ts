// Notices are delivered until their channel has taken them, for a day at most, and by one engine at a time.
import { describe, expect, it } from '@jest/globals';
import { AppError, type ErrorCode } from '../../../src/domain/errors.ts';
import { makeDeliverNotices } from '../../../src/flows/notices/deliver-notices.ts';
import type { Notice } from '../../../src/ports/notices.ts';
import { makeFakeNotices } from '../../fakes/notices.ts';

const MINUTE_MS = 60_000;

function aRoom() {
  let time = Date.parse('2026-03-02T10:00:00Z');
  const now = () => new Date(time);
  const notices = makeFakeNotices({ now });
  const tried: string[] = [];
  const failures: { readonly id: string; readonly isGivenUp: boolean }[] = [];
  const answers = { failure: undefined as ErrorCode | undefined };
  const deliver = makeDeliverNotices({
    notices,
    sendNotice: async ({ id }) => {
      tried.push(id);
      if (answers.failure !== undefined) throw new AppError(answers.failure, 'It was not taken');
    },
    runtime: { now, chance: () => 0.5 },
    onFailed: ({ notice, isGivenUp }) => failures.push({ id: notice.id, isGivenUp }),
  });
  const add = (id: string, parts: Partial<Notice> = {}) => {
    const channel = { kind: 'mail', to: 'ana@example.org' } as const;
    return notices.add({ id, kind: 'red', channel, site: 'mercy', details: {}, ...parts });
  };
  return {
    add,
    tried,
    failures,
    answers,
    deliver: () => deliver(new AbortController().signal),
    stopped: () => deliver(AbortSignal.abort(new Error('the engine is stopping'))),
    pass: (ms: number) => {
      time += ms;
    },
  };
}

describe('a notice', () => {
  it('is sent once', async () => {
    const room = aRoom();
    await room.add('one');
    expect(await room.deliver()).toBe(false);
    room.pass(1_000 * MINUTE_MS);
    await room.deliver();
    expect([room.tried, room.failures]).toEqual([['one'], []]);
  });

  it('that was not taken is tried again at ever longer intervals, and given up after a day', async () => {
    const room = aRoom();
    await room.add('one');
    room.answers.failure = 'vendorUnavailable';
    const minutes: number[] = [];
    for (let minute = 0; minute <= 26 * 60; minute += 1) {
      const before = room.tried.length;
      await room.deliver();
      if (room.tried.length > before) minutes.push(minute);
      room.pass(MINUTE_MS);
    }
    expect(minutes.slice(0, 8)).toEqual([0, 1, 2, 4, 8, 16, 32, 64]);
    expect(minutes.length).toBeLessThan(25);
    expect(minutes.at(-1)).toBeLessThan(24 * 60);
    expect(room.failures.map(({ isGivenUp }) => isGivenUp)).toEqual(
      minutes.map((_, index) => index === minutes.length - 1),
    );
  });

  it('that is taken at last is not sent again', async () => {
    const room = aRoom();
    await room.add('one');
    room.answers.failure = 'vendorUnavailable';
    await room.deliver();
    room.answers.failure = undefined;
    room.pass(MINUTE_MS);
    await room.deliver();
    room.pass(1_000 * MINUTE_MS);
    await room.deliver();
    expect(room.tried).toEqual(['one', 'one']);
  });

  it.each(['vendorRejected', 'notConfigured'] as const)('is given up at once if it fails as %s', async (code) => {
    const room = aRoom();
    await room.add('one');
    room.answers.failure = code;
    await room.deliver();
    room.pass(1_000 * MINUTE_MS);
    await room.deliver();
    expect([room.tried, room.failures]).toEqual([['one'], [{ id: 'one', isGivenUp: true }]]);
  });

  it('does not hold the others up, and more are taken at once than one', async () => {
    const room = aRoom();
    for (let count = 0; count < 12; count += 1) await room.add(`n-${count}`);
    expect(await room.deliver()).toBe(true);
    expect(await room.deliver()).toBe(false);
    expect(room.tried).toHaveLength(12);
  });

  it('that an engine was sending when it stopped is sent by the next one', async () => {
    const room = aRoom();
    await room.add('one');
    room.answers.failure = 'vendorUnavailable';
    await room.stopped();
    expect(room.failures).toEqual([]);
    room.answers.failure = undefined;
    room.pass(2 * MINUTE_MS);
    await room.deliver();
    expect(room.tried).toEqual(['one', 'one']);
  });
});
