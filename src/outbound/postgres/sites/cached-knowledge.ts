// Caches what was learned of EHRs: every document that is written reads it. What another process learns is seen here after `cachedMs`.
import type { LearnedFact } from '../../../domain/chart/ehr-capabilities.ts';
import type { EhrKnowledge } from '../../../ports/ehr-knowledge.ts';
import type { Runtime } from '../../../ports/runtime.ts';

type CacheParts = {
  readonly knowledge: EhrKnowledge;
  readonly runtime: Pick<Runtime, 'monotonicMs'>;
  readonly cachedMs?: number;
};

type CachedFacts = {
  readonly software: string;
  readonly atMs: number;
  readonly facts: Promise<readonly LearnedFact[]>;
};

const CACHED_MS = 2_000;

export function makeCachedKnowledge({ knowledge, runtime, cachedMs = CACHED_MS }: CacheParts): EhrKnowledge {
  const bySite = new Map<string, CachedFacts>();
  return {
    recall(site, software) {
      const nowMs = runtime.monotonicMs();
      const cached = bySite.get(site);
      if (cached?.software === software && nowMs - cached.atMs < cachedMs) return cached.facts;
      const facts = knowledge.recall(site, software);
      const fresh = { software, atMs: nowMs, facts };
      bySite.set(site, fresh);
      facts.catch(() => {
        if (bySite.get(site) === fresh) bySite.delete(site);
      });
      return facts;
    },
    async learn(site, software, fact) {
      // A call that fails may have stored the fact, and a read during the call may lack it: both clear the cache.
      await knowledge.learn(site, software, fact).finally(() => bySite.delete(site));
    },
    async forget(site) {
      return knowledge.forget(site).finally(() => bySite.delete(site));
    },
  };
}
