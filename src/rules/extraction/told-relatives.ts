// Finds what a patient goes on to tell of a relative: "That is my sister's. She lost weight." The pronoun means the relative, if the speaker
// is the patient and speaks of himself elsewhere. A danger is never taken from the patient by this.

import { hasWord, isWord } from './history.ts';
import type { Cue, Mention, SentenceView } from './mentions.ts';
import { sexOfRelative } from './patient-relative.ts';
import { sexOfPronoun } from './person-sex.ts';
import { skipLabel } from './questions.ts';

/** A companion speaks of himself, too, but seldom. */
const OWN_SENTENCES = 3;

/** Returns the findings of a relative of each sentence. */
export function toldOfRelatives(
  views: readonly SentenceView[],
  relative: string | undefined,
): readonly ReadonlySet<Mention>[] {
  const patients = patientsIn(views);
  return views.map((view, at) => {
    const before = views[at - 1];
    const { speaker } = view.turn;
    if (before === undefined || speaker === undefined || before.turn.speaker !== speaker) return new Set();
    if (!patients.has(speaker) || !isAbout(view, before, relative)) return new Set();
    return new Set(view.mentions.filter(({ finding }) => !finding.isDanger));
  });
}

/** The speakers who often speak of themselves, and are no clinicians. */
function patientsIn(views: readonly SentenceView[]): ReadonlySet<string> {
  const own = new Map<string, number>();
  for (const view of views) {
    const { speaker, role } = view.turn;
    const isOwn = hasWord(view, view.sentence, 'first-person') || hasWord(view, view.sentence, 'to-me');
    if (speaker !== undefined && role === 'patient' && isOwn) own.set(speaker, (own.get(speaker) ?? 0) + 1);
  }
  return new Set([...own].filter(([, sentences]) => sentences >= OWN_SENTENCES).map(([speaker]) => speaker));
}

/** True if the sentence begins with the pronoun of a relative whom the sentence before names. */
function isAbout(view: SentenceView, before: SentenceView, relative: string | undefined): boolean {
  const first = skipLabel(view, view.sentence.from);
  const start = isWord(view, first, 'and') ? first + 1 : first;
  const sex = sexOfPronoun(view, view.tokens[start]?.text);
  if (sex === undefined) return false;
  const named = ({ from }: Cue) => before.tokens[from]?.text;
  return [...before.cues('relative'), ...before.cues('other')].some(
    (cue) => named(cue) !== relative && sexOfRelative(before, named(cue)) === sex,
  );
}
