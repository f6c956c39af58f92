// What every store of charts opened by break-glass promises.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { OpenedCharts } from '../../src/ports/opened-charts.ts';

export type OpenedChartsSubject = {
  readonly charts: OpenedCharts;
  readonly pass: (ms: number) => Promise<void>;
};

type NewChart = Parameters<OpenedCharts['open']>[0];

const LIFE_MS = 3_600_000;

export function anOpenedChart(parts: Partial<NewChart> = {}): NewChart {
  const who = { actor: 'person/0000000000000001', reason: 'The patient collapsed – made up.' };
  return { id: randomUUID(), run: randomUUID(), site: 'mercy', ...who, lifeMs: LIFE_MS, ...parts };
}

export function openedChartsContract(name: string, makeSubject: () => Promise<OpenedChartsSubject>): void {
  describe(`the opened charts of ${name}`, () => {
    it('are open for the one who opened them, for this run, until their time is over', async () => {
      const { charts, pass } = await makeSubject();
      const given = anOpenedChart();
      const { lifeMs, ...parts } = given;
      const chart = await charts.open(given);
      expect(chart).toEqual({ ...parts, openedAt: expect.any(Date), endsAt: expect.any(Date) });
      expect(chart.endsAt.getTime() - chart.openedAt.getTime()).toBe(lifeMs);
      expect(await charts.isOpen(given.run, given.actor)).toBe(true);
      expect(await charts.isOpen(given.run, 'person/0000000000000002')).toBe(false);
      expect(await charts.isOpen(randomUUID(), given.actor)).toBe(false);
      await pass(LIFE_MS);
      expect(await charts.isOpen(given.run, given.actor)).toBe(false);
      await charts.open({ ...given, id: randomUUID() });
      expect(await charts.isOpen(given.run, given.actor)).toBe(true);
    });

    it('stay in the list, with their reasons, newest first and page by page, those of other sites never', async () => {
      const { charts, pass } = await makeSubject();
      const given = ['mercy', 'clinic', 'mercy', 'mercy'].map((site, index) =>
        anOpenedChart({ site, reason: `reason ${index}` }),
      );
      for (const chart of given) await charts.open(chart);
      await pass(LIFE_MS);
      const all = await charts.list({ scope: 'all', limit: 10 });
      expect(all.charts.map(({ id, reason }) => ({ id, reason }))).toEqual(
        given.map(({ id, reason }) => ({ id, reason })).toReversed(),
      );
      expect(all).not.toHaveProperty('next');
      const first = await charts.list({ scope: ['mercy'], limit: 2 });
      expect(first.charts.map(({ reason }) => reason)).toEqual(['reason 3', 'reason 2']);
      const second = await charts.list({ scope: ['mercy'], limit: 2, cursor: first.next ?? '' });
      expect(second.charts.map(({ reason }) => reason)).toEqual(['reason 0']);
      expect((await charts.list({ scope: [], limit: 10 })).charts).toEqual([]);
    });
  });
}
