// The limits of a key. An absent number is no limit.

export type Plan = {
  readonly name: string;
  /** Counted per key. */
  readonly requestsPerMinute?: number;
  /** Counted per organization and calendar month (UTC). */
  readonly requestsPerMonth?: number;
  readonly audioSecondsPerMonth?: number;
};

export const DEFAULT_PLAN_NAME = 'standard';

/** Plans of a new installation; the operator may change them. */
export const INITIAL_PLANS: readonly Plan[] = [
  { name: 'unlimited' },
  { name: DEFAULT_PLAN_NAME, requestsPerMinute: 600 },
];
