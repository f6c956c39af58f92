// What somebody complains of, and what of it a condition leaves without an explanation. It counts against the condition, a
// little for each complaint: else whatever has one loud finding wins over what fits the whole story.
import type { ExtractedFinding, HistoryFacts } from '../extraction/heard.ts';
import type { Condition, Finding, Knowledge } from '../knowledge/knowledge.ts';
import { isThere } from './patient-fit.ts';

export type Complaint = ExtractedFinding & { readonly finding: Finding };

/** The most exact ones: not the pain where the pain on breathing in was said, too. In the order of the knowledge. */
export function complaintsOf(heard: HistoryFacts, { findings }: Knowledge): readonly Complaint[] {
  const there = [...findings.values()].filter(({ id }) => isThere(heard, id));
  const implied = new Set(there.flatMap(({ implies }) => implies));
  return there.flatMap((finding) => {
    const said = heard.findings.get(finding.id);
    const isComplaint = finding.kind === 'complaint' && !implied.has(finding.id);
    return said !== undefined && isComplaint ? [{ ...said, finding }] : [];
  });
}

/** Those of which the condition says nothing: neither of it, nor of what it is a kind of, nor of a kind of it. */
export function unexplained(
  condition: Condition,
  complaints: readonly Complaint[],
  knowledge: Knowledge,
): readonly Complaint[] {
  if (complaints.length === 0) return [];
  const { touched, general } = reachOf(condition, knowledge);
  return complaints.filter(
    ({ id, finding }) => !touched.has(id) && !general.has(id) && !finding.implies.some((one) => touched.has(one)),
  );
}

type Reach = { readonly touched: ReadonlySet<string>; readonly general: ReadonlySet<string> };

/** A condition is of one knowledge, and neither of them changes. */
const known = new WeakMap<Condition, Reach>();

/** The findings that it names, and what those are kinds of. */
function reachOf(condition: Condition, { findings }: Knowledge): Reach {
  const before = known.get(condition);
  if (before !== undefined) return before;
  const touched = new Set([...condition.findings.keys(), ...condition.needs]);
  const general = new Set([...touched].flatMap((id) => findings.get(id)?.implies ?? []));
  known.set(condition, { touched, general });
  return { touched, general };
}
