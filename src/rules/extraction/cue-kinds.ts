// The kinds of cue words: words around a finding that say how it is meant.

export const CUE_KINDS = [
  /** Denies the findings behind it: no, without. */
  'negation',
  /** Denies a whole list, also over words between: denies, negative for. */
  'denial',
  /** Denies the finding before it: absent, negative. */
  'absent',
  /** Looks like a negation and denies nothing: no improvement, not only. */
  'pseudo',
  /** Ends any scope: but, except. */
  'but',
  /** Ends a negation too, except directly behind it: has, with, refers. */
  'affirm',
  /** Ends a negation before a reason: because, when. */
  'reason',
  'uncertain',
  /** Makes the finding before it uncertain: suspected, to be ruled out. */
  'doubted',
  'past',
  /** Makes the finding before it past: resolved. */
  'over',
  /** The text behind it is about today again. */
  'now',
  /** A relative: mother, brother. */
  'relative',
  /** Another person: husband, colleague. */
  'other',
  /** A child, which is often the patient: son, daughter. */
  'child',
  /** Begins a list of the family's findings: "Family history:". */
  'heritage',
  /** Makes the relative before it a reporter: says, brings. */
  'report',
  /** Makes the relative behind it a reporter or a companion: per, with. */
  'via',
  /** Makes the findings behind it those of the relative before it: had, died of. */
  'has',
  /** Names the patient again: he, the patient, I. */
  'patient',
  /** Makes the findings behind it supposed, until a statement follows: in case of. */
  'if',
  /** Begins a condition, which is only supposed if the sentence advises: if. */
  'suppose',
  /** Advice: call us, go to the hospital. */
  'advice',
  /** Makes the findings to the end of the clause a mere risk: risk of. */
  'risk',
  /** Makes diagnoses behind it feared and complaints uncertain: worried about. */
  'worry',
  /** Makes the finding before it the name of something else: vaccine, test. */
  'title',
  /** Makes the finding behind it the name of something else: vaccinated against. */
  'titled',
  /** An allergy; findings in brackets behind it are old reactions: allergic to penicillin (rash). */
  'allergy',
  /** Words of findings with another meaning: fell asleep. */
  'idiom',
  /** Begins a question about findings: do you have, any. */
  'ask',
  'yes',
  /** An answer that denies: no, none. */
  'no',
  /** Makes the time before it past: ago. */
  'ago',
  /** Begins a length of time: since, for. */
  'since',
] as const;
export type CueKind = (typeof CUE_KINDS)[number];

export type CueWords = Partial<Readonly<Record<CueKind, readonly string[]>>>;
