// What every store of plans promises.
import { describe, expect, it } from '@jest/globals';
import { INITIAL_PLANS } from '../../src/domain/access/plan.ts';
import type { Plans } from '../../src/ports/keys.ts';

export function plansContract(name: string, makeSubject: () => Promise<Plans>): void {
  describe(`the plans of ${name}`, () => {
    it('hold the initial plans from the start', async () => {
      const plans = await makeSubject();
      for (const plan of INITIAL_PLANS) expect(await plans.find(plan.name)).toEqual(plan);
    });

    it('do not know a plan that was never created', async () => {
      expect(await (await makeSubject()).find('gold')).toBeUndefined();
    });

    it('keep each number of a new plan, and none that was not given', async () => {
      const plans = await makeSubject();
      const plan = {
        name: 'ward',
        requestsPerMinute: 5,
        requestsPerMonth: 9_000_000_000,
        audioSecondsPerMonth: 3600.5,
      };
      expect(await plans.put(plan)).toEqual(plan);
      expect(await plans.find('ward')).toEqual(plan);
      await plans.put({ name: 'ward', requestsPerMinute: 0 });
      expect(await plans.find('ward')).toEqual({ name: 'ward', requestsPerMinute: 0 });
    });

    it('are listed by name', async () => {
      const plans = await makeSubject();
      await plans.put({ name: 'a-plan' });
      expect((await plans.list()).map((plan) => plan.name)).toEqual(['a-plan', 'standard', 'unlimited']);
    });
  });
}
