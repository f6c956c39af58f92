// Finds the patient's complaints, and those that a condition does not explain. Each of these counts a little against the condition:
// else a condition with one strong finding would win over one that fits the whole history.
import type { ExtractedFinding, HistoryFacts } from '../extraction/history-facts.ts';
import type { Condition, Finding, Knowledge } from '../knowledge/knowledge.ts';
import { mayBePresent } from './patient-fit.ts';

export type Complaint = ExtractedFinding & { readonly finding: Finding };

/** The most exact complaints: if pain on breathing in is stated, pain is left out. In the order of the knowledge. */
export function complaintsOf(facts: HistoryFacts, { findings }: Knowledge): readonly Complaint[] {
  const there = inOrder(facts.findings.keys(), findings).filter(({ id }) => mayBePresent(facts, id));
  const implied = new Set(there.flatMap(({ implies }) => implies));
  return there.flatMap((finding) => {
    const mention = facts.findings.get(finding.id);
    const isComplaint = finding.kind === 'complaint' && !implied.has(finding.id);
    return mention !== undefined && isComplaint ? [{ ...mention, finding }] : [];
  });
}

type Findings = Knowledge['findings'];

/** A knowledge is immutable, so the places of its findings can be stored. */
const places = new WeakMap<Findings, ReadonlyMap<string, number>>();

/** The findings with these ids, in the order of the knowledge. A text mentions a few of the many that there are. */
function inOrder(ids: Iterable<string>, findings: Findings): readonly Finding[] {
  const placeOf = places.get(findings) ?? new Map(Array.from(findings.keys(), (id, place) => [id, place]));
  places.set(findings, placeOf);
  return Array.from(ids)
    .flatMap((id) => findings.get(id) ?? [])
    .sort((one, other) => (placeOf.get(one.id) ?? 0) - (placeOf.get(other.id) ?? 0));
}

/** Complaints that the condition names neither themselves, nor as a more general, nor as a more exact finding. */
export function findUnexplained(
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

/** A condition belongs to one knowledge, and both are immutable, so the result can be stored by condition. */
const reaches = new WeakMap<Condition, Reach>();

/** `touched`: the findings that the condition names. `general`: the findings that those imply. */
function reachOf(condition: Condition, { findings }: Knowledge): Reach {
  const stored = reaches.get(condition);
  if (stored !== undefined) return stored;
  const touched = new Set([...condition.findings.keys(), ...condition.needs]);
  const general = new Set([...touched].flatMap((id) => findings.get(id)?.implies ?? []));
  reaches.set(condition, { touched, general });
  return { touched, general };
}
