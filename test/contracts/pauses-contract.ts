// What every store of pauses promises.
import { describe, expect, it } from '@jest/globals';
import type { Pauses } from '../../src/ports/feeds.ts';

export function pausesContract(name: string, makeSubject: () => Promise<Pauses>): void {
  describe(`the pauses of ${name}`, () => {
    it('are shown for all sites at once, with their reason and since when', async () => {
      const pauses = await makeSubject();
      expect(await pauses.current()).toEqual([]);
      await pauses.pause('mercy', 'write', 'the chart is being upgraded');
      await pauses.pause('clinic', 'all', 'holiday');
      await pauses.pause('mercy', 'intake', 'a wrong trigger');
      const since = expect.any(Date);
      expect(await pauses.current()).toEqual([
        { site: 'clinic', what: 'all', reason: 'holiday', since },
        { site: 'mercy', what: 'intake', reason: 'a wrong trigger', since },
        { site: 'mercy', what: 'write', reason: 'the chart is being upgraded', since },
      ]);
    });

    it('take a new reason and keep their start if an operator pauses again', async () => {
      const pauses = await makeSubject();
      await pauses.pause('mercy', 'model', 'slow');
      const [before] = await pauses.current();
      await pauses.pause('mercy', 'model', 'still slow');
      expect(await pauses.current()).toEqual([{ ...before, reason: 'still slow' }]);
    });

    it('end one by one, and not those of other sites', async () => {
      const pauses = await makeSubject();
      for (const what of ['write', 'model'] as const) await pauses.pause('mercy', what, 'x');
      await pauses.pause('clinic', 'write', 'x');
      expect(await pauses.resume('mercy', 'write')).toBe(true);
      expect(await pauses.resume('mercy', 'write')).toBe(false);
      expect(await pauses.resume('mercy', 'intake')).toBe(false);
      expect(await pauses.current()).toMatchObject([
        { site: 'clinic', what: 'write' },
        { site: 'mercy', what: 'model' },
      ]);
    });

    it('end all at once for a site where everything is resumed', async () => {
      const pauses = await makeSubject();
      for (const what of ['all', 'write', 'model'] as const) await pauses.pause('mercy', what, 'x');
      await pauses.pause('clinic', 'all', 'x');
      expect(await pauses.resume('mercy', 'all')).toBe(true);
      expect(await pauses.current()).toMatchObject([{ site: 'clinic', what: 'all' }]);
      expect(await pauses.resume('mercy', 'all')).toBe(false);
    });
  });
}
