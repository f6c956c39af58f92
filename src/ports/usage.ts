// What was used, and whether more may be: counted together for all engines on one database.
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
  /** Keeps the record and adds its audio seconds to the organization's month, in one transaction. */
  record(record: UsageRecord): Promise<void>;
  /** By organization, key and operation. */
  summarize(query: UsageQuery): Promise<readonly UsageRow[]>;
};

export type MinuteVerdict = {
  readonly isAllowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
};

export type Limits = {
  /** Counts one request of the key in its minute; undefined where the plan has no such limit. */
  takeMinute(keyId: string, plan: Plan): Promise<MinuteVerdict | undefined>;
  /** Counts one request of the organization in its month, unless that would be over the plan: then false and nothing is counted. */
  takeMonth(organization: string, plan: Plan): Promise<boolean>;
  /** False once the month's used audio seconds have reached the plan's. */
  hasAudioLeft(organization: string, plan: Plan): Promise<boolean>;
};
