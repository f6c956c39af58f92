// Caches what was learned of an EHR's searches: every find needs it, and the database need not be read as often.
import type { EhrKnowledge } from '../../ports/ehr-knowledge.ts';

export type SearchFact = 'works' | 'refused';

export type SearchFacts = {
  /** Of `Condition:identifier`. */
  readonly of: (search: string) => SearchFact | undefined;
  /** Stored only if it is new. */
  readonly learn: (search: string, fact: SearchFact) => Promise<void>;
};

export type RecallSearchFacts = (software: string) => Promise<SearchFacts>;

type Parts = {
  readonly site: string;
  readonly knowledge: EhrKnowledge;
  readonly monotonicMs: () => number;
};

const KEPT_MS = 60_000;

export function makeSearchFacts({ site, knowledge, monotonicMs }: Parts): RecallSearchFacts {
  let kept: { readonly software: string; readonly atMs: number; readonly facts: Map<string, SearchFact> } | undefined;
  return async (software) => {
    if (kept?.software !== software || monotonicMs() - kept.atMs > KEPT_MS) {
      const atMs = monotonicMs();
      const learned = await knowledge.recall(site, software);
      const facts = new Map<string, SearchFact>();
      for (const { name, value } of learned) {
        if (name.startsWith('search:') && (value === 'works' || value === 'refused')) facts.set(name, value);
      }
      kept = { software, atMs, facts };
    }
    const { facts } = kept;
    return {
      of: (search) => facts.get(`search:${search}`),
      async learn(search, value) {
        const name = `search:${search}` as const;
        if (facts.get(name) === value) return;
        facts.set(name, value);
        await knowledge.learn(site, software, { name, value });
      },
    };
  };
}
