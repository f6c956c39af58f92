import { describe, expect, it } from '@jest/globals';
import { CATEGORIES, type Diagnosis, type Disease, ICD10_PATTERN } from '../../../src/domain/diagnosis/diagnosis.ts';
import { LANGUAGES } from '../../../src/domain/language.ts';
import { buildDiagnosis } from '../../../src/rules/answers/build-diagnosis.ts';
import type { UnseenContent } from '../../../src/rules/answers/unseen-content.ts';
import type { HistoryFacts } from '../../../src/rules/extraction/history-facts.ts';
import { fc } from '../../support/fast-check.ts';
import { anyHeard, anyKnowledge, turned } from '../reasoning/arbitrary-knowledge.ts';
import { aCondition, aFinding, aHeard, aKnowledge, hearClauses, LUNGS } from '../reasoning/made-up-knowledge.ts';

/** Fixed, so that each run tests the same cases. */

const nothing: UnseenContent = { images: 0, documents: 0, parts: 0 };

function answerTo(
  facts: HistoryFacts,
  { language = 'en', unseen = nothing, knowledge = LUNGS } = {} as Parts,
): Diagnosis {
  return buildDiagnosis({ knowledge, facts, unseen, language });
}
type Parts = Partial<Omit<Parameters<typeof buildDiagnosis>[0], 'heard'>>;

function diseaseOf({ diagnosis }: Diagnosis, code: string): Disease {
  const found = diagnosis.diseases.find(({ icd10_code }) => icd10_code === code);
  if (found === undefined) throw new Error(`${code} is not among the answers`);
  return found;
}

const pneumonia = hearClauses('A man of 70 with fever, productive cough and crackles. No runny nose.');

describe('Dangerous conditions beside the likely ones', () => {
  const knowledge = aKnowledge({
    findings: [
      ...['ear-pain', 'rash', 'swelling-behind-ear'].map((id) => aFinding(id)),
      aFinding('well-person', { kind: 'circumstance' }),
    ],
    conditions: [
      aCondition('otitis', { base: 1, findings: { 'ear-pain': 1 }, alsoThink: ['mastoiditis'], icd10: 'H66.90' }),
      aCondition('mastoiditis', {
        base: -4,
        needs: ['rash'],
        findings: { 'swelling-behind-ear': 2 },
        mustNotMiss: true,
        icd10: 'H70.009',
      }),
      aCondition('check-up', { base: 2, findings: { 'well-person': 4 }, icd10: 'Z00.00', atMost: 0.5 }),
    ],
  });
  const earPain = aHeard({ findings: { 'ear-pain': 'present' } });
  const swollen = aHeard({ findings: { 'ear-pain': 'present', 'swelling-behind-ear': 'present' } });

  it.each([
    [
      'en',
      'To be excluded beside it, although little or nothing of what was said points to it in particular: mastoiditis.',
    ],
    ['es', 'aunque poco o nada de lo dicho apunte a ello en particular: mastoiditis (es).'],
    ['pt', 'embora pouco ou nada do que foi dito aponte para isso em particular: mastoiditis (pt).'],
  ] as const)('are only named in %s in the reasons of the first if nothing speaks for them', (language, sentence) => {
    const { diagnosis, triage } = answerTo(earPain, { language, knowledge });
    expect(diagnosis.diseases).toMatchObject([{ icd10_code: 'H66.90', why: expect.stringContaining(sentence) }]);
    expect(JSON.stringify(triage)).not.toContain('mastoiditis');
  });

  it('are candidates with what speaks for them, with little probability', () => {
    const answer = answerTo(swollen, { knowledge });
    const disease = diseaseOf(answer, 'H70.009');
    expect(disease).toMatchObject({
      category: 'cant-miss',
      why: expect.stringContaining('Speaks for it: swelling behind ear'),
    });
    expect(disease.probability).toBeLessThanOrEqual(0.03);
    expect(diseaseOf(answer, 'H66.90').why).not.toContain('mastoiditis');
  });

  it('leave unexplained complaints to the likely conditions', () => {
    const facts = aHeard({ findings: { 'ear-pain': 'present', rash: 'present' } });
    expect(diseaseOf(answerTo(facts, { knowledge }), 'H66.90').why).toContain('It does not explain: rash.');
    expect(diseaseOf(answerTo(earPain, { knowledge }), 'H66.90').why).not.toContain('It does not explain');
  });

  it('never shows a probability above the limit of the condition', () => {
    const well = aHeard({ findings: { 'well-person': 'present' } });
    expect(diseaseOf(answerTo(well, { knowledge }), 'Z00.00').probability).toBe(0.5);
  });
});

