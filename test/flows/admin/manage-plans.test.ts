import { describe, expect, it } from '@jest/globals';
import { makeManagePlans } from '../../../src/flows/admin/manage-plans.ts';
import { makeFakePlans } from '../../fakes/plans.ts';

describe('plans', () => {
  it('a new installation has one plan with a limit and one without', async () => {
    const plans = await makeManagePlans({ plans: makeFakePlans() }).list();
    expect(plans).toEqual([{ name: 'standard', requestsPerMinute: 600 }, { name: 'unlimited' }]);
  });

  it('plans are listed by name', async () => {
    const inStore = [{ name: 'zebra' }, { name: 'ant' }];
    const { list } = makeManagePlans({ plans: { ...makeFakePlans(), list: async () => inStore } });
    expect(await list()).toEqual([{ name: 'ant' }, { name: 'zebra' }]);
  });

  it('a change replaces all limits of a plan: a limit that is left out is removed', async () => {
    const { put, list } = makeManagePlans({ plans: makeFakePlans() });
    await put({ name: 'standard', requestsPerMonth: 1000 });
    expect((await list())[0]).toEqual({ name: 'standard', requestsPerMonth: 1000 });
  });
});
