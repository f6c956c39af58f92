// Tests that are ordered, referrals, results and what is said of a pregnancy.
import type { Language } from '../../../language.ts';
import { type Act, readActs } from '../acts/read-acts.ts';
import { hasMostWords, type Noted, stemsIn } from './noted.ts';
import { isByClinician, isByOther, isOfAnother, type SaidAct, type SpokenSentence, saidAs, type Talk } from './talk.ts';

/** The clinician decides on it, and does not only speak of it. */
const ORDERING: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:ill|well|will|going to|lets|i would like|id like|want|need\w*|order\w*|ask\w*|request\w*|arrange\w*|book\w*|repeat\w*|send\w*|refer\w*|check|have (?:a|an|another)|get (?:a|an|some)|take (?:some )?blood|spoken to|due|tomorrow|theyll)\b/,
  es: /\b(?:pid\w+|ped\w+|voy a|vamos a|mand\w+|solicit\w*|hac\w+|haremos|sac\w+|repet\w+|repit\w+|quiero|necesit\w*|hay que|te hago|le hago|deriv\w+|hablo|valor\w+|interconsult\w*|tomamos|tomaremos)\b/,
  pt: /\b(?:vou|vamos|pec\w+|pedi\w*|quero|solicit\w*|colh\w+|colet\w+|repit\w+|repet\w+|faz\w*|facam|precis\w+|marc\w+|encaminh\w+|agend\w+|quero que|daqui)\b/,
};
/** A result that is there. */
const RESULT: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:show\w*|was|were|is|came|normal|raised|high|low|negative|positive|clear|left|at|of|plus|fine|above|below)\b/,
  es: /\b(?:salio|salieron|dio|dieron|sale|esta|estan|muestra|mostro|es|fue|normal|alt[oa]|baj[oa]|negativ\w+|positiv\w+|trae)\b/,
  pt: /\b(?:deu|veio|vieram|saiu|mostrou|esta|ta|e|foi|normal|alt[oa]|baix[oa]|negativ\w+|positiv\w+|mostra)\b/,
};
/** What came out of a test, without a number. */
const OUTCOME: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:show(?:s|ed)|came back|is (?:normal|raised|high|low|negative|positive|clear)|was (?:normal|raised|high|low|negative|positive|clear))\b/,
  es: /\b(?:salio|salieron|muestra|mostro|dio (?:negativ\w+|positiv\w+|alt\w+|baj\w+|normal)|(?:es|esta|fue) (?:normal|negativ\w+|positiv\w+))\b/,
  pt: /\b(?:deu|veio|vieram|saiu|mostrou|mostra|(?:e|esta|foi) (?:normal|negativ\w+|positiv\w+))\b/,
};
/** `Platelets one hundred and eighteen.` */
const MOST_OF_BARE = 8;
/** Numbers under these names were measured, and are no results of a test. */
const VITALS: ReadonlySet<string> = new Set(['temperature', 'pulse', 'saturation', 'respiration', 'weight', 'height']);
const RESULT_LABELS =
  /\b(?:acr|alt|ast|tgo|tgp|crp|pcr|esr|inr|tsh|psa|hcg|bnp|ferritin|platelets?|plaquetas?|haemoglobin|hemoglobina?|creatinin[ae]?|potass\w+|potasio|sodium|sodio|hba1c|glicada|glicosilada|glucosilada|troponin\w*|lactat[eo]|d dimer|dimero|antigeno|urocultivo|urocultura|level|nivel|residual|bladder|vejiga|bexiga|white cells?|leucocit\w+|bilirrubina|bilirubin|urea|egfr|biopsy|biopsia)\b/;
const PREGNANCY: ReadonlySet<string> = new Set(['pregnant', 'delay', 'miscarriage', 'ectopic']);
/** `My period is two days late`, with words between. */
const LATE: Readonly<Record<Language, RegExp>> = {
  en: /\bperiods?\b.*\blate\b|\bmissed (?:a|my|her) period\b/,
  es: /\b(?:regla|periodo|menstruacion)\b.*\b(?:atras\w+|retras\w+)|\bno me (?:viene|vino|baja|bajo)\b/,
  pt: /\bmenstruacao\b.*\batras\w+|\batras\w+.*\bmenstruacao\b/,
};