describe('A disease of the answer', () => {
  it.each([
    [
      'en',
      'Speaks for it: crackles; fever; cough with sputum (“productive cough”); age or sex makes it more likely.',
      'Neumonía',
    ],
    [
      'es',
      'A favor: crepitantes («crackles»); fiebre («fever»); tos con flemas («productive cough»); la edad o el sexo lo hacen más probable.',
      'Pneumonia',
    ],
    [
      'pt',
      'A favor: crepitações (“crackles”); febre (“fever”); tosse com catarro (“productive cough”); a idade ou o sexo tornam isto mais provável.',
      'Neumonía',
    ],
  ] as const)('is explained in %s, whatever the language of the text', (language, sentence, foreign) => {
    const { name, why } = diseaseOf(answerTo(pneumonia, { language }), 'J18.9');
    expect(why).toContain(sentence);
    expect(name).not.toBe(foreign);
  });

  it('has all parts that the knowledge has for it', () => {
    expect(diseaseOf(answerTo(pneumonia), 'J18.9')).toMatchObject({
      name: 'Pneumonia',
      probability: 0.89,
      diagnostic_tests: ['test for pneumonia'],
      standard_care: [{ name: 'Assess severity', url: 'https://example.org/care' }],
      drugs: [
        {
          name: 'Amoxicillin',
          class: 'Penicillin',
          dosage: 'Per local guideline',
          considerations: 'Ask for allergies',
          first_line: true,
        },
      ],
      category: 'most-likely',
    });
    expect(answerTo(pneumonia, { language: 'pt' }).diagnosis.diseases[0]?.drugs?.[0]?.dosage).toBe(
      'Conforme o protocolo local',
    );
  });

  it('names what speaks against it, also absent findings', () => {
    const facts = hearClauses('cough, crackles, runny nose, no fever');
    expect(diseaseOf(answerTo(facts), 'J18.9').why).toContain(
      'Speaks against it: runny nose; said to be absent: fever.',
    );
    expect(diseaseOf(answerTo(facts, { language: 'es' }), 'J18.9').why).toContain('negado en el texto: fiebre');
  });

  it('marks uncertain findings', () => {
    expect(diseaseOf(answerTo(hearClauses('cough, maybe fever')), 'J18.9').why).toContain('fever (not certain)');
  });

  it('names at most three strong findings that were not mentioned, without excluded ones', () => {
    const embolism = diseaseOf(answerTo(hearClauses('chest pain')), 'I26.99').why;
    expect(embolism).toContain('Ask for: calf pain; coughing blood; recent surgery.');
    expect(diseaseOf(answerTo(hearClauses('fever')), 'J18.9').why).toContain(
      'Ask for: cough with sputum. Look for: crackles.',
    );
    // No cough at all excludes a productive cough.
    expect(diseaseOf(answerTo(hearClauses('fever, no cough')), 'J18.9').why).toContain(
      'this ranking. Look for: crackles.',
    );
  });

  it('never asks for findings that the patient cannot have: a pregnancy in a man, a known age', () => {
    const knowledge = aKnowledge({
      findings: [
        aFinding('pain'),
        aFinding('pregnant'),
        aFinding('infant', { values: [{ of: 'age', below: 1 }] }),
        aFinding('bulging-fontanelle', { implies: ['infant'], kind: 'sign' }),
      ],
      conditions: [
        aCondition('it', { findings: { pain: 2, pregnant: 1, infant: 1, 'bulging-fontanelle': 2 }, needs: ['pain'] }),
      ],
    });
    const why = (person: HistoryFacts['person']) =>
      answerTo(aHeard({ person, findings: { pain: 'present' } }), { knowledge }).diagnosis.diseases[0]?.why;
    expect(why({ sex: 'male', ageYears: 30 })).toBe('Speaks for it: pain.');
    expect(why({ sex: 'female', ageYears: 0.5 })).toContain('Ask for: pregnant. Look for: bulging fontanelle.');
    expect(why({})).toContain('Ask for: pregnant. Look for: bulging fontanelle.');
  });

  it('says that it must not be missed', () => {
    const { why, category } = diseaseOf(answerTo(hearClauses('cough, calf pain')), 'I26.99');
    expect(category).toBe('cant-miss');
    expect(why).toContain('It would do serious harm if it were overlooked.');
  });

  it('needs more than age and sex, or a complaint with which it may come', () => {
    const people = [{ sex: 'male' as const, weight: 1 }];
    const knowledge = { ...LUNGS, conditions: [aCondition('sneezing', { base: 2, people, needs: ['runny-nose'] })] };
    const facts = aHeard({ person: { sex: 'male' }, findings: { 'runny-nose': 'present' } });
    expect(answerTo(facts, { knowledge }).diagnosis.diseases).toEqual([]);
  });

  it.each(['present', 'uncertain'] as const)('names no drug whose contraindication is %s', (told) => {
    const findings = new Map([
      ...pneumonia.findings,
      ['penicillin-allergy', { id: 'penicillin-allergy', presence: told, quote: 'allergic' }] as const,
    ]);
    expect(diseaseOf(answerTo({ ...pneumonia, findings }), 'J18.9')).not.toHaveProperty('drugs');
  });

  it('names no drug if there was an allergy in the past, and ignores relatives and denied findings', () => {
    const drugsOf = (facts: HistoryFacts) => diseaseOf(answerTo(facts), 'J18.9').drugs;
    expect(drugsOf({ ...pneumonia, past: ['penicillin-allergy'] })).toBeUndefined();
    expect(drugsOf({ ...pneumonia, family: ['penicillin-allergy'] })).toHaveLength(1);
    const denied = { id: 'penicillin-allergy', presence: 'absent', quote: 'no allergies' } as const;
    const findings = new Map([...pneumonia.findings, [denied.id, denied]]);
    expect(drugsOf({ ...pneumonia, findings })).toHaveLength(1);
  });

  it('quotes the text shortened, in one line, without invisible characters', () => {
    const said = `fe\u202ever\n${'very high '.repeat(9)}`;
    const { why } = diseaseOf(answerTo(aHeard({ findings: { fever: { quote: said }, cough: 'present' } })), 'J18.9');
    expect(why).toContain('fever (“fever very high very high very high very high very high…”)');
    expect(why).not.toContain('\n');
  });
});

