import { describe, expect, it } from '@jest/globals';
import { makeCheckDisk } from '../../../src/flows/health/check-disk.ts';

describe('the health of the disk', () => {
  it.each([
    [true, 'ok', /room/],
    [false, 'degraded', /The disk of \.data \(DATA_DIR\) is full: less than 512 MiB/],
  ])('with room: %s, it is %s', async (hasRoom, status, detail) => {
    const check = makeCheckDisk({ spool: { hasRoom: async () => hasRoom }, folder: '.data', minFreeMib: 512 });
    expect(await check()).toEqual({ name: 'disk', status, detail: expect.stringMatching(detail) });
  });
});
