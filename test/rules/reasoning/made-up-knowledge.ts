// A small made-up knowledge for tests without clinical value, and a simple extraction for English clauses.

import type { ExtractedFinding, HistoryFacts, Person, Presence } from '../../../src/rules/extraction/history-facts.ts';
import type { Condition, Finding, Knowledge, Translations, Weight } from '../../../src/rules/knowledge/knowledge.ts';
import { SHIPPED_LANGUAGES } from '../knowledge/shipped-languages.ts';

export function inAll(en: string, es = `${en} (es)`, pt = `${en} (pt)`): Translations {
  return { en, es, pt };
}

export function aFinding(id: string, parts: Partial<Finding> = {}): Finding {
  const words = id.replaceAll('-', ' ');
  return {
    id,
    name: inAll(words),
    kind: 'complaint',
    implies: [],
    denies: [],
    asked: true,
    isDanger: false,
    phrases: { en: [words], es: [], pt: [] },
    values: [],
    ...parts,
  };
}

type ConditionParts = Partial<Omit<Condition, 'findings'>> & {
  readonly findings?: Readonly<Record<string, number | Weight>>;
};

export function aCondition(id: string, { findings = {}, ...parts }: ConditionParts = {}): Condition {
  const weights = Object.entries(findings).map(
    ([key, weight]) => [key, typeof weight === 'number' ? { present: weight, absent: 0 } : weight] as const,
  );
  return {
    id,
    group: 'made-up',
    name: inAll(id.replaceAll('-', ' ')),
    icd10: 'R69',
    base: -1,
    people: [],
    needs: weights.slice(0, 1).map(([key]) => key),
    mustNotMiss: false,
    alsoThink: [],
    tests: [inAll(`test for ${id}`)],
    care: [inAll(`care of ${id}`)],
    drugs: [],
    ...parts,
    findings: new Map(weights),
  };
}

export function aKnowledge(parts: {
  readonly findings: readonly Finding[];
  readonly conditions?: readonly Condition[];
  readonly dangers?: Knowledge['dangers'];
}): Knowledge {
  return {
    ...SHIPPED_LANGUAGES,
    findings: new Map(parts.findings.map((finding) => [finding.id, finding])),
    conditions: parts.conditions ?? [],
    dangers: parts.dangers ?? [],
    version: '0123456789ab',
  };
}

type HeardParts = Partial<Omit<HistoryFacts, 'findings'>> & {
  readonly findings?: Readonly<Record<string, Presence | Partial<ExtractedFinding>>>;
};

export function aHeard({ findings = {}, ...parts }: HeardParts = {}): HistoryFacts {
  const facts = Object.entries(findings).map(([id, told]): [string, ExtractedFinding] => [
    id,
    { id, quote: id, presence: 'present', ...(typeof told === 'string' ? { presence: told } : told) },
  ]);
  return {
    language: 'en',
    person: {},
    values: new Map(),
    family: [],
    past: [],
    isHealth: true,
    isUnderstood: true,
    words: new Map(),
    isConversation: false,
    isHardlyRecognised: false,
    ...parts,
    findings: new Map(facts),
  };
}

