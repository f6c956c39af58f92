// Manages the plans and their limits. A change applies to the next request of every key on the plan.
import type { Plan } from '../../domain/access/plan.ts';
import type { Plans } from '../../ports/keys.ts';

type ManagePlansParts = { readonly plans: Plans };

export type ManagePlans = {
  /** Creates the plan, or replaces all its limits; an absent number is no limit. */
  readonly put: (plan: Plan) => Promise<Plan>;
  /** By name. */
  readonly list: () => Promise<readonly Plan[]>;
};

export function makeManagePlans({ plans }: ManagePlansParts): ManagePlans {
  return {
    put: (plan) => plans.put(plan),
    async list() {
      return (await plans.list()).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
}
