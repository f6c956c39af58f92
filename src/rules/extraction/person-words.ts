// The words for persons, in three languages, folded.
import { TIME_WORDS, unitMap } from '../../clinical-text/measures/time-words.ts';
import type { Sex } from '../knowledge/knowledge.ts';

const set = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const FEMALE =
  'woman female girl lady f w mrs ms mujer nina senora femenina chica muchacha fem mulher menina senhora feminina moca gestante ' +
  'embarazada gravida puerpera ama anciana nena chava chavita piba zagala mujercita ninita senorita femenina adulta garota muie rapariga miuda guria idosa sra feminino femenino schoolgirl waitress housewife enfermera secundigesta primigesta multipara pregnant chavala morra muchachita jovencita cabrita viejita viejecita ancianita nona abuelita chiquita chiquilla chamaca gurisa dama dona';
const MALE =
  'man male boy gentleman guy m mr hombre varon nino nene chavo chavito pibe zagal ninito anciano v senor masculino chico muchacho masc homem menino senhor rapaz moco garoto homi miudo guri idoso sr masculina schoolboy lad caballero chaval muchachito jovencito crio don viejito viejecito ancianito nono abuelito varoncito chiquito chiquillo chamaco';

export const SEX_WORDS: Readonly<Record<string, Sex>> = Object.assign(
  Object.create(null),
  Object.fromEntries(FEMALE.split(' ').map((word) => [word, 'female'])),
  Object.fromEntries(MALE.split(' ').map((word) => [word, 'male'])),
);

export const PRONOUNS: Readonly<Record<string, Sex>> = Object.assign(Object.create(null), {
  she: 'female',
  her: 'female',
  hers: 'female',
  herself: 'female',
  ella: 'female',
  ela: 'female',
  dela: 'female',
  he: 'male',
  his: 'male',
  him: 'male',
  himself: 'male',
  ele: 'male',
  dele: 'male',
});

export const PERSON_NOUNS = set(
  'woman man female male boy girl lady gentleman guy patient pt baby infant newborn neonate toddler child kid teenager teen adult pupil son daughter ' +
    'mujer hombre varon nino nina senora senor paciente pte pacte pac px bebe lactante recien nacido neonato rn adolescente adulto escolar preescolar chico chica femenina ' +
    'femenino masculino fem masc hijo hija joven anciano anciana nene nena chavo chava chavito chavita pibe piba guagua zagal zagala ninito ninita bebita bebito senorita adulta muchacho muchacha muchachita muchachito chaval chavala morro morra crio criatura peque jovencito jovencita caballero don jubilado jubilada ' +
    'guaguita viejito viejita viejecito viejecita ancianito ancianita nono nona varoncito chiquito chiquita chiquillo chiquilla chamaco chamaca gurisa dama campesino campesina ' +
    'mulher homem menino menina senhora senhor lactente crianca idoso idosa rapaz moca moco feminina filho filha jovem pcte gestante embarazada gravida utente doente bb nenem garoto garota homi menor masculina puerpera sra sr rapariga miudo miuda gaiato gaiata guri guria feminino femenino dona ' +
    'student retired',
);

export const RELATIVE_WORDS = set(
  'mother father mum mom dad brother sister aunt uncle cousin grandmother grandfather grandma grandpa grandad granddad gran granny nan nana sibling husband wife girlfriend missus partner twin nephew niece ' +
    'madre padre mama papa hermano hermana hermanito hermanita tio tia primo prima abuelo abuela abuelito abuelita marido esposo esposa novio novia pareja sobrino sobrina ' +
    'mae pai irmao irma irmaozinho irmazinha avo avos companheiro companheira namorado namorada sobrinho sobrinha neto neta nieto nieta friend amigo amiga',
);

export const BABIES = set(
  'baby infant newborn neonate lactante bebe bebita bebito rn neonato neonata nacido nacida lactente bb nenem guagua guaguita nino nina nene nena chiquito chiquita',
);

export const CHILD_PEOPLE = set(
  'son daughter baby toddler child kid hijo hija bebe nino nina filho filha crianca menino menina boy girl lactente lactante',
);

/** Letters that are units only if they are glued to the number: "3y", "8m". */
export const GLUED_UNIT_YEARS = unitMap([
  ['y', 1],
  ['m', 1 / 12],
  ['w', 7 / 365],
  ['d', 1 / 365],
]);

/** Weeks beside one of these words are weeks of a pregnancy. */
export const PREGNANCY_WORDS = set(
  'primeriza primigesta embarazadita prenada puerpera puerperio posparto postparto postpartum pregnant pregnancy gestation gestational embarazada embarazo gestacion gestante gravida gravidez gestacao gestacional ig eg',
);

/** Adults: days and weeks behind these words are no age, but the time since an event. */
export const GROWN_PEOPLE = set(
  'woman man lady gentleman mujer hombre senora senor anciana anciano mulher homem senhora senhor idosa idoso parida parturienta primipara ' +
    'wife girlfriend partner fiancee missus sister im esposa novia pareja cunada nuera namorada companheira nora cunhada',
);

/** Births and operations, from which days are counted. */
export const POSTS = set(
  'postop postoperatorio posoperatorio posoperatoria postquirurgico postparto posparto puerperio puerpera postpartum',
);
export const EVENTS = new Set([
  ...POSTS,
  ...set(
    'birth delivery childbirth partum caesarean cesarean section miscarriage abortion surgery operation operated op replacement ' +
      'parto cesarea aborto operado operada operacion cirugia intervenido intervenida ' +
      'cesariana operatorio operacao',
  ),
]);

/** Words between a length of time and the event. */
export const SINCE_EVENT = set('post pos after since out following de do da desde tras despues depois apos from');
export const AGE_BEHIND = set('old vida edad idade');

/** The years of one unit. */
export const UNIT_YEARS = unitMap([
  [`${TIME_WORDS.year} yo y/o yom yof a anitos aninhos aa`, 1],
  [`${TIME_WORDS.month} mo mth mths mesecitos mesitos`, 1 / 12],
  [`${TIME_WORDS.week} semanitas`, 7 / 365],
  [`${TIME_WORDS.day} diitas`, 1 / 365],
]);
