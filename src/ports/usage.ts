// Usage and limits, counted together for all engines on one database.
import type { Plan } from '../domain/access/plan.ts';
import type { Operation, UsageRecord } from '../domain/access/usage.ts';

export type UsageQuery = {
  readonly organization?: string;
  readonly keyId?: string;
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
};

export type UsageRow = {
  readonly organization: string;
  readonly keyId: string;
  readonly operation: Operation;
  readonly requests: number;
  readonly failures: number;
  readonly cancelled: number;
  readonly audioSeconds: number;
  readonly aiMs: number;
  readonly durationMs: number;
};

export type Usage = {
  /** Stores the record and adds its audio seconds to the organization's month, in one transaction. */
  record(record: UsageRecord): Promise<void>;
  /** Sums by organization, key and operation. */
  summarize(query: UsageQuery): Promise<readonly UsageRow[]>;
};

export type MinuteVerdict = {
  readonly isAllowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
};

export type Limits = {
  /** Counts one request of the key in its minute; undefined if the plan has no such limit. */
  takeMinute(keyId: string, plan: Plan): Promise<MinuteVerdict | undefined>;
  /** Counts one request of the organization in its month. False, without counting, if that would exceed the plan. */
  takeMonth(organization: string, plan: Plan): Promise<boolean>;
  /** False once the audio seconds of the month have reached the limit of the plan. */
  hasAudioLeft(organization: string, plan: Plan): Promise<boolean>;
};
