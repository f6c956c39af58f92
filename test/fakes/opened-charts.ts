// Charts opened by break-glass, in memory.
import { isInScope } from '../../src/domain/people/role.ts';
import { present } from '../../src/domain/present.ts';
import type { OpenedChart, OpenedCharts } from '../../src/ports/opened-charts.ts';

export function makeFakeOpenedCharts({ now = () => new Date() }: { readonly now?: () => Date } = {}): OpenedCharts {
  const stored: OpenedChart[] = [];
  return {
    open: async ({ lifeMs, ...parts }) => {
      const chart = { ...parts, openedAt: now(), endsAt: new Date(now().getTime() + lifeMs) };
      stored.push(chart);
      return { ...chart };
    },
    isOpen: async (run, actor) =>
      stored.some((chart) => chart.run === run && chart.actor === actor && chart.endsAt > now()),
    list: async ({ scope, limit, cursor }) => {
      const rows = stored
        .map((chart, position) => ({ chart, position }))
        .toReversed()
        .filter(({ chart }) => isInScope(scope, chart.site))
        .filter(({ position }) => cursor === undefined || position < Number(cursor));
      const charts = rows.slice(0, limit).map(({ chart }) => ({ ...chart }));
      const next = rows.length > limit ? String(rows[limit - 1]?.position) : undefined;
      return present({ charts, next });
    },
  };
}
