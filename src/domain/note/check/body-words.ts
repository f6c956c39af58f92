// The words for parts of the body and for its sides, in the three languages.

import { makeFindNamedThings } from '../../../clinical-text/phrases/named-things.ts';
import type { Language } from '../../language.ts';

export const findBodyParts = makeFindNamedThings(`
head = head, headache, migraine / cabeza, cefalea, migrana, jaqueca / cabeca, cefaleia, enxaqueca
face = face, facial / cara, facial / face, rosto, facial
temple = temple / sien, sienes / tempora
cheek = cheek / mejilla / bochecha
jaw = jaw, mandib* / mandib* / mandib*
eye = eye, ocular, eyelid, orbit*, retroorbital / ojo, ocular, parpado / olho, ocular, palpebra
ear = ear, earache, eardrum, otalg* / oido, oreja, timpano, otalg* / ouvido, orelha, timpano, otalg*
nose = nose, nostril / nariz, fosa nasal / nariz, narina
tooth = tooth, teeth, molar / diente, muela / dente, molar
tonsil = tonsil / amigdala / amigdala
throat = throat / garganta / garganta
neck = neck, cervical / cuello, cervical / pescoco, cervical
shoulder = shoulder / hombro, omalg* / ombro, omalg*
collarbone = collarbone, clavic* / clavic* / clavic*
armpit = armpit, axill* / axila / axila
arm = arm, forearm, upper extremity, upper limb / brazo, antebrazo / braco, antebraco
elbow = elbow / codo / cotovelo
wrist = wrist / muneca / punho
hand = hand, palm / mano, palma / mao, palma
thumb = thumb / pulgar / polegar
finger = finger / dedo / dedo
chest = chest, thorac*, thorax, precord*, sternal, substernal, retrosternal / pecho, torac*, torax, hemitorax, precord* / peito, torac*, torax, hemitorax, precord*
breast = breast / mama, seno, pezon / mama, seio, mamilo
rib = rib / costilla / costela
lung = lung, lobe, pulmonary / pulmon, pulmone, lobulo / pulmao, lobo
heart = heart, ventric*, atrium / corazon, ventric*, auricula / coracao, ventric*, atrio
back = lower back, upper back, mid back, back pain, back ache, backache, back hurt*, my back, your back, the back, his back, her back, lumb* / espalda, lumb*, lomo / costas, costa, lomb*
abdomen = quadrant, abdom*, belly, stomach, tummy, epigast* / cuadrante, abdom*, barriga, estomago, vientre, panza, epigast* / quadrante, abdom*, barriga, estomago, ventre, epigast*
flank = flank, loin / flanco, costado, fosa renal / flanco, loja renal
hip = hip / cadera, coxalg* / quadril, coxalg*
pelvis = pelvi*, pelvic / pelvi* / pelve, pelvi*
groin = groin, inguinal / ingle, inguinal / virilha, inguinal
buttock = buttock / nalga, gluteo / nadega, gluteo
leg = leg, lower extremity, lower limb / pierna / perna
thigh = thigh / muslo / coxa
knee = knee / rodilla, gonalg* / joelho, gonalg*
calf = calf, calves / pantorrilla, gemelo / panturrilha
shin = shin / espinilla / canela
ankle = ankle / tobillo / tornozelo
foot = foot, feet, sole / pie, pies, planta / pe, pes, planta
heel = heel / talon / calcanhar
toe = toe / dedo del pie / dedo do pe
kidney = kidney, renal / rinon, rinones, renal / rim, rins, renal
ovary = ovary, ovarian, adnex* / ovario / ovario
testicle = testic*, testis, scrot* / testic*, escrot* / testic*, escrot*
joint = joint / articulacion, articulaciones / articulacao, junta
muscle = muscle / musculo / musculo
skin = skin / piel / pele
side = side, sided / lado, costado / lado
`);

export type Side = 'left' | 'right' | 'both';

/** The side of each word. Whether `right` is a side or not is decided by the part of the body near it. */
export const SIDE_WORDS: ReadonlyMap<string, Side> = new Map(
  Object.entries({
    left: 'left',
    leftsided: 'left',
    right: 'right',
    rightsided: 'right',
    bilateral: 'both',
    bilaterally: 'both',
    both: 'both',
    izquierdo: 'left',
    izquierda: 'left',
    derecho: 'right',
    derecha: 'right',
    bilaterale: 'both',
    bilaterais: 'both',
    bilaterales: 'both',
    bilateralmente: 'both',
    ambo: 'both',
    amba: 'both',
    esquerdo: 'left',
    esquerda: 'left',
    direito: 'right',
    direita: 'right',
  } as const),
);

/** Short forms of notes. */
export const SHORT_SIDES: Readonly<Record<Language, ReadonlyMap<string, Side>>> = {
  en: new Map([
    ['lt', 'left'],
    ['rt', 'right'],
    ['bilat', 'both'],
  ]),
  es: new Map([
    ['izq', 'left'],
    ['izda', 'left'],
    ['izdo', 'left'],
    ['izqda', 'left'],
    ['izqdo', 'left'],
    ['dcha', 'right'],
    ['dcho', 'right'],
    ['der', 'right'],
    ['bilat', 'both'],
  ]),
  pt: new Map([
    ['esq', 'left'],
    ['dir', 'right'],
    ['bilat', 'both'],
  ]),
};
/** Capitals that mean a side beside a part of the body. */
export const SIDE_LETTERS: Readonly<Record<Language, ReadonlyMap<string, Side>>> = {
  en: new Map([
    ['l', 'left'],
    ['r', 'right'],
  ]),
  es: new Map([
    ['i', 'left'],
    ['d', 'right'],
  ]),
  pt: new Map([
    ['e', 'left'],
    ['d', 'right'],
  ]),
};

/** Capitals that are a side with its part: `LLL`, `FID`, `MIE`. `side part`, then the short forms. */
const SIDED_PARTS: Readonly<Record<Language, string>> = {
  en: 'right lung = rul rml rll; left lung = lul lll; right abdomen = ruq rlq rif; left abdomen = luq llq lif; right arm = rue; left arm = lue; right leg = rle; left leg = lle',
  es: 'right lung = lsd lid; left lung = lsi lii; right abdomen = fid hcd; left abdomen = fii hci; right arm = msd; left arm = msi; right leg = mid; left leg = mii',
  pt: 'right lung = lsd lid; left lung = lse lie; right abdomen = fid hcd; left abdomen = fie hce; right arm = msd; left arm = mse; right leg = mid; left leg = mie',
};
type ShortPart = { readonly side: Side; readonly part: string };
export const SHORT_SIDED_PARTS: Readonly<Record<Language, ReadonlyMap<string, ShortPart>>> = {
  en: shortParts('en'),
  es: shortParts('es'),
  pt: shortParts('pt'),
};

function shortParts(language: Language): ReadonlyMap<string, ShortPart> {
  return new Map(
    SIDED_PARTS[language].split('; ').flatMap((line) => {
      const [name = '', words = ''] = line.split(' = ');
      const [side, part = ''] = name.split(' ') as [Side, string?];
      return words.split(' ').map((word) => [word, { side, part }] as const);
    }),
  );
}

/** Two words that mean both: `las dos rodillas`, `as duas pernas`. */
export const BOTH_BY_TWO = [
  ['los', 'dos'],
  ['las', 'dos'],
  ['os', 'dois'],
  ['as', 'duas'],
  ['nos', 'dois'],
  ['dos', 'dois'],
  ['aos', 'dois'],
  ['nas', 'duas'],
  ['das', 'duas'],
] as const;
