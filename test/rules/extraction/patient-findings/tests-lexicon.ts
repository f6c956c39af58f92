// Findings that a test can decide. The shipped lexicon has few of them.
import { knowledgeOf } from '../small-lexicon.ts';

const name = 'name: { en: x, es: x, pt: x }';

export const TESTED_KNOWLEDGE = knowledgeOf(`
fever:
  ${name}
  en: [fever]
  es: [fiebre]
  pt: [febre]
cough:
  ${name}
  en: [cough]
  es: [tos]
  pt: [tosse]
flu:
  ${name}
  en: [flu, influenza]
  es: [gripe, influenza]
  pt: [gripe, influenza]
covid:
  ${name}
  en: [covid]
  es: [covid]
  pt: [covid]
pregnant:
  ${name}
  kind: circumstance
  en: [pregnan*, hcg]
  es: [embaraz*, hcg]
  pt: [gravid*, hcg]
urine-nitrites:
  ${name}
  kind: sign
  en: [nitrites]
  es: [nitritos]
  pt: [nitrito, nitritos]
`);
