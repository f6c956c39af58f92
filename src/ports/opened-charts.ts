// Restricted charts that a person opened by break-glass, each with a reason and for a time.
import type { SiteScope } from '../domain/people/role.ts';

export type OpenedChart = {
  readonly id: string;
  readonly run: string;
  readonly site: string;
  readonly actor: string;
  /** It may hold patient data: stored encrypted, shown to auditors only. */
  readonly reason: string;
  readonly openedAt: Date;
  readonly endsAt: Date;
};

/** Throws `overloaded` if the database cannot be reached. */
export type OpenedCharts = {
  readonly open: (
    chart: Omit<OpenedChart, 'openedAt' | 'endsAt'> & { readonly lifeMs: number },
  ) => Promise<OpenedChart>;
  readonly isOpen: (run: string, actor: string) => Promise<boolean>;
  /** The newest first. */
  readonly list: (query: {
    readonly scope: SiteScope;
    readonly limit: number;
    readonly cursor?: string;
  }) => Promise<{ readonly charts: readonly OpenedChart[]; readonly next?: string }>;
};
