// The whole answer to what was heard, in the language asked for. The same text gives the same answer.
import type { Diagnosis, Disease, Drug } from '../../domain/diagnosis/diagnosis.ts';
import type { Language } from '../../domain/language.ts';
import type { HistoryFacts } from '../extraction/heard.ts';
import type { Condition, Knowledge } from '../knowledge/knowledge.ts';
import { thinkFurther } from '../reasoning/consider-further.ts';
import { judgeTriage } from '../reasoning/judge-triage.ts';
import { isThere } from '../reasoning/patient-fit.ts';
import { rankConditions } from '../reasoning/rank-conditions.ts';
import { type Answered, shareOut } from '../reasoning/select-answers.ts';
import { explainCondition } from './explain-condition.ts';
import { explainTriage } from './explain-triage.ts';
import { type Unseen, WORDS } from './wording.ts';

/** What is answered is never certain, and never impossible. */
const PROBABILITIES = { least: 0.01, most: 0.99 } as const;

export type DiagnosisParts = {
  readonly knowledge: Knowledge;
  readonly heard: HistoryFacts;
  readonly unseen: Unseen;
  readonly language: Language;
};

export function buildDiagnosis({ knowledge, heard, unseen, language }: DiagnosisParts): Diagnosis {
  // A text that says only "see attached" is nothing to go by either.
  const isAllUnseen = unseen.images + unseen.documents + unseen.parts > 0 && !heard.isHealth;
  const judged = judgeTriage(knowledge, heard, { isAllUnseen });
  const isHealth = heard.isHealth || judged.alarms.length > 0;
  const ranked = isHealth ? rankConditions(knowledge, heard) : [];
  const besides = thinkFurther(knowledge, heard, ranked);
  const answered = shareOut({ ranked, besides, isUnderstood: heard.isUnderstood });
  const diseases = answered.map((one) => toDisease(one, { knowledge, heard, language }));
  return {
    diagnosis: { diseases },
    triage: explainTriage({ knowledge, heard, judged, answered, unseen, isHealth }, language),
  };
}

type DiseaseParts = Omit<DiagnosisParts, 'unseen'>;

function toDisease(answered: Answered, { knowledge, heard, language }: DiseaseParts): Disease {
  const { condition, share, category } = answered;
  const drugs = drugsOf(condition, heard, language);
  return {
    name: condition.name[language],
    icd10_code: condition.icd10,
    probability: Math.min(
      condition.atMost ?? PROBABILITIES.most,
      Math.max(PROBABILITIES.least, Math.round(share * 100) / 100),
    ),
    why: explainCondition({ answered, heard, knowledge }, language),
    diagnostic_tests: condition.tests.map((test) => test[language]),
    standard_care: condition.care.map(({ url, ...care }) => ({
      name: care[language],
      ...(url !== undefined && { url }),
    })),
    ...(drugs.length > 0 && { drugs }),
    category,
  };
}

/** An allergy of long ago is one, so what is told of the past counts here. */
function drugsOf({ drugs }: Condition, heard: HistoryFacts, language: Language): readonly Drug[] {
  const isAvoided = (id: string) => isThere(heard, id) || heard.past.includes(id);
  return drugs
    .filter(({ avoid }) => !avoid.some(isAvoided))
    .map((drug) => ({
      name: drug.name[language],
      class: drug.class[language],
      dosage: WORDS[language].dosage,
      considerations: drug.considerations[language],
      first_line: true,
    }));
}