describe('Every answer of the rules', () => {
  it('is complete in every language: texts, codes, probabilities above zero and below one', () => {
    fc.assert(
      fc.property(anyKnowledge, anyHeard, fc.constantFrom(...LANGUAGES), (knowledge, facts, language) => {
        const { diagnosis, triage } = answerTo(facts, { knowledge, language });
        for (const disease of diagnosis.diseases) {
          expect(disease.why).toMatch(/\.$/);
          expect(disease.icd10_code).toMatch(ICD10_PATTERN);
          expect(CATEGORIES).toContain(disease.category);
          expect(disease.probability).toBeGreaterThan(0);
          expect(disease.probability).toBeLessThan(1);
          expect(Math.round(disease.probability * 100) / 100).toBe(disease.probability);
        }
        expect(triage.triage_justification).toMatch(/\.$/);
        expect(triage.triage_recommendation).toMatch(/\.$/);
        expect(JSON.stringify({ diagnosis, triage })).not.toMatch(/undefined|null|NaN/);
      }),
    );
  });

  it('never has a probability of one', () => {
    const knowledge = aKnowledge({
      findings: [aFinding('pain')],
      conditions: [aCondition('it', { findings: { pain: 50 } })],
    });
    expect(answerTo(aHeard({ findings: { pain: 'present' } }), { knowledge }).diagnosis.diseases).toMatchObject([
      { probability: 0.99 },
    ]);
  });

  it('has no diseases without health content, even if words look like findings', () => {
    const facts = { ...hearClauses('fever pitch, cough and crackles of the radio'), isHealth: false };
    expect(answerTo(facts)).toMatchObject({ diagnosis: { diseases: [] }, triage: { triage_level: 'WHITE' } });
  });

  it('does not depend on the order of the findings', () => {
    fc.assert(
      fc.property(anyKnowledge, anyHeard, (knowledge, facts) => {
        expect(answerTo(turned(facts), { knowledge })).toEqual(answerTo(facts, { knowledge }));
      }),
    );
  });

  it('has lower probabilities and is urgent if hardly anything was understood', () => {
    const facts = hearClauses('bonjour, fever, crackles');
    const { diagnosis, triage } = answerTo(facts);
    expect(triage.triage_level).toBe('RED');
    expect(triage.triage_justification).toContain('Hardly anything of the text could be understood');
    expect(diagnosis.diseases.map(({ probability }) => probability)).toEqual([0.12]);
  });
});
