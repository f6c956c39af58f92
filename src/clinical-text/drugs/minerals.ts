// Decides if a mineral is taken (`calcium 500 mg`, `takes iron`) or measured (`Potássio 4,2 mEq/L`, `iron was low`). Without a sign that it
// is taken, it is a value.
import type { Token } from '../tokens/tokens.ts';

const DOSE =
  /^(mg|g|mcg|ug|meq|ui|iu|milligram|miligramo|miligrama|gram|gramo|grama|milliequivalent|miliequivalente|microgram|microgramo|micrograma|tablet|tableta|comprimido|cp|capsul[ea]?|capsula|pastilla|gota|ml|ampolla|ampola|sobre|sachet)s?$/;
const SALT =
  /^(carbonate|carbonato|sul(f|ph)ate|sulfato|citrate|citrato|chloride|cloruro|cloreto|oxide|oxido|gluconate|gluconato|lactate|lactato|supplement(s|ation)?|suplemento(s)?|tablets?|pills?|tabletas?|pastillas?|comprimidos?|capsulas?|capsules?|oral|infusion|drip|syrup|jarabe|xarope|iv|ev|vo)$/;
const TAKEN =
  /^(tak(e|es|en|ing)|took|on|start(s|ed|ing)?|add(ed|ing)?|giv(e|es|en|ing)|gave|prescrib\w*|continu\w*|stop(ped)?|hold|restart|with|tom(a|ar|e|o|ando|aba|amos|ou|ei)|inici\w*|anad\w*|adicion\w*|agreg\w*|us(a|o|ando|ar|e)|receit\w*|recet\w*|d(ar|amos|oy|ei)|suspend\w*|mantener|manter|mantem|seguir|siga|sigue|repoe|repor|suplementa\w*|supplement\w*|mas|mais|plus|\+|comec\w*|empiez\w*|empez\w*|passa\w*|move)$/;
/** Behind these words a mineral is part of another name or of a finding. */
const OTHER =
  /^(channel|sparing|deficien\w*|level\w*|nivel|niveles|niveis|canal|canales|antagonist\w*|baj[oa]|low|high|alt[oa]|baix[oa]|serico|serum|stor\w*|overload|score|stone|stones)$/;
const IRON = /^(iron|hierro|ferro)$/;
const MEASURED =
  /^(is|was|of|esta|era|es|estava|normal|count|studies|studie|profile|panel|perfil|intake|rich|and|ferritin\w*|total|board|man)$/;
const SMALL =
  /^(the|some|any|a|an|el|la|los|un|una|o|um|uma|de|da|do|of|oral|algo|his|her|my|your|su|mi|tu|meu|minha|seu|sua|your|daily|more|mas|mais|,)$/;
const BEFORE_REACH = 4;
const BEHIND_REACH = 4;
const VITAMIN = /^(vit|vitamin|vitamina)$/;

export function isTakenMineral(tokens: readonly Token[], index: number): boolean {
  const next = tokens[index + 1];
  if (
    SALT.test(next?.word ?? '') ||
    SALT.test(tokens[index - 1]?.word ?? '') ||
    SALT.test(tokens[index - 2]?.word ?? '')
  )
    return true;
  if (OTHER.test(next?.word ?? '') || (next?.word === '-' && OTHER.test(tokens[index + 2]?.word ?? ''))) return false;
  if (IRON.test(tokens[index]?.word ?? '') && !isMeasured(tokens, index)) return true;
  return (
    isDoseBehind(tokens, index) ||
    isDoseBefore(tokens, index) ||
    isVitaminBehind(tokens, index) ||
    isTakenBefore(tokens, index)
  );
}

/** People say `the iron` of the tablets, and seldom of the blood. */
function isMeasured(tokens: readonly Token[], index: number): boolean {
  const next = tokens[index + 1];
  return next?.kind === 'number' || MEASURED.test(next?.word ?? '');
}

/** Reads `calcium 500 mg`, but not `calcium 9.2 mg/dL`. */
function isDoseBehind(tokens: readonly Token[], index: number): boolean {
  const sentence = tokens[index]?.sentence;
  for (let at = index + 1; at <= index + BEHIND_REACH && tokens[at]?.sentence === sentence; at += 1) {
    if (!DOSE.test(tokens[at]?.word ?? '')) continue;
    const per = tokens[at + 1]?.word ?? '';
    const below = tokens[at + 2]?.word ?? '';
    return !((per === '/' || per === 'per' || per === 'por') && /^(d?l|litro|litre|liter|decilit\w*)$/.test(below));
  }
  return false;
}

/** Reads `500 mg de calcio`. */
function isDoseBefore(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1]?.word ?? '';
  const at = /^(of|de|do|da)$/.test(before) ? index - 2 : index - 1;
  return DOSE.test(tokens[at]?.word ?? '');
}

/** Reads `calcium and vitamin D`. */
function isVitaminBehind(tokens: readonly Token[], index: number): boolean {
  return (
    /^(and|con|com|y|e|\+|,|\/)$/.test(tokens[index + 1]?.word ?? '') && VITAMIN.test(tokens[index + 2]?.word ?? '')
  );
}

function isTakenBefore(tokens: readonly Token[], index: number): boolean {
  const sentence = tokens[index]?.sentence;
  for (let at = index - 1; at >= index - BEFORE_REACH && tokens[at]?.sentence === sentence; at -= 1) {
    const word = tokens[at]?.word ?? '';
    if (TAKEN.test(word)) return true;
    if (!SMALL.test(word)) return false;
  }
  return false;
}
