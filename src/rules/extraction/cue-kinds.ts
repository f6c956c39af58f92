// The kinds of cue words: words around a finding that say how it is meant.

export const CUE_KINDS = [
  /** What follows is not there: no, without. */
  'negation',
  /** The same, for a whole list, whatever stands between: denies, negative for. */
  'denial',
  /** Behind a finding: absent, negative. */
  'absent',
  /** Looks like a negation and is none: no improvement, not only. */
  'pseudo',
  /** Ends what was begun: but, except. */
  'but',
  /** Ends a negation too, except directly behind it: has, with, refers. */
  'affirm',
  /** Ends a negation before a reason: because, when. */
  'reason',
  'uncertain',
  /** Behind a finding: suspected, to be ruled out. */
  'doubted',
  'past',
  /** Behind a finding: resolved. */
  'over',
  /** From here on it is about today again. */
  'now',
  /** Mother, brother … */
  'relative',
  /** Husband, colleague … */
  'other',
  /** Son, daughter: often the patient. */
  'child',
  /** "Family history:". */
  'heritage',
  /** Makes the relative before it a reporter: says, brings. */
  'report',
  /** Makes the relative behind it a reporter or company: per, with. */
  'via',
  /** Makes the relative before it the one who has it: had, died of. */
  'has',
  /** Whom the text is about, said again: he, the patient, I. */
  'patient',
  /** Behind it nothing is said to be there, until something is stated: in case of. */
  'if',
  /** May begin what is only supposed: if. It is, where the sentence advises. */
  'suppose',
  /** What to do then: call us, go to the hospital. */
  'advice',
  /** To the end of the clause: risk of. */
  'risk',
  /** Known diagnoses behind it are only feared; complaints are there, perhaps: worried about. */
  'worry',
  /** Behind a finding, it is no longer one: vaccine, test. */
  'title',
  /** The same before it: vaccinated against. */
  'titled',
  /** What stands in brackets behind it is what it did once: allergic to penicillin (rash). */
  'allergy',
  /** Words of findings that mean something else: fell asleep. */
  'idiom',
  /** Begins a question whether it is there: do you have, any. */
  'ask',
  'yes',
  /** A whole answer: no, none. */
  'no',
  /** Behind a number of years: ago. */
  'ago',
  /** Before a length of time: since, for. */
  'since',
] as const;
export type CueKind = (typeof CUE_KINDS)[number];

export type CueWords = Partial<Readonly<Record<CueKind, readonly string[]>>>;
