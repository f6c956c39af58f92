// A small lexicon for the tests of extraction, and a short form of the findings: "fever -cough ?rash ~flu ^vomiting" is fever present, cough
// absent, rash uncertain, flu of another person and vomiting in the past.
import { makeCountingExtract } from '../../../src/rules/extraction/extract-facts.ts';
import type { HistoryFacts } from '../../../src/rules/extraction/history-facts.ts';
import type { Knowledge } from '../../../src/rules/knowledge/knowledge.ts';
import { parseKnowledge } from '../../../src/rules/knowledge/read-knowledge.ts';
import { SHIPPED_LANGUAGES } from '../knowledge/shipped-languages.ts';

const name = 'name: { en: x, es: x, pt: x }';

const SMALL_LEXICON = `
fever:
  ${name}
  values: [{ of: temperature, from: 38.0 }]
  en: [fever*, febrile, pyrexia]
  es: [fiebre, febril, calentura]
  pt: [febre, febril]
cough:
  ${name}
  en: [cough*]
  es: [tos]
  pt: [tosse]
productive-cough:
  ${name}
  implies: [cough]
  en: ["productive cough", "cough* {4} phlegm|sputum"]
  es: ["tos productiva", "tos {3} flema*"]
  pt: ["tosse produtiva", "tosse {3} secrecao"]
rash:
  ${name}
  en: [rash]
  es: [erupcion, sarpullido]
  pt: ["erupcao", "manchas na pele"]
headache:
  ${name}
  en: [headache*, "pain in [the] head"]
  es: [cefalea*, "dolor de cabeza"]
  pt: [cefaleia*, "dor de cabeca"]
worst-headache:
  ${name}
  implies: [headache]
  danger: true
  en: ["never had {2} headache like this"]
  es: ["nunca {4} dolor de cabeza asi"]
  pt: ["nunca {4} dor de cabeca assim"]
vomiting:
  ${name}
  en: [vomit*, "N/V", "threw up"]
  es: [vomit*, "N/V"]
  pt: [vomit*]
breathlessness:
  ${name}
  en: ["short of breath", "shortness of breath", SOB]
  es: [disnea, "falta de aire"]
  pt: [dispneia, "falta de ar"]
chest-pain:
  ${name}
  en: ["chest pain", "pain {3} chest"]
  es: ["dolor toracico", "dolor {3} pecho", "duele {2} pecho"]
  pt: ["dor toracica", "dor {3} peito"]
cannot-walk:
  ${name}
  en: ["cannot walk", "unable to walk"]
  es: ["no puede caminar|andar"]
  pt: ["nao consegue {1} andar"]
diarrhoea:
  ${name}
  en: [diarrhea, diarrhoea]
  es: [diarrea]
  pt: [diarreia]
diabetes:
  ${name}
  kind: condition
  en: [diabetes, diabetic, T2DM]
  es: [diabetes, diabetico, diabetica, DM2]
  pt: [diabetes, diabetico, diabetica, DM]
hay-fever:
  ${name}
  kind: condition
  en: ["hay fever"]
  es: ["fiebre del heno"]
  pt: ["febre do feno"]
stroke-before:
  ${name}
  kind: condition
  en: [stroke]
  es: [ictus]
  pt: [AVC]
meningitis-feared:
  ${name}
  kind: condition
  en: [meningitis]
  es: [meningitis]
  pt: [meningite]
flu:
  ${name}
  en: [flu, influenza]
  es: [gripe]
  pt: [gripe]
covid:
  ${name}
  en: [covid]
  es: [covid]
  pt: [covid]
pregnant:
  ${name}
  kind: circumstance
  en: [pregnant]
  es: [embarazada]
  pt: [gravida, gestante]
family-heart:
  ${name}
  kind: circumstance
  en: ["father|mother|brother had [a] heart attack"]
  es: ["padre|madre {2} infarto"]
  pt: ["pai|mae {2} infarto"]
heart-attack:
  ${name}
  kind: condition
  en: ["heart attack"]
  es: [infarto]
  pt: [infarto]
getting-better:
  ${name}
  en: ["improvement", "getting better"]
  es: [mejoria]
  pt: [melhora]
tachycardia:
  ${name}
  kind: sign
  values: [{ of: heart-rate, from: 110, ages: "12-" }, { of: heart-rate, from: 150, ages: "1-5" }]
very-high-pressure:
  ${name}
  kind: sign
  values: [{ of: systolic, from: 180 }, { of: diastolic, from: 110 }]
low-oxygen:
  ${name}
  kind: sign
  values: [{ of: oxygen-saturation, below: 94 }]
chronic:
  ${name}
  kind: circumstance
  values: [{ of: symptom-days, from: 42 }]
infant:
  ${name}
  kind: circumstance
  values: [{ of: age, below: 1 }]
  en: [infant]
  es: [lactante]
  pt: [lactente]
`;

const SMALL_KNOWLEDGE: Knowledge = knowledgeOf(SMALL_LEXICON);

export function knowledgeOf(lexicon: string): Knowledge {
  const read = parseKnowledge([{ path: 'lexicon/small.yaml', text: lexicon }]);
  if ('problems' in read) throw new Error(read.problems.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return { ...read.knowledge, ...SHIPPED_LANGUAGES };
}

const extractFacts = makeCountingExtract(SMALL_KNOWLEDGE);

export function extract(text: string): HistoryFacts {
  return extractFacts(text).facts;
}

export function workOf(text: string): number {
  return extractFacts(text).work;
}

const SIGNS = { present: '', uncertain: '?', absent: '-' } as const;
/** Findings that follow from values have tests of their own. */
const QUIET = new Set(['tachycardia', 'very-high-pressure', 'low-oxygen', 'chronic', 'infant']);

export function shortly({ findings, family, past }: HistoryFacts): string {
  return [
    ...Array.from(findings.values(), ({ id, presence }) => ({ id, sign: SIGNS[presence] })),
    ...family.map((id) => ({ id, sign: '~' })),
    ...past.map((id) => ({ id, sign: '^' })),
  ]
    .filter(({ id }) => !QUIET.has(id))
    .map(({ id, sign }) => sign + id)
    .sort()
    .join(' ');
}

export function sorted(list: string): string {
  return list.split(' ').sort().join(' ');
}
