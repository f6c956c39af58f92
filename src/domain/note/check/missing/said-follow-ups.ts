// Advice for the case that it gets worse, and the next appointment, as the clinician says them.
import type { Language } from '../../../language.ts';
import { hasMostWords, type Noted, type NotedStatement, stemsIn, timesIn } from './noted.ts';
import { isByClinician, type SaidAct, type SpokenSentence, saidAs, type Talk } from './talk.ts';

type Words = { readonly if: RegExp; readonly act: RegExp; readonly see: RegExp; readonly when: RegExp };

/** A condition, what to do then, being seen again, and a day without a number. */
const SPOKEN: Readonly<Record<Language, Words>> = {
  en: {
    if: /\b(?:if|in case|should (?:she|he|it|you|the)|any time|unless|or if)\b/,
    act: /\b(?:come (?:back|in|straight|here)|go (?:straight|back|to)|ring|call|phone|press|bring|tell|let (?:me|us|the)|999|112|911|emergency|casualty|a&e|a & e|hospital|contact|see (?:me|us|a doctor|someone)|get (?:help|seen)|lock(?:ed)?)\b/,
    see: /\b(?:see you|see (?:her|him|me|us|the|them)|seeing you|review|come back|back (?:in|on|tomorrow|at)|follow up|appointment|ill ring you|ill call you|visit|check (?:you|on you|the)|book you|clinic|theyll see)\b/,
    when: /\b(?:tomorrow|monday|tuesday|wednesday|thursday|friday|saturday|sunday|next week|next month|this week|within)\b/,
  },
  es: {
    if: /\b(?:si|en caso|cuando)\b/,
    act: /\b(?:veng[ao]n?|vuelv[ae]n?|volver|regres\w*|acud\w*|vaya|vayan|vas a|se viene|corra|a urgencias|a emergencias?|a la guardia|guardia|urgencias|llam\w+|avis\w+|traig\w*|trae|me la traen?|me lo traen?|112|911|135|consult\w*)\b/,
    see: /\b(?:l[ao] veo|l[ao]s veo|te veo|nos vemos|control|vuelv[ae]|vendra|viene|revis\w+|regres\w+|cita|consulta|lo vea|la vea|l[ao] espero|paso a verl\w)\b/,
    when: /\b(?:manana|lunes|martes|miercoles|jueves|viernes|sabado|domingo|proxima semana|esta semana|proximo)\b/,
  },
  pt: {
    if: /\b(?:se|caso|senao|quando)\b/,
    act: /\b(?:volt[ae]m?|voltar|retorn\w*|vem|venha|va |vai (?:ao|na|no|a|para)|procur\w+|pronto|ps|upa|lig[aou]\w*|avis\w+|traz|traga|tragam|maternidade|emergencia|192|188|samu)\b/,
    see: /\b(?:volta|volte|voltar|retorno|retorna|volto|te vejo|vejo voce|a gente se ve|consulta|te ve|vem|reavali\w+|quero que o|visita)\b/,
    when: /\b(?:amanha|depois de amanha|segunda|terca|quarta|quinta|sexta|sabado|domingo|semana que vem|mes que vem|proxima semana|proximo|logo depois|dia)\b/,
  },
};

/** In a note, technical or not. */
const NOTED_IF =
  /\b(?:if|in case|si|se|caso|any|worse\w*|safety|red flags?|alarma|alarme|alerta|precauciones|sos|sn|reconsult\w*|prn|when)\b/;
const NOTED_ACT =
  /\b(?:return\w*|come|call\w*|ring|contact\w*|ed|a&e|999|911|112|hospital|urgenc\w*|emerg\w*|guardia|llam\w*|avis\w*|acud\w*|volv\w*|regres\w*|reconsult\w*|consult\w*|retorn\w*|volt\w*|procur\w*|ps|upa|lig\w*|samu|net\w*|flags?|signos|sinais|pauta\w*|r\/v|review|admit|advis\w*|warn\w*|seek)\b/;
