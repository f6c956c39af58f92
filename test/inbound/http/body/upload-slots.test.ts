import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../../../src/domain/errors.ts';
import { makeUploadSlots } from '../../../../src/inbound/http/body/upload-slots.ts';

const CLINIC = 'clinic';
const never = new AbortController().signal;

describe('upload slots', () => {
  it('admit their maximum number of uploads, and the next in the queue when one leaves', async () => {
    const slots = makeUploadSlots({ max: 2 });
    const leaveFirst = await slots.enter(CLINIC, never);
    await slots.enter(CLINIC, never);
    const order: string[] = [];
    const third = slots.enter(CLINIC, never).then((leave) => {
      order.push('third');
      return { leave };
    });
    const fourth = slots.enter(CLINIC, never).then((leave) => {
      order.push('fourth');
      leave();
    });
    expect([slots.inFlight(), slots.waiting()]).toEqual([2, 2]);
    leaveFirst();
    const { leave: leaveThird } = await third;
    expect(order).toEqual(['third']);
    expect([slots.inFlight(), slots.waiting()]).toEqual([2, 1]);
    leaveThird();
    await fourth;
    expect([slots.inFlight(), slots.waiting()]).toEqual([1, 0]);
  });

  it('are released once, however often release is called', async () => {
    const slots = makeUploadSlots({ max: 2 });
    const leave = await slots.enter(CLINIC, never);
    await slots.enter(CLINIC, never);
    leave();
    leave();
    leave();
    expect(slots.inFlight()).toBe(1);
  });

  it('tell an upload to try again after its wait has timed out', async () => {
    const slots = makeUploadSlots({ max: 1, waitMs: 20 });
    const leave = await slots.enter(CLINIC, never);
    await expect(slots.enter(CLINIC, never)).rejects.toMatchObject({ code: 'overloaded', retryAfterSeconds: 10 });
    expect(slots.waiting()).toBe(0);
    leave();
    expect(slots.inFlight()).toBe(0);
  });

  it('refuse an upload at once if the queue is full', async () => {
    const slots = makeUploadSlots({ max: 1, maxWaiting: 1 });
    await slots.enter(CLINIC, never);
    const waiting = new AbortController();
    const second = slots.enter(CLINIC, waiting.signal);
    await expect(slots.enter(CLINIC, never)).rejects.toMatchObject({ code: 'overloaded' });
    waiting.abort(new AppError('cancelled', 'gone'));
    await expect(second).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('remove an upload from the queue if its client disconnects', async () => {
    const slots = makeUploadSlots({ max: 1 });
    const leave = await slots.enter(CLINIC, never);
    const client = new AbortController();
    const waiting = slots.enter(CLINIC, client.signal);
    client.abort(new AppError('cancelled', 'gone'));
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    leave();
    expect([slots.inFlight(), slots.waiting()]).toEqual([0, 0]);
  });

  it('do not admit an upload whose client has already disconnected', async () => {
    const slots = makeUploadSlots({ max: 1 });
    await expect(slots.enter(CLINIC, AbortSignal.abort(new AppError('cancelled', 'gone')))).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(slots.inFlight()).toBe(0);
  });

  it('admit another organization at once, however many uploads of the first one are in progress and wait', async () => {
    const slots = makeUploadSlots({ max: 2, maxWaiting: 1 });
    const waiting = new AbortController();
    await slots.enter(CLINIC, never);
    await slots.enter(CLINIC, never);
    const third = slots.enter(CLINIC, waiting.signal);
    const leave = await slots.enter('another clinic', never);
    expect([slots.inFlight(), slots.waiting()]).toEqual([3, 1]);
    leave();
    expect([slots.inFlight(), slots.waiting()]).toEqual([2, 1]);
    waiting.abort(new AppError('cancelled', 'gone'));
    await expect(third).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('have a queue for each organization', async () => {
    const slots = makeUploadSlots({ max: 1, maxWaiting: 1 });
    const clients = new AbortController();
    await slots.enter(CLINIC, never);
    await slots.enter('another clinic', never);
    const waiting = [slots.enter(CLINIC, clients.signal), slots.enter('another clinic', clients.signal)];
    await expect(slots.enter(CLINIC, never)).rejects.toMatchObject({ code: 'overloaded' });
    clients.abort(new AppError('cancelled', 'gone'));
    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('admit no more other organizations than their limit', async () => {
    const slots = makeUploadSlots({ max: 1, maxBeyond: 1, waitMs: 20 });
    await slots.enter(CLINIC, never);
    await slots.enter('another clinic', never);
    await expect(slots.enter('a third clinic', never)).rejects.toMatchObject({ code: 'overloaded' });
  });
});
