// Whose finding it is that is named at a place of a text: the patient's, or a relative's. `El que fuma es nuestro hijo`, `my dad had it`.
import type { Cues } from '../../../../clinical-text/cues/cues.ts';
import type { Token } from '../../../../clinical-text/tokens/tokens.ts';
import { memberAt } from '../relatives.ts';

export const PATIENT = 'patient';
/** A relative who is not named. */
const FAMILY = 'family';
const SELF = 'self';
/** A person who is no relative that the cues know: `the lady in the next room`. */
export type Owner = string;

type Place = { readonly tokens: readonly Token[]; readonly first: number; readonly end: number };

/** Words between a relative and what they have. */
const REACH_BEFORE = 10;
const REACH_BEHIND = 6;
/** The relative only tells it, sees it, or gives something for it. */
const REPORTS =
  /^(?:say|said|says|tell|told|think|thought|notic|saw|sees|found|report|state|call|gave|give|want|brought|bring|took|worr|dice|dijo|dicen|not|vio|ve|cuent|refier|relat|encontr|llam|dio|da|trajo|traj|quier|pregunt|disse|diz|percebe|viu|achou|acha|cont|chamou|deu|trouxe|quer|inform|ach)/;
const OWNS =
  /^(?:had|has|have|did|does|got|tuvo|tiene|tenia|tienen|sí|sim|teve|tem|tinha|fuma|fumaba|fumava|smokes|drinks)$/;
const IS = /^(?:is|was|are|es|era|son|fue|e|foi|sao)$/;
const THIRD = /^(?:she|he|shes|hes|her|his|ella|ela|ele|they|theyre)$/;
const OTHERS =
  /^(?:lady|gentleman|neighbou?rs?|friends?|colleagues?|boss|vecin[oa]s?|amig[oa]s?|companer[oa]s?|jef[ea]|vizinh[oa]s?|colegas?|roommate|ex)$/;
const YOUNG = /^(?:kid|child|boy|girl|nin[oa]|chic[oa]|crianca|menin[oa])$/;
/** `As a kid`, `de niña`, `quando criança`: the speaker when young. */
const WHEN = /^(?:a|little|de|desde|cuando|quando|pequen[oa])$/;
/** `Por parte de mãe`, `on my mother's side` */
const SIDE = /^(?:parte|lado|side)$/;
const SIDE_REACH = 3;

/** `isRelative`: who speaks is no patient, so that `I` is another person, and `she` may be the patient. */
export function ownerAt(place: Place, cues: Cues, isRelative: boolean): Owner {
  const { tokens, first } = place;
  const named = ownerBefore(tokens, first, cues) ?? ownerBehind(place, cues);
  if (named === SELF) return isRelative ? FAMILY : PATIENT;
  return named ?? ownerOfPronoun(tokens, first, cues) ?? PATIENT;
}

type NamedRelative = { readonly at: number; readonly member: Owner };

/** The relatives that a text is about: not `tío de su papá`, `tia por parte de mãe`, `my mother's tablets`. */
export function relativesIn(tokens: readonly Token[], cues: Cues): readonly NamedRelative[] {
  return tokens.flatMap((token, at) => {
    const member = isPossessive(token) || isWhenYoung(tokens, at) ? undefined : memberAt(tokens, at, cues);
    return member === undefined || member === 'family' || isOfOther(tokens, at, cues) ? [] : [{ at, member }];
  });
}

export function isOfOther(tokens: readonly Token[], at: number, cues: Cues): boolean {
  for (let back = at - 1; back >= at - SIDE_REACH && tokens[back]?.sentence === tokens[at]?.sentence; back -= 1) {
    if (SIDE.test(tokens[back]?.word ?? '')) return true;
    const isOwner = cues.belonging.lengthAt(tokens, back + 1) > 0;
    if (isOwner && memberAt(tokens, back, cues) !== undefined) return true;
  }
  return false;
}

/** `Wife's tramadol` */
export function isPossessive(token: Token | undefined): boolean {
  if (token === undefined) return false;
  return token.word.endsWith('s') && token.to - token.from > token.word.length;
}

function isWhenYoung(tokens: readonly Token[], index: number): boolean {
  return YOUNG.test(tokens[index]?.word ?? '') && WHEN.test(tokens[index - 1]?.word ?? '');
}

