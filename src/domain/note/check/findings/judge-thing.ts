// Decides if the talk or the chart supports a thing that the note states.
import { FUNCTION_WORDS } from '../../../../clinical-text/languages/language-words.ts';
import type { Language } from '../../../language.ts';
import type { ChartSource } from '../../check-report.ts';
import type { CheckWork, ClaimWithVerdict } from '../check-work.ts';
import { DESCRIBED } from './history-words.ts';
import type { NoteThing } from './note-things.ts';
import { PATIENT } from './owners.ts';
import type { SpokenThing, SpokenThings } from './spoken-things.ts';
import { broaderKeys, kindredKeys, nameOf, PAIN, sameKeys } from './thing-keys.ts';
import type { TokenSpan } from './token-spans.ts';

export type Judgement = Pick<ClaimWithVerdict, 'verdict' | 'chart'> & { readonly utterance?: number };

type Parts = {
  readonly thing: NoteThing;
  readonly spoken: SpokenThings;
  readonly work: CheckWork;
  readonly chart: (thing: NoteThing) => ChartSource | undefined;
};

const SHORTEST_WORD = 3;
const FARTHER_KIN = /^(?:aunt|uncle|cousin|grand)/;
/** Utterances around one that the writer of the note names. */
const NEAR = 1;
/** They say how, when or by whom it was reported, and are in any talk. */
const WITHOUT_CONTENT =
  /^(?:with|from|since|that|this|have|been|some|reports?|states?|history|previous|known|patient|paciente|pcte|refiere|refere|antecedente|previ[ao]|desde|para|como|esta|este|hace|durante|associad[ao]|quadro|cuadro|acompan|today|hoy|hoje|ayer|ontem)/;

/** Undefined if nothing can be said: it may have been said in words that no list knows. */
export function judgeThing({ thing, spoken, work, chart }: Parts): Judgement | undefined {
  const said = mentionsOf(kindredKeys(thing.keys, work.lexicon), spoken);
  const mine = said.filter((one) => isOwner(thing, one));
  const supporting = mine.findLast(({ meaning }) => supports(thing, meaning));
  const isCited = ({ utterance }: SpokenThing) => thing.cites.some((cited) => Math.abs(cited - utterance) <= NEAR);
  const cited = mine.find(isCited);
  // Its writer knows where it was said, if it is named there at all.
  if (supporting !== undefined) return { verdict: 'supported', utterance: (cited ?? supporting).utterance };
  const entry = thing.owner === PATIENT ? chart(thing) : undefined;
  if (entry !== undefined) return { verdict: 'supported', chart: entry };
  const broader = mentionsOf(broaderKeys(thing.keys), spoken).filter((one) => isOwner(thing, one));
  const less = broader.findLast(({ meaning }) => supports(thing, meaning));
  if (less !== undefined) return { verdict: 'supported', utterance: less.utterance };
  // Another pain does not contradict a pain of which no list knows the place.
  const same = mentionsOf(sameKeys(thing.keys.filter((key) => key !== PAIN)), spoken);
  const opposite = same.findLast((one) => isOwner(thing, one) && isClear(one));
  if (opposite !== undefined) return { verdict: 'contradicted', utterance: opposite.utterance };
  // The sister of who comes with the patient is the patient's aunt.
  const isTheirs = !FARTHER_KIN.test(thing.owner) || new Set(work.spoken.speakers).size <= 2;
  const ofOther = same.findLast((one) => one.meaning === 'affirmed' && one.owner !== PATIENT && !isOwner(thing, one));
  if (ofOther !== undefined && !isTheirs) return undefined;
  if (ofOther !== undefined) return { verdict: 'contradicted', utterance: ofOther.utterance };
  // A person who is asked and answers neither yes nor no has often described it.
  const asked = mine.findLast(({ meaning }) => meaning === 'asked');
  if (asked !== undefined) return { verdict: 'supported', utterance: asked.utterance };
  if (isRelativeAbsent(thing, spoken, work)) return { verdict: 'unsupported' };
  // What is only kin of what was said may be the same complaint under another name.
  const named = thing.kind === 'finding' ? same : said;
  if (named.length > 0) return thing.owner === PATIENT ? { verdict: 'unsupported' } : undefined;
  if (said.length > 0) return undefined;
  return judgeWords(thing, spoken, work);
}

/** The relative of the note is not in the talk, in which the patient speaks. */
function isRelativeAbsent({ owner }: NoteThing, { members }: SpokenThings, { spoken }: CheckWork): boolean {
  if (owner === PATIENT || owner === 'family' || spoken.subjects.size > 0) return false;
  return !members.has(owner) && new Set(spoken.speakers).size === 2;
}

/** What is examined is often not said aloud, and some things have other names in a talk. */
function isDescribed({ keys, isExamined }: NoteThing): boolean {
  return isExamined || keys.some((key) => DESCRIBED.has(nameOf(key)));
}

function isClear({ meaning }: SpokenThing): boolean {
  return meaning === 'denied' || meaning === 'stopped' || meaning === 'affirmed';
}

/**
 * What the talk does not name may have been said in words that no list knows: it is unsupported only if nothing of its sentence was said.
 */
function judgeWords(thing: NoteThing, spoken: SpokenThings, { language }: CheckWork): Judgement | undefined {
  const near = spoken.withWords(contentOf(thing, thing, language));
  if (near !== undefined) return { verdict: 'supported', utterance: near };
  // A complaint has too many names for that.
  if (thing.kind === 'finding' || isDescribed(thing)) return undefined;
  const isNothingSaid = contentOf(thing, thing.range, language).every((stem) => spoken.withWords([stem]) === undefined);
  return isNothingSaid ? { verdict: 'unsupported' } : undefined;
}

function mentionsOf(keys: readonly string[], spoken: SpokenThings): readonly SpokenThing[] {
  return keys.flatMap(spoken.ofId).toSorted((a, b) => a.utterance - b.utterance);
}

function isOwner({ owner }: NoteThing, { owner: other }: SpokenThing): boolean {
  if (owner === PATIENT) return other === PATIENT;
  if (other === PATIENT) return false;
  return owner === other || owner === 'family' || other === 'family';
}

function supports({ isHabit, isStopped }: NoteThing, meaning: SpokenThing['meaning']): boolean {
  if (!isHabit) return meaning === 'affirmed' || meaning === 'stopped';
  return meaning === 'affirmed' || (isStopped && meaning === 'stopped');
}

function contentOf({ tokens }: NoteThing, { first, end }: TokenSpan, language: Language): readonly string[] {
  return tokens
    .slice(first, end)
    .filter(({ kind, word, isUpper }) => kind === 'word' && word.length >= SHORTEST_WORD && !isUpper)
    .filter(({ word }) => !FUNCTION_WORDS[language].has(word) && !WITHOUT_CONTENT.test(word))
    .map(({ stem }) => stem);
}
