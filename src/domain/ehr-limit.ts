// An EHR that limits requests (429): it answers, so it is not down. Runs wait as long as it asks, and its circuit stays closed.
import { displayTime } from './display-time.ts';
import { AppError } from './errors.ts';

type LimitParts = {
  readonly site: string;
  /** How long it asked to wait; absent if it did not say it. */
  readonly waitMs?: number | undefined;
  readonly now: Date;
};

/** For an EHR that does not say how long. */
const UNSTATED_WAIT_S = 10;

export class EhrLimit extends AppError {
  constructor({ site, waitMs, now }: LimitParts) {
    const until =
      waitMs === undefined ? '' : `; it asked to wait until ${displayTime(new Date(now.getTime() + waitMs))}`;
    const retryAfterSeconds = waitMs === undefined ? UNSTATED_WAIT_S : Math.max(1, Math.ceil(waitMs / 1_000));
    super('ehrUnavailable', `${site}: the EHR limits requests (429)${until}`, { retryAfterSeconds });
  }
}
