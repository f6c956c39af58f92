// Laws: what a clinician asks, considers, orders or warns of, a relative's illness and an old reaction change nothing of what was found in a
// history, neither its candidates nor its triage.
import { beforeAll, describe, expect, it } from '@jest/globals';
import { LANGUAGES, type Language } from '../../../../src/domain/language.ts';
import { buildDiagnosis } from '../../../../src/rules/answers/build-diagnosis.ts';
import { makeExtractFacts } from '../../../../src/rules/extraction/extract-facts.ts';
import type { ExtractFacts } from '../../../../src/rules/extraction/history-facts.ts';
import type { Finding, Knowledge } from '../../../../src/rules/knowledge/knowledge.ts';
import { fc } from '../../../support/fast-check.ts';
import { shippedKnowledge } from '../../knowledge/shipped-knowledge.ts';

const RUNS = { seed: 20_261_128, numRuns: 150 };
const NOTHING_UNSEEN = { images: 0, documents: 0, parts: 0 };
/** Of each danger, so that the law is checked in a few seconds. */
const PHRASES = 3;

/** Sentences around the words of any finding. Each begins a turn of its own. */
const WITHOUT_EFFECT: Readonly<Record<Language, readonly ((words: string) => string)[]>> = {
  en: [
    (words) => `Doctor: Come back if there is ${words}.`,
    (words) => `Doctor: I'm thinking about ${words}.`,
    (words) => `Doctor: I want to rule out ${words}.`,
    (words) => `Doctor: Any ${words}?\nDoctor: Let me see.`,
    (words) => `Doctor: We'll do a scan to exclude ${words}.`,
  ],
  es: [
    (words) => `Doctora: Vuelva si aparece ${words}.`,
    (words) => `Doctora: Estoy pensando en ${words}.`,
    (words) => `Doctora: Quiero descartar ${words}.`,
    (words) => `Doctora: ¿Ha tenido ${words}?\nDoctora: A ver.`,
    (words) => `Doctora: Voy a pedir una ecografía para descartar ${words}.`,
  ],
  pt: [
    (words) => `Médica: Volte se aparecer ${words}.`,
    (words) => `Médica: Pode ser ${words}.`,
    (words) => `Médica: Quero descartar ${words}.`,
    (words) => `Médica: Já teve ${words}?\nMédica: Deixe ver.`,
    (words) => `Médica: Vou pedir um ultrassom para descartar ${words}.`,
  ],
};
/** The same words as the patient's own. */
const STATED: Readonly<Record<Language, (words: string) => string>> = {
  en: (words) => `Doctor: What brings you in?\nPatient: ${words}.\nDoctor: I see.`,
  es: (words) => `Doctora: ¿Qué le trae?\nPaciente: ${words}.\nDoctora: Ya veo.`,
  pt: (words) => `Médica: O que a traz aqui?\nPaciente: ${words}.\nMédica: Entendo.`,
};
/** What the patient has: enough for candidates, and no emergency. */
const HISTORIES: Readonly<Record<Language, readonly string[]>> = {
  en: ['Patient: I have had a cough and a runny nose for two days.', 'Patient: It burns when I pee since yesterday.'],
  es: ['Paciente: Tengo tos y mocos desde hace dos días.', 'Paciente: Me arde al orinar desde ayer.'],
  pt: ['Paciente: Estou com tosse e coriza há dois dias.', 'Paciente: Arde para urinar desde ontem.'],
};

let knowledge: Knowledge;
let hear: ExtractFacts;
/** Findings by single words: a phrase of several words may hold a "no" or a person of its own. */
let findings: readonly Finding[];
beforeAll(() => {
  knowledge = shippedKnowledge();
  hear = makeExtractFacts(knowledge);
  findings = [...knowledge.findings.values()].filter((finding) =>
    LANGUAGES.every((language) => plainWord(finding, language) !== undefined),
  );
});

function plainWord({ phrases }: Finding, language: Language): string | undefined {
  return phrases[language].find((phrase) => /^[a-z]{5,}$/.test(phrase));
}

const cases = fc.record({
  language: fc.constantFrom(...LANGUAGES),
  which: fc.nat(9999),
  way: fc.nat(99),
  history: fc.nat(99),
});

describe('A finding that is only asked, considered, excluded or warned of', () => {
  it('changes neither the findings, nor the candidates, nor the triage of any history', () => {
    fc.assert(
      fc.property(cases, ({ language, which, way, history }) => {
        const words = plainWord(findings[which % findings.length] as Finding, language) ?? '';
        const ways = WITHOUT_EFFECT[language];
        const told = HISTORIES[language][history % HISTORIES[language].length] ?? '';
        const added = (ways[way % ways.length] as (words: string) => string)(words);
        const [before, after] = [told, `${told}\n${added}`].map((text) => {
          const facts = hear(text);
          const { diagnosis, triage } = buildDiagnosis({
            knowledge,
            facts,
            unseen: NOTHING_UNSEEN,
            language,
          });
          return {
            findings: [...facts.findings.values()].map(({ id, presence }) => `${presence} ${id}`),
            diseases: diagnosis.diseases,
            level: triage.triage_level,
          };
        });
        expect({ added, ...after }).toEqual({ added, ...before });
      }),
      RUNS,
    );
  });
});

/** One way to speak a phrase: the first of each choice, without optional words. */
function spoken(phrase: string): string {
  const words = phrase.replace(/\[[^\]]*\]|\{\d+\}/g, ' ').split(/\s+/);
  const said = words.map((word) => (word.split('|')[0] ?? '').replace(/\*$/, ''));
  const whole = said.join(' ').trim();
  return `${whole.charAt(0).toUpperCase()}${whole.slice(1)}`;
}

function dangerPhrases(language: Language): readonly (readonly [id: string, words: string])[] {
  const dangers = [...knowledge.findings.values()].filter(({ isDanger }) => isDanger);
  const phrases = dangers.flatMap(({ id, phrases }) =>
    phrases[language].slice(0, PHRASES).map((phrase) => [id, spoken(phrase)] as const),
  );
  // A number is measured, whatever is said of it.
  const worded = phrases.filter(([, words]) => !/\d/.test(words));
  return worded.filter(([id, words]) => hear(`${words}.`).findings.get(id)?.presence === 'present');
}

describe('No danger of the lexicon', () => {
  it.each(LANGUAGES)('is heard if it is only asked, considered, excluded or warned of (%s)', (language) => {
    const heard = dangerPhrases(language).flatMap(([id, words]) =>
      WITHOUT_EFFECT[language]
        .map((way) => way(words))
        .filter((text) => (hear(text).findings.get(id)?.presence ?? 'absent') !== 'absent'),
    );
    expect(heard).toEqual([]);
  });

  it.each(LANGUAGES)('is lost if the patient tells it in a conversation (%s)', (language) => {
    const lost = dangerPhrases(language).filter(
      ([id, words]) => hear(STATED[language](words)).findings.get(id)?.presence !== 'present',
    );
    expect(lost).toEqual([]);
  });
});
