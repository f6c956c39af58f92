// Decides which candidates of a differential diagnosis become Conditions of a chart. The others stay in the RiskAssessment and in the text
// of the note: a list of diagnoses is read by people and programs that do not see that an entry was only to be ruled out.
import type { Category, Disease } from '../diagnosis/diagnosis.ts';
import type { ConditionLimits, WriteSettings } from '../site/site.ts';

export const LIKELY_CONDITIONS: ConditionLimits = { least: 0.1, most: 5 };

/** A candidate that must not be missed is listed to be ruled out, however probable it is. */
const WANTED: ReadonlySet<Category> = new Set(['most-likely', 'expanded']);

type Candidate = Pick<Disease, 'category' | 'probability'>;

/** Candidates with the same probability keep the reasoner's order. The result has the order of `diseases`. */
export function chooseConditions<T extends Candidate>(
  diseases: readonly T[],
  conditions: WriteSettings['conditions'],
): readonly T[] {
  if (conditions === 'always') return diseases;
  const { least, most } = typeof conditions === 'string' ? LIKELY_CONDITIONS : conditions;
  const likely = diseases
    .filter(({ category, probability }) => WANTED.has(category) && probability >= least)
    .toSorted((one, other) => other.probability - one.probability)
    .slice(0, most);
  return diseases.filter((disease) => likely.includes(disease));
}
