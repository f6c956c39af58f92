// What clinicians did with cards, in memory.
import { present } from '../../src/domain/present.ts';
import type { CardFeedback, CdsFeedback, FeedbackCount } from '../../src/ports/cds-feedback.ts';

export function makeFakeCdsFeedback(): CdsFeedback {
  const stored = new Map<string, CardFeedback>();
  return {
    record: async (feedback) => {
      for (const one of feedback) stored.set(`${one.site} ${one.service} ${one.card}`, one);
    },
    counts: async (site) => {
      const counts = new Map<string, FeedbackCount>();
      for (const { service, outcome, reason } of [...stored.values()].filter((one) => one.site === site)) {
        const key = `${service} ${outcome} ${reason ?? ''}`;
        const count = (counts.get(key)?.count ?? 0) + 1;
        counts.set(key, present({ service, outcome, reason, count }));
      }
      return [...counts.entries()].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, count]) => count);
    },
  };
}
