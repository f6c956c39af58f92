// What was learned of EHRs, asked of the database once in a while: every document that is written wants to know. What another process
// learns meanwhile, this one finds out late, or for itself.
import type { LearnedFact } from '../../domain/chart/ehr-capabilities.ts';
import type { EhrKnowledge } from '../../ports/ehr-knowledge.ts';
import type { Runtime } from '../../ports/runtime.ts';

type KeptParts = {
  readonly knowledge: EhrKnowledge;
  readonly runtime: Pick<Runtime, 'monotonicMs'>;
  readonly keptMs?: number;
};

type Kept = { readonly software: string; readonly atMs: number; readonly facts: Promise<readonly LearnedFact[]> };

const KEPT_MS = 2_000;

export function keepKnowledge({ knowledge, runtime, keptMs = KEPT_MS }: KeptParts): EhrKnowledge {
  const kept = new Map<string, Kept>();
  return {
    recall(site, software) {
      const nowMs = runtime.monotonicMs();
      const known = kept.get(site);
      if (known?.software === software && nowMs - known.atMs < keptMs) return known.facts;
      const facts = knowledge.recall(site, software);
      const asked = { software, atMs: nowMs, facts };
      kept.set(site, asked);
      facts.catch(() => {
        if (kept.get(site) === asked) kept.delete(site);
      });
      return facts;
    },
    async learn(site, software, fact) {
      // Also where it fails, it may have been learned; and what is asked meanwhile may not have it yet.
      await knowledge.learn(site, software, fact).finally(() => kept.delete(site));
    },
    async forget(site) {
      return knowledge.forget(site).finally(() => kept.delete(site));
    },
  };
}
