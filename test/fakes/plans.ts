// The plans, in memory.
import { INITIAL_PLANS, type Plan } from '../../src/domain/access/plan.ts';
import type { Plans } from '../../src/ports/keys.ts';

export function makeFakePlans(): Plans {
  const plans = new Map<string, Plan>(INITIAL_PLANS.map((plan) => [plan.name, plan]));
  return {
    put: async (plan) => {
      plans.set(plan.name, plan);
      return plan;
    },
    find: async (name) => plans.get(name),
    list: async () => [...plans.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}
