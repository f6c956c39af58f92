// Facts that were learned about EHRs, in memory.
import type { LearnedFact } from '../../src/domain/chart/ehr-capabilities.ts';
import type { EhrKnowledge } from '../../src/ports/ehr-knowledge.ts';

export function makeFakeEhrKnowledge({ now = () => new Date() }: { readonly now?: () => Date } = {}): EhrKnowledge {
  const learned = new Map<string, { readonly site: string; readonly software: string; readonly fact: LearnedFact }>();
  return {
    recall: async (site, software) =>
      [...learned.values()]
        .filter((one) => one.site === site && one.software === software)
        .map(({ fact }) => ({ ...fact }))
        .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    learn: async (site, software, fact) => {
      const name = JSON.stringify([site, software, fact.name]);
      learned.set(name, { site, software, fact: { ...fact, learnedAt: now() } });
    },
    forget: async (site) => {
      const names = [...learned].filter(([, one]) => one.site === site).map(([name]) => name);
      for (const name of names) learned.delete(name);
      return names.length;
    },
  };
}
