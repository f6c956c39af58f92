// Diseases of children are named of children only, and diseases of pregnancy only if a pregnancy was affirmed: in each language alike,
// and for each condition of the shipped knowledge that requires it.
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Diagnosis } from '../../../src/domain/diagnosis/diagnosis.ts';
import { LANGUAGES, type Language } from '../../../src/domain/language.ts';
import { buildDiagnosis } from '../../../src/rules/answers/build-diagnosis.ts';
import { makeExtractFacts } from '../../../src/rules/extraction/extract-facts.ts';
import type { ExtractFacts, HistoryFacts } from '../../../src/rules/extraction/history-facts.ts';
import type { Condition, Knowledge } from '../../../src/rules/knowledge/knowledge.ts';
import { fc } from '../../support/fast-check.ts';
import { shippedKnowledge } from '../knowledge/shipped-knowledge.ts';
import { aHeard } from '../reasoning/made-up-knowledge.ts';

type Sentence = Readonly<Record<Language, string>>;

let knowledge: Knowledge;
let hear: ExtractFacts;
beforeAll(() => {
  knowledge = shippedKnowledge();
  hear = makeExtractFacts(knowledge);
});

function answerTo(facts: HistoryFacts, language: Language): Diagnosis {
  return buildDiagnosis({ knowledge, facts, unseen: { images: 0, documents: 0, parts: 0 }, language });
}

function codesOf(text: string, language: Language): readonly string[] {
  return answerTo(hear(text), language).diagnosis.diseases.map(({ icd10_code }) => icd10_code);
}

type ChildRow = {
  readonly code: string;
  readonly child: Sentence;
  readonly adult: Sentence;
  readonly complaint: Sentence;
};
const CHILDREN: readonly ChildRow[] = [
  {
    code: 'J05.0',
    child: { en: '2-year-old boy.', es: 'Niño de 2 años.', pt: 'Menino de 2 anos.' },
    adult: { en: '47-year-old man.', es: 'Hombre de 47 años.', pt: 'Homem de 47 anos.' },
    complaint: {
      en: 'Barking cough and hoarseness since last night.',
      es: 'Tos perruna y ronquera desde anoche.',
      pt: 'Tosse de cachorro e rouquidão desde ontem à noite.',
    },
  },
  {
    code: 'J21.9',
    child: { en: '5-month-old girl.', es: 'Niña de 5 meses.', pt: 'Menina de 5 meses.' },
    adult: { en: '62-year-old woman.', es: 'Mujer de 62 años.', pt: 'Mulher de 62 anos.' },
    complaint: {
      en: 'Runny nose, cough, wheeze and fast breathing for two days.',
      es: 'Mocos, tos, sibilancias y respiración rápida desde hace dos días.',
      pt: 'Coriza, tosse, sibilos e respiração rápida há dois dias.',
    },
  },
  {
    code: 'A08.4',
    child: { en: '3-year-old girl.', es: 'Niña de 3 años.', pt: 'Menina de 3 anos.' },
    adult: { en: '35-year-old man.', es: 'Hombre de 35 años.', pt: 'Homem de 35 anos.' },
    complaint: {
      en: 'Diarrhoea and vomiting since yesterday.',
      es: 'Diarrea y vómitos desde ayer.',
      pt: 'Diarreia e vômitos desde ontem.',
    },
  },
  {
    code: 'R56.00',
    child: { en: '18-month-old boy.', es: 'Niño de 18 meses.', pt: 'Menino de 18 meses.' },
    adult: { en: '29-year-old woman.', es: 'Mujer de 29 años.', pt: 'Mulher de 29 anos.' },
    complaint: {
      en: 'A seizure of two minutes with fever of 39.5 °C.',
      es: 'Una convulsión de dos minutos con fiebre de 39,5 °C.',
      pt: 'Uma convulsão de dois minutos com febre de 39,5 °C.',
    },
  },
  {
    code: 'M67.359',
    child: { en: '5-year-old boy.', es: 'Niño de 5 años.', pt: 'Menino de 5 anos.' },
    adult: { en: '44-year-old man.', es: 'Hombre de 44 años.', pt: 'Homem de 44 anos.' },
    complaint: {
      en: 'Hip pain and limping after a cold, no fever.',
      es: 'Dolor de cadera y cojera tras un resfriado, sin fiebre.',
      pt: 'Dor no quadril e mancando depois de um resfriado, sem febre.',
    },
  },
];

describe.each(LANGUAGES)('A disease of children (%s)', (language) => {
  it.each(CHILDREN.map((row) => [row.code, row] as const))('%s is named of a child', (code, row) => {
    expect(codesOf(`${row.child[language]} ${row.complaint[language]}`, language)).toContain(code);
  });

  it.each(CHILDREN.map((row) => [row.code, row] as const))('%s is not named of an adult', (code, row) => {
    expect(codesOf(`${row.adult[language]} ${row.complaint[language]}`, language)).not.toContain(code);
  });
});

