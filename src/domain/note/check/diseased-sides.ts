// Decides whether a side without a part of the body belongs to a disease: `bilateral otitis media`, `ciática izquierda`. `Left` and
// `derecho` have other meanings.
import type { Language } from '../../language.ts';
import type { OpenSide } from './sides.ts';
import type { TextFacts } from './text-facts.ts';

/** Words between the side and the disease. */
const REACH = 4;

/** Endings and names of diseases that are on a side. */
const DISEASES: Readonly<Record<Language, RegExp>> = {
  en: /(?:itis|osis|oma|algia|pathy|plegia|paresis|thorax)$|^(?:sciatica|fractur\w*|hernia\w*|sprain\w*|strain\w*|tear|rupture\w*|effusion\w*|cataract\w*|abscess\w*|ulcer\w*|lesion\w*|stroke|infarct\w*|neuroma|dvt|pneumonia|impingement|palsy|mastectomy|nephrectomy|cap|headache|migraine|otorrhoea|prolapse|weakness|numbness)$/,
  es: /(?:itis|osis|oma|algia|patia|plejia|paresia|torax)$|^(?:ciatica|fractura\w*|hernia\w*|esguince\w*|distension|desgarro\w*|rotura\w*|derrame\w*|catarata\w*|absceso\w*|ulcera\w*|lesion\w*|ictus|infarto\w*|tvp|neumonia|paralisis|mastectomia|nefrectomia|nac|cefalea|migrana|debilidad)$/,
  pt: /(?:ite|ites|ose|oma|algia|patia|plegia|paresia|torax)$|^(?:ciatica|ciatalgia|fratura\w*|hernia\w*|entorse\w*|distensao|estiramento\w*|ruptura\w*|derrame\w*|catarata\w*|abscesso\w*|ulcera\w*|lesao|lesoes|avc|infarto\w*|tvp|pneumonia|paralisia|mastectomia|nefrectomia|pnm|pac|cefaleia|enxaqueca|fraqueza)$/,
};

/** Behind one of them `left` is a verb. */
const BEHIND_VERB = new Set(
  'with the a an her his their my for to after before at in on and or by from us me'.split(' '),
);

export function isSideOfDisease(text: TextFacts, { index, side }: OpenSide): boolean {
  const isBoth = side === 'both';
  if (isBoth && text.tokens[index]?.word.startsWith('bilat') !== true) return false;
  const isBehind = (isBoth || text.language === 'en') && hasDisease(text, index, 1);
  return isBehind || ((isBoth || text.language !== 'en') && hasDisease(text, index, -1));
}

/** True if one of the next words in this direction is a disease or a finding. */
function hasDisease({ tokens, findings, language }: TextFacts, index: number, step: 1 | -1): boolean {
  if (language === undefined) return false;
  for (let at = index + step, words = 0; words < REACH; at += step) {
    const token = tokens[at];
    if (token === undefined || token.sentence !== tokens[index]?.sentence) return false;
    if (token.word === ',') continue;
    if (token.kind !== 'word') return false;
    words += 1;
    if (language === 'en' && BEHIND_VERB.has(token.word)) return false;
    if (DISEASES[language].test(token.word)) return true;
    if (findings.some(({ first, end }) => at >= first && at < end)) return true;
  }
  return false;
}
