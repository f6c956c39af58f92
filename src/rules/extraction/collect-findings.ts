// Reduces all statements about each finding to one: present wins over uncertain, and uncertain over absent, so that no later denial
// retracts a warning. A present finding also implies others; an absent one implies nothing.
import { compareIds } from '../knowledge/findings.ts';
import type { Finding } from '../knowledge/knowledge.ts';
import type { ExtractedFinding, HistoryFacts, Presence } from './history-facts.ts';
import type { Meaning } from './judge-mentions.ts';

export type Statement = { readonly id: string; readonly meaning: Meaning; readonly quote: string };

const WEIGHT: Readonly<Record<Presence, number>> = { present: 3, uncertain: 2, absent: 1 };

export function collectFindings(
  statements: readonly Statement[],
  known: ReadonlyMap<string, Finding>,
): Pick<HistoryFacts, 'findings' | 'family' | 'past'> {
  const found = new Map<string, ExtractedFinding>();
  const family = new Set<string>();
  const past = new Set<string>();
  for (const { id, meaning, quote } of statements) {
    if (meaning === 'family') family.add(id);
    else if (meaning === 'past') past.add(id);
    else if (meaning !== 'ignored') record(found, { id, presence: meaning, quote });
  }
  for (const { id, presence, quote } of [...found.values()].sort((a, b) => compareIds(a.id, b.id))) {
    if (presence === 'absent') continue;
    for (const implied of known.get(id)?.implies ?? [])
      record(found, { id: implied, presence, quote }, { isImplied: true });
  }
  return {
    findings: new Map([...found].sort(([a], [b]) => compareIds(a, b))),
    family: [...family].sort(),
    past: [...past].sort(),
  };
}

/** Of two equal statements the longer quote wins, then the first by alphabet, so that the order of sentences does not matter. */
function record(found: Map<string, ExtractedFinding>, one: ExtractedFinding, { isImplied = false } = {}): void {
  const before = found.get(one.id);
  const more = before === undefined ? 1 : WEIGHT[one.presence] - WEIGHT[before.presence];
  if (more > 0 || (more === 0 && !isImplied && isBetter(one.quote, before?.quote ?? ''))) found.set(one.id, one);
}

function isBetter(quote: string, than: string): boolean {
  return quote.length !== than.length ? quote.length > than.length : quote < than;
}
