// What plans there are, and how much each allows. A change holds from the next request on, for every key on the plan.
import type { Plan } from '../../domain/access/plan.ts';
import type { Plans } from '../../ports/keys.ts';

type ManagePlansParts = { readonly plans: Plans };

export type ManagePlans = {
  /** Makes the plan, or replaces all its limits: one that is absent is no limit. */
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
