// Who speaks: the clinician asks, examines and orders; the patient says what they feel; a relative says what another person has. The recognition
// only numbers the voices.
import type { Token } from '../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../language.ts';
import type { SpeakerRole } from '../check-report.ts';

type Talk = {
  readonly readings: readonly { readonly tokens: readonly Token[] }[];
  readonly speakers: readonly number[];
  readonly language: Language | undefined;
};

/** Words of who examines, orders, prescribes and explains; those of a complaint; and those about another person. */
const WORDS: Readonly<Record<Language, Readonly<Record<SpeakerRole, RegExp>>>> = {
  en: {
    clinician:
      /\b(?:i (?:would|will|want to|am going to|can (?:see|hear|feel)|have (?:written|booked|asked))|ill (?:give|send|book|ask|check|refer|prescribe|write|see|listen|examine)|id like|well (?:do|get|start|give|take|see|check|need)|lets|let me|im going to|going to (?:examine|listen|check|give|start)|milligrams?|your (?:blood pressure|pressure|chest|heart|pulse|temperature|oxygen|sats|blood|tests?|scan|results?)|prescri\w+|refer\w*|deep breath|looks like|scale|any (?:pain|fever|allerg\w+|history|other|problems?|change|numb\w+|blood))\b/g,
    patient:
      /\b(?:i (?:feel|felt|cant|couldnt|had|have|take|took|was|got|dont|didnt|get|think|woke|stopped)|ive|im|my|me|hurts|doctor)\b/g,
    relative:
      /\b(?:(?:she|he)(?:s|d|ll)?|her|him|his|(?:my|our) (?:mum|mom|mother|dad|father|son|daughter|husband|wife|baby|little \w+))\b/g,
  },
  es: {
    clinician:
      /\b(?:le (?:voy|pido|doy|receto|mando|tomo|pongo|hago|explico)|te (?:voy|pido|doy|receto|mando|propongo|agrego|hago)|vamos a|voy a|miligramos?|respire|abra|acuestese|la (?:presion|tension|saturacion|temperatura) (?:esta|es)|su (?:presion|tension|corazon|pulso)|receta|derivo|a ver|digame|diga|cuenteme|veamos)\b/g,
    patient:
      /\b(?:me (?:duele|dolio|siento|senti|da|dio|paso|tomo|tome|cuesta|falta|hace|pica|mareo|canso)|tengo|tuve|estoy|mi|yo|tomo|no puedo|doctora?|mis)\b/g,
    relative:
      /\b(?:ella|el (?:no|se|esta|tiene|come|toma)|mi (?:mama|papa|madre|padre|hij[oa]|espos[oa]|marido|mujer|bebe|nen[ea]|nin[oa])|la nena|el nene|le (?:duele|dio|damos|doy de)|llora|come)\b/g,
  },
  pt: {
    clinician:
      /\b(?:vou (?:pedir|te|passar|dar|examinar|medir|receitar|encaminhar|deixar|colher|suspender|comecar|auscultar)|vamos|eu (?:peco|passo|mantenho|quero|suspendo)|miligramas?|respira|respire|abre|deita|a (?:pressao|saturacao|temperatura) (?:esta|ta|e)|sua (?:pressao|saturacao)|seu (?:pulmao|coracao|exame)|receita|encaminho|deixa eu|me conta|te (?:mando|encaminho|passo|vejo))\b/g,
    patient:
      /\b(?:me (?:doi|sinto|senti|deu|da|incomoda)|tenho|tive|estou|to|minha|meu|eu (?:tomo|sinto|tive|tenho|nao|fiquei|acordei|parei)|doi|doutora?|comecei|fiquei|acordei)\b/g,
    relative:
      /\b(?:ela|ele|minha (?:mae|filha|esposa|avo)|meu (?:pai|filho|marido|avo|bebe)|o bebe|a bebe|chora|chorou|mama)\b/g,
  },
};
/** A question counts as much as this many words. */
const QUESTION = 2;
/** A second clinician orders and examines as often as this share of the first. */
const SECOND_CLINICIAN = 0.6;
const FEWEST_OF_SECOND = 4;
/** Of two who do not ask, the patient speaks more often. */
const SPEAKING = 0.5;

type Counts = Readonly<Record<SpeakerRole, number>> & { readonly questions: number; readonly utterances: number };

/** Empty if there is only one voice, or if none asks, examines or orders. */
export function speakerRoles(talk: Talk): ReadonlyMap<number, SpeakerRole> {
  const roles = KNOWN.get(talk.readings) ?? readRoles(talk);
  KNOWN.set(talk.readings, roles);
  return roles;
}

/** Both the evidence and the search for what is missing ask for them. */
const KNOWN = new WeakMap<Talk['readings'], ReadonlyMap<number, SpeakerRole>>();

function readRoles({ readings, speakers, language }: Talk): ReadonlyMap<number, SpeakerRole> {
  if (language === undefined || new Set(speakers).size < 2) return new Map();
  const counts = new Map(
    [...Map.groupBy(readings, (_, utterance) => speakers[utterance] ?? -1)].map(
      ([voice, own]) => [voice, countOf(own, language)] as const,
    ),
  );
  const [first, ...others] = [...counts].toSorted(([, a], [, b]) => scoreOf(b) - scoreOf(a));
  if (first === undefined || scoreOf(first[1]) <= 0) return new Map();
  const least = Math.max(FEWEST_OF_SECOND, first[1].clinician * SECOND_CLINICIAN);
  const [colleagues, rest] = [
    others.filter(([, one]) => isColleague(one, least)),
    others.filter(([, one]) => !isColleague(one, least)),
  ];
  return new Map([
    ...[first, ...colleagues].map(([voice]) => [voice, 'clinician'] as const),
    ...patientAndRelatives(rest, first[1]),
  ]);
}

function countOf(readings: Talk['readings'], language: Language): Counts {
  const tokens = readings.flatMap((reading) => reading.tokens);
  const text = tokens.map(({ word }) => word).join(' ');
  const [clinician, patient, relative] = (['clinician', 'patient', 'relative'] as const).map(
    (role) => text.match(WORDS[language][role])?.length ?? 0,
  );
  const questions = tokens.filter(({ word }) => word === '?').length;
  return {
    clinician: clinician ?? 0,
    patient: patient ?? 0,
    relative: relative ?? 0,
    questions,
    utterances: readings.length,
  };
}

function scoreOf({ clinician, patient, relative, questions }: Counts): number {
  return clinician + QUESTION * questions - patient / 2 - relative / 4;
}

function isColleague({ clinician, patient, relative }: Counts, least: number): boolean {
  return clinician >= least && clinician > patient + relative;
}

/** Of several the one who speaks most of themselves is the patient; a single one may speak for a child. */
function patientAndRelatives(
  others: readonly (readonly [number, Counts])[],
  clinician: Counts,
): readonly (readonly [number, SpeakerRole])[] {
  const [first, ...rest] = others.toSorted(([, a], [, b]) => ownOf(b) - ownOf(a));
  if (first === undefined) return [];
  const [voice, { patient, relative }] = first;
  const isForAnother = rest.length === 0 && relative + clinician.relative / 2 > patient;
  return [[voice, isForAnother ? 'relative' : 'patient'], ...rest.map(([other]) => [other, 'relative'] as const)];
}

function ownOf({ patient, relative, utterances }: Counts): number {
  return patient - relative + SPEAKING * utterances;
}