function personAt(tokens: readonly Token[], index: number, cues: Cues): Owner | undefined {
  if (isWhenYoung(tokens, index)) return undefined;
  const member = isPossessive(tokens[index]) ? undefined : memberAt(tokens, index, cues);
  if (member !== undefined) return isOfOther(tokens, index, cues) ? undefined : member;
  return OTHERS.test(tokens[index]?.word ?? '') ? 'other' : undefined;
}

/** The nearest person before the finding in its sentence, unless the speaker names themselves in between. */
function ownerBefore(tokens: readonly Token[], first: number, cues: Cues): Owner | undefined {
  const sentence = tokens[first]?.sentence;
  let words = 0;
  for (let index = first - 1; index >= 0 && words < REACH_BEFORE; index -= 1) {
    const token = tokens[index];
    if (token?.sentence !== sentence) return undefined;
    const person = personAt(tokens, index, cues);
    if (person !== undefined) return isReporter(tokens, index) ? undefined : person;
    if (isSelf(tokens, index, cues)) return SELF;
    if (token?.kind !== 'mark') words += 1;
  }
  return undefined;
}

function isReporter(tokens: readonly Token[], index: number): boolean {
  return [1, 2].some((ahead) => {
    const next = tokens[index + ahead];
    return next?.sentence === tokens[index]?.sentence && REPORTS.test(next?.word ?? '');
  });
}

/** `Mi` and `my` belong to the relative behind them. */
function isSelf(tokens: readonly Token[], index: number, cues: Cues): boolean {
  return cues.self.lengthAt(tokens, index) > 0 && !/^(?:mi|patient|paciente)$/.test(tokens[index]?.word ?? '');
}

/** `Trombose, minha mãe teve`, `diabetes in my mother`, `quem fuma é meu filho`. */
function ownerBehind({ tokens, first, end }: Place, cues: Cues): Owner | undefined {
  const sentence = tokens[first]?.sentence;
  let isLinked = false;
  for (let index = end; index < end + REACH_BEHIND; index += 1) {
    const token = tokens[index];
    if (token?.sentence !== sentence) return undefined;
    const person = personAt(tokens, index, cues);
    if (person !== undefined) return isLinked || isOwning(tokens, index) ? person : undefined;
    // `Fiebre tuve yo, él no.`
    if (isSelf(tokens, index, cues))
      return index <= end + 1 && /^(?:yo|eu)$/.test(token?.word ?? '') ? SELF : undefined;
    const word = token?.word ?? '';
    isLinked ||= IS.test(word) || cues.belonging.lengthAt(tokens, index) > 0;
  }
  return undefined;
}

export function isOwning(tokens: readonly Token[], index: number): boolean {
  const next = tokens[index + 1];
  const isEnd = next === undefined || next.sentence !== tokens[index]?.sentence || /^[.!;]$/.test(next.word);
  return isEnd || [1, 2].some((ahead) => OWNS.test(tokens[index + ahead]?.word ?? ''));
}

/** `My brother was ill. He had a stroke.` */
function ownerOfPronoun(tokens: readonly Token[], first: number, cues: Cues): Owner | undefined {
  const sentence = tokens[first]?.sentence ?? 0;
  const start = tokens.findIndex((token) => token.sentence === sentence);
  const pronoun = tokens[start];
  if (start <= 0 || pronoun === undefined || !(THIRD.test(pronoun.word) || isHe(pronoun))) return undefined;
  const before = tokens[start - 1]?.sentence;
  for (let index = start - 1; index >= 0 && tokens[index]?.sentence === before; index -= 1) {
    const person = personAt(tokens, index, cues);
    // `I'm her daughter. She has been coughing.`
    if (person !== undefined)
      return isReporter(tokens, index) || isSelfBefore(tokens, index, cues) ? undefined : person;
  }
  return undefined;
}

/** `El` without its accent is the article. */
export function isHe({ word, isAccented }: Token): boolean {
  return word === 'el' && isAccented;
}

function isSelfBefore(tokens: readonly Token[], at: number, cues: Cues): boolean {
  for (let index = at - 1; tokens[index]?.sentence === tokens[at]?.sentence && index >= 0; index -= 1)
    if (isSelf(tokens, index, cues)) return true;
  return false;
}
