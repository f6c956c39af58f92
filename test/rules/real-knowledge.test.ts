// Laws of the shipped knowledge: its phrases are recognised, its conditions are reached, and further findings never lower the triage.
import { beforeAll, describe, expect, it } from '@jest/globals';
import { hasWrongCode } from '../../src/domain/diagnosis/repair-diagnosis.ts';
import { LANGUAGES, type Language } from '../../src/domain/language.ts';
import { buildDiagnosis } from '../../src/rules/answers/build-diagnosis.ts';
import { makeExtractFacts } from '../../src/rules/extraction/extract-facts.ts';
import type { ExtractFacts } from '../../src/rules/extraction/history-facts.ts';
import type { Condition, Finding, Knowledge } from '../../src/rules/knowledge/knowledge.ts';
import { judgeTriage } from '../../src/rules/reasoning/judge-triage.ts';
import { isCandidate, rank } from '../../src/rules/reasoning/rank-conditions.ts';
import { fc } from '../support/fast-check.ts';
import { shippedKnowledge } from './knowledge/shipped-knowledge.ts';

const SEED = 20_261_123;
const RUNS = { seed: SEED, numRuns: 300 };
/** Alone they are the name of a place, or Portuguese. They are recognised with the words that people use around them. */
const NOT_ALONE: ReadonlySet<string> = new Set([
  'pt right-lower-pain: pe da barriga {3} direito',
  'pt calf-pain: barriga da perna',
  'es hair-loss: perdiendo {2} pelo|cabello',
]);
const NO: Readonly<Record<Language, string>> = { en: 'No', es: 'Sin', pt: 'Sem' };
const ROUNDING = 1e-9;
const NOTHING_UNSEEN = { images: 0, documents: 0, parts: 0 };

let knowledge: Knowledge;
let hear: ExtractFacts;
let findings: readonly Finding[];
beforeAll(() => {
  knowledge = shippedKnowledge();
  hear = makeExtractFacts(knowledge);
  findings = [...knowledge.findings.values()].filter(({ phrases }) => phrases.en.length > 0);
});

/** One way to speak a phrase: the first of each choice, without optional words. */
function spoken(phrase: string): string {
  const words = phrase.replace(/\[[^\]]*\]|\{\d+\}/g, ' ').split(/\s+/);
  const said = words.map((word) => (word.split('|')[0] ?? '').replace(/\*$/, ''));
  return said.join(' ').trim();
}

/** With a capital letter, so that a dot before it does not look like an abbreviation. */
function asSentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

function triageOf(text: string): string {
  return judgeTriage(knowledge, hear(text), { isAllUnseen: false }).level;
}

type SpokenFinding = { readonly finding: Finding; readonly words: string; readonly sentence: string };

/** A finding and one of its phrases, as numbers, so that fast-check can shrink a failure. */
const choice = fc.tuple(fc.nat(9999), fc.nat(999));
const histories = fc.tuple(fc.constantFrom(...LANGUAGES), fc.array(choice, { minLength: 1, maxLength: 6 }), choice);

function tell(language: Language, [which, phrase]: readonly [number, number], among = findings): SpokenFinding {
  const finding = among[which % among.length] as Finding;
  const list = finding.phrases[language];
  const words = spoken(list[phrase % list.length] ?? '');
  return { finding, words, sentence: asSentence(words) };
}

function tellAll(language: Language, choices: readonly (readonly [number, number])[]): string[] {
  return choices.map((one) => tell(language, one).sentence);
}