export function missingActs({ sentences, language }: Talk, noted: Noted): readonly SaidAct[] {
  // Only what may decide, report or tell of a pregnancy is searched for acts.
  const candidates = sentences.filter((sentence) => !sentence.isQuestion && mayAct(sentence, language));
  const acts = new Map<SpokenSentence['reading'], readonly Act[]>();
  const found = candidates.flatMap((sentence) => {
    const { reading } = sentence;
    const all = acts.get(reading) ?? readActs(reading, language);
    acts.set(reading, all);
    const own = all.filter((act) => reading.tokens[act.first]?.sentence === sentence.sentence);
    return own.length === 0 ? [] : inSentence(sentence, own, noted, language);
  });
  return [...found, ...sentences.flatMap((sentence) => missingResult(sentence, noted, language))];
}

const OF_PREGNANCY = /\b(?:pregn|embaraz|gravid|engravid|gesta|miscarr|abort|ectop|perdi)/;

function mayAct(sentence: SpokenSentence, language: Language): boolean {
  const { words } = sentence;
  if (isByOther(sentence) && OF_PREGNANCY.test(words)) return true;
  return isByClinician(sentence) && (ORDERING[language].test(words) || OUTCOME[language].test(words));
}

function inSentence(
  sentence: SpokenSentence,
  acts: readonly Act[],
  noted: Noted,
  language: Language,
): readonly SaidAct[] {
  const missing = acts.filter(({ id, status, relative }) => {
    return status === 'affirmed' && relative === undefined && !noted.hasAct(id);
  });
  const isDecided = ORDERING[language].test(sentence.words) && isByClinician(sentence);
  return missing.flatMap(({ kind, id }): readonly SaidAct[] => {
    if (kind === 'pregnancy') {
      return PREGNANCY.has(id) && isByOther(sentence) && !isOfAnother(sentence, language)
        ? [saidAs('pregnancy', sentence)]
        : [];
    }
    if (hasMostWords(sentence.tokens, noted)) return [];
    const isReported = kind === 'order' && isByClinician(sentence) && OUTCOME[language].test(sentence.words);
    if (!isDecided) return isReported && !isOutcomeNoted(sentence, noted) ? [saidAs('result', sentence)] : [];
    if (kind === 'order') return [saidAs('order', sentence)];
    return kind === 'follow-up' ? [saidAs('follow-up', sentence)] : [];
  });
}

/** A number under the name of a test that the note does not have. */
function missingResult(sentence: SpokenSentence, noted: Noted, language: Language): readonly SaidAct[] {
  if (LATE[language].test(sentence.words) && !sentence.isQuestion && isByOther(sentence) && !noted.hasAct('delay')) {
    return [saidAs('pregnancy', sentence)];
  }
  if (!isByClinician(sentence) || sentence.isQuestion || !RESULT_LABELS.test(sentence.words)) return [];
  const values = valuesOf(sentence);
  const isBare = sentence.tokens.length <= MOST_OF_BARE;
  if (values.length === 0 || !(isBare || RESULT[language].test(sentence.words))) return [];
  return values.some((value) => noted.values.has(value)) ? [] : [saidAs('result', sentence)];
}

/** A number of it is in the note, or a long word: `fracture`. */
function isOutcomeNoted(sentence: SpokenSentence, noted: Noted): boolean {
  if (valuesOf(sentence).some((value) => noted.values.has(value))) return true;
  const long = [...stemsIn(sentence.tokens)]
    .filter((stem) => stem.length >= LONG_WORD)
    .map((stem) => stem.slice(0, LONG_WORD));
  return noted.statements.some(({ stems }) => [...stems].some((stem) => long.includes(stem.slice(0, LONG_WORD))));
}

const LONG_WORD = 6;

function valuesOf({ reading, sentence }: SpokenSentence): readonly number[] {
  return reading.measures
    .filter(({ first }) => reading.tokens[first]?.sentence === sentence)
    .flatMap((measure) => {
      if (measure.kind !== 'amount' || VITALS.has(measure.label ?? '') || isTime(measure.unit)) return [];
      return measure.values;
    });
}

function isTime(unit: string | undefined): boolean {
  return unit !== undefined && /^(?:second|minute|hour|day|week|month|year|time)$/.test(unit);
}
