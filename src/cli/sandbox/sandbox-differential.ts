// Prints the candidates of a differential diagnosis, most likely first, each with the state of its Condition.
import { conceptPhrase, phraseOf } from '../../domain/history/chart-text.ts';
import { present } from '../../domain/present.ts';
import { codesOf, listOf, memberOf } from '../../domain/raw-members.ts';
import { allOf, type ChartSession, newestOf } from './sandbox-chart.ts';
import { barOf, type Page } from './sandbox-page.ts';

type Candidate = {
  readonly name: string;
  readonly code: string;
  readonly likelihood: Likelihood;
  readonly why?: string;
};
type Likelihood = { readonly percent?: number; readonly band?: string };

export function addDifferential(page: Page, session: ChartSession): void {
  const conditions = allOf(session, 'Condition');
  const predicted = listOf(newestOf(session, 'RiskAssessment'), 'prediction').map(toCandidate);
  const codes = new Set(predicted.map(({ code }) => code));
  // Without a RiskAssessment the Conditions are the only candidates.
  const others = conditions.map(conditionCandidate).filter(({ code }) => !codes.has(code));
  const candidates = [...predicted, ...others];
  if (candidates.length === 0) return;
  page.gap();
  page.add('Differential diagnosis by AI: candidates, none of them confirmed', { ink: 'strong' });
  page.rows(
    candidates.map(({ name, code, likelihood }) => [
      likelihoodWords(likelihood),
      name,
      code,
      statusOf(conditions, { name, code }),
    ]),
  );
  for (const { name, why } of predicted)
    if (why !== undefined) page.add(`${name}: ${why}`, { indent: 2, ink: 'quiet' });
}

function toCandidate(prediction: unknown): Candidate {
  const outcome = memberOf(prediction, 'outcome');
  const percent = memberOf(prediction, 'probabilityDecimal');
  const band = conceptPhrase(memberOf(prediction, 'qualitativeRisk'));
  const why = phraseOf(memberOf(prediction, 'rationale'), MAX_WHY);
  const likelihood = present({ percent: typeof percent === 'number' ? percent : undefined, band });
  return present({ ...nameAndCode(outcome), likelihood, why });
}

const MAX_WHY = 1_000;

function conditionCandidate(condition: unknown): Candidate {
  return { ...nameAndCode(memberOf(condition, 'code')), likelihood: {} };
}

function nameAndCode(concept: unknown): Pick<Candidate, 'name' | 'code'> {
  return { name: conceptPhrase(concept) ?? 'without a name', code: phraseOf(codesOf(concept)[0]) ?? '' };
}

/** A bar with its number, or the band if the site writes no numbers. */
function likelihoodWords({ percent, band }: Likelihood): string {
  if (percent === undefined) return band ?? '';
  const shown = percent > 0 && percent < 1 ? '< 1 %' : `${Math.round(percent)} %`;
  return `${barOf(percent)} ${shown.padStart(5)}`;
}

/** The verification status (`differential`, `provisional` …) of the Condition with this code, else with this name. */
function statusOf(conditions: readonly unknown[], { name, code }: Pick<Candidate, 'name' | 'code'>): string {
  const same = conditions.filter((condition) => {
    const other = conditionCandidate(condition);
    return code === '' ? other.name === name : other.code === code;
  });
  const statuses = same.flatMap((condition) => codesOf(memberOf(condition, 'verificationStatus')));
  return [...new Set(statuses)].flatMap((status) => phraseOf(status) ?? []).join(', ');
}