const GENERIC =
  /\b(?:safety[ -]?net\w*|red flags?|signos de alarma|sinais de (?:alarme|alerta)|datos de alarma|pautas de alarma)\b/;
const NOTED_SEE =
  /\b(?:r\/v|rv|review\w*|f\/u|fu|follow\w*|see|seen|back|return\w*|appt|appointment|clinic|visit\w*|control\w*|cita|revis\w*|valora\w*|regres\w*|vuelv\w*|consulta|retorn\w*|volta\w*|reavalia\w*|visita\w*|call\w*|ring|tel)\b/;
/** Drugs are kept away from who might take them. */
const SAFE_KEEPING =
  /\b(?:lock(?:ed)? (?:up|away)|look after (?:the|her|his|your) (?:tablets|medic\w+)|(?:con|bajo) llave|trancad\w+|trancar|fora do alcance|fuera del alcance|out of reach)\b/;
const SHORTEST_SHARED = 2;
/** Of the words of an advice. */
const LEAST_SHARE = 0.3;

export function missingFollowUps({ sentences, language }: Talk, noted: Noted): readonly SaidAct[] {
  const words = SPOKEN[language];
  return sentences
    .filter((sentence) => isByClinician(sentence) && !sentence.isQuestion && !hasMostWords(sentence.tokens, noted))
    .filter((sentence) => {
      if (isAdvice(sentence, words)) return !isAdviceNoted(sentence, noted);
      return isAppointment(sentence, words) && !isAppointmentNoted(sentence, noted, words);
    })
    .map((sentence) => saidAs('follow-up', sentence));
}

function isAdvice({ words: said }: SpokenSentence, words: Words): boolean {
  return (words.if.test(said) && words.act.test(said)) || SAFE_KEEPING.test(said);
}

function isAdviceNoted({ tokens, words: said }: SpokenSentence, noted: Noted): boolean {
  const stems = [...stemsIn(tokens)];
  if (SAFE_KEEPING.test(said)) return noted.statements.some(({ folded }) => SAFE_KEEPING.test(folded));
  return noted.statements.some((statement) => {
    if (GENERIC.test(statement.folded)) return true;
    if (!NOTED_IF.test(statement.folded) || !NOTED_ACT.test(statement.folded)) return false;
    return sharedOf(stems, statement) >= Math.max(SHORTEST_SHARED, stems.length * LEAST_SHARE);
  });
}

function sharedOf(stems: readonly string[], { stems: own }: NotedStatement): number {
  const starts = new Set([...own].map(startOf));
  return stems.filter((stem) => starts.has(startOf(stem))).length;
}

/** `vomiting` and `vomit`, `dolor` and `doloroso` begin alike. */
function startOf(stem: string): string {
  return stem.slice(0, 5);
}

function isAppointment({ words: said, reading, sentence }: SpokenSentence, words: Words): boolean {
  if (!words.see.test(said)) return false;
  return words.when.test(said) || timesOf(reading, sentence).length > 0;
}

function timesOf(reading: SpokenSentence['reading'], sentence: number): readonly string[] {
  const measures = reading.measures.filter(({ first }) => reading.tokens[first]?.sentence === sentence);
  return timesIn({ measures });
}

function isAppointmentNoted({ reading, sentence, words: said }: SpokenSentence, noted: Noted, words: Words): boolean {
  const times = timesOf(reading, sentence);
  const seen = noted.statements.filter(({ folded }) => NOTED_SEE.test(folded));
  if (seen.some((statement) => times.some((time) => statement.times.has(time)))) return true;
  const day = words.when.exec(said)?.[0].split(' ').at(-1)?.slice(0, 3);
  return day !== undefined && seen.some(({ folded }) => hasDay(folded, day));
}

/** `Thu`, `jue`, `qui` */
function hasDay(folded: string, day: string): boolean {
  return new RegExp(`\\b${day}`).test(folded);
}
