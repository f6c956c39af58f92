// Whether the words of a note are an act of this visit beyond doubt. They may also be a result, a condition of life, advice, or a history;
// then nothing is claimed of them, since a note that is held for nothing costs more trust than a mark is worth.
import { makePhraseSet, type PhraseSet } from '../../../../clinical-text/cues/phrase-set.ts';
import type { Token } from '../../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../../language.ts';
import { actCuesOf } from './act-cues.ts';
import type { Act } from './read-acts.ts';

type Words = {
  /** Behind a test or a procedure that is over: `retinal screening done June`. */
  readonly done: PhraseSet;
  /** Before what was done at other times. */
  readonly earlier: PhraseSet;
  /** Behind a vaccination that is only a state: `vaccines up to date`. */
  readonly state: PhraseSet;
  /** A device is put in or taken out, and not only worn. */
  readonly placing: PhraseSet;
  /** Other people, whom a patient meets or should keep away from. */
  readonly contacts: PhraseSet;
};

const WORDS: Readonly<Record<Language, Words>> = {
  en: wordsOf({
    done: 'done|normal|negative|positive|neg|pos|nad|showed|shows|showing|up to date|utd|was|were|clear|reported|result*|unremarkable|reviewed|noted|seen|raised|stable|last|prev*|on admission',
    earlier: 'last|previous*|prior|prev|recent|earlier|past|h / o|hx of|history of|s / p|status post|since|after|post',
    state: 'up to date|utd|complete|completed|current|status|history|schedule|age appropriate|all given|as per',
    placing:
      'insert*|fit|fitted|fitting|plac*|remov*|replac*|chang*|exchang*|put in|taken out|procedure|sited|coil check|for|wants|wishes|requests|opts|agree*|consent*|declin*|discuss*|refer*|book*|plan*',
    contacts: 'contact*|women|woman|people|visitor*|relatives|colleagues|pets',
  }),
  es: wordsOf({
    done: 'hech*|realizad*|normal*|negativ*|positiv*|mostr*|muestra|al dia|sin alteraciones|sin hallazgos|informad*|resultado*|fue|revisad*|previ*|anterior*|vist*|estable*|traid*',
    earlier: 'previ*|ultim*|anterior*|reciente*|antecedente*|hace|desde|tras|post|ant|ap|intervenid*|operad*',
    state: 'al dia|complet*|vigente*|segun|esquema|calendario|correct*|actualizad*',
    placing:
      'coloc*|inser*|retir*|pon*|cambi*|recambi*|quit*|implanta*|desea|quiere|solicita|acepta|autoriza|rechaza|consent*|deriv*|cita*|program*',
    contacts: 'contacto*|mujeres|personas|visitas|companer*|mascotas',
  }),
  pt: wordsOf({
    done: 'feit*|realizad*|normal|normais|negativ*|positiv*|mostr*|em dia|sem alterac*|resultado*|foi|revisad*|revist*|previ*|anterior*|estave*|trazid*|trouxe',
    earlier: 'previ*|ultim*|anterior*|recente*|antecedente*|ha|desde|apos|pos|operad*|submetid*|historico|historia de',
    state: 'em dia|complet*|atualizad*|segundo|conforme|esquema|calendario',
    placing:
      'coloc*|inser*|retir*|por|troc*|tir*|implanta*|deseja|quer|solicita|aceita|autoriza|recusa|consent*|encaminh*|agend*|program*',
    contacts: 'contato*|contactante*|mulheres|pessoas|visitas|colegas|gestantes',
  }),
};

function wordsOf(lists: Readonly<Record<keyof Words, string>>): Words {
  return Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [name, makePhraseSet(list)]),
  ) as unknown as Words;
}

/** Devices that are worn for years. */
const WORN: ReadonlySet<string> = new Set(['iud', 'implant', 'sterilisation']);
/** What patients also do by themselves every day: `short of breath on dressing`. */
const DAILY: ReadonlySet<string> = new Set(['dressing', 'wound-wash', 'splint']);
/** Treatments that a person may have had or has all the time. */
const LASTING: ReadonlySet<string> = new Set(['icu', 'intubation', 'dialysis', 'tube-feeding', 'directive', 'comfort']);
/** These words are of many matters: a plan, a note, an earlier attempt to stop smoking. */
const OF_MANY_MATTERS: ReadonlySet<string> = new Set(['plan', 'note', 'attempt', 'regret']);
/** Also of other muscles, of the heart, of medicine as a whole. */
const OF_OTHER_ORGANS: ReadonlySet<string> = new Set(['contractions', 'ectopic', 'test', 'movements']);
const SELF_HARM_TEXT =
  /^(?:suicid\w*|autol[iy]\w*|autoles\w*|autoagress\w*|automutil\w*|autoexterm\w*|overdos\w*|od|sobredosis|sobreingesta|sobreingestion|ingest\w*|ingestao|selfharm\w*|dsh|muerte|morte|morir|morrer|death|die|dead|harm\w*|hanging|ahorca\w*|enforca\w*)$/;