const PELVIC: Sentence = {
  en: '28-year-old woman with lower abdominal pain on the left and light vaginal bleeding since this morning.',
  es: 'Mujer de 28 años con dolor en el bajo vientre a la izquierda y sangrado vaginal leve desde esta mañana.',
  pt: 'Mulher de 28 anos com dor no baixo ventre à esquerda e sangramento vaginal leve desde esta manhã.',
};
const AFFIRMED: readonly Sentence[] = [
  {
    en: 'Her period is two weeks late.',
    es: 'Tiene la regla atrasada dos semanas.',
    pt: 'A menstruação está atrasada duas semanas.',
  },
  { en: 'Positive pregnancy test.', es: 'Prueba de embarazo positiva.', pt: 'Teste de gravidez positivo.' },
  { en: 'She is seven weeks pregnant.', es: 'Está embarazada de siete semanas.', pt: 'Está grávida de sete semanas.' },
];
const DENIED: readonly Sentence[] = [
  { en: 'She is not pregnant.', es: 'No está embarazada.', pt: 'Não está grávida.' },
  { en: 'Negative pregnancy test.', es: 'Prueba de embarazo negativa.', pt: 'Teste de gravidez negativo.' },
  { en: 'Denies pregnancy.', es: 'Niega embarazo.', pt: 'Nega gravidez.' },
];
const TEST: Readonly<Record<Language, string>> = {
  en: 'pregnancy test',
  es: 'prueba de embarazo',
  pt: 'teste de gravidez',
};

describe.each(LANGUAGES)('A disease of pregnancy (%s)', (language) => {
  const ofPregnancy = (text: string) => codesOf(text, language).filter((code) => code.startsWith('O'));
  const nextOf = (text: string) => answerTo(hear(text), language).triage.triage_recommendation;

  it.each(AFFIRMED.map((row) => [row[language]] as const))('is named after "%s"', (sentence) => {
    expect(ofPregnancy(`${PELVIC[language]} ${sentence}`)).toContain('O00.90');
  });

  it.each(DENIED.map((row) => [row[language]] as const))(
    'is not named after "%s", nor is a test asked for',
    (sentence) => {
      const text = `${PELVIC[language]} ${sentence}`;
      expect(ofPregnancy(text)).toEqual([]);
      expect(nextOf(text)).not.toContain(TEST[language]);
    },
  );

  it('is not named as long as nothing is known of a pregnancy, but a test is asked for', () => {
    expect(ofPregnancy(PELVIC[language])).toEqual([]);
    expect(nextOf(PELVIC[language])).toContain(TEST[language]);
  });

  it('is not asked for in a man, nor in a woman of 74', () => {
    const others = {
      en: ['28-year-old man with lower abdominal pain.', '74-year-old woman with lower abdominal pain.'],
      es: ['Hombre de 28 años con dolor en el bajo vientre.', 'Mujer de 74 años con dolor en el bajo vientre.'],
      pt: ['Homem de 28 anos com dor no baixo ventre.', 'Mulher de 74 anos com dor no baixo ventre.'],
    };
    for (const text of others[language]) {
      expect(ofPregnancy(text)).toEqual([]);
      expect(nextOf(text)).not.toContain(TEST[language]);
    }
  });
});

describe('A condition that requires an age or a state', () => {
  /** Written without the code that is tested. */
  const isShown = ({ only }: Condition, facts: HistoryFacts): boolean =>
    [...(only?.oneOf ?? []), ...(only?.shownBy ?? [])].some((id) => facts.findings.get(id)?.presence === 'present');

  it('is nowhere in the answer to a patient who is not known to be such a patient', () => {
    const requiring = knowledge.conditions.filter(({ only }) => only !== undefined);
    expect(requiring.length).toBeGreaterThan(40);
    const ofAge = (id: string) => knowledge.findings.get(id)?.values.some(({ of }) => of === 'age') === true;
    const presence = fc.constantFrom('present' as const, 'present' as const, 'uncertain' as const, 'absent' as const);
    const picked = fc.array(fc.tuple(fc.nat(99), presence), { minLength: 1, maxLength: 8 });
    const person = fc.constantFrom({}, { sex: 'female' as const }, { ageYears: 33, sex: 'female' as const });
    fc.assert(
      fc.property(
        fc.constantFrom(...requiring),
        picked,
        person,
        fc.constantFrom(...LANGUAGES),
        (condition, ids, who, language) => {
          const own = [...condition.needs, ...condition.findings.keys()].filter((id) => {
            const implied = knowledge.findings.get(id)?.implies ?? [];
            return ![id, ...implied].some((one) => ofAge(one) || condition.only?.oneOf.includes(one));
          });
          const told = ids.map(([at, how]) => [own[at % own.length] ?? '', how] as const);
          const facts = aHeard({ person: who, findings: Object.fromEntries(told) });
          if (isShown(condition, facts)) return;
          const { diagnosis, triage } = answerTo(facts, language);
          const text = `${triage.triage_justification} ${triage.triage_recommendation}`;
          expect(diagnosis.diseases.map(({ name }) => name)).not.toContain(condition.name[language]);
          expect(text).not.toContain(condition.name[language]);
        },
      ),
      { numRuns: 600 },
    );
  });
});