export const LUNGS: Knowledge = aKnowledge({
  findings: [
    aFinding('cough', { name: inAll('cough', 'tos', 'tosse') }),
    aFinding('productive-cough', {
      name: inAll('cough with sputum', 'tos con flemas', 'tosse com catarro'),
      implies: ['cough'],
    }),
    aFinding('coughing-blood', {
      name: inAll('coughing blood', 'tos con sangre', 'tosse com sangue'),
      implies: ['cough'],
      isDanger: true,
    }),
    aFinding('fever', { name: inAll('fever', 'fiebre', 'febre') }),
    aFinding('runny-nose', { name: inAll('runny nose', 'rinorrea', 'coriza') }),
    aFinding('crackles', { name: inAll('crackles', 'crepitantes', 'crepitações'), kind: 'sign' }),
    aFinding('chest-pain', { name: inAll('chest pain', 'dolor torácico', 'dor torácica') }),
    aFinding('sweating', { name: inAll('sweating', 'sudoración', 'sudorese') }),
    aFinding('calf-pain', { name: inAll('calf pain', 'dolor de pantorrilla', 'dor na panturrilha') }),
    aFinding('recent-surgery', {
      name: inAll('recent surgery', 'cirugía reciente', 'cirurgia recente'),
      kind: 'circumstance',
    }),
    aFinding('pregnant', { name: inAll('pregnancy', 'embarazo', 'gravidez'), kind: 'circumstance' }),
    aFinding('penicillin-allergy', {
      name: inAll('penicillin allergy', 'alergia a la penicilina', 'alergia à penicilina'),
      kind: 'circumstance',
    }),
    aFinding('young-infant', {
      name: inAll('young infant', 'lactante pequeño', 'lactente jovem'),
      kind: 'circumstance',
      values: [{ of: 'age', below: 0.25 }],
    }),
    aFinding('lower-abdominal-pain', {
      name: inAll('lower abdominal pain', 'dolor abdominal bajo', 'dor abdominal baixa'),
    }),
  ],
  conditions: [
    aCondition('pneumonia', {
      name: inAll('Pneumonia', 'Neumonía', 'Pneumonia'),
      icd10: 'J18.9',
      base: -2.5,
      people: [{ ages: { from: 65, to: Number.POSITIVE_INFINITY }, weight: 0.5 }],
      needs: ['cough', 'fever'],
      findings: {
        fever: { present: 1, absent: -0.7 },
        'productive-cough': 0.9,
        cough: 0.8,
        crackles: 1.5,
        'runny-nose': -0.6,
      },
      care: [
        { ...inAll('Assess severity', 'Valorar la gravedad', 'Avaliar a gravidade'), url: 'https://example.org/care' },
      ],
      drugs: [
        {
          name: inAll('Amoxicillin', 'Amoxicilina', 'Amoxicilina'),
          class: inAll('Penicillin', 'Penicilina', 'Penicilina'),
          considerations: inAll('Ask for allergies', 'Pregunte por alergias', 'Pergunte por alergias'),
          avoid: ['penicillin-allergy'],
        },
      ],
    }),
    aCondition('common-cold', {
      name: inAll('Common cold', 'Resfriado común', 'Resfriado comum'),
      icd10: 'J00',
      base: -1.5,
      needs: ['cough', 'runny-nose'],
      findings: { 'runny-nose': 1.5, cough: 0.7, fever: -0.3, crackles: -1 },
    }),
    aCondition('pulmonary-embolism', {
      name: inAll('Pulmonary embolism', 'Embolia pulmonar', 'Embolia pulmonar'),
      icd10: 'I26.99',
      base: -4,
      needs: ['chest-pain', 'cough'],
      findings: { 'chest-pain': 1.5, 'coughing-blood': 1.5, 'calf-pain': 2, 'recent-surgery': 1.5, fever: -0.3 },
      mustNotMiss: true,
      urgent: 0.5,
    }),
    aCondition('ectopic-pregnancy', {
      name: inAll('Ectopic pregnancy', 'Embarazo ectópico', 'Gravidez ectópica'),
      icd10: 'O00.90',
      base: -3.5,
      people: [
        { sex: 'male', weight: -9 },
        { sex: 'female', weight: 0.5 },
      ],
      needs: ['lower-abdominal-pain', 'pregnant'],
      findings: { 'lower-abdominal-pain': 1.5, pregnant: 2 },
      mustNotMiss: true,
      urgent: 0,
    }),
  ],
  dangers: [
    {
      all: ['chest-pain', 'sweating'],
      why: inAll('Chest pain with sweating', 'Dolor torácico con sudoración', 'Dor torácica com sudorese'),
    },
    {
      all: ['fever'],
      ages: { from: 0, to: 0.25 },
      why: inAll('Fever of a young infant', 'Fiebre en un lactante pequeño', 'Febre em lactente jovem'),
    },
    {
      all: ['lower-abdominal-pain', 'pregnant'],
      sex: 'female',
      why: inAll('Abdominal pain in pregnancy', 'Dolor abdominal en el embarazo', 'Dor abdominal na gravidez'),
    },
  ],
});

const CLAUSE = /[.;,]| and | with /;

/** Finds the names of LUNGS, "no …" and "maybe …", "man", "woman", and "of 54": enough for tests of the later steps. */
export function hearClauses(text: string): HistoryFacts {
  const findings = new Map<string, ExtractedFinding>();
  for (const clause of text.toLowerCase().split(CLAUSE)) {
    for (const finding of LUNGS.findings.values()) {
      const said = finding.id.replaceAll('-', ' ');
      if (!clause.includes(said)) continue;
      const told: Presence = /\bno\b/.test(clause) ? 'absent' : clause.includes('maybe') ? 'uncertain' : 'present';
      findings.set(finding.id, { id: finding.id, presence: told, quote: said });
      const implied = told === 'absent' ? [] : finding.implies.filter((id) => !findings.has(id));
      for (const id of implied) findings.set(id, { id, presence: told, quote: said });
    }
  }
  return aHeard({
    person: personIn(text),
    findings: Object.fromEntries(findings),
    isHealth: findings.size > 0 || /patient|pain|ill/.test(text),
    isUnderstood: !text.includes('bonjour'),
    words: new Map(),
    isConversation: false,
    isHardlyRecognised: false,
  });
}

function personIn(text: string): Person {
  const years = /of (\d+)/.exec(text)?.[1];
  const sex = /\bwoman\b/.test(text) ? 'female' : /\bman\b/.test(text) ? 'male' : undefined;
  return { ...(years !== undefined && { ageYears: Number(years) }), ...(sex !== undefined && { sex }) };
}