const PREGNANCY_TEXT =
  /^(?:pregnan\w*|gravid\w*|gest\w*|embaraz\w*|ges\w*|obstet\w*|fetal|fetais|fetales|fcf|bcf|mf|ctg|labour|labor|parto|prenatal|antenatal|natal|lmp|fum|fur|dum|ig|eg|hcg|bhcg|period|menstrua\w*|regla|uterin\w*)$/;
const LIMITS_TEXT =
  /^(?:cpr|rcp|dni|dnr|dnar|dnacpr|onr|escalation|ceiling|techo|teto|resus\w*|reanim\w*|ressuscit\w*|invasiv\w*)$/;

const BEHIND_REACH = 3;
const BEFORE_REACH = 3;
const PLACE_REACH = 6;

type Place = {
  readonly tokens: readonly Token[];
  readonly language: Language;
  /** The section is about what is done in the visit, or after it. */
  readonly isPresent: boolean;
};

export function isUnmistakable(act: Act, place: Place): boolean {
  const { tokens, isPresent } = place;
  const has = (pattern: RegExp) => tokens.some(({ word }) => pattern.test(word));
  switch (act.kind) {
    case 'order':
    case 'follow-up':
      return !isOver(act, place);
    case 'procedure':
      return isProcedure(act, place);
    case 'self-harm':
      return !OF_MANY_MATTERS.has(act.id) || has(SELF_HARM_TEXT);
    case 'pregnancy':
      if (isOfContacts(act, place) || isHeight(act, place)) return false;
      return !OF_OTHER_ORGANS.has(act.id) || has(PREGNANCY_TEXT);
    case 'resuscitation':
      return !LASTING.has(act.id) || isPresent || has(LIMITS_TEXT);
    case 'disposition':
      return !isBefore(act, place, actCuesOf(place.language).hedging);
  }
}

function isProcedure(act: Act, place: Place): boolean {
  const { language, isPresent } = place;
  const { placing, state, earlier } = WORDS[language];
  if (WORN.has(act.id.split(':')[0] ?? '')) return isAround(act, place, placing, PLACE_REACH);
  if (act.id === 'vaccine' && isAround(act, place, state, PLACE_REACH)) return false;
  if (DAILY.has(act.id) && !isPresent) return false;
  if (act.status === 'denied' && !isPresent) return false;
  if (isBehind(act, place, earlier, 1)) return false;
  return isPresent || !isBefore(act, place, earlier);
}

/** `HbA1c 58`, `retinal screening done June`, `last ECG` */
function isOver(act: Act, place: Place): boolean {
  const { tokens, language } = place;
  const { done, earlier } = WORDS[language];
  const next = tokens[act.end];
  if (next?.sentence === tokens[act.first]?.sentence && /^(?:=|:|>|<)$/.test(next?.word ?? '')) return true;
  return isBehind(act, place, done) || isBefore(act, place, earlier);
}

function isBehind({ first, end }: Act, { tokens }: Place, set: PhraseSet, reach = BEHIND_REACH): boolean {
  for (let index = end; index < end + reach; index += 1) {
    const token = tokens[index];
    if (token?.sentence !== tokens[first]?.sentence || token?.word === ',') return false;
    if (set.lengthAt(tokens, index) > 0) return true;
  }
  return false;
}

function isBefore({ first }: Act, { tokens }: Place, set: PhraseSet, reach = BEFORE_REACH): boolean {
  for (let index = first - 1; index >= first - reach; index -= 1) {
    const token = tokens[index];
    if (token?.sentence !== tokens[first]?.sentence || token?.word === ',') return false;
    if (set.lengthAt(tokens, index) > 0) return true;
  }
  return false;
}

function isAround(act: Act, place: Place, set: PhraseSet, reach: number): boolean {
  return isBefore(act, place, set, reach) || isBehind(act, place, set, reach);
}

/** `Avoid pregnant contacts` */
function isOfContacts(act: Act, place: Place): boolean {
  return isAround(act, place, WORDS[place.language].contacts, 2);
}

/** `AU 27 cm` is the height of the womb. */
function isHeight({ id, end }: Act, { tokens }: Place): boolean {
  return id === 'contractions' && tokens[end]?.kind === 'number' && /^(?:au|du)$/.test(tokens[end - 1]?.word ?? '');
}
