// Which candidates an answer has: few, and none without evidence of its own. A property of the answers to all cases for tuning.
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Diagnosis } from '../../../src/domain/diagnosis/diagnosis.ts';
import { buildDiagnosis } from '../../../src/rules/answers/build-diagnosis.ts';
import { makeExtractFacts } from '../../../src/rules/extraction/extract-facts.ts';
import type { HistoryFacts } from '../../../src/rules/extraction/history-facts.ts';
import type { Condition, Knowledge } from '../../../src/rules/knowledge/knowledge.ts';
import { readCases } from '../../eval/sets.ts';
import { shippedKnowledge } from '../knowledge/shipped-knowledge.ts';

const MOST = 5;

type Answered = {
  readonly id: string;
  readonly language: 'en' | 'es' | 'pt';
  readonly facts: HistoryFacts;
} & Diagnosis;

let knowledge: Knowledge;
let answers: readonly Answered[];
beforeAll(async () => {
  knowledge = shippedKnowledge();
  const hear = makeExtractFacts(knowledge);
  const { vignettes } = await readCases(['seen']);
  const unseen = { images: 0, documents: 0, parts: 0 };
  answers = vignettes.map(({ id, text, language }) => {
    const facts = hear(text);
    return { id, language, facts, ...buildDiagnosis({ knowledge, facts, unseen, language }) };
  });
});

function conditionOf(name: string, language: Answered['language']): Condition {
  const found = knowledge.conditions.find((one) => one.name[language] === name);
  if (found === undefined) throw new Error('no condition has this name');
  return found;
}

/** Findings that are present and speak for the condition, or with which it must be considered. */
function evidenceOf({ findings, consider }: Condition, facts: HistoryFacts): readonly string[] {
  return [...facts.findings.values()]
    .filter(({ presence }) => presence === 'present')
    .map(({ id }) => id)
    .filter((id) => (findings.get(id)?.present ?? 0) > 0 || consider?.with.includes(id) === true);
}

describe('The candidates of each answer to the cases for tuning', () => {
  it('are at most five, and beside them only those that must not be missed', () => {
    const more = answers.filter(({ diagnosis: { diseases } }) => {
      const beyond = diseases.slice(MOST);
      return beyond.some(({ category }) => category !== 'cant-miss') || beyond.length > MOST;
    });
    expect(more.map(({ id }) => id)).toEqual([]);
    expect(answers.filter(({ diagnosis }) => diagnosis.diseases.length > 0).length).toBeGreaterThan(2000);
  });

  it('beyond five have findings of the patient that speak for them', () => {
    const without = answers.flatMap(({ id, language, facts, diagnosis }) =>
      diagnosis.diseases
        .slice(MOST)
        .filter(({ name }) => evidenceOf(conditionOf(name, language), facts).length === 0)
        .map(({ name }) => `${id}: ${name}`),
    );
    expect(without).toEqual([]);
  });

  it('are not named again as what nothing speaks for', () => {
    const twice = answers.filter(({ diagnosis, language }) => {
      const [before = ''] = knowledge.wording[language].why.exclude.split('{list}');
      const [, list = ''] = diagnosis.diseases[0]?.why.split(before) ?? [];
      const excluded = list.replace(/\.$/, '').split('; ');
      return diagnosis.diseases.some(({ name }) => excluded.includes(name));
    });
    expect(twice.map(({ id }) => id)).toEqual([]);
  });

  it('have more for them than age and sex', () => {
    const without = answers.flatMap(({ id, language, facts, diagnosis }) =>
      diagnosis.diseases
        .map(({ name }) => conditionOf(name, language))
        .filter(({ findings, consider }) =>
          [...facts.findings.values()].every(
            ({ id: finding, presence }) =>
              presence === 'absent' ||
              ((findings.get(finding)?.present ?? 0) <= 0 && consider?.with.includes(finding) !== true),
          ),
        )
        .map((condition) => `${id}: ${condition.id}`),
    );
    expect(without).toEqual([]);
  });

  it('are diseases of children or of pregnancy only for such patients', () => {
    const wrong = answers.flatMap(({ id, language, facts, diagnosis }) =>
      diagnosis.diseases
        .map(({ name }) => conditionOf(name, language))
        .filter(({ only }) => only !== undefined && !isSuchPatient(only, facts))
        .map((condition) => `${id}: ${condition.id}`),
    );
    expect(wrong).toEqual([]);
  });
});

/** Written without the code that is tested. */
function isSuchPatient({ ages, oneOf, shownBy }: NonNullable<Condition['only']>, { person, findings }: HistoryFacts) {
  const isPresent = (id: string) => findings.get(id)?.presence === 'present';
  const isShown = shownBy.some(isPresent);
  if (oneOf.length > 0)
    return oneOf.some(isPresent) || (isShown && oneOf.every((id) => findings.get(id)?.presence !== 'absent'));
  if (person.ageYears !== undefined)
    return ages !== undefined && person.ageYears >= ages.from && person.ageYears <= ages.to;
  return isShown || ['newborn', 'young-infant', 'infant', 'child'].some(isPresent);
}
