// Finds what a clinician only considers, explains, orders or plans: "it could be appendicitis", "I'll start antibiotics", "an ultrasound to
// rule out torsion". None of it is a finding of the patient; what the clinician finds is. What a patient thinks or plans is not touched.

import { BREAKS } from '../../clinical-text/tokens/breaks.ts';
import type { CueKind } from './cue-kinds.ts';
import { isWord, type Stretch } from './history.ts';
import { type Cue, isOwnCue, type Mention, mentionsIn, type SentenceView } from './mentions.ts';

const DENIED_WITHIN = 4;

export function consideredMentions(view: SentenceView): readonly Mention[] {
  const { role } = view.turn;
  if (role === 'patient') return [];
  const isClinician = role === 'clinician';
  const ordered = [...view.cues('order'), ...(isClinician ? view.cues('plan') : [])];
  const considered = view
    .cues('consider')
    .filter((cue) => isClinician || !isDenied(view, cue))
    .flatMap((cue) => behind(view, cue).filter((mention) => isClinician || isDiagnosis(mention)));
  const explained = isClinician
    ? cuesOf(view, 'explain').flatMap((cue) => [...before(view, cue), ...behind(view, cue)])
    : [];
  const continued = view.isPlanContinued ? view.mentions.filter(isTreatment) : [];
  return [...ordered.flatMap((cue) => mentionsBehind(view, cue)), ...considered, ...explained, ...continued];
}

/** Without its accent the "é" of "é quando" is an "and". */
function cuesOf(view: SentenceView, kind: CueKind): readonly Cue[] {
  return view.cues(kind).filter(({ from }) => isCopula(view, from));
}

function isCopula({ tokens }: SentenceView, at: number): boolean {
  return tokens[at]?.text !== 'e' || tokens[at].isAccented;
}

/** If it is not known who speaks, a patient may think of a complaint or fear a danger: "I'm thinking about killing myself". */
function isDiagnosis({ finding: { kind, isDanger } }: Mention): boolean {
  return (kind === 'sign' || kind === 'condition') && !isDanger;
}

/** "Denies any chance of pregnancy". */
function isDenied(view: SentenceView, { from }: Cue): boolean {
  for (let at = Math.max(view.sentence.from, from - DENIED_WITHIN); at < from; at++)
    if (view.hasCue(at, 'denial', 'negation')) return true;
  return false;
}

/** True of a sentence of a clinician that says what will be done. */
export function isPlanning(view: SentenceView): boolean {
  return view.turn.role === 'clinician' && (view.cues('order').length > 0 || view.cues('plan').length > 0);
}

/** "And ceftriaxone before the operation" behind a plan: the drugs of the plan, which no verb belongs to. */
function isTreatment({ finding }: Mention): boolean {
  return finding.kind === 'circumstance' && !finding.isDanger;
}

/** Returns the mentions behind the cue, up to a contrast, a reason or a new statement. */
function behind(view: SentenceView, cue: Cue): Mention[] {
  return mentionsBehind(view, cue).filter((mention) => !isOwnCue(mention, cue));
}

/** The same, with a finding whose own words give the order: "se pesa todo dia". */
function mentionsBehind(view: SentenceView, cue: Cue): Mention[] {
  let to = cue.to;
  while (to < view.sentence.to && !isEnd(view, to, cue.to)) to++;
  return mentionsIn(view, { from: cue.from, to });
}

function isEnd(view: SentenceView, at: number, from: number): boolean {
  const breakBefore = view.tokens[at]?.before ?? BREAKS.none;
  const isColon = view.tokens[at]?.marks.startsWith(':') === true;
  if (at > from && ((breakBefore >= BREAKS.clause && !isColon) || isWord(view, at, 'because'))) return true;
  if (view.hasCue(at, 'but') && !isWord(view, at, 'conjunction')) return true;
  const isNew = at > from && (breakBefore >= BREAKS.comma || isWord(view, at - 1, 'and'));
  return isNew && (isWord(view, at, 'found') || isWord(view, at + 1, 'found'));
}

/** Returns the mentions of the same part of the sentence before the cue. */
function before(view: SentenceView, cue: Cue): Mention[] {
  const stretch: Stretch = { from: partStart(view, cue.from), to: cue.from };
  return mentionsIn(view, stretch);
}

function partStart(view: SentenceView, at: number): number {
  let from = at;
  while (from > view.sentence.from && (view.tokens[from]?.before ?? 0) < BREAKS.comma) from--;
  return from;
}