describe('For every generated history', () => {
  it('an additional danger never lowers the triage', () => {
    const dangers = findings.filter(({ isDanger }) => isDanger);
    fc.assert(
      fc.property(histories, ([language, choices, added]) => {
        const text = tellAll(language, choices).join(' ');
        const { finding, sentence } = tell(language, added, dangers);
        const level = triageOf(`${text} ${sentence}`);
        if (triageOf(text) === 'RED') expect(level).toBe('RED');
        // A text may be about another person, or the words may be part of another sentence: only recognised findings are dangerous.
        if (hear(`${text} ${sentence}`).findings.get(finding.id)?.presence === 'present') expect(level).toBe('RED');
      }),
      RUNS,
    );
  });

  it('the order of the sentences changes nothing', () => {
    fc.assert(
      fc.property(histories, ([language, choices]) => {
        const sentences = tellAll(language, choices);
        const answer = (text: string) =>
          buildDiagnosis({ knowledge, facts: hear(text), unseen: NOTHING_UNSEEN, language });
        expect(answer(sentences.toReversed().join(' '))).toEqual(answer(sentences.join(' ')));
      }),
      RUNS,
    );
  });

  it('a denied finding never supports a condition more than the present one', () => {
    fc.assert(
      fc.property(histories, ([language, choices, denied]) => {
        const { finding, words, sentence } = tell(language, denied);
        const others = tellAll(language, choices).join(' ');
        const told = `${others} ${sentence}`;
        const without = `${others} ${NO[language]} ${words}.`;
        // "No pulse fast": the words after "no" may begin like a finding that contains "no".
        if (saidIn(without).some((id) => !saidIn(told).includes(id))) return;
        const [before, after, denying] = [others, told, without].map((text) => scores(text, finding));
        // The words of one finding may contain another one that speaks against the condition.
        const spokenFor = [...(after ?? [])].filter(([id, score]) => score > (before?.get(id) ?? 0));
        // A condition may be excluded by the denial.
        const raised = spokenFor.filter(([id, score]) => (denying?.get(id) ?? -Infinity) > score + ROUNDING);
        expect(raised.map(([id]) => `${words}: ${id}`)).toEqual([]);
      }),
      RUNS,
    );
  });
});

function saidIn(text: string): string[] {
  return [...hear(text).findings.values()].filter(({ presence: told }) => told !== 'absent').map(({ id }) => id);
}

/** The scores of the conditions for which the finding speaks. */
function scores(text: string, { id }: Finding): ReadonlyMap<string, number> {
  const depends = ({ findings: weights }: Condition): boolean => (weights.get(id)?.present ?? 0) > 0;
  return new Map(rank(knowledge, hear(text), depends).map(({ condition, score }) => [condition.id, score]));
}

describe('The shipped knowledge', () => {
  it('has only phrases that are recognised as their finding if they are the whole text', () => {
    const dead = findings.flatMap(({ id, phrases }) =>
      LANGUAGES.flatMap((language) =>
        phrases[language]
          .filter((phrase) => hear(`${spoken(phrase)}.`).findings.get(id)?.presence !== 'present')
          .map((phrase) => `${language} ${id}: ${phrase}`),
      ),
    );
    expect(dead.filter((one) => !NOT_ALONE.has(one))).toEqual([]);
  });

  it.each(LANGUAGES)(
    'comes into question, each condition, by what it needs and what speaks most for it: %s',
    (language) => {
      const unreached = knowledge.conditions.filter((condition) => {
        const facts = hear(`${textOf(condition, language)}.`);
        return !rank(knowledge, facts, isCandidate).some((one) => one.condition === condition);
      });
      expect(unreached.map(({ id }) => id)).toEqual([]);
    },
  );
});

const SPEAKING = 4;

describe('The codes of the knowledge', () => {
  it.each(LANGUAGES)('no code belongs to another disease than the name of its condition (%s)', (language) => {
    const wrong = [...knowledge.conditions.values()].filter(({ name, icd10 }) =>
      hasWrongCode({ name: name[language], icd10_code: icd10 }),
    );
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });
});

/** The first needed finding with phrases, and the four findings that speak most for the condition. */
function textOf({ needs, findings: weights }: Condition, language: Language): string {
  const strongest = [...weights]
    .filter(([, { present }]) => present > 0)
    .sort(([, one], [, other]) => other.present - one.present)
    .map(([id]) => id);
  const worded = (ids: readonly string[]) => ids.filter((id) => phraseOf(id, language) !== undefined);
  const ids = new Set([...worded(needs).slice(0, 1), ...worded(strongest).slice(0, SPEAKING)]);
  return [...ids].map((id) => spoken(phraseOf(id, language) ?? '')).join('. ');
}

function phraseOf(id: string, language: Language): string | undefined {
  return knowledge.findings.get(id)?.phrases[language][0];
}
