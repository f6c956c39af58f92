// Builds the whole answer from the facts of a history, in the requested language. The same text always gives the same answer.
import type { Diagnosis, Disease, Drug } from '../../domain/diagnosis/diagnosis.ts';
import type { Language } from '../../domain/language.ts';
import type { HistoryFacts } from '../extraction/history-facts.ts';
import type { Condition, Knowledge } from '../knowledge/knowledge.ts';
import { considerFurther } from '../reasoning/consider-further.ts';
import { findUnclear } from '../reasoning/find-unclear.ts';
import { judgeTriage } from '../reasoning/judge-triage.ts';
import { mayBePresent } from '../reasoning/patient-fit.ts';
import { withDenied } from '../reasoning/patient-requirement.ts';
import { type Ranked, rankConditions } from '../reasoning/rank-conditions.ts';
import { type SelectedCondition, type Selection, selectAnswers } from '../reasoning/select-answers.ts';
import { explainCondition } from './explain-condition.ts';
import { explainTriage } from './explain-triage.ts';
import type { AnswerLanguage } from './phrase-findings.ts';
import { hasUnseen, type UnseenContent } from './unseen-content.ts';

/** An answered condition is never shown as certain or impossible. */
const PROBABILITIES = { least: 0.01, most: 0.99 } as const;

export type DiagnosisParts = {
  readonly knowledge: Knowledge;
  readonly facts: HistoryFacts;
  readonly unseen: UnseenContent;
  readonly language: Language;
};

export function buildDiagnosis({ knowledge, facts: stated, unseen, language }: DiagnosisParts): Diagnosis {
  const facts = withDenied(stated, knowledge);
  // A text that says only "see attached" does not count as content either.
  const isAllUnseen = hasUnseen(unseen) && !facts.isHealth;
  const judged = judgeTriage(knowledge, facts, { isAllUnseen });
  const isHealth = facts.isHealth || judged.alarms.length > 0;
  const ranked = isHealth ? rankConditions(knowledge, facts).filter(canBeNamed) : [];
  const besides = isHealth ? considerFurther(knowledge, facts, ranked) : [];
  const { answered, toExclude } = selectAnswers({ ranked, besides, isUnderstood: facts.isUnderstood });
  const unclear = isHealth ? findUnclear(knowledge, facts) : [];
  const into = { language, wording: knowledge.wording[language] };
  return {
    diagnosis: {
      diseases: answered.map((one, index) =>
        toDisease(one, { knowledge, facts, into, toExclude: index === 0 ? toExclude : [] }),
      ),
    },
    triage: explainTriage({ knowledge, facts, judged, answered, unclear, unseen, isHealth }, into),
  };
}

/** Age and sex alone, and what was denied, are no reason to name a condition. */
function canBeNamed({ fit, evidence }: Ranked): boolean {
  return fit === 'fits' && evidence.some(({ presence, weight }) => presence !== 'absent' && weight > 0);
}

type DiseaseParts = Pick<DiagnosisParts, 'knowledge' | 'facts'> &
  Pick<Selection, 'toExclude'> & { readonly into: AnswerLanguage };

function toDisease(answered: SelectedCondition, { knowledge, facts, toExclude, into }: DiseaseParts): Disease {
  const { condition, share, category } = answered;
  const { language } = into;
  const drugs = drugsOf(condition, facts, into);
  return {
    name: condition.name[language],
    icd10_code: condition.icd10,
    probability: Math.min(
      condition.atMost ?? PROBABILITIES.most,
      Math.max(PROBABILITIES.least, Math.round(share * 100) / 100),
    ),
    why: explainCondition({ answered, facts, knowledge, toExclude }, into),
    diagnostic_tests: condition.tests.map((test) => test[language]),
    standard_care: condition.care.map(({ url, ...care }) => ({
      name: care[language],
      ...(url !== undefined && { url }),
    })),
    ...(drugs.length > 0 && { drugs }),
    category,
  };
}

/** An allergy does not end, so findings of the past count here. */
function drugsOf({ drugs }: Condition, facts: HistoryFacts, { language, wording }: AnswerLanguage): readonly Drug[] {
  const isAvoided = (id: string) => mayBePresent(facts, id) || facts.past.includes(id);
  return drugs
    .filter(({ avoid }) => !avoid.some(isAvoided))
    .map((drug) => ({
      name: drug.name[language],
      class: drug.class[language],
      dosage: wording.dosage,
      considerations: drug.considerations[language],
      first_line: true,
    }));
}
