// What /ops/plans takes and answers.
import { z } from 'zod';
import { DEFAULT_PLAN_NAME } from '../domain/access/plan.ts';
import type { Answer } from './fields.ts';

/** The largest limit that fits every counter which is compared with it. */
const MAX_PLAN_NUMBER = 1_000_000_000;

const planNameRule = 'must be 1 to 64 of a-z, 0-9 and -';
export const planName = z
  .string({ error: planNameRule })
  .regex(/^[a-z0-9-]{1,64}$/, { error: planNameRule })
  .meta({ description: 'Name of the plan.', examples: [DEFAULT_PLAN_NAME] });

export const planPath = z.object({ name: planName });

const planNumberRule = `must be a whole number from 0 to ${MAX_PLAN_NUMBER}; leave it out for no limit`;
const planNumber = (description: string) =>
  z
    .int({ error: planNumberRule })
    .min(0, { error: planNumberRule })
    .max(MAX_PLAN_NUMBER, { error: planNumberRule })
    .optional()
    .meta({ description: `${description} Absent: no limit.` });

const planNumbers = {
  requestsPerMinute: planNumber('Requests per minute, for each key.'),
  requestsPerMonth: planNumber('Requests per calendar month (UTC), for the organization.'),
  audioSecondsPerMonth: planNumber('Seconds of audio per calendar month (UTC), for the organization.'),
};

export const planBody = z
  .strictObject(planNumbers)
  .meta({ id: 'PlanLimits', examples: [{ requestsPerMinute: 60, requestsPerMonth: 10_000 }] });

export const planResponse = z
  .object({ name: z.string(), ...planNumbers })
  .meta({ id: 'Plan', examples: [{ name: 'standard', requestsPerMinute: 600 }] });

export const planListResponse = z.object({ plans: z.array(planResponse) }).meta({
  id: 'PlanList',
  examples: [{ plans: [{ name: 'standard', requestsPerMinute: 600 }, { name: 'unlimited' }] }],
});

export type PlanAnswer = Answer<typeof planResponse>;
export type PlanListAnswer = Answer<typeof planListResponse>;
