// Reports usage by organization, key and operation for a period (default: this month).
import { AppError } from '../../domain/errors.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { Usage, UsageQuery, UsageRow } from '../../ports/usage.ts';

type ReportUsageParts = { readonly usage: Pick<Usage, 'summarize'>; readonly runtime: Runtime };

export type UsageReport = {
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly rows: readonly UsageRow[];
};

export type ReportUsage = (query: UsageQuery) => Promise<UsageReport>;

/** Months are in UTC. If only one bound is given, the other one is that of its month. Throws `invalidRequest` for an empty period. */
export function makeReportUsage({ usage, runtime }: ReportUsageParts): ReportUsage {
  return async ({ from: askedFrom, to: askedTo, ...filters }) => {
    const from = askedFrom ?? startOfMonth(askedTo === undefined ? runtime.now() : new Date(askedTo.getTime() - 1));
    const to = askedTo ?? startOfMonth(later(from, runtime.now()), 1);
    if (from >= to) throw new AppError('invalidRequest', 'from must be before to');
    const rows = await usage.summarize({ from, to, ...filters });
    return { from, to, rows };
  };
}

function startOfMonth(day: Date, monthsLater = 0): Date {
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + monthsLater, 1));
}

function later(a: Date, b: Date): Date {
  return a > b ? a : b;
}
