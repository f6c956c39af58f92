// Generators of knowledge and of facts of histories, for property tests.

import type { ExtractedFinding, HistoryFacts } from '../../../src/rules/extraction/history-facts.ts';
import type { Condition, Danger, Finding, Knowledge, Requirement } from '../../../src/rules/knowledge/knowledge.ts';
import { fc } from '../../support/fast-check.ts';
import { aCondition, aFinding, aHeard, aKnowledge, inAll } from './made-up-knowledge.ts';

const IDS = ['pregnant', ...Array.from({ length: 9 }, (_, index) => `finding-${index}`)] as const;

const anId = fc.constantFrom(...IDS);
const aSex = fc.constantFrom('female' as const, 'male' as const);
const ages = fc
  .tuple(fc.integer({ min: 0, max: 80 }), fc.integer({ min: 0, max: 40 }))
  .map(([from, more]) => ({ from, to: from + more }));
const weight = fc.integer({ min: -30, max: 30 }).map((tenths) => tenths / 10);
const whom = fc.record({ ages, sex: aSex }, { requiredKeys: [] });

function someFinding(id: string): fc.Arbitrary<Finding> {
  return fc
    .record({
      implies: fc.uniqueArray(anId, { maxLength: 2 }),
      isDanger: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
      isAge: fc.integer({ min: 0, max: 4 }).map((one) => one === 0),
      below: fc.integer({ min: 1, max: 60 }),
    })
    .map(({ implies, isDanger, isAge, below }) =>
      aFinding(id, {
        implies: implies.filter((other) => other !== id),
        isDanger,
        values: isAge ? [{ of: 'age', below }] : [],
      }),
    );
}

const aConditionId = fc.integer({ min: 0, max: 19 }).map((number) => `condition-${number}`);

const someCondition: fc.Arbitrary<Condition> = fc
  .record({
    id: aConditionId,
    base: weight.map((one) => -Math.abs(one)),
    people: fc.array(fc.tuple(whom, weight), { maxLength: 3 }),
    needs: fc.uniqueArray(anId, { minLength: 1, maxLength: 3 }),
    findings: fc.dictionary(anId, fc.record({ present: weight, absent: weight })),
    mustNotMiss: fc.boolean(),
    urgent: fc.constantFrom(undefined, 0, 0.5, 1),
    alsoThink: fc.uniqueArray(aConditionId, { maxLength: 2 }),
    only: fc.option(
      fc.record({
        ages: fc.option(ages, { nil: undefined }),
        oneOf: fc.uniqueArray(anId, { minLength: 1, maxLength: 2 }),
        shownBy: fc.uniqueArray(anId, { maxLength: 1 }),
      }),
      { nil: undefined, freq: 2 },
    ),
    consider: fc.option(
      fc
        .tuple(whom, fc.uniqueArray(anId, { minLength: 1, maxLength: 2 }))
        .map(([group, ids]) => ({ ...group, with: ids })),
      { nil: undefined },
    ),
  })
  .map(({ people, urgent, only, consider, ...rest }) =>
    aCondition(rest.id, {
      ...rest,
      people: people.map(([group, of]) => ({ ...group, weight: of })),
      ...(urgent !== undefined && { urgent }),
      ...(only !== undefined && { only: requirement(only) }),
      ...(consider !== undefined && { consider }),
    }),
  );

function requirement({
  ages: band,
  ...rest
}: { ages: Requirement['ages'] | undefined } & Omit<Requirement, 'ages'>): Requirement {
  return { ...rest, ...(band !== undefined && { ages: band }) };
}

const someDanger: fc.Arbitrary<Danger> = fc
  .tuple(whom, fc.uniqueArray(anId, { minLength: 2, maxLength: 3 }))
  .map(([group, all]) => ({ ...group, all, why: inAll(all.join(' with ')) }));

export const anyKnowledge: fc.Arbitrary<Knowledge> = fc
  .record({
    findings: fc.tuple(...IDS.map(someFinding)),
    conditions: fc.uniqueArray(someCondition, { selector: ({ id }) => id, maxLength: 8 }),
    dangers: fc.array(someDanger, { maxLength: 4 }),
  })
  .map(aKnowledge);

export const anyHeardFinding: fc.Arbitrary<ExtractedFinding> = fc.record({
  id: anId,
  presence: fc.constantFrom('present' as const, 'uncertain' as const, 'absent' as const),
  quote: fc.string({ maxLength: 80 }),
});

export const anyHeard: fc.Arbitrary<HistoryFacts> = fc
  .record({
    person: fc.record({ ageYears: fc.integer({ min: 0, max: 110 }), sex: aSex }, { requiredKeys: [] }),
    findings: fc.uniqueArray(anyHeardFinding, { selector: ({ id }) => id }),
    family: fc.uniqueArray(anId, { maxLength: 3 }),
    past: fc.uniqueArray(anId, { maxLength: 3 }),
    isHealth: fc.boolean(),
    isHardlyRecognised: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
    isUnderstood: fc.integer({ min: 0, max: 9 }).map((one) => one > 0),
  })
  .map(({ findings, ...rest }) =>
    aHeard({ ...rest, findings: Object.fromEntries(findings.map((one) => [one.id, one])) }),
  );

/** The same facts in another order. */
export function turned({ findings, ...facts }: HistoryFacts): HistoryFacts {
  return { ...facts, findings: new Map([...findings].reverse()) };
}

/** The facts with one more finding. Present wins over an earlier value. */
export function hearingMore(facts: HistoryFacts, more: ExtractedFinding): HistoryFacts {
  const before = facts.findings.get(more.id)?.presence;
  const isWeaker = before === 'present' || (before === 'uncertain' && more.presence === 'absent');
  return isWeaker ? facts : { ...facts, findings: new Map([...facts.findings, [more.id, more]]) };
}
